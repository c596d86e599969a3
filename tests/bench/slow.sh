#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slow.sh [SECONDS]: how long packets wait for an AF_XDP consumer that takes 60 us for each, so
# that a full ring is 120 ms; 20 s by default, without control and with it. TCP with ECN,
# target=10ms. The 99th percentile is held against twice the target. For run.sh: lines of name,
# value, unit, target, ratio, met. Exit status 77 where the consumer was hardly ever alone on its
# CPU.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rxaqm=${RXAQM_BIN:-$root/build/rxaqm}
forward=${RXAQM_BUILD:-$root/build}/rig/xskfwd
seconds=${1:-20}
src=rxaqm-slow-src-$$ dst=rxaqm-slow-dst-$$
scratch=$(mktemp -d)
server=
# Older dispatchers allow no metadata: as docs/af_xdp.md advises.
export LIBXDP_SKIP_DISPATCHER=1

# shellcheck disable=SC2317 # the trap calls it
cleanup()
{
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	"$rxaqm" --netns "$dst" detach in >/dev/null 2>&1 || true
	ip netns delete "$src" 2>/dev/null || true
	ip netns delete "$dst" 2>/dev/null || true
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

make_wire()
{
	local ns

	for ns in "$src" "$dst"; do
		ip netns add "$ns"
		ip netns exec "$ns" sysctl -qw net.ipv4.tcp_ecn=1 net.ipv4.conf.all.rp_filter=0 \
			net.ipv4.conf.default.rp_filter=0 net.ipv4.tcp_no_metrics_save=1 \
			net.ipv4.tcp_rmem='4096 131072 33554432' net.ipv4.tcp_wmem='4096 131072 33554432'
	done
	ip link add out netns "$src" address 02:00:00:00:09:08 type veth \
		peer name in netns "$dst" address 02:00:00:00:09:01
	# Frames as they come from a wire: of a packet's size, with checksums.
	ip netns exec "$src" ethtool -K out tso off gso off tx off >/dev/null
	ip -n "$src" address add 10.77.0.1/24 dev out
	ip -n "$dst" address add 10.77.0.2/24 dev in
	ip -n "$src" link set out up
	ip -n "$dst" link set in up
	# What the tap is asked it answers on the tap.
	ip -n "$src" neighbour replace 10.77.0.2 lladdr 02:00:00:00:09:01 dev out
	ip -n "$dst" neighbour replace 10.77.0.1 lladdr 02:00:00:00:09:08 dev in
}

# forward_tcp: what the consumer says of the wait, in JSON.
forward_tcp()
{
	local consumer

	# Ahead of all other tasks, but for the 5 % of its time that the kernel keeps for them.
	chrt -f 1 taskset -c 1 "$forward" "$dst" in fwd0 60 "$seconds" 2 >"$scratch/wait.json" &
	consumer=$!
	ip netns exec "$dst" taskset -c 0 iperf3 -s -1 >/dev/null &
	server=$!
	for ((i = 0; i < 100; i++)); do
		[ -z "$(ip netns exec "$dst" ss -Hltn 'sport = :5201')" ] || break
		sleep 0.05
	done
	ip netns exec "$src" taskset -c 0 iperf3 -c 10.77.0.2 -P 4 -C cubic -t $((seconds - 1)) >/dev/null
	wait "$consumer" "$server"
	server=
	cat "$scratch/wait.json"
}

# figures NAME WAIT_JSON [LIMIT_MS]
figures()
{
	jq -r --arg name "$1" --argjson limit "${3:-null}" '
		def ms: . / 1e4 | round / 100;
		(.p99_ns / 1e6) as $p99 |
		["AF_XDP, too slow, \($name): median wait", (.p50_ns | ms), "ms", "", "", ""],
		["AF_XDP, too slow, \($name): p99", (.p99_ns | ms), "ms"] +
			(if $limit then ["<= \($limit) ms", ($p99 / $limit * 1000 | round / 1000),
				if $p99 <= $limit then "yes" else "no" end] else ["", "", ""] end) | @tsv' <<<"$2"
}

[ "$(id -u)" -eq 0 ] || { echo "slow.sh: not root" >&2 && exit 1; }
make_wire
"$rxaqm" --netns "$dst" attach in target=10ms interval=100ms >&2
observed=$(forward_tcp)
"$rxaqm" --netns "$dst" policy set in mode=enforce >&2
enforced=$(forward_tcp)
if ! jq -se 'all(.counted >= 2000)' <<<"$observed $enforced" >/dev/null; then
	echo "slow.sh: the consumer was hardly ever alone on its CPU: $observed $enforced" >&2
	exit 77
fi
figures 'observe' "$observed"
figures 'enforce' "$enforced" 20
