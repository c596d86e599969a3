#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes what the documents say of keys anew, from the program's own --help: "make docs". With
# --check it only tells whether there is something to write.
#
#   docs/*.8, docs/*.5       lists between '.\" keys SECTION' and '.\" end': the first three lines
#                            of an item are written here, those behind them are kept
#   docs/rxaqm.8             the counters of xdp/shared/stats.h between '.\" counters' and '.\" end'
#   nic-profiles/README.md   tables between '<!-- keys SECTION -->' and '<!-- end -->'
#   docs/qualify.md          the text between '<!-- limits -->' and '<!-- end -->'
#   docs/doctor.md           the table of checks, which is its last
#   packaging/rxaqm.conf     sections, from [SECTION] to an empty line
#   packaging/rxaqm-complete the table between '# rows' and '# end'
# shellcheck disable=SC2016 # of awk and Markdown
set -euo pipefail
cd "$(dirname "$0")/.."
rxaqm=${RXAQM_BIN:-build/rxaqm}
export COLUMNS=80 # not the terminal's
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stale=0
# shellcheck source=packaging/completion.sh
. packaging/completion.sh

# One line a key: section, name, form, explanation without default, default. Presets have the
# section "preset". Help breaks long lines, which are joined again.
{ "$rxaqm" policy --help && RUNTIME_DIRECTORY='' "$rxaqm" run --help && "$rxaqm" profile --help; } |
	sed -z 's/\n      \([^ ]\)/ \1/g' | awk -v OFS='\t' '
	/^Keys of \[/ { gsub(/.*\[|\].*/, ""); section = $0; next }
	!section || !/^  [A-Za-z0-9_]+=/ { next }
	{
		at = index($0, "=")
		name = substr($0, 3, at - 3)
		form = substr($0, at + 1)
		getline
		sub(/^ */, "")
		at = match($0, / \(default .*\)$/)
		standard = at ? substr($0, at + 10, RLENGTH - 11) : ""
		print name == "preset" ? name : section, name, form, at ? substr($0, 1, at - 1) : $0, standard
	}' >"$scratch/keys"

# Of keys, for awk: keys[n] of each section in order, form[], help[] and standard[].
load='
	BEGIN {
		FS = "\t"
		while ((getline <table) > 0) {
			key[$1, ++nr[$1]] = $2
			form[$1, $2] = $3; help[$1, $2] = $4; standard[$1, $2] = $5
			if ($1 == "preset") {
				presets = presets (presets ? "|" : "") $3
				sub(/.*; /, "", $4)
				does = does (does ? "; `" : "`") $3 "` is " $4
			}
		}
	}
	function sentence(text) {
		return text ~ /^[a-z]+[ ,;]/ ? toupper(substr(text, 1, 1)) substr(text, 2) : text
	}'

# update FILE PROGRAM: have awk write FILE anew.
update()
{
	awk -v table="$scratch/keys" "$load $2" "$1" >"$scratch/new"
	cmp -s "$scratch/new" "$1" && return
	if [ "$check" ]; then
		stale=1
		echo "$1 is not what the program says; run 'make docs':"
		diff "$1" "$scratch/new" | head -n 20
	else
		cat "$scratch/new" >"$1"
		echo "$1"
	fi
}

check=
[ "${1-}" != --check ] || check=1

for manual in docs/rxaqm.8 docs/rxaqm.conf.5; do
	update "$manual" '
	/^\.\\" keys / { section = $0; sub(/.* /, "", section); print; next }
	section && /^\.\\" end/ {
		for (i = 1; i <= nr[section]; i++) {
			name = key[section, i]
			text = sentence(help[section, name])
			gsub(/--/, "\\-\\-", text)
			printf ".It Cm %s Ns = Ns Ar %s\n%s.\nDefault: %s.\n%s", name,
				form[section, name], text, standard[section, name], kept[name]
		}
		section = ""
	}
	section && /^\.It Cm / { split($0, word, " "); name = word[3]; line = 0 }
	section && line++ >= 3 { kept[name] = kept[name] $0 "\n" }
	!section'
done

sed -n 's/^\tX([A-Z0-9_]*, *"\(.*\)", *"\(.*\)").*/\1\t\2/p' xdp/shared/stats.h >"$scratch/counters"
export counters=$scratch/counters
update docs/rxaqm.8 '
	/^\.\\" counters$/ {
		print
		while ((getline line <ENVIRON["counters"]) > 0) {
			split(line, part, "\t")
			sub(/^observe:/, "Observe:", part[2])
			printf ".It Cm %s\n%s.\n", part[1], sentence(part[2])
		}
		skip = 1
	}
	/^\.\\" end$/ { skip = 0 }
	!skip'

update nic-profiles/README.md '
	function code(text) { gsub(/\|/, "`, `", text); return "`" text "`" }
	function row(name, text, values, otherwise) {
		if (otherwise ~ /^[^ ]+$/ && otherwise != "unknown")
			otherwise = code(otherwise)
		printf "| `%s` | %s | %s | %s |\n", name, text, code(values), otherwise
	}
	# Names of the kernel, settings and options in a sentence.
	function marked(text,    done) {
		while (match(text, /--[a-z-]+|[A-Za-z0-9_]+[_=][A-Za-z0-9_():>-]*[A-Za-z0-9)]/)) {
			done = done substr(text, 1, RSTART - 1) "`" substr(text, RSTART, RLENGTH) "`"
			text = substr(text, RSTART + RLENGTH)
		}
		return done text
	}
	/^<!-- keys / {
		section = $0; gsub(/<!-- keys | -->/, "", section)
		print $0 "\n\n| key | meaning | values | default |\n|---|---|---|---|"
		for (i = 1; i <= nr[section]; i++) {
			name = key[section, i]
			if (section == "Policy" && (name == "mode" || name == "lease"))
				continue
			row(name, marked(help[section, name]), form[section, name], standard[section, name])
		}
		if (section == "Policy")
			row("preset", "several settings: " does, presets, "")
	}
	section && /^<!-- end/ { section = ""; print "" }
	!section'

export limits=$scratch/limits
"$rxaqm" qualify --limits >"$limits"
update docs/qualify.md '
	/^<!-- limits/ {
		print $0 "\n"
		while ((getline line <ENVIRON["limits"]) > 0)
			print "    " line
		print ""
		skip = 1
	}
	/^<!-- end/ { skip = 0 }
	!skip'

export checks=$scratch/checks
"$rxaqm" doctor --checks >"$checks"
update docs/doctor.md '
	/^\| check \| place/ {
		while ((getline line <ENVIRON["checks"]) > 0)
			print line
		skip = 1
	}
	!/^\|/ { skip = 0 }
	!skip'

update packaging/rxaqm.conf '
	# A comment in lines of 100 columns.
	function folded(text,    at) {
		for (at = 98; length(text) > at && substr(text, at + 1, 1) != " ";)
			at--
		return "# " substr(text, 1, at) (length(text) > at ? "\n" folded(substr(text, at + 2)) : "")
	}
	/^\[[A-Z][a-z]*\]$/ {
		print
		section = $0; gsub(/[][]/, "", section)
		for (i = 1; i <= nr[section]; i++) {
			name = key[section, i]
			print folded(sentence(help[section, name]) ": " form[section, name])
			print "#" name "=" standard[section, name]
		}
	}
	section && /^$/ { section = "" }
	!section'

export rows=$scratch/rows
completion_rows >"$rows"
update packaging/rxaqm-complete '
	/^# rows$/ {
		print
		while ((getline line <ENVIRON["rows"]) > 0)
			print line
		skip = 1
	}
	/^# end$/ { skip = 0 }
	!skip'
exit $stale
