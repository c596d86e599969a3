#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make install puts everything in place, make uninstall takes all of it away.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

make -s install DESTDIR="$root"
prefix=$root/usr/local
for program in rxaqm rxaqm-doctor rxaqm-qualify rxaqm-trial rxaqm-exporter; do
	[[ $("$prefix/sbin/$program" --version) =~ ^"$program $(cat VERSION)"(\ \([0-9a-f]+(-dirty)?\))?$ ]]
	[ -s "$prefix/share/man/man8/$program.8" ]
done
[ -s "$prefix/share/man/man1/rxaqm-xsk.1" ]
# What manuals and alerts point to is there, where they say.
named=$(grep -ohE '/usr/(local/)?share/(doc|rxaqm)/[a-z./-]+' "$prefix"/share/man/man?/* \
	"$prefix"/share/rxaqm/prometheus/* "$prefix/share/bash-completion/completions/rxaqm" \
	"$prefix/share/zsh/site-functions/_rxaqm" "$prefix/share/fish/vendor_completions.d/rxaqm.fish")
while read -r path; do
	[ -e "$root${path%.}" ] || { echo "$path is named, and not there" && exit 1; }
done <<<"$named"
[ "$(grep -c 'doc/rxaqm' <<<"$named")" -gt 20 ]
# The others are those beside rxaqm; one that is not there is named, with its package.
"$prefix/sbin/rxaqm" doctor --checks | grep '^| check' >/dev/null
"$prefix/sbin/rxaqm" qualify --list | grep '^Q1 ' >/dev/null
rm "$prefix/sbin/rxaqm-doctor"
status=0
said=$(PATH=/usr/bin:/bin "$prefix/sbin/rxaqm" doctor --checks 2>&1) || status=$?
[[ $status -eq 1 && $said == 'rxaqm: '*'install the package rxaqm-doctor' ]] ||
	{ echo "without rxaqm-doctor: status $status, $said" && exit 1; }
cmp docs/rxaqm-xsk.3 "$prefix/share/man/man3/rxaqm-xsk.3"
[[ $("$prefix/bin/rxaqm-xsk" --version) == "rxaqm-xsk $(cat VERSION)"* ]]
for profile in nic-profiles/*.conf; do
	cmp "$profile" "$prefix/share/doc/rxaqm/nic-profiles/$(basename "$profile")"
done
bash -n "$prefix/share/bash-completion/completions/rxaqm"

# A fleet installs this one: 0.74 MB with the BPF objects and the profiles, by gcc of Debian 13.
text=$(size "$prefix/sbin/rxaqm" | awk 'END { print $1 }')
[ "$text" -le 750000 ] || { echo "rxaqm has $text bytes of text" && exit 1; }

# A program of someone else's is built with what pkg-config says, against either library.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[ "$(pkg-config --modversion librxaqm-xsk)" = "$(cat VERSION)" ]
user()
{
	# shellcheck disable=SC2046 # lists of flags
	gcc -Wall -Wextra -Werror control/xsk/example/consumer.c \
		$(pkg-config --define-variable=prefix="$prefix" --cflags librxaqm-xsk) "$@" -o "$root/user"
}
user -L"$prefix/lib" -lrxaqm-xsk
[[ $(LD_LIBRARY_PATH=$prefix/lib "$root/user" nosuch0 0 1 2>&1) == *"no such interface"* ]]
[[ $(readelf -d "$root/user") == *'[librxaqm-xsk.so.1]'* ]]
# shellcheck disable=SC2046 # lists of flags
user "$prefix/lib/librxaqm-xsk.a" $(pkg-config --libs libbpf libxdp)
[[ $("$root/user" nosuch0 0 1 2>&1) == *"no such interface"* ]]
# Nothing but the interface can be seen from outside.
exported=$(nm -D --defined-only "$prefix/lib/librxaqm-xsk.so" | awk '$2 == "T" { sub("@.*", "", $3); print $3 }')
[ "$(sort <<<"$exported")" = "$(grep -oE 'rxaqm_xsk_[a-z_]+\(' control/xsk/rxaqm-xsk.h | tr -d '(' | sort -u)" ] || { echo "exported: $exported" && exit 1; }
rm "$root/user"

make -s uninstall DESTDIR="$root"
left=$(find "$root" ! -type d)
[ -z "$left" ] || { echo "left behind: $left" && exit 1; }
