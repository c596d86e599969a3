#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The unit: systemd understands all of it, and it is as closed as it says.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v systemd-analyze >/dev/null || { echo "no systemd-analyze: install systemd" && exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# verify wants to find the program, which is not installed here.
sed "s|/usr/sbin/rxaqm|$(command -v true)|" packaging/rxaqm.service >"$dir/rxaqm.service"
out=$(SYSTEMD_LOG_LEVEL=notice systemd-analyze verify --man=no "$dir/rxaqm.service" 2>&1) || {
	echo "$out"
	exit 1
}
# NICs whose driver comes later: their clocks are there for it only if the kernel knows ptp.
for word in After Wants; do
	grep -qE "^$word=.*modprobe@ptp\.service" packaging/rxaqm.service || {
		echo "$word: no modprobe@ptp.service"
		exit 1
	}
done
# What it does not know it tells, and goes on. Units of the machine are not ours to judge.
! grep -F rxaqm.service <<<"$out" || exit 1

# The exposure, in tenths: 9.6 is that of a unit without any sandbox. What is left is what the
# daemon is there for: the network of the host, bpf(), NICs, and root, whose files the pins are. 0.3
# of it are for the clocks of NICs, which systemd does not tell from the host's.
systemd-analyze security --offline=true --threshold=38 --no-pager "$dir/rxaqm.service" >"$dir/out" || {
	cat "$dir/out"
	exit 1
}

# What serves the metrics has nothing at all.
sed "s|/usr/sbin/rxaqm-exporter|$(command -v true)|" packaging/rxaqm-exporter.service >"$dir/rxaqm-exporter.service"
cp packaging/rxaqm-exporter.socket "$dir"
out=$(SYSTEMD_LOG_LEVEL=notice SYSTEMD_UNIT_PATH=$dir: systemd-analyze verify --man=no \
	"$dir/rxaqm-exporter.service" "$dir/rxaqm-exporter.socket" 2>&1) || {
	echo "$out"
	exit 1
}
! grep -F rxaqm-exporter <<<"$out" || exit 1
systemd-analyze security --offline=true --threshold=12 --no-pager "$dir/rxaqm-exporter.service" >"$dir/out" || {
	cat "$dir/out"
	exit 1
}

# Both units start the program that is installed with them.
grep -qx 'ExecStart=/usr/sbin/rxaqm run' packaging/rxaqm.service
make -s install DESTDIR="$dir/root" >/dev/null
grep -qx 'ExecStart=/usr/local/sbin/rxaqm run' "$dir/root/usr/local/lib/systemd/system/rxaqm.service"
