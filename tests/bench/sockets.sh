#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What "rxaqm doctor" costs: sockets.sh [SOCKETS], 100000 by default, in a network namespace of its
# own. Needs root. The time of a pass over all sockets, and the CPU time of the whole command with
# them, with 200 interfaces, and with hardly anything, as make bench prints them. Exit status 77
# where so many sockets cannot be made.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rxaqm=${RXAQM_BIN:-$root/build/rxaqm}
program=${RXAQM_BUILD:-$root/build}/bench/sockets
sockets=${1:-100000}
ns=rxaqm-sockets-$$
scratch=$(mktemp -d)
trap 'exec 3>&- || true; wait || true; ip netns delete "$ns" 2>/dev/null || true; rm -rf "$scratch"' EXIT

ip netns add "$ns"
ip -n "$ns" link set lo up
ip netns exec "$ns" sysctl -qw net.ipv4.ip_local_port_range='1024 65535'

# cpu_time OPTION...: of a run as it is by default, in seconds.
cpu_time()
{
	local TIMEFORMAT='%U %S' user system

	{ time "$rxaqm" --netns "$ns" doctor --time=10s "$@" >/dev/null 2>&1 || true; } 2>"$scratch/time"
	read -r user system <"$scratch/time"
	awk "BEGIN { print $user + $system }"
}

# row WHAT SECONDS BOUND
row()
{
	awk -v OFS='\t' -v what="$1" -v cpu="$2" -v bound="$3" \
		'BEGIN { print "doctor: CPU time " what, cpu, "s", "< " bound " s", cpu / bound, cpu < bound ? "yes" : "no" }'
}

row "of a default run" "$(cpu_time)" 0.1
for i in {0..99}; do
	echo "link add a$i up type veth peer name b$i"
	echo "link set b$i up"
done | ip -n "$ns" -batch -
row "with 200 interfaces" "$(cpu_time)" 0.1
for i in {0..99}; do
	echo "link delete a$i"
done | ip -n "$ns" -batch -
mkfifo "$scratch/in" "$scratch/out"
ip netns exec "$ns" "$program" "$sockets" <"$scratch/in" >"$scratch/out" &
exec 3>"$scratch/in"
read -r answer <"$scratch/out" || exit 77
[ "$answer" = ready ] || exit 1

cpu=$(cpu_time --record="$scratch/bundle")
read -r seen took < <(jq -r '"\(.sockets.nr_tcp) \(.sockets.took_us)"' "$scratch/bundle")
[ "$seen" -ge "$sockets" ] || { echo "sockets.sh: saw $seen of $sockets" >&2; exit 1; }
awk -v seen="$seen" -v took="$took" -v OFS='\t' 'BEGIN {
	print "doctor: a pass over " seen " sockets", took / 1000, "ms", "< 1000 ms", took / 1e6, took < 1e6 ? "yes" : "no"
}'
row "with all of them" "$cpu" 1
