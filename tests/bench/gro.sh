#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# gro.sh: what generic mode costs TCP that is received, since the kernel does no GRO for an
# interface with a generic XDP program. One flow of packets of MTU size over a veth pair in
# namespaces of its own, without and with rxaqm in turns. For run.sh, which sets RXAQM_BIN and
# RXAQM_BPFFS. One line a figure: name, value, unit, target, ratio, met.
set -euo pipefail

ns=rxaqm-gro-$$
turns=3 seconds=3
rxaqm=${RXAQM_BIN:?}
scratch=$(mktemp -d)

# shellcheck disable=SC2317 # the trap calls it
cleanup()
{
	"$rxaqm" --netns "$ns-rx" detach --all >/dev/null 2>&1 || true
	[ ! -s "$scratch/pid" ] || kill "$(cat "$scratch/pid")" 2>/dev/null || true
	ip netns delete "$ns-tx" 2>/dev/null || true
	ip netns delete "$ns-rx" 2>/dev/null || true
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

make_interfaces()
{
	ip netns add "$ns-tx"
	ip netns add "$ns-rx"
	ip -n "$ns-tx" link add gro0 type veth peer name gro1 netns "$ns-rx"
	ip -n "$ns-tx" address add 10.99.0.1/24 dev gro0
	ip -n "$ns-rx" address add 10.99.0.2/24 dev gro1
	ip -n "$ns-tx" link set gro0 up
	ip -n "$ns-rx" link set gro1 up
	# As a NIC has it: packets of MTU size come by NAPI, and GRO merges them.
	ip netns exec "$ns-tx" ethtool -K gro0 tso off gso off >/dev/null
	ip netns exec "$ns-rx" ethtool -K gro1 gro on >/dev/null
}

# IP packets that have come up since the start of the namespace.
packets()
{
	# shellcheck disable=SC2016 # they are awk's
	ip netns exec "$ns-rx" awk '$1 == "Ip:" && $4 ~ /^[0-9]+$/ { print $4 }' /proc/net/snmp
}

# turn NAME: adds "Mbit/s packets-a-MB" of one flow to the file NAME.
turn()
{
	local before after

	before=$(packets)
	ip netns exec "$ns-tx" iperf3 -J -c 10.99.0.2 -t "$seconds" >"$scratch/iperf3.json"
	after=$(packets)
	awk -v packets="$((after - before))" '
		/"sum_received"/ { sum = 1 }
		sum && /"bytes"/ { gsub(/[^0-9]/, "", $2); bytes = $2 }
		sum && /"bits_per_second"/ {
			gsub(/,/, "", $2)
			printf "%.0f %.1f\n", $2 / 1e6, packets / (bytes / 1e6)
			exit
		}' "$scratch/iperf3.json" >>"$scratch/$1"
}

# median NAME COLUMN
median()
{
	awk -v column="$2" '{ print $column }' "$scratch/$1" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# figure NAME UNIT COLUMN
figure()
{
	local without with

	without=$(median without "$3")
	with=$(median generic "$3")
	printf '%s, nothing attached\t%s\t%s\t\t1.000\t\n' "$1" "$without" "$2"
	printf '%s, generic mode\t%s\t%s\t\t%s\t\n' "$1" "$with" "$2" \
		"$(awk -v a="$with" -v b="$without" 'BEGIN { printf "%.3f", a / b }')"
}

make_interfaces
ip netns exec "$ns-rx" iperf3 -s -D -I "$scratch/pid" >/dev/null
for ((i = 0; i < 50; i++)); do
	[ -z "$(ip netns exec "$ns-rx" ss -Htln 'sport = :5201')" ] || break
	sleep 0.1
done
for ((i = 0; i < turns; i++)); do
	turn without
	"$rxaqm" --netns "$ns-rx" attach --mode generic gro1 >/dev/null
	turn generic
	"$rxaqm" --netns "$ns-rx" detach gro1 >/dev/null
done
figure "TCP received" Mbit/s 1
figure "packets that IP gets" "packets/MB" 2
