# shellcheck shell=bash disable=SC2016,SC2154 # awk; make-docs.sh sets the variables
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by make-docs.sh: prints the table of packaging/rxaqm-complete, from the --help of all
# commands, so that nothing is asked when somebody completes.

# "native generic" of the option --$2 of the command $1, by what it says to a wrong value.
choices()
{
	"$rxaqm" "$1" "--$2=." 2>&1 | sed -e 's/ (see .*//' -e 's/.*must be \(one of \)\?//' \
		-e 's/, \| or \||/ /g'
}

# What an argument of --help takes: words, or one of the kinds. "?" of what is not here.
arguments()
{
	local option

	for option in mode hook key; do
		echo "${option^^} $(choices attach $option)"
	done
	echo "CLASS $(choices qualify class)"
	echo "ROW,... @list $("$rxaqm" qualify --list | awk '{ print $1 }' | sort -V | xargs)"
	echo "ID $("$rxaqm" doctor --checks | sed -n 's/^| `\([^`]*\)`.*/\1/p' | xargs)"
	echo "HOST[/IFACE] ?"
	echo "PROFILE @profile"
	echo "NAME @netns"
}

# Rows of a command: its words and summary, then its options.
rows_of()
{
	ARGP_HELP_FMT=rmargin=500,opt-doc-col=48 "$rxaqm" "$@" --help | awk -v command="$*" '
		function kind(form) {
			if (form in takes)
				return takes[form]
			if (match(form, /KEY=VALUE|NAME\|IFACE|IFACE|FILE/))
				return kinds[substr(form, RSTART, RLENGTH)]
			return form ? "?" : ""
		}
		function row(short, long, what, help) {
			sub(/;.*|\. .*|\.$/, "", help)
			sub(/ \([^)]*$/, "", help)
			print command "\t" short "\t" long "\t" what "\t" help
		}
		BEGIN {
			kinds["KEY=VALUE"] = "@key"; kinds["NAME|IFACE"] = "@name"
			kinds["IFACE"] = "@iface"; kinds["FILE"] = "@file"
			while ((getline <ENVIRON["arguments"]) > 0) {
				form = $1
				sub(/^[^ ]+ /, "")
				takes[form] = $0
			}
		}
		NR == 1 {
			sub(/.*\[OPTION\.\.\.\]/, "")
			first = $0
			sub(/ \[?(KEY|FILE).*/, "", first)
			others = substr($0, length(first) + 1)
			second = !first && others ~ /KEY=VALUE/ ? "@key" : kind(others)
			row("", "", kind(first ? first : others) " " second, ENVIRON["summary"])
		}
		/^ +-/ && !/--usage/ {
			sub(/^ +/, "")
			help = $0
			if (!sub(/^[^ ]+( [^ ]+)?  +/, "", help))
				help = ""
			match($0, /--[a-z-]+/)
			form = substr($0, RSTART + RLENGTH)
			sub(/  .*/, "", form)
			sub(/^[= ]/, "", form)
			row($0 ~ /^-[a-zA-Z]/ ? substr($0, 1, 2) : "", substr($0, RSTART, RLENGTH),
				kind(form), help)
		}'
}

# Values to offer of the keys that take no words.
keys_of_policy()
{
	awk -F '\t' '
		BEGIN {
			some["target"] = "auto 500us 1ms 2ms 5ms 10ms"; some["interval"] = "10ms 20ms 40ms 100ms"
			some["ce_threshold"] = "off 500us 1ms 5ms 10ms"
			some["max_drop"] = "0% 10% 25% 50% 100%"; some["lease"] = "off 10s 1m 10m"
			some["exempt_ports"] = "none 22"; some["exempt_dscp"] = "none cs6,cs7 ef"
		}
		$1 == "Policy" {
			if ($3 ~ /^[a-z0-9|]*$/)
				gsub(/\|/, " ", $3)
			else
				$3 = some[$2]
			print "=\t\t" $2 "\t" $3 "\t" $4
		}
		$1 == "preset" { presets = presets (presets ? " " : "") $3 }
		END { print "=\t\tpreset\t" presets "\tseveral settings" }' "$scratch/keys"
}

completion_rows()
{
	local name form help word

	export arguments=$scratch/arguments
	arguments >"$arguments"
	summary='' rows_of | sed 1d
	"$rxaqm" --help | sed '1,/^Commands:/d; /^$/,$d; s/^  //; s/   */\t/g' |
		while IFS=$'\t' read -r name form help; do
			if [[ $form =~ ^[a-z]+(\|[a-z]+)+ ]]; then
				printf '%s\t\t\t\t%s\n' "$name" "$help"
				for word in ${BASH_REMATCH[0]//|/ }; do
					summary=$("$rxaqm" "$name" "$word" --help | sed -n 2p) rows_of "$name" "$word"
				done
			else
				summary=$help rows_of "$name"
			fi
		done
	keys_of_policy
}
