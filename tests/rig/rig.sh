#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The rig: a sender, a wire and a receiver, each a namespace, and a receiving CPU that is
# too slow for what comes in.
#
#   rig.sh up ring|backlog      build it (takes down what was left of an earlier one)
#   rig.sh pin                  ring: after XDP is attached, put its NAPI on the receiving CPU
#   rig.sh traffic DIR SECONDS  run the mix of flows, iperf3's JSON goes to DIR
#   rig.sh overflow             packets lost so far because the queue was full
#   rig.sh down                 take it down; also after a crash, also when there is none
#
# Or source it and use the rig_* functions. docs/measurements.md says how it works. It makes only
# what is named below and removes only that; net.core.netdev_max_backlog and the priorities of
# softirq threads are restored.

set -euo pipefail

rig_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/rig/rig_traffic.sh
. "$rig_dir/rig_traffic.sh"

# For the user to set.
: "${RIG_BIN:=$rig_dir/../../build/rig}"
: "${RIG_SEND_CPU:=0}"
: "${RIG_RECV_CPU:=1}"
: "${RIG_COST:=}"            # of a packet on the receiving CPU; 30us for ring, 20us for backlog
: "${RIG_CLOCK_OFFSET:=tai}" # of the simulated NIC clock: decades and 37 s
: "${RIG_CLOCK_DRIFT:=80}"   # ppm
: "${RIG_BACKLOG:=4096}"     # packets, the length of the queue in backlog
: "${RIG_QUEUES:=1}"
: "${RIG_FLOWS:=}"           # TCP flows of each kind; 2 for ring, 7 for backlog
: "${RIG_UDP_RATE:=80M}"     # bit/s, 0 for none
: "${RIG_AHEAD:=no}"        # yes: sessions of iperf3 come before all others

# For others to use.
# Namespaces. The one between sender and receiver routes: there packets leave the sending
# socket's accounts, which would otherwise hold back what stands in the queue (TCP small
# queues), and a packet that finds the queue full is lost on the way, not refused.
RIG_SRC=rxaqm-src
RIG_WIRE=rxaqm-wire
RIG_DST=rxaqm-dst
RIG_SRC_IF=srcrig  # sender -> wire
RIG_WIRE_IF=wirerig
RIG_SEND_IF=txrig   # wire -> receiver
RIG_RECV_IF=rxrig
RIG_SRC_ADDR=198.51.100.2
RIG_ECN_ADDR=192.0.2.2 # TCP to here asks for ECN,
RIG_TCP_ADDR=192.0.2.3 # to here it does not
RIG_STATE=/run/rxaqm-rig

rig_die()
{
	echo "rig: $*" >&2
	return 1
}

rig_src() { ip netns exec "$RIG_SRC" "$@"; }
rig_wire() { ip netns exec "$RIG_WIRE" "$@"; }
rig_dst() { ip netns exec "$RIG_DST" "$@"; }
rig_burn() { "$RIG_BIN/rigctl" --netns "$RIG_DST" burn "$1" "$RIG_RECV_IF" "${@:2}"; }
rig_clock() { "$RIG_BIN/rigctl" --netns "$RIG_WIRE" clock "$1" "$RIG_SEND_IF" "${@:2}"; }

# rig_wait SECONDS COMMAND...: until the command succeeds.
rig_wait()
{
	local tries=$(($1 * 20))

	shift
	while ! "$@" >/dev/null 2>&1; do
		((tries-- > 0)) || return 1
		sleep 0.05
	done
}

### Processes: known by pid and start time, so that no one else's is ever ended

rig_start_time()
{
	local stat

	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	# The name, second and in parentheses, may hold anything.
	cut -d' ' -f20 <<<"${stat##*) }"
}

rig_note_process() { echo "$1 $(rig_start_time "$1")" >>"$RIG_STATE/processes"; }

rig_process_runs() { [[ $(rig_start_time "$1") == "$2" ]]; }

rig_end_processes()
{
	local pid start

	[[ -e $RIG_STATE/processes ]] || return 0
	while read -r pid start; do
		if [[ -n $start ]] && rig_process_runs "$pid" "$start"; then
			kill "$pid" 2>/dev/null || true
		fi
	done <"$RIG_STATE/processes"
	while read -r pid start; do
		[[ -n $start ]] || continue
		for ((i = 0; i < 40; i++)); do
			rig_process_runs "$pid" "$start" || break
			sleep 0.05
		done
		if rig_process_runs "$pid" "$start"; then
			kill -9 "$pid" 2>/dev/null || true
		fi
	done <"$RIG_STATE/processes"
	rm -f "$RIG_STATE/processes"
}

### The softirq threads of both CPUs, which queue and serve: ahead of all other tasks meanwhile

rig_hurry()
{
	local pid

	for pid in $(pgrep -x "ksoftirqd/($RIG_SEND_CPU|$RIG_RECV_CPU)"); do
		echo "$pid $(ps -o ni= -p "$pid")" >>"$RIG_STATE/nice"
		renice -n -20 -p "$pid" >/dev/null
	done
}

rig_unhurry()
{
	local pid old

	[[ -e $RIG_STATE/nice ]] || return 0
	while read -r pid old; do
		# Someone else's setting since then is theirs.
		(($(ps -o ni= -p "$pid") != -20)) || renice -n "$old" -p "$pid" >/dev/null
	done <"$RIG_STATE/nice"
	rm -f "$RIG_STATE/nice"
}

### Down

rig_restore_backlog()
{
	local old set

	[[ -e $RIG_STATE/netdev_max_backlog ]] || return 0
	read -r old set <"$RIG_STATE/netdev_max_backlog" || true
	# Someone else's setting since then is theirs.
	if [[ -n $set && $(sysctl -n net.core.netdev_max_backlog) == "$set" ]]; then
		sysctl -qw "net.core.netdev_max_backlog=$old"
	fi
	rm -f "$RIG_STATE/netdev_max_backlog"
}

rig_down()
{
	local ns iface

	rig_end_processes
	rig_restore_backlog
	rig_unhurry
	for ns in "$RIG_SRC" "$RIG_WIRE" "$RIG_DST"; do
		if [[ -e /run/netns/$ns ]]; then
			# The links go at once, not when the last process has left the namespace.
			for iface in "$RIG_SRC_IF" "$RIG_RECV_IF"; do
				ip -n "$ns" link delete "$iface" 2>/dev/null || true
			done
			ip netns delete "$ns"
		fi
	done
	rm -rf "$RIG_STATE"
}

### Up

rig_check()
{
	local tool

	((EUID == 0)) || rig_die "needs root: it makes network namespaces and loads BPF programs"
	for tool in ip tc ethtool sysctl iperf3 ss taskset renice timeout pgrep ps jq; do
		command -v "$tool" >/dev/null || rig_die "needs $tool"
	done
	[[ -x $RIG_BIN/rigctl ]] || rig_die "$RIG_BIN/rigctl is missing: run 'make build-demo'"
	(($(nproc --all) > RIG_SEND_CPU && $(nproc --all) > RIG_RECV_CPU)) ||
		rig_die "needs CPUs $RIG_SEND_CPU and $RIG_RECV_CPU"
}

# One rig at a time: it is refused while the process that built the other still runs.
rig_free()
{
	local pid start

	if [[ -e $RIG_STATE/owner ]]; then
		read -r pid start <"$RIG_STATE/owner" || true
		if [[ -n ${start:-} && $pid != "$$" ]] && rig_process_runs "$pid" "$start"; then
			rig_die "in use by process $pid"
		fi
	fi
}

# Takes the rig down, and first what $rxaqm has attached in it.
rig_end()
{
	if [[ -e /run/netns/$RIG_DST ]]; then
		rig_end_processes
		"${rxaqm:?}" --netns "$RIG_DST" detach "$RIG_RECV_IF" >/dev/null 2>&1 || true
	fi
	rig_down
}

# rig_begin END: for a script of minutes, which ends by END whatever ends it. It keeps off the
# receiving CPU; its own programs come before the traffic, and both before whatever else the machine
# does.
rig_begin()
{
	rig_free
	trap 'exit 130' INT
	trap 'exit 143' TERM
	# shellcheck disable=SC2064
	trap "trap '' INT TERM; $1" EXIT
	rig_end
	taskset -p -c "$RIG_SEND_CPU" $$ >/dev/null
	renice -n -20 -p $$ >/dev/null
	RIG_AHEAD=yes
}

rig_claim()
{
	rig_free
	rig_down
	mkdir -p "$RIG_STATE"
	echo "$$ $(rig_start_time $$)" >"$RIG_STATE/owner"
}

# rig_steer NETNS IFACE CPU: that CPU takes what the interface receives outside NAPI.
rig_steer()
{
	ip netns exec "$1" sh -c "for queue in /sys/class/net/$2/queues/rx-*; do
		echo $(printf '%x' $((1 << $3))) >\$queue/rps_cpus || exit 1; done"
}

rig_make_namespaces()
{
	local ns

	for ns in "$RIG_SRC" "$RIG_WIRE" "$RIG_DST"; do
		ip netns add "$ns"
		ip netns exec "$ns" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.tcp_ecn=2 \
			net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_rmem="4096 131072 33554432" \
			net.ipv4.tcp_wmem="4096 131072 33554432"
		ip -n "$ns" link set lo up
	done
}

# rig_make_link NETNS IFACE ADDRESS NETNS IFACE ADDRESS: for frames as they come from a wire.
rig_make_link()
{
	local queues="numtxqueues $RIG_QUEUES numrxqueues $RIG_QUEUES"

	# shellcheck disable=SC2086
	ip link add "$2" netns "$1" $queues gso_max_segs 1 type veth \
		peer name "$5" netns "$4" $queues gso_max_segs 1
	while (($#)); do
		ip netns exec "$1" ethtool -K "$2" tso off gso off gro off
		ip -n "$1" address add "$3" dev "$2"
		ip -n "$1" link set "$2" up
		shift 3
	done
}

rig_make_network()
{
	rig_make_namespaces
	rig_make_link "$RIG_SRC" "$RIG_SRC_IF" "$RIG_SRC_ADDR/24" \
		"$RIG_WIRE" "$RIG_WIRE_IF" 198.51.100.1/24
	rig_make_link "$RIG_WIRE" "$RIG_SEND_IF" 192.0.2.1/24 \
		"$RIG_DST" "$RIG_RECV_IF" "$RIG_ECN_ADDR/24"
	ip -n "$RIG_DST" address add "$RIG_TCP_ADDR/24" dev "$RIG_RECV_IF"
	ip -n "$RIG_SRC" route add default via 198.51.100.1
	ip -n "$RIG_SRC" route add "$RIG_ECN_ADDR/32" via 198.51.100.1 features ecn
	ip -n "$RIG_DST" route add default via 192.0.2.1
	# Data into the wire and ACKs back: on the sending CPU, not through the queue under test.
	rig_steer "$RIG_WIRE" "$RIG_WIRE_IF" "$RIG_SEND_CPU"
	rig_steer "$RIG_WIRE" "$RIG_SEND_IF" "$RIG_SEND_CPU"
	rig_steer "$RIG_SRC" "$RIG_SRC_IF" "$RIG_SEND_CPU"
}

rig_set_backlog()
{
	local old

	old=$(sysctl -n net.core.netdev_max_backlog)
	# A rig in another root may have raised it; then it is that one's to restore.
	[[ $old != "$RIG_BACKLOG" ]] || return 0
	echo "$old $RIG_BACKLOG" >"$RIG_STATE/netdev_max_backlog"
	sysctl -qw "net.core.netdev_max_backlog=$RIG_BACKLOG"
}

# rig_check_kind ring|backlog: what it takes is not in a network namespace that a container has.
rig_check_kind()
{
	[[ $1 != backlog || -e /proc/sys/net/core/netdev_max_backlog ]] ||
		rig_die "backlog needs net.core.netdev_max_backlog, which only the host's network namespace has"
}

# rig_cost ring|backlog: so slow that the sending CPU can always offer more. It has more to do for
# a ring, whose packets native XDP has copied.
rig_cost()
{
	local default=20us

	[[ $1 == backlog ]] || default=30us
	echo "${RIG_COST:-$default}"
}

# rig_up ring|backlog
rig_up()
{
	[[ ${1:-} == ring || ${1:-} == backlog ]] || rig_die "up what? ring or backlog"
	rig_check
	rig_check_kind "$1"
	rig_claim
	rig_make_network
	rig_hurry
	echo "$1" >"$RIG_STATE/kind"
	if [[ $1 == backlog ]]; then
		rig_set_backlog
		# It takes more of each flow than a receiver offers at first: else the windows bound
		# the queue to half, for seconds.
		ip netns exec "$RIG_DST" sysctl -qw net.ipv4.tcp_rmem="4096 1048576 33554432"
		rig_steer "$RIG_DST" "$RIG_RECV_IF" "$RIG_RECV_CPU"
	fi
	rig_burn attach "cost=$(rig_cost "$1")"
	rig_clock attach "offset=$RIG_CLOCK_OFFSET" "drift=$RIG_CLOCK_DRIFT"
}

### NAPI of the ring, which is there only while XDP is attached natively

rig_napi_threads() { pgrep "^napi/$RIG_RECV_IF-"; }

rig_pin()
{
	local pid

	rig_dst sh -c "echo 1 >/sys/class/net/$RIG_RECV_IF/threaded"
	rig_wait 5 rig_napi_threads || rig_die "$RIG_RECV_IF has no NAPI: is XDP attached natively?"
	for pid in $(rig_napi_threads); do
		taskset -p -c "$RIG_RECV_CPU" "$pid" >/dev/null
		# Ahead of all other tasks, as NAPI in a softirq would be.
		renice -n -20 -p "$pid" >/dev/null
	done
}

# Every packet that finds the queue full is one the sending end could not deliver.
rig_overflow()
{
	ip -n "$RIG_WIRE" -j -s link show dev "$RIG_SEND_IF" | jq '.[0].stats64.tx.dropped'
}

rig_main()
{
	case ${1:-} in
	up)
		trap rig_down EXIT
		rig_up "${2:-}"
		rm "$RIG_STATE/owner" # nobody's: the next "up" may take it down
		trap - EXIT
		;;
	pin) rig_pin ;;
	traffic)
		(($# == 3)) || rig_die "traffic DIR SECONDS"
		trap rig_end_processes EXIT
		trap 'exit 130' INT TERM
		rig_traffic_start "$2" "$3"
		rig_traffic_wait
		;;
	overflow) rig_overflow ;;
	down) rig_down ;;
	*)
		sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
		return 2
		;;
	esac
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || rig_main "$@"
