#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The units: systemd understands all of them, and they are as closed as they say.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v systemd-analyze >/dev/null || { echo "no systemd-analyze: install systemd" && exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# unit NAME TENTHS: systemd understands its files, and its exposure is not over that: 96 is that of
# a unit without any sandbox.
unit()
{
	local name=$1 tenths=$2 file

	# verify wants to find the program, which is not installed here.
	for file in packaging/"$name".{service,socket,timer}; do
		[ ! -e "$file" ] || sed "s|/usr/sbin/$name|$(command -v true)|" "$file" >"$dir/$(basename "$file")"
	done
	out=$(SYSTEMD_LOG_LEVEL=notice SYSTEMD_UNIT_PATH=$dir: systemd-analyze verify --man=no \
		"$dir/$name".* 2>&1) || {
		echo "$out"
		exit 1
	}
	# What it does not know it tells, and goes on. Units of the machine are not ours to judge.
	! grep -F "$name" <<<"$out" || exit 1
	systemd-analyze security --offline=true --threshold="$tenths" --no-pager "$dir/$name.service" >"$dir/out" || {
		cat "$dir/out"
		exit 1
	}
}

# What is left of the daemon's is what it is there for: the network of the host, bpf(), NICs, and
# root, whose files the pins are. 0.3 of it are for the clocks of NICs, which systemd does not tell
# from the host's; doctor does without, but looks at the files of others. What serves the metrics
# has nothing at all.
unit rxaqm 38
unit rxaqm-doctor 26
unit rxaqm-exporter 12

# NICs whose driver comes later: their clocks are there for it only if the kernel knows ptp.
for word in After Wants; do
	grep -qE "^$word=.*modprobe@ptp\.service" packaging/rxaqm.service || {
		echo "$word: no modprobe@ptp.service"
		exit 1
	}
done

# The units start the program that is installed with them.
grep -qx 'ExecStart=/usr/sbin/rxaqm run' packaging/rxaqm.service
make -s install DESTDIR="$dir/root" >/dev/null
grep -qx 'ExecStart=/usr/local/sbin/rxaqm run' "$dir/root/usr/local/lib/systemd/system/rxaqm.service"
