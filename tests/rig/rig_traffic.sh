# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # what rig.sh sets
#
# The traffic of the rig, sourced by rig.sh: iperf3 between its ends, on the sending CPU.

rig_listening() { [[ -n $(rig_dst ss -Hltn "sport = :$1") ]]; }

# A process has its priority from the caller. Where the scheduler shares a CPU between sessions
# first (sched_autogroup_enabled) that counts among its session's only, and this one's is raised.
# setsid needs a moment.
rig_put_ahead()
{
	[[ $RIG_AHEAD == no || ! -e /proc/$1/autogroup ]] || rig_wait 2 rig_session_ahead "$1"
}

rig_session_ahead()
{
	[[ $(ps -o sid= -p "$1") -eq $1 ]] && echo -20 >"/proc/$1/autogroup"
}

# rig_flow NAME ADDRESS PORT OPTION...: one client and its server, for $seconds at most. Their
# JSON goes to $dir/NAME.json and $dir/NAME.server. Not through rig_src and rig_dst: $! must be
# the process itself, not a shell.
rig_flow()
{
	local name=$1 addr=$2 port=$3
	local iperf3=(taskset -c "$RIG_SEND_CPU" timeout -k 1 $((seconds + 15))
		iperf3 -J -i 0.5 -p "$port")

	shift 3
	setsid ip netns exec "$RIG_DST" "${iperf3[@]}" -s -1 -B "$addr" >"$dir/$name.server" 2>&1 &
	rig_servers+=($!)
	rig_put_ahead $!
	rig_note_process $!
	rig_wait 5 rig_listening "$port" || rig_die "no iperf3 server on port $port"
	setsid ip netns exec "$RIG_SRC" "${iperf3[@]}" -c "$addr" -t "$seconds" "$@" >"$dir/$name.json" 2>&1 &
	rig_clients+=($!)
	rig_put_ahead $!
	rig_note_process $!
}

# rig_traffic_start DIR SECONDS: TCP with ECN, TCP without, and UDP that never yields.
rig_traffic_start()
{
	local dir=$1 seconds=$2 flows=$RIG_FLOWS

	mkdir -p "$dir"
	rig_clients=() rig_servers=()
	if [[ -z $flows ]]; then
		[[ $(<"$RIG_STATE/kind") == ring ]] && flows=2 || flows=7
	fi
	[[ $RIG_UDP_RATE == 0 ]] ||
		rig_flow udp "$RIG_TCP_ADDR" 5203 -u -b "$RIG_UDP_RATE" -l 1448
	rig_flow tcp-ecn "$RIG_ECN_ADDR" 5201 -C cubic -P "$flows"
	rig_flow tcp "$RIG_TCP_ADDR" 5202 -C cubic -P "$flows"
}

# Until all is sent.
rig_traffic_wait()
{
	local pid err=0

	for pid in "${rig_clients[@]}" "${rig_servers[@]}"; do
		wait "$pid" || err=1
	done
	((err == 0)) || rig_die "iperf3 failed"
}

# Now. What was measured until now is in the JSON all the same.
rig_traffic_stop()
{
	local pid

	kill "${rig_clients[@]}" || rig_die "iperf3 ended before it should"
	for pid in "${rig_clients[@]}" "${rig_servers[@]}"; do
		wait "$pid" || true
	done
}
