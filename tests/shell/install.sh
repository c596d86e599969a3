#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make install puts everything in place, make uninstall takes all of it away.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

make -s install DESTDIR="$root"
prefix=$root/usr/local
"$prefix/sbin/rxaqm" --version | grep -qxF "rxaqm $(cat VERSION)"
cmp docs/rxaqm.8 "$prefix/share/man/man8/rxaqm.8"
for profile in nic-profiles/*.conf; do
	cmp "$profile" "$prefix/share/rxaqm/profiles/$(basename "$profile")"
done
bash -n "$prefix/share/bash-completion/completions/rxaqm"

make -s uninstall DESTDIR="$root"
left=$(find "$root" ! -type d)
[ -z "$left" ] || { echo "left behind: $left" && exit 1; }
