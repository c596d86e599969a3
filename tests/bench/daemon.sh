#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# daemon.sh NETNS: what share of a CPU "rxaqm run" takes with 16 interfaces of 64 queues, for
# run.sh. One line: name, value, unit, target, ratio, met.
set -euo pipefail

ns=$1
scratch=$(mktemp -d)
daemon=
# shellcheck disable=SC2317 # trap calls it
cleanup()
{
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	wait 2>/dev/null || true
	for ((i = 0; i < 16; i++)); do
		ip -n "$ns" link delete "d$i" 2>/dev/null || true
	done
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Ticks of user and system time so far.
ticks()
{
	local stat

	stat=$(<"/proc/$daemon/stat")
	awk '{ print $12 + $13 }' <<<"${stat##*) }"
}

for ((i = 0; i < 16; i++)); do
	ip -n "$ns" link add "d$i" numrxqueues 64 numtxqueues 64 type veth \
		peer name "e$i" numrxqueues 64 numtxqueues 64
done
printf '[Daemon]\nsettle=0ns\n[Interface d*]\n' >"$scratch/rxaqm.conf"
RUNTIME_DIRECTORY=$scratch STATE_DIRECTORY=$scratch "$RXAQM_BIN" --netns "$ns" run --config "$scratch/rxaqm.conf" 2>"$scratch/log" &
daemon=$!
for ((i = 0; i < 300; i++)); do
	(($(grep -c ': attached' "$scratch/log") < 16)) || break
	sleep 0.1
done
((i < 300)) || { cat "$scratch/log" >&2 && exit 1; }
before=$(ticks)
sleep 30
awk -v ticks=$(($(ticks) - before)) -v hertz="$(getconf CLK_TCK)" 'BEGIN {
	percent = ticks / hertz / 30 * 100
	printf "rxaqm run, 16 interfaces of 64 queues\t%.2f\t%% of a CPU\t< 0.5\t%.2f\t%s\n", percent,
		percent / 0.5, percent < 0.5 ? "yes" : "no"
}'
"$RXAQM_BIN" --netns "$ns" detach --all >/dev/null
