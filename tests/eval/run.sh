#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One run of the evaluation, in a guest: a scenario with an option.
#
#   run.sh MODULE SCENARIO OPTION DIR
#
# Leaves what was counted in DIR, as the tools print it; eval.jq makes sense of it. A run is
# complete if DIR/complete is there.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
module=$1 scenario=$2 option=$3 results=$4
rxaqm=$root/build/rxaqm
export RXAQM_PROFILE_PATH=$root/nic-profiles
PATH=$root/build/irtt/usr/bin:$PATH # where packaging/unpack-irtt.sh puts it

# shellcheck source=tests/eval/lib.sh
source "$here/lib.sh"
# shellcheck source=tests/simnic/overload.sh
source "$root/tests/simnic/overload.sh"
# shellcheck source=tests/eval/loads.sh
source "$here/loads.sh"

# Files are collected in memory: the way to the machine's own files is long.
dir=$(mktemp -d)
readonly never=/run/eval-never # a FIFO that nobody writes to

cleanup()
{
	set +e
	udp_stop
	end_processes
	mkdir -p "$results"
	cp "$dir"/* "$results"
	rm -rf "$dir"
	# Without it the next run could not build its own.
	"$rxaqm" detach --all >/dev/null 2>&1
	tc qdisc del dev ifb0 root 2>/dev/null
	remove_pair
}

setting()
{
	of_scenario "$scenario" "$1"
}

# event NAME: that something begins now.
event()
{
	printf '%s %s\n' "$EPOCHREALTIME" "$1" >>"$dir/events.txt"
}

# Pauses this shell without starting a program.
nap()
{
	read -r -t "$1" <>"$never" || true
}

build()
{
	local cost queue

	cost=$(setting cost)
	build_pair "$module" "$cost" "$(setting queues)"
	[[ $(setting shared) != yes ]] || ethtool --set-priv-flags "$host_if" shared-cq on
	[[ $(setting direction) != tx ]] || acknowledge_each
	[[ $(setting ecn) != yes ]] || in_client sysctl -q -w net.ipv4.tcp_ecn=1
	# No CPU time for telling senders of UDP that nobody listens.
	sysctl -q -w net.ipv4.icmp_msgs_per_sec=1
	queue=$(setting queues)
	[[ $queue == 1 ]] || {
		ethtool -L "$host_if" combined "$queue"
		set_nic "$host_if" irq_cpu "1 $client_cpu"
	}
}

# use_option: as the options say.
use_option()
{
	local value

	value=$(of_option "$option" ring)
	[[ -z $value ]] || ethtool -G "$host_if" rx "$value"
	for value in $(of_option "$option" sysctl); do
		sysctl -q -w "$value"
	done
	value=$(of_option "$option" rps)
	[[ -z $value ]] || echo "$value" >"/sys/class/net/$host_if/queues/rx-0/rps_cpus"
	value=$(of_option "$option" ifb)
	if [[ $value ]]; then
		ip link set ifb0 up
		# shellcheck disable=SC2086 # a qdisc and its options
		tc qdisc replace dev ifb0 root $value
		tc qdisc add dev "$host_if" ingress
		tc filter add dev "$host_if" parent ffff: matchall action mirred egress redirect dev ifb0
	fi
	value=$(of_option "$option" rxaqm)
	if [[ $value ]]; then
		value=${value//TARGET/$(setting target)}
		value=${value//INTERVAL/$(setting interval)}
		mode=enforce
		[[ $(setting enforce) != yes ]] || mode=observe
		# shellcheck disable=SC2086 # keys and values
		"$rxaqm" attach "$host_if" $value mode=$mode >"$dir/attach.txt"
	fi
}

# sysctls are the guest's: the next run wants them as they were.
remember_sysctls()
{
	local name

	for name in net.core.netdev_budget net.core.netdev_budget_usecs net.ipv4.tcp_min_tso_segs; do
		printf '%s=%s\n' "$name" "$(sysctl -n "$name")"
	done >/run/eval-sysctls
}

# The delays in the ring so far, five times a second.
sample()
{
	local n

	for ((n = 0; n < 500; n++)); do
		printf 'at %s\n%s\n' "$EPOCHREALTIME" "$(<"$debug/$host_if/truth")"
		nap 0.2
	done >"$dir/truth.txt"
}

# snapshot begin|end: all that is counted.
snapshot()
{
	[[ $1 != begin ]] || set_nic "$host_if" truth_reset 1
	event "$1"
	# Whatever starts no program comes first.
	printf 'at %s\n%s\n' "$EPOCHREALTIME" "$(<"$debug/$host_if/truth")" >"$dir/$1-truth.txt"
	printf '%s\n' "$(</proc/stat)" >"$dir/$1-stat.txt"
	printf '%s\n' "$(</proc/net/snmp)" >"$dir/$1-snmp.txt"
	ethtool -S "$host_if" >"$dir/$1-nic.txt"
	ss -tinHO state established "sport >= :$first_port and sport <= :$last_port" >"$dir/$1-ss.txt"
	[[ -z $(of_option "$option" rxaqm) ]] || "$rxaqm" -j status "$host_if" >"$dir/$1-status.json"
	[[ -z $(of_option "$option" ifb) ]] || tc -s -j qdisc show dev ifb0 >"$dir/$1-tc.json"
}

# The window: what happens in it depends on the scenario.
measure()
{
	local window

	window=$(setting window)
	snapshot begin
	if [[ $(setting enforce) == yes ]]; then
		event enforce
		"$rxaqm" policy set "$host_if" mode=enforce >/dev/null
	fi
	if [[ $(setting bursts) ]]; then
		send_bursts
	elif [[ $(setting incast) ]]; then
		send_incast "$window"
	elif [[ $(setting step) ]]; then
		send_step "$window"
	elif [[ $(setting pauses) ]]; then
		pause_cpu "$window"
	else
		sleep "$window"
	fi
	snapshot end
}

# Who measures comes before the load; the load is nice (loads.sh).
renice -n -15 -p $$ >/dev/null
trap cleanup EXIT
[[ -p $never ]] || mkfifo "$never"
printf '%s %s\n' "$scenario" "$option" >"$dir/run.txt"
if [[ -e /run/eval-sysctls ]]; then
	sysctl -q -p /run/eval-sysctls
else
	remember_sysctls
fi
event start
build
event built
use_option
event set-up
quiet_traffic
sample &
processes+=($!)
start_requests
event load
start_flows
start_udp
sleep "$(setting settle)"
measure
finish_requests
event complete
touch "$dir/complete"
