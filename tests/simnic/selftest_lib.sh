# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2317,SC2154 # sourced by selftest.sh, which sets the variables
#
# What the tests of simnic share.

# Namespace A has sim0, B has sim1 and sim2, C has sim3.
in_a() { ip netns exec stA "$@"; }
in_b() { ip netns exec stB "$@"; }

bad() { why+="${why:+; }$*"; }

# set_knob DEVICE FILE VALUE
set_knob() { echo "$3" >"$debug/$1/$2" 2>/dev/null || bad "$1/$2 refuses '$3'"; }

# set_count DEVICE FILE NUMBER: set, and read back the same.
set_count()
{
	set_knob "$@"
	near "$(cat "$debug/$1/$2")" "$3" 0 "$1/$2"
}

# refused DEVICE FILE VALUE...: each is, and changes nothing.
refused()
{
	local device=$1 file=$2 before value

	shift 2
	before=$(cat "$debug/$device/$file" 2>/dev/null)
	for value; do
		! { echo "$value" >"$debug/$device/$file"; } 2>/dev/null || bad "$file takes '$value'"
		[ "$file" = phc_offset_ns ] || [ "$before" = "$(cat "$debug/$device/$file" 2>/dev/null)" ] ||
			bad "$file changed by '$value'"
	done
}

# stat NAMESPACE DEVICE NAME: a counter.
stat() { ip netns exec "$1" ethtool -S "$2" | awk -v name="$3:" '$1 == name { print $2 }'; }
# value NAME < OUTPUT OF simtool
value() { awk -v name="$1" '$1 == name { print $2 }'; }
# truth DEVICE FIELD: of queue 0.
truth() { awk -v field="$2" '/^queue 0/ { for (i = 1; i < NF; i++) if ($i == field) print $(i + 1) }' "$debug/$1/truth"; }
# near ACTUAL WANTED TOLERANCE WHAT
near()
{
	if [[ ! $1 =~ ^-?[0-9]+$ ]] || [ "$1" -lt $(($2 - $3)) ] || [ "$1" -gt $(($2 + $3)) ]; then
		bad "$4 is ${1:-nothing}, not $2 +- $3"
	fi
}
more()
{
	if [[ ! $1 =~ ^-?[0-9]+$ ]] || [ "$1" -le "$2" ]; then
		bad "$3 is ${1:-nothing}, not over $2"
	fi
}

setup()
{
	insmod "$module" pairs=2 queues=4 || return
	local ns device

	for ns in A:sim0 B:sim1 B:sim2 C:sim3; do
		device=${ns#*:} ns=st${ns%:*}
		[ -e "/run/netns/$ns" ] || ip netns add "$ns"
		ip link set "$device" netns "$ns"
		ip -n "$ns" addr add "10.77.$((${device#sim} / 2)).$((${device#sim} % 2 + 1))/24" dev "$device"
		ip netns exec "$ns" sysctl -qw "net.ipv6.conf.$device.disable_ipv6=1"
		ip -n "$ns" link set lo up
		ip -n "$ns" link set "$device" up
	done
	set_knob sim1 irq_cpu 1
	# No ARP in the counters.
	ip -n stA neigh replace 10.77.0.2 lladdr "$(in_b cat /sys/class/net/sim1/address)" dev sim0
	ip -n stB neigh replace 10.77.0.1 lladdr "$(in_a cat /sys/class/net/sim0/address)" dev sim1
}

teardown()
{
	rmmod simnic || bad "rmmod failed"
	ip netns del stA
	ip netns del stB
	ip netns del stC
}

# iperf SECONDS OPTION...: from A to B; prints the receiver's bit/s.
iperf()
{
	local seconds=$1 server

	shift
	in_b timeout 60 iperf3 -s -1 >/dev/null 2>&1 &
	server=$!
	sleep 0.7
	in_a timeout 40 iperf3 -c 10.77.0.2 -t "$seconds" -J "$@" |
		jq '(.end.sum_received // .end.sum).bits_per_second | floor'
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
}

# flood SECONDS PPS: UDP from A to a port nobody has. Not from the CPU where NAPI runs: it
# would not get to send before its last packet is processed.
flood() { in_a taskset -c 0 "$tool" send 10.77.0.2 9 "$1" 200 "$2" | value sent; }
