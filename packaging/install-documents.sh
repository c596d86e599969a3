#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs documents: install-documents.sh DIRECTORY [PACKAGE:FILE]..., to DIRECTORY/PACKAGE. Links
# between them follow; a link to what is not installed becomes its text.
set -euo pipefail
cd "$(dirname "$0")/.."
to=$1
shift

declare -A at=() # of a file in the sources: its path below DIRECTORY
for document; do
	at[${document#*:}]=${document%%:*}/$(basename "${document#*:}")
done
at[nic-profiles/README.md]=rxaqm/nic-profiles/README.md

# links FILE: what it links to, without URLs.
links()
{
	grep -oE '\]\([^)#]+' "$1" | sed 's/^](//' | grep -vE '^[a-z]+:' | sort -u || true
}

for file in "${!at[@]}"; do
	script=
	while read -r link; do
		[ -n "$link" ] || continue
		target=$(realpath -m --relative-to=. "$(dirname "$file")/$link")
		link=${link//./\\.}
		if [ -n "${at[$target]-}" ]; then
			new=$(realpath -m --relative-to="/$(dirname "${at[$file]}")" "/${at[$target]}")
			script+="s@\]\($link(#[^)]*)?\)@](<$new\1>)@g;"
		else
			script+="s@!?\[([^][]*)\]\($link(#[^)]*)?\)@\1@g;"
		fi
	done < <(links "$file")
	mkdir -p "$to/$(dirname "${at[$file]}")"
	if [[ $file == *.md ]]; then
		# Those that are done are in <>, so that none is done twice.
		sed -zE "$script s@\]\(<([^>]*)>\)@](\1)@g" "$file" >"$to/${at[$file]}"
	else
		cat "$file" >"$to/${at[$file]}"
	fi
	chmod 644 "$to/${at[$file]}"
done
