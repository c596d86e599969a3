#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The documents say what the program says: commands, options, policy keys, columns, counters,
# variables, paths and make targets, in both directions where both have a list.
set -euo pipefail
cd "$(dirname "$0")/../.."
rxaqm=${RXAQM_BIN:-build/rxaqm}
manual=docs/rxaqm.8
documents=(README.md CONTRIBUTING.md SECURITY.md docs/*.md nic-profiles/README.md)
failed=0
# shellcheck disable=SC2016 # backticks of Markdown
quoted='`[^`]+`' key_row='^| `\([a-z0-9_]*\)` |'

wrong()
{
	echo "$*"
	failed=1
}

# equal WHAT NAME TEXT NAME TEXT: two lists of lines, in any order. same: and not empty.
equal()
{
	local only

	only=$(comm -3 <(sort -u <<<"$3") <(sort -u <<<"$5") |
		sed -e "s|^\t|  only in $4: |" -e t -e "s|^|  only in $2: |")
	[ -z "$only" ] || wrong "$1:"$'\n'"$only"
}

same()
{
	equal "$@"
	[ -n "$3" ] || wrong "$1: none found in $2"
}

# section NAME: the lines of a .Sh of the manual. subsection NAME: of one of its .Ss.
section() { awk -v name="$1" '/^\.Sh / { on = substr($0, 5) == name } on' "$manual"; }
subsection() { awk -v name="$1" '/^\.S[hs] / { on = substr($0, 5) == name } on' "$manual"; }
# The words of the .It Cm lines on standard input.
items() { sed -n 's/^\.It Cm //p'; }

help_commands()
{
	local command args word

	"$rxaqm" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\)/\1/p' | while read -r command args; do
		# "show|set|load|save IFACE" are commands of their own.
		if [[ $args =~ ^[a-z]+(\|[a-z]+)+\  ]]; then
			for word in $(tr '|' ' ' <<<"${args%% *}"); do
				echo "$command $word"
			done
		else
			echo "$command"
		fi
	done
}

# Options in --help; those that all commands have are described once.
help_options()
{
	"$@" --help | grep -E '^ {2,6}-' | grep -oE '^ *(-., )?--[a-z-]+|^ *-.' | grep -oE -- '--?[a-zA-Z][a-zA-Z-]*' |
		grep -vxE -- '-j|-h|--json|--help|--usage|--color' || true
}

manual_options()
{
	grep -E '^\.It Fl ' | grep -oE 'Fl [\\a-zA-Z-]+' | sed -e 's/^Fl /-/' -e 's/\\//g' |
		grep -vxE -- '-j|-h|--json|--help' || true
}

commands=$(help_commands)
same commands "rxaqm --help" "$commands" "$manual" \
	"$(section COMMANDS | sed -n 's/^\.Ss //p')"
while read -r command; do
	# shellcheck disable=SC2086 # words of a command
	equal "options of $command" --help "$(help_options "$rxaqm" $command)" \
		"$manual" "$(subsection "$command" | manual_options)"
done <<<"$commands"
same "global options" "rxaqm --help" \
	"$("$rxaqm" --help | awk -F '  +' '/^  +-/ { print $2 }' |
		grep -oE -- '--?[a-zA-Z]+' | grep -vxE -- '-j|--json|--help|--usage')" \
	"$manual" "$(section DESCRIPTION | manual_options)"

# Lines of --help as they were before they were broken.
unbroken() { sed -z 's/\n      \([^ ]\)/ \1/g'; }

# Keys, as lines "key form default"; the ranges are looked for in the text.
help_keys()
{
	"$rxaqm" policy --help | unbroken | awk '
		/^  [a-z0-9_]+=/ && !/^  preset=/ { sub("=", " "); item = $1 " " $2; next }
		item { match($0, /\(default [^)]*\)/); print item, substr($0, RSTART + 9, RLENGTH - 10); item = "" }'
}

manual_keys()
{
	section POLICY | awk '
		/^\.It Cm preset/ { exit }
		/^\.It Cm / { item = $3 " " $8 }
		/^Default: / && item { sub(/\.$/, ""); print item, $2; item = "" }'
}

keys=$(help_keys)
same "policy keys" "rxaqm policy --help" "$keys" "$manual" "$(manual_keys)"
same "policy keys" "rxaqm policy --help" \
	"$(awk '$1 != "mode" && $1 != "lease" { print $1 }' <<<"$keys"; echo preset)" \
	nic-profiles/README.md "$(sed -n '/^## \[Policy\]/,$'"s/$key_row.*/\1/p" nic-profiles/README.md)"

# range KEY: what the help says about it, such as "1us to 4s".
while read -r key range; do
	item=$(section POLICY | awk -v item=".It Cm $key Ns" '/^\.It / { on = index($0, item) == 1 } on')
	[[ ${item//$'\n'/ } == *"$range"* ]] || wrong "$manual: $key: '$range' is missing"
done < <("$rxaqm" policy --help | unbroken | awk '
	/^  [a-z0-9_]+=/ { sub("=", " "); key = $1; next }
	match($0, /[0-9]+[a-z%]+ to [0-9]+[a-z%]+/) { print key, substr($0, RSTART, RLENGTH) }')

while IFS=';' read -r preset settings; do
	[[ $(subsection POLICY) == *"$settings"* ]] || wrong "$manual: preset $preset is not $settings"
done < <("$rxaqm" policy --help | unbroken | awk '
	/^  preset=/ { sub("  preset=", ""); preset = $0; next }
	preset { sub(/.*; /, ""); print preset ";" $0; preset = "" }')

columns=$(sed -n '/columns\[RXAQM_TOP_COLUMNS\] = /,/^}/p' control/aqm/cli/top.c |
	grep -oE '\{ "[^"]+"' | tr -d '{ "')
same "columns of top" control/aqm/cli/top.c "$columns" "$manual" "$(section "COLUMNS OF TOP" | grep '^\.It' | items)"

same counters xdp/shared/stats.h "$(sed -n 's/.*X([A-Z0-9_]*, "\([a-z0-9_]*\)",.*/\1/p' xdp/shared/stats.h)" \
	"$manual" "$(section COUNTERS | items)"
same variables control "$(grep -rohE '(getenv|path_in)\("[A-Z_]+"' control | grep -oE '[A-Z_]{4,}')" \
	"$manual" "$(sed -n 's/^\.It Ev //p' "$manual")"
same "exit codes" control/core/base/log.h "$(grep -oE 'RXAQM_EXIT_[A-Z_]+ = [0-9]' control/core/base/log.h | grep -oE '[0-9]$')" \
	"$manual" "$(section "EXIT STATUS" | sed -n 's/^\.It \([0-9]\)$/\1/p')"

# The table of docs/doctor.md is what the program prints.
same "checks of the doctor" "rxaqm doctor --checks" "$("$rxaqm" doctor --checks)" \
	docs/doctor.md "$(grep '^|' docs/doctor.md | sed -n '/^| check | place/,$p')"

# The limits of docs/qualify.md are what the program prints, and its keys those of the record.
same "limits of qualify" "rxaqm qualify --limits" "$("$rxaqm" qualify --limits)" \
	docs/qualify.md "$(sed -n '/^<!-- limits/,/^<!-- end/{s/^    //p}' docs/qualify.md)"
# FIELDS(qualify_row, id, why), LIST(qualify_row, figures, TYPE): row.id, row.why, row.figures.
record_keys()
{
	tr -d '\n\t' <control/qualify/record/record.c |
		sed 's/rxaqm_\(curve\|point\)/qualify_\1/g' |
		grep -oE '(FIELDS?|LIST|NAME|STRUCT)\(qualify_[a-z]+(, *[a-z0-9_]+)+' |
		sed 's/, *qualify_[a-z]*_type//; s/, *count_type//; s/, *qualify_verdicts//' |
		awk -F '[(,] *' '{ for (i = 3; i <= NF; i++) print substr($2, 9) "." $i }'
}
# shellcheck disable=SC2016 # backticks of Markdown
key='`(record|setup|row|figure|curve|point)\.[a-z0-9_]+`'
same "keys of a record" control/qualify/record/record.c "$(record_keys)" \
	docs/qualify.md "$(sed -n '/^## The record/,$p' docs/qualify.md |
		grep -oE "$key" | tr -d '\140')"

# Code of a document: lines that are indented or in fences, and what stands in backticks.
code()
{
	awk '/^```/ { fenced = !fenced; next } fenced || /^    /' "$1" | sed 's/ #.*//'
	awk '/^```/ { fenced = !fenced; next } !fenced && !/^    /' "$1" | tr '\n' ' ' |
		grep -oE "$quoted" | tr -d '\140' # the backtick
}

targets=$(sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile)
tops='xdp|kprobes|control|nic-profiles|tests|docs|packaging|LICENSES|\.ci'
for document in "${documents[@]}"; do
	while read -r target; do
		grep -qxF -- "$target" <<<"$targets" || wrong "$document: there is no 'make $target'"
	done < <(code "$document" | grep -oE '\bmake [a-z][a-z-]*' | grep -vE 'install -y' | cut -d ' ' -f 2)

	while read -r command; do
		grep -qE "^$command( |$)" <<<"$commands" || wrong "$document: there is no 'rxaqm $command'"
	done < <(code "$document" | grep -oE '^ *(build/)?rxaqm [a-z]+' | grep -oE '[a-z]+$')

	# Links, from where the document is.
	while read -r link; do
		[ -e "$(dirname "$document")/$link" ] || wrong "$document: link to $link, which is not there"
	done < <(grep -oE '\]\([^)]+\)' "$document" | sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' |
		grep -vE '^$|^[a-z]+:')

	# Paths in backticks, from the top; NAME in capitals stands for something.
	while read -r path; do
		compgen -G "$path" >/dev/null || wrong "$document: $path is not there"
	done < <(code "$document" | grep -oE "(^|[[:space:]\"'=])($tops)/[A-Za-z0-9_.*/-]*" |
		grep -oE "($tops)/.*" | sed 's/[.,:]$//' | grep -vE '[A-Z]{4}')
done
# What is installed links only to what is installed, too. The tarball's README is that of these.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
make -s install-documents DESTDIR="$scratch" PREFIX=/usr
while read -r document; do
	while read -r link; do
		[ -e "$(dirname "$document")/$link" ] || wrong "installed ${document#"$scratch"}: link to $link"
	done < <(grep -oE '\]\([^)#]+' "$document" | sed 's/^](//' | grep -vE '^[a-z]+:')
done < <(find "$scratch" -name '*.md')
for document in README.md docs/platforms.md SECURITY.md; do
	[ -s "$scratch/usr/share/doc/rxaqm/$(basename $document)" ] || wrong "$document is not installed"
done
grep -q '](overview.md)' "$scratch/usr/share/doc/rxaqm/README.md" || wrong "links of README.md do not follow"
[ "$(wc -l <README.md)" -le 150 ] || wrong "README.md has more than 150 lines"
exit $failed
