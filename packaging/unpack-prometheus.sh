#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unpacks Debian's package prometheus, with promtool, which from Debian 13 on is a package of its
# own, into the given directory: unpack-prometheus.sh DIRECTORY. It is not installed: that would
# start a service. Does nothing if both programs are in PATH, are there already, or RXAQM_NO_DEPS
# is set. Tests that miss them are skipped, so not getting them is no failure.
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
fetch() { (cd "$scratch" && apt-get -qq -o APT::Sandbox::User=root download "$1") 2>/dev/null; }
if ! fetch prometheus; then
	apt-get -qq update 2>/dev/null || true
	fetch prometheus || without "package prometheus cannot be fetched"
fi
fetch promtool || true
for package in "$scratch"/*.deb; do
	dpkg-deb -x "$package" "$scratch/root"
done
[ -x "$scratch/root/usr/bin/promtool" ] || without "package promtool cannot be fetched"
mkdir -p "$dir/usr/bin"
cp "$scratch"/root/usr/bin/prom{etheus,tool} "$dir/usr/bin"
