# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # sourced by guest.sh, which sets the variables
#
# One run of the evaluation, in a guest: a scenario with an option. To be sourced.

readonly never=/run/eval-never # a FIFO that nobody writes to

cleanup()
{
	set +e
	# What went wrong was said; what is ended now is of no interest.
	exec 2>/dev/null
	udp_stop
	# Their farewells would take seconds behind a standing queue.
	kill -KILL "${processes[@]}"
	end_processes
	cp "$dir"/* "$results"
	rm -rf "$dir"
	# Without it the next run could not build its own.
	"$rxaqm" detach --all >/dev/null
	tc qdisc del dev ifb0 root
	remove_pair
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

	cost=${scenario_has[cost]}
	build_pair "$module" "$cost" "${scenario_has[queues]}"
	[[ ${scenario_has[shared]} != yes ]] || ethtool --set-priv-flags "$host_if" shared-cq on
	[[ ${scenario_has[direction]} != tx ]] || acknowledge_each
	[[ ${scenario_has[ecn]} != yes ]] || in_client sysctl -q -w net.ipv4.tcp_ecn=1
	queue=${scenario_has[queues]}
	[[ $queue == 1 ]] || {
		ethtool -L "$host_if" combined "$queue"
		set_nic "$host_if" irq_cpu "1 $client_cpu"
	}
}

# use_option: as the options say.
use_option()
{
	local value

	value=${option_has[ring]}
	[[ -z $value ]] || ethtool -G "$host_if" rx "$value"
	# shellcheck disable=SC2086 # a list
	[[ -z ${option_has[sysctl]} ]] || sysctl -q -w ${option_has[sysctl]}
	value=${option_has[rps]}
	[[ -z $value ]] || echo "$value" >"/sys/class/net/$host_if/queues/rx-0/rps_cpus"
	value=${option_has[ifb]}
	if [[ $value ]]; then
		ip link set ifb0 up
		# shellcheck disable=SC2086 # a qdisc and its options
		tc qdisc replace dev ifb0 root $value
		tc qdisc add dev "$host_if" ingress
		tc filter add dev "$host_if" parent ffff: matchall action mirred egress redirect dev ifb0
	fi
	value=${option_has[rxaqm]}
	if [[ $value ]]; then
		value=${value//TARGET/${scenario_has[target]}}
		value=${value//INTERVAL/${scenario_has[interval]}}
		mode=enforce
		[[ ${scenario_has[enforce]} != yes ]] || mode=observe
		# shellcheck disable=SC2086 # keys and values
		"$rxaqm" attach "$host_if" $value mode=$mode >"$dir/attach.txt"
	fi
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
	[[ -z ${option_has[rxaqm]} ]] || "$rxaqm" -j status "$host_if" >"$dir/$1-status.json"
	[[ -z ${option_has[ifb]} ]] || tc -s -j qdisc show dev ifb0 >"$dir/$1-tc.json"
}

# The window: what happens in it depends on the scenario.
measure()
{
	local window

	window=${scenario_has[window]}
	snapshot begin
	if [[ ${scenario_has[enforce]} == yes ]]; then
		event enforce
		"$rxaqm" policy set "$host_if" mode=enforce >/dev/null
	fi
	if [[ ${scenario_has[bursts]} ]]; then
		send_bursts
	elif [[ ${scenario_has[incast]} ]]; then
		send_incast "$window"
	elif [[ ${scenario_has[step]} ]]; then
		send_step "$window"
	elif [[ ${scenario_has[pauses]} ]]; then
		pause_cpu "$window"
	else
		nap "$window"
	fi
	snapshot end
}

# run SCENARIO OPTION DIR: in a subshell. Leaves what was counted in DIR, as the tools print it;
# counters.sh makes sense of it. The run is complete if DIR/complete is there.
run()
{
	results=$3
	# Files are collected in memory: the way to the machine's own files is long.
	dir=$(mktemp -d)
	trap cleanup EXIT
	use "$1" "$2"
	event start
	build
	event built
	measure_capacity
	use_option
	event set-up
	quiet_traffic
	sample &
	processes+=($!)
	start_requests
	event load
	start_flows
	start_udp
	nap "${scenario_has[settle]}"
	measure
	finish_requests
	event complete
	touch "$dir/complete"
}
