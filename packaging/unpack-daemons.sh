#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unpacks Debian's chrony and suricata, which guests run beside rxaqm, and apparmor_parser, with
# what they need and this machine lacks, into the given directory: unpack-daemons.sh DIRECTORY. They
# are not installed: that would start services, and take another time service away. DIRECTORY/bin
# then has those that PATH has not. Does nothing if they are there already, or RXAQM_NO_DEPS is set.
# Tests that miss one are skipped, so not getting them is no failure.
set -euo pipefail

dir=${1:?the directory is missing}
[ -z "${RXAQM_NO_DEPS-}" ] || exit 0

has()
{
	command -v "$1" >/dev/null || [ -x "$dir/bin/$1" ]
}

# unpack PROGRAM PACKAGE [APT-OPTION...]
unpack()
{
	local program=$1 package=$2 scratch deb

	shift 2
	! has "$program" || return 0
	scratch=$(mktemp -d)
	mkdir -p "$scratch/partial" "$dir/root"
	apt-get -qq -y --no-install-recommends --download-only -o APT::Sandbox::User=root \
		-o Dir::Cache::archives="$scratch" "$@" install "$package" >/dev/null 2>&1 || true
	for deb in "$scratch"/*.deb; do
		[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$dir/root"
	done
	rm -rf "$scratch"
	if [ -z "$(find "$dir"/root/{usr/bin,usr/sbin,sbin}/"$program" 2>/dev/null)" ]; then
		echo "unpack-daemons.sh: $package cannot be fetched: tests with it will be skipped"
		return 0
	fi
	mkdir -p "$dir/bin"
	cat >"$dir/bin/$program" <<-'END'
		#!/bin/sh
		# With the libraries that were unpacked beside it.
		root=$(dirname "$(readlink -f "$0")")/../root
		export LD_LIBRARY_PATH=$root/usr/lib/$(uname -m)-linux-gnu:$root/lib/$(uname -m)-linux-gnu
		for dir in usr/sbin usr/bin sbin; do
			[ ! -x "$root/$dir/${0##*/}" ] || exec "$root/$dir/${0##*/}" "$@"
		done
	END
	chmod +x "$dir/bin/$program"
}

if { has chronyd && has suricata && has apparmor_parser; } || ! command -v apt-get >/dev/null; then
	exit 0
fi
apt-get -qq update >/dev/null 2>&1 || true
unpack chronyd chrony
unpack apparmor_parser apparmor
# That of Debian 12 itself has no AF_XDP; another release has no backports of this name.
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
if [ "$release" = bookworm ]; then
	unpack suricata suricata -t bookworm-backports
else
	unpack suricata suricata
fi
