#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# rxaqm.conf as shipped and its manual page say what the program knows: every key, with its
# values and its default.
set -euo pipefail
cd "$(dirname "$0")/../.."
rxaqm=${RXAQM_BIN:-build/rxaqm}
example=packaging/rxaqm.conf
manual=docs/rxaqm.conf.5
export RXAQM_PROFILE_PATH=${RXAQM_PROFILE_PATH:-nic-profiles}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# equal WHAT FILE FILE
equal()
{
	[ -s "$2" ] || { echo "$1: $2 is empty" && failed=1; }
	diff "$2" "$3" >"$dir/diff" && return
	echo "$1:" && cat "$dir/diff"
	failed=1
}

check()
{
	RUNTIME_DIRECTORY='' "$rxaqm" run --check --config "$1"
}

# Lines of --help as they were before they were broken.
unbroken() { sed -z 's/\n      \([^ ]\)/ \1/g'; }

# Lines "Section key=value" of a configuration.
settings() { awk '/^\[/ { gsub(/[][]/, ""); section = $1; next } /^[a-z_]+=/ { print section, $0 }'; }

# As shipped it attaches nothing, and its comments say what holds anyway.
check "$example" >"$dir/shipped"
if grep -q '^\[Interface' "$dir/shipped"; then
	echo "$example attaches something as it is shipped"
	failed=1
fi
sed 's/^#\([[a-z]\)/\1/' "$example" | grep -E '^(\[|[a-z_]+=)' >"$dir/all.conf"
settings <"$dir/all.conf" | grep -v '^Interface' | sort >"$dir/comments"
settings <"$dir/shipped" | sort >"$dir/effect"
equal "defaults in $example" "$dir/effect" "$dir/comments"
# Without the comment signs it is right, too, and has all keys.
check "$dir/all.conf" >"$dir/all"
settings <"$dir/all" | sed 's/=.*//' | sort >"$dir/keys"
settings <"$dir/all.conf" | sed 's/=.*//' | sort >"$dir/keys-example"
equal "keys in $example" "$dir/keys" "$dir/keys-example"

# Key, form and default of the help, and of the manual page; mode is the policy's.
"$rxaqm" run --help | unbroken | awk '
	/^  [a-z_]+=/ { sub("=", " "); item = $1 " " $2; next }
	match($0, /\(default [^)]*\)$/) { print item, substr($0, RSTART + 9, RLENGTH - 10) }
' | sort >"$dir/table"
awk '/^\.It Cm / { item = $3 " " $8 }
	/^Default: / { sub(/\.$/, ""); sub(/^Default: /, ""); print item, $0 }' "$manual" |
	sort >"$dir/manual"
equal "keys in $manual" "$dir/table" "$dir/manual"
cut -d ' ' -f 1 "$dir/table" | sort >"$dir/table-keys"
cut -d ' ' -f 2 "$dir/keys" | grep -vx mode | sort >"$dir/known"
equal "keys in rxaqm run --help" "$dir/known" "$dir/table-keys"
exit $failed
