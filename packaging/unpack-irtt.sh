#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unpacks Debian's package irtt, which measures round trips, into the given directory:
# unpack-irtt.sh DIRECTORY. It is not installed: that would start a server. Does nothing
# if the program is in PATH or there already, or RXAQM_NO_DEPS is set.
set -euo pipefail

dir=${1:?the directory is missing}

! command -v irtt >/dev/null || exit 0
[ ! -x "$dir/usr/bin/irtt" ] && [ -z "${RXAQM_NO_DEPS-}" ] || exit 0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fetch() { (cd "$scratch" && apt-get -qq -o APT::Sandbox::User=root download irtt) 2>/dev/null; }
if ! fetch; then
	apt-get -qq update 2>/dev/null || true
	fetch || {
		echo "unpack-irtt.sh: package irtt cannot be fetched: check the network, or put irtt in PATH" >&2
		exit 1
	}
fi
mkdir -p "$dir"
dpkg-deb --fsys-tarfile "$scratch"/irtt_*.deb | tar -C "$dir" -x ./usr/bin/irtt
