# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # sourced by run.sh, which sets the variables
#
# What the client sends. TCP is iperf3's, one port a class; UDP and bursts the kernel's pktgen's;
# requests
# irtt's.

readonly first_port=5300 last_port=5309 step_port=5309 incast_port=5320 request_port=5330

# pktgen: lines "FILE COMMAND" to the generator.
pktgen()
{
	in_client bash -c 'while read -r file command; do
		echo "$command" >"/proc/net/pktgen/$file" || exit 1
	done'
}

# udp_setup SIZE PORT [TO_PORT]: frames of SIZE bytes to a port that nobody listens at.
udp_setup()
{
	[[ -e /sys/module/pktgen ]] || modprobe pktgen
	pktgen <<-END
		kpktgend_$client_cpu rem_device_all
		kpktgend_$client_cpu add_device $client_if
		$client_if clone_skb 0
		$client_if pkt_size $1
		$client_if src_min $client_addr
		$client_if src_max $client_addr
		$client_if dst $host_addr
		$client_if dst_mac $(<"/sys/class/net/$host_if/address")
		$client_if udp_src_min $2
		$client_if udp_src_max $2
		$client_if udp_dst_min ${3-9}
		$client_if udp_dst_max ${3-9}
	END
}

# udp_send COUNT PPS: 0 packets: until udp_stop; 0 pps: as fast as it goes.
udp_send()
{
	local rate="delay 0"

	[[ $2 -eq 0 ]] || rate="ratep $2"
	pktgen <<-END
		$client_if count $1
		$client_if $rate
		pgctrl start
	END
}

udp_stop()
{
	[[ ! -e /sys/module/pktgen || ! -e /run/netns/client ]] || pktgen <<<"pgctrl stop" 2>/dev/null || true
}

# A few packets let rxaqm learn the NIC's clock, as any NIC has seen before it is overloaded.
quiet_traffic()
{
	udp_setup 500 9
	udp_send 1000 1000
}

# serve_class PORT: until it is ended. All that loads is nice, or the CPU it fills would have no
# time for those who measure.
serve_class()
{
	taskset -c "$client_cpu" nice -n 25 iperf3 -s -1 -p "$1" >/dev/null 2>&1 &
	processes+=($!)
}

# start_class CC NUMBER PORT: until it is ended; to a server that was started.
start_class()
{
	local reverse=()

	[[ ${scenario_has[direction]} != tx ]] || reverse=(-R)
	await_listener -t "$3"
	"${client[@]}" taskset -c "$client_cpu" nice -n 25 iperf3 -c "$(address_for "$1")" -p "$3" -C "$1" \
		-P "$2" -t 3600 -i 0 "${reverse[@]}" >"$dir/iperf-$3.txt" 2>&1 &
	processes+=($!)
	printf '%s %s %s\n' "$3" "$1" "$2" >>"$dir/classes.txt"
}

# await_listener -t|-u PORT
await_listener()
{
	for _ in {1..100}; do
		[[ -z $(ss -lnH "$1" "sport = :$2") ]] || return 0
		nap 0.05
	done
	eval_die "nobody listens at port $2"
}

start_flows()
{
	local flow port

	[[ -e /sys/module/tcp_bbr ]] || modprobe tcp_bbr
	port=$first_port
	for flow in ${scenario_has[flows]}; do
		serve_class "$port"
		port=$((port + 1))
	done
	port=$first_port
	for flow in ${scenario_has[flows]}; do
		start_class "${flow%:*}" "${flow#*:}" "$port"
		port=$((port + 1))
	done
}

# measure_capacity: packets a second that the CPU takes, where a scenario wants to know. Before
# anything is set up. The most of three: whatever else the machine does can but lower it.
measure_capacity()
{
	local begin from

	[[ ${scenario_has[udp]} ]] || return 0
	udp_setup 1000 "$(port_for_queue 0 9)"
	udp_send 0 0 &
	processes+=($!)
	nap 0.5
	for _ in 1 2 3; do
		from=$EPOCHREALTIME begin=$(nic_count q0_rx_packets)
		nap 0.7
		awk -v from="$from" -v to="$EPOCHREALTIME" -v begin="$begin" -v end="$(nic_count q0_rx_packets)" \
			'BEGIN { printf "%d\n", (end - begin) / (to - from) }'
	done | sort -n | tail -n 1 >"$dir/capacity.txt"
	udp_stop
	[[ $(<"$dir/capacity.txt") -ge 100 ]] || eval_die "queue 0 took $(<"$dir/capacity.txt") packets a second"
	wait_until_idle
}

start_udp()
{
	local factor pps

	factor=${scenario_has[udp]}
	[[ $factor ]] || return 0
	pps=$(awk -v factor="$factor" '{ printf "%d", factor * $1 }' "$dir/capacity.txt")
	echo "$pps" >"$dir/udp-pps.txt"
	udp_setup 1000 "$(port_for_queue 0 9)"
	udp_send 0 "$pps" &
	processes+=($!)
}

# port_for_queue QUEUE TO_PORT: a source port of UDP that the NIC steers there.
port_for_queue()
{
	local port before

	[[ ${scenario_has[queues]} != 1 ]] || { echo 9 && return; }
	for ((port = 2000; port < 2040; port++)); do
		before=$(nic_count "q$1_rx_packets")
		udp_setup 100 "$port" "$2"
		# More than what else may come to a queue.
		udp_send 50 0
		nap 0.1
		(($(nic_count "q$1_rx_packets") < before + 50)) || { echo "$port" && return; }
	done
	eval_die "no UDP port of 40 leads to queue $1"
}

nic_count()
{
	ethtool -S "$host_if" | awk -v name="$1:" '$1 == name { print $2 }'
}

# Requests and answers of 200 bytes, over UDP, from before the load on.
start_requests()
{
	local rate port=3000

	rate=${scenario_has[requests]}
	[[ $rate ]] || return 0
	[[ ${scenario_has[queues]} == 1 ]] || port=$(port_for_queue 1 "$request_port")
	taskset -c "$client_cpu" nice -n 5 irtt server -b "$host_addr:$request_port" \
		>"$dir/requests-server.txt" 2>&1 &
	processes+=($!)
	await_listener -u "$request_port"
	"${client[@]}" taskset -c "$client_cpu" nice -n 5 irtt client -q -l 200 \
		-i "$((1000 / rate))ms" -d 120s --wait=2s --local=":$port" -o "$dir/requests.json" \
		"$host_addr:$request_port" >"$dir/requests.txt" 2>&1 &
	requests_pid=$!
	for _ in {1..50}; do
		! grep -q established "$dir/requests.txt" || return 0
		nap 0.1
	done
	eval_die "irtt does not connect: $(tail -n 1 "$dir/requests.txt")"
}

# It writes what it found when it is interrupted.
finish_requests()
{
	[[ ${scenario_has[requests]} ]] || return 0
	kill -INT "$requests_pid"
	wait "$requests_pid" || true
	[[ -s $dir/requests.json ]] || eval_die "irtt left no results: $(tail -n 1 "$dir/requests.txt")"
}

# send_bursts: lines "SIZE SENT OVERFLOW AQM_DROPS".
send_bursts()
{
	local size lost dropped

	udp_setup 1000 9
	for size in ${scenario_has[bursts]} ${scenario_has[bursts]} ${scenario_has[bursts]}; do
		lost=$(nic_count rx_missed)
		dropped=$(nic_count xdp_drop)
		udp_send "$size" 0
		wait_until_idle
		printf '%s %s %s\n' "$size" "$(($(nic_count rx_missed) - lost))" \
			"$(($(nic_count xdp_drop) - dropped))" >>"$dir/bursts.txt"
	done
}

wait_until_idle()
{
	local before=-1 now

	for _ in {1..50}; do
		now=$(nic_count rx_packets)
		[[ $now -ne $before ]] || return 0
		before=$now
		nap 0.1
	done
	eval_die "the queue does not get empty within 10 s"
}

# send_incast SECONDS: a JSON document of iperf3's for each round.
send_incast()
{
	local senders end=$((SECONDS + $1))

	senders=${scenario_has[incast]}
	taskset -c "$client_cpu" nice -n 25 iperf3 -s -p "$incast_port" >/dev/null 2>&1 &
	processes+=($!)
	await_listener -t "$incast_port"
	while ((SECONDS < end)); do
		"${client[@]}" taskset -c "$client_cpu" nice -n 25 timeout 20 iperf3 -c "$dctcp_addr" \
			-p "$incast_port" -C dctcp -P "$senders" -n $((senders * 131072)) -i 0 -J \
			>>"$dir/incast.json"
	done
}

# send_step SECONDS: more flows in the second third.
send_step()
{
	local third=$(($1 / 3)) nr

	nr=${#processes[@]}
	serve_class "$step_port"
	nap "$third"
	event up
	start_class "${scenario_has[flows]%%:*}" "${scenario_has[step]}" "$step_port"
	nap "$third"
	kill -KILL "${processes[@]:nr}"
	event down
	nap "$third"
}

# pause_cpu SECONDS
pause_cpu()
{
	local pause end=$((SECONDS + $1))

	for pause in ${scenario_has[pauses]}; do
		nap 1
		event "pause-$pause"
		set_nic "$host_if" stall_us $((pause * 1000))
	done
	((SECONDS >= end)) || nap $((end - SECONDS))
}
