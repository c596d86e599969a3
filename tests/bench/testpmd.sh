#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets a second that DPDK's testpmd takes through AF_XDP, by libxdp's default program and by
# rxaqm's, into whose map rxaqm-xsk puts its socket: testpmd.sh NETNS TX_IFACE RX_IFACE. Prints
# lines of figures as the other parts do. 77: there is no testpmd.
set -euo pipefail

ns=$1 tx=$2 rx=$3
build=${RXAQM_BUILD:-build}
scratch=$(mktemp -d)
pids=()

# shellcheck disable=SC2317 # the trap calls it
cleanup()
{
	[ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

command -v dpdk-testpmd >/dev/null || {
	echo "testpmd: no dpdk-testpmd: packaging/install-deps.sh bench installs it" >&2
	exit 77
}

# wait_for WHAT COMMAND...: for 15 s at most.
wait_for()
{
	local tries=150 what=$1

	shift
	until "$@" >/dev/null 2>&1; do
		((tries-- > 0)) || { echo "testpmd: $what" >&2 && cat "$scratch/log" >&2 && exit 1; }
		sleep 0.1
	done
}

has_program() { [[ $(ip -n "$ns" -d link show "$rx") == *prog/xdp* ]]; }

# Not by way of a function or a shell: $! must be testpmd itself. stdin stays open, or it ends.
start_testpmd()
{
	mkfifo "$scratch/stdin.$1"
	RUNTIME_DIRECTORY=$scratch ip netns exec "$ns" dpdk-testpmd --no-huge -m 256 --no-pci --no-shconf -l 0,1 --main-lcore 0 \
		--file-prefix "rxaqm$$" --vdev="net_af_xdp0,iface=$rx" -- --forward-mode=rxonly \
		--total-num-mbufs=8192 --stats-period 1 --auto-start \
		<>"$scratch/stdin.$1" >"$scratch/log" 2>&1 &
	testpmd=$!
	pids+=("$testpmd")
	wait_for "it does not start" has_program
	wait_for "it does not forward" grep -q 'Rx-pps' "$scratch/log"
}

end_testpmd()
{
	kill -INT "$testpmd"
	wait "$testpmd" || true
}

received() { awk '/RX-packets:/ { n = $2 } END { print n + 0 }' "$scratch/log"; }
cpu_ns() { cut -d ' ' -f 1 "/proc/$1/schedstat"; }

# Packets by second of CPU time of the thread that polls: others may want its CPU.
rate()
{
	local napi packets time_ns

	ip netns exec "$ns" sh -c "echo 0 >/sys/class/net/$rx/threaded && echo 1 >/sys/class/net/$rx/threaded"
	wait_for "no NAPI thread" pgrep "^napi/$rx-"
	napi=$(pgrep "^napi/$rx-" | head -n 1)
	taskset -p -c 0 "$napi" >/dev/null
	packets=$(received)
	time_ns=$(cpu_ns "$napi")
	ip netns exec "$ns" "$build/bench/xsk" "$tx" 5
	# The statistics are a second behind.
	sleep 2.5
	packets=$(($(received) - packets))
	time_ns=$(($(cpu_ns "$napi") - time_ns))
	[ "$packets" -gt 1000 ] || { echo "testpmd: it received $packets packets" >&2 && exit 1; }
	[ "$time_ns" -gt 0 ] || { echo "testpmd: NAPI thread $napi did not run" >&2 && exit 1; }
	awk "BEGIN { print $packets * 1e9 / $time_ns }"
}

start_testpmd plain
plain=$(rate)
end_testpmd

start_testpmd rxaqm
ip -n "$ns" link set dev "$rx" xdp off
"$RXAQM_BIN" --netns "$ns" attach "$rx" >/dev/null
"$build/rxaqm-xsk" --netns "$ns" --adopt "$testpmd" "$rx" >/dev/null &
adopter=$!
pids+=("$adopter")
sleep 1
adopted=$(rate)
kill -TERM "$adopter"
wait "$adopter"
"$RXAQM_BIN" --netns "$ns" detach "$rx" >/dev/null
end_testpmd

awk -v plain="$plain" -v adopted="$adopted" 'BEGIN {
	printf "testpmd, libxdp'\''s program\t%.3f\tMpps\t\t1.000\t\n", plain / 1e6
	r = adopted / plain
	printf "testpmd, rxaqm, adopted\t%.3f\tMpps\t>= 0.95 x libxdp\t%.3f\t%s\n", adopted / 1e6, r,
		(r >= 0.95 ? "yes" : "no")
}'
