#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the picture of a row of a page by "rxaqm qualify --html" as a file of its own: picture.sh
# PAGE ROW. What the page's style says of it becomes plain attributes, since many viewers, among
# them all that use librsvg, know no variables of CSS.
set -euo pipefail

awk -v row="$2" '
# Take the properties in text, as in "fill:none;stroke:var(--c0)", into have.
function take(text, have,    parts, nr, i, at, value)
{
	nr = split(text, parts, ";")
	for (i = 1; i <= nr; i++) {
		at = index(parts[i], ":")
		value = substr(parts[i], at + 1)
		if (value ~ /^var\(/)
			value = variable[substr(value, 5, length(value) - 5)]
		have[substr(parts[i], 1, at - 1)] = value
	}
}

# The attributes of an element of these classes, in the order of the style.
function attributes(classes,    have, i, nr, parts, all, j, text, key)
{
	for (i = 1; i <= rules; i++) {
		nr = split(selector[i], parts, ".")
		all = 1
		for (j = 2; j <= nr; j++)
			all = all && index(" " classes " ", " " parts[j] " ")
		if (all)
			take(rule[i], have)
	}
	nr = split("fill fill-opacity stroke stroke-width stroke-dasharray", parts, " ")
	for (j = 1; j <= nr; j++)
		if (parts[j] in have)
			text = text " " parts[j] "=\"" have[parts[j]] "\""
	return text
}

/^<style>$/, /^<\/style>$/ {
	body = $0
	sub(/^[^{]*{/, "", body)
	sub(/}.*/, "", body)
	if (/^:root{/)
		take(body, variable)
	else if (match($0, /^(\.[a-z0-9]+)+{/)) {
		selector[++rules] = substr($0, 1, RLENGTH - 1)
		rule[rules] = body
	}
	next
}

index($0, "<section id=\"" row "\">") { here = 1 }
here && /^<svg / {
	split($0, box, /[" ]/)
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" box[5] "\" height=\"" box[6] \
		"\" viewBox=\"0 0 " box[5] " " box[6] "\" role=\"img\" font-family=\"sans-serif\"" \
		" font-size=\"12\" fill=\"" variable["--ink"] "\">"
	drawn = 1
	next
}
drawn {
	while (match($0, / class="[^"]*"/))
		$0 = substr($0, 1, RSTART - 1) attributes(substr($0, RSTART + 8, RLENGTH - 9)) \
			substr($0, RSTART + RLENGTH)
	print
}
drawn && /^<title>/ { print "<rect width=\"100%\" height=\"100%\" fill=\"" variable["--paper"] "\"/>" }
drawn && /^<\/svg>/ { exit }' "$1"
