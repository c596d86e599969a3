#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unpacks Debian's package prometheus, with promtool, into the given directory:
# unpack-prometheus.sh DIRECTORY. It is not installed: that would start a service. Does
# nothing if both programs are in PATH, are there already, or RXAQM_NO_DEPS is set. Tests
# that miss them are skipped, so not getting them is no failure.
set -euo pipefail

dir=${1:?the directory is missing}

! command -v prometheus >/dev/null || ! command -v promtool >/dev/null || exit 0
[ ! -x "$dir/usr/bin/promtool" ] && [ -z "${RXAQM_NO_DEPS-}" ] || exit 0

without()
{
	echo "unpack-prometheus.sh: $1: tests with Prometheus will be skipped"
	exit 0
}

command -v apt-get >/dev/null || without "no apt-get"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fetch() { (cd "$scratch" && apt-get -qq -o APT::Sandbox::User=root download prometheus) 2>/dev/null; }
if ! fetch; then
	apt-get -qq update 2>/dev/null || true
	fetch || without "package prometheus cannot be fetched"
fi
mkdir -p "$dir"
dpkg-deb --fsys-tarfile "$scratch"/prometheus_*.deb |
	tar -C "$dir" -x ./usr/bin/prometheus ./usr/bin/promtool
