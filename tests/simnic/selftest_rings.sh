# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2317,SC2154 # sourced by selftest.sh, which sets the variables
#
# Rings, completions, settings, and changes under traffic.

test_tcp_udp()
{
	more "$(iperf 2)" 1000000 "TCP to B"
	more "$(iperf 2 -R)" 1000000 "TCP to A"
	more "$(iperf 2 -u -b 20M)" 1000000 "UDP to B"
	more "$(iperf 2 -u -b 20M -R)" 1000000 "UDP to A"
	more "$(iperf 2 -u -b 20M -l 8000)" 1000000 "fragmented UDP"
	near "$(in_b ethtool -i sim1 | grep -c '^driver: simnic')" 1 0 "driver lines"
}

test_tso()
{
	local packets frames

	# Software verifies what the hardware summed.
	in_b ethtool -K sim1 rx off
	iperf 2 >/dev/null
	packets=$(stat stA sim0 tx_packets) frames=$(stat stA sim0 tx_frames)
	more "$frames" $((packets * 2)) "frames of $packets packets"
	near "$(stat stB sim1 rx_packets)" $((frames - $(stat stB sim1 rx_missed))) 0 "frames received"
	near "$(in_b nstat -az TcpInCsumErrors UdpInCsumErrors | awk '/Csum/ { n += $2 } END { print n }')" 0 0 "checksum errors"
	in_a ethtool -K sim0 tso off gso off
	packets=$(stat stA sim0 tx_packets)
	iperf 1 >/dev/null
	near $(($(stat stA sim0 tx_frames) - frames)) $(($(stat stA sim0 tx_packets) - packets)) 0 "frames without TSO"
}

test_overflow()
{
	local sent

	in_b ethtool -G sim1 rx 256
	set_knob sim1 rx_cost_ns 200000
	sent=$(flood 3 0)
	sleep 1
	more "$(stat stB sim1 rx_missed)" 100 "rx_missed"
	near $(($(stat stB sim1 rx_packets) + $(stat stB sim1 rx_missed))) "$sent" 0 "received + missed"
	near "$(in_b cat /sys/class/net/sim1/statistics/rx_missed_errors)" "$(stat stB sim1 rx_missed)" 0 "rx_missed_errors"
	# 256 packets of 200 us
	more "$(truth sim1 p50_ns)" 25000000 "median delay"
	more "$(stat stB sim1 rx_polls_busy)" 2 "busy polls"
	test_overflow_lies
	near "$(truth sim1 count)" "$(stat stB sim1 rx_packets)" 0 "packets in truth"
	echo 1 >"$debug/sim1/truth_reset"
	near "$(truth sim1 count)" 0 0 "packets in truth after a reset"
}

# Frames that are lost, and counted or not.
test_overflow_lies()
{
	local counted lost sent

	lost=$(stat stB sim1 rx_missed)
	set_knob sim1 missed_one_in 0
	flood 1 0 >/dev/null
	sleep 1
	near "$(stat stB sim1 rx_missed)" "$lost" 0 "rx_missed, of none"
	set_knob sim1 missed_one_in 10
	counted=$(stat stB sim1 rx_packets)
	sent=$(flood 1 0)
	sleep 1
	counted=$((sent - $(stat stB sim1 rx_packets) + counted))
	near $((10 * ($(stat stB sim1 rx_missed) - lost))) "$counted" 10 "rx_missed, of one in 10, times 10"
	set_knob sim1 missed_one_in 1
}

# queue_stats DEVICE TYPE QUEUE NAME: of the netdev netlink family.
queue_stats()
{
	local index

	index=$(in_b cat "/sys/class/net/$1/ifindex")
	in_b "$tool" qstats "$index" "$2" "$3" | value "$4"
}

test_qstats()
{
	local missed

	in_b ethtool -G sim1 rx 64
	in_b ethtool -L sim1 combined 2
	in_b ethtool -X sim1 weight 0 1
	set_knob sim1 rx_cost_ns 200000
	flood 2 0 >/dev/null
	sleep 1
	missed=$(stat stB sim1 q1_rx_missed)
	more "$missed" 100 "rx_missed of queue 1"
	near "$(queue_stats sim1 rx 1 rx-packets)" "$(stat stB sim1 q1_rx_packets)" 0 "rx-packets of queue 1"
	near "$(queue_stats sim1 rx 1 rx-bytes)" "$(stat stB sim1 q1_rx_bytes)" 0 "rx-bytes of queue 1"
	near "$(queue_stats sim1 rx 1 rx-hw-drop-overruns)" "$missed" 0 "rx-hw-drop-overruns of queue 1"
	near "$(queue_stats sim1 rx 1 rx-hw-drops)" "$missed" 0 "rx-hw-drops of queue 1"
	near "$(queue_stats sim1 rx 0 rx-packets)" "$(stat stB sim1 q0_rx_packets)" 0 "rx-packets of queue 0"
	near "$(queue_stats sim1 tx 0 tx-packets)" "$(stat stB sim1 q0_tx_packets)" 0 "tx-packets of queue 0"
	in_b ethtool -X sim1 default
	in_b ethtool -L sim1 combined 1
}

# What Microsoft's "Verifying the RSS Hash Calculation" lists: from, to, and the hash of both.
known_hashes()
{
	cat <<-END
		66.9.149.187:2794 161.142.100.80:1766 51ccc178
		199.92.111.2:14230 65.69.140.83:4739 c626b0ea
		24.19.198.95:12898 12.22.207.184:38024 5c2b394a
	END
}

test_rss()
{
	local from to hash tries key

	[[ $(in_b ethtool -x sim1) == *"toeplitz: on"* ]] || bad "no hash function"
	near "$(in_b ethtool -x sim1 | grep -cE '^ +[0-9]+: +0 +0 +0 +0 +0 +0 +0 +0$')" 16 0 "rows for one queue"
	in_b ethtool -L sim1 combined 4
	near "$(in_b ethtool -x sim1 | grep -cE '^ +[0-9]+: +0 +1 +2 +3 +0 +1 +2 +3$')" 16 0 "rows for four queues"
	# No queue is left out of 64 flows.
	in_a "$tool" flows 10.77.0.2 64 >/dev/null
	for key in 0 1 2 3; do
		more "$(stat stB sim1 q${key}_rx_packets)" 0 "packets of queue $key"
	done
	in_b ethtool -X sim1 weight 0 0 1 0 || bad "-X weight"
	key=$(stat stB sim1 q2_rx_packets)
	in_a "$tool" flows 10.77.0.2 64 >/dev/null
	near $(($(stat stB sim1 q2_rx_packets) - key)) 64 0 "packets of queue 2 alone"
	! in_b ethtool -L sim1 combined 2 2>/dev/null || bad "-L below a queue of the table"
	in_b ethtool -X sim1 default
	while read -r from to hash; do
		rm -f /tmp/simnic-ready
		SIMTOOL_READY=/tmp/simnic-ready in_b "$tool" rxhash sim1 "$hash" 5 >/tmp/simnic-frames &
		for ((tries = 0; tries < 50; tries++)); do
			[ ! -e /tmp/simnic-ready ] || break
			sleep 0.1
		done
		in_a "$tool" tuple sim0 "${from%:*}" "${from#*:}" "${to%:*}" "${to#*:}"
		wait $!
		near "$(value frames </tmp/simnic-frames)" 1 0 "frames of $from to $to with hash $hash"
	done < <(known_hashes)
}

test_weight()
{
	local packets polls

	refused sim1 napi_weight 0 65 -1 x
	in_b ethtool -G sim1 rx 256
	set_count sim1 napi_weight 16
	set_knob sim1 rx_cost_ns 100000
	flood 2 0 >/dev/null
	sleep 1
	packets=$(stat stB sim1 rx_packets) polls=$(stat stB sim1 rx_polls)
	more "$packets" 1000 "packets"
	near "$packets" $((polls * 8)) $((polls * 8)) "packets of $polls polls of 16"
	more "$(stat stB sim1 rx_polls_busy)" $((packets / 32)) "busy polls, $packets packets"
	# Each packet takes 100 us.
	more "$(stat stB sim1 rx_poll_ns)" $((packets * 100000)) "time in polls, $packets packets"
}

# Queues 0 to 2 have the NAPI of queue 0, queue 3 has its own.
test_rings()
{
	local sent polls

	refused sim1 rings_per_napi 0 5 -1 x
	in_b ethtool -L sim1 combined 4
	set_count sim1 rings_per_napi 3
	in_b ethtool -X sim1 weight 0 0 1 0
	sent=$(flood 1 1000)
	sleep 1
	near "$(stat stB sim1 q2_rx_packets)" "$sent" 5 "packets of queue 2"
	near "$(stat stB sim1 q2_rx_polls)" 0 0 "polls of queue 2"
	polls=$(stat stB sim1 q0_rx_polls)
	more "$polls" 10 "polls of queue 0"
	in_b ethtool -X sim1 weight 0 0 0 1
	flood 1 1000 >/dev/null
	sleep 1
	more "$(stat stB sim1 q3_rx_polls)" 10 "polls of queue 3"
	in_b ethtool -X sim1 default
	iperf 2 >/dev/null || bad "TCP over them"
	set_knob sim1 rings_per_napi 1
	in_b ethtool -L sim1 combined 1
}

# overloaded_tx on|off: the median delay of Tx completions of sim1 while its Rx is overloaded.
overloaded_tx()
{
	local flooder

	in_b ethtool --set-priv-flags sim1 shared-cq "$1"
	set_knob sim1 rx_cost_ns 100000
	ip netns exec stA taskset -c 0 "$tool" send 10.77.0.2 9 60 200 0 >/dev/null &
	flooder=$!
	sleep 2
	echo 1 >"$debug/sim1/truth_reset"
	in_b taskset -c 0 "$tool" send 10.77.0.1 9 4 100 100 >/dev/null
	stat stB sim1 tx_delay_p50_ns
	kill "$flooder"
	wait
	set_knob sim1 rx_cost_ns 0
	sleep 2
}

test_completions()
{
	local split shared

	split=$(overloaded_tx off)
	shared=$(overloaded_tx on)
	more "$split" 0 "split delay"
	more "$shared" $((split * 4)) "shared delay, if split is $split,"
	# most of 1024 packets of 100 us
	more "$shared" 60000000 "shared delay"
}

test_rate()
{
	local rate

	# Low, for a guest that is slow.
	set_knob sim0 rate_mbps 4
	rate=$(iperf 3)
	more "$rate" 1600000 "TCP over 4 Mbit/s"
	[ "${rate:-0}" -lt 4100000 ] || bad "TCP over 4 Mbit/s is $rate"
	near "$(in_a cat /sys/class/net/sim0/speed)" 4 0 "speed"
	set_knob sim0 rate_mbps 0
	more "$(iperf 2)" 4100000 "TCP without a rate"
}

test_settings()
{
	local file since_us

	refused sim1 rate_mbps -1 x '' 1000001
	for file in rx_cost_ns xdp_cost_ns tx_cost_ns rx_skb_ns tx_ack_ns; do
		refused sim1 "$file" -1 x 1000001 '1 1'
	done
	refused sim1 irq_cpu 99 '4 0' '0 99' '0 0 0' x
	refused sim1 stall_us 200001 -1 x
	for file in phc_step_ns stall_us truth_reset; do
		! cat "$debug/sim1/$file" >/dev/null 2>&1 || bad "$file can be read"
	done
	refused sim1 truth 1
	since_us=${EPOCHREALTIME/./}
	set_knob sim1 stall_us 50000
	more $((${EPOCHREALTIME/./} - since_us)) 49999 "a stall of 50 ms, in us,"
	refused sim1 stamp_coverage some ''
	refused sim1 stamp_one_in 0 -1 x
	refused sim1 stamp_repeat_one_in -1 1000001 x
	refused sim1 stamp_late_ns -1 100000001 x
	refused sim1 stamp_at_poll 2 -1 x
	refused sim1 missed_one_in -1 1000001 x
	refused sim1 reset_ms 5001 -1 x
	refused sim1 phc_offset_ns x -9000000000000000000
	refused sim1 phc_drift_ppb 1000001 -1000001 x
	refused sim1 rx_path frags
	refused sim1 rx_queue 4 -1
	! in_b ethtool -G sim1 rx 63 2>/dev/null || bad "ring of 63"
	! in_b ethtool -G sim1 rx 4097 2>/dev/null || bad "ring of 4097"
	! in_b ethtool -L sim1 combined 5 2>/dev/null || bad "5 queues"
	! in_b ethtool -C sim1 tx-usecs 5 2>/dev/null || bad "tx-usecs"
	set_knob sim1 rx_path list
	more "$(iperf 1)" 1000000 "TCP with rx_path list"
	in_b ethtool -C sim1 rx-usecs 200 || bad "rx-usecs"
	more "$(iperf 1)" 1000000 "TCP with rx-usecs"
	in_b ethtool -L sim1 combined 4 || bad "4 queues"
	set_knob sim1 rx_queue 3
	iperf 1 >/dev/null
	more "$(stat stB sim1 q3_rx_packets)" 100 "packets of queue 3"
}

# Everything that restarts the rings, under TCP; then traffic still runs.
test_changes()
{
	local i

	in_b timeout 60 iperf3 -s -1 >/dev/null 2>&1 &
	sleep 0.5
	in_a timeout 30 iperf3 -c 10.77.0.2 -t 12 -P 4 --bidir >/dev/null 2>&1 &
	sleep 1
	for ((i = 0; i < 4; i++)); do
		in_b ethtool -G sim1 rx $((64 << i)) tx $((4096 >> i)) || bad "-G $i"
		in_a ethtool -L sim0 combined $((i + 1)) || bad "-L $i"
		in_b ethtool -L sim1 combined $((4 - i % 4)) || bad "-L of sim1 $i"
		in_b ethtool --set-priv-flags sim1 shared-cq "$([ $((i % 2)) = 0 ] && echo on || echo off)"
		in_b sh -c "echo $((i % 2)) >/sys/class/net/sim1/threaded" || bad threaded
		set_knob sim1 irq_cpu $((i % 2))
		set_knob sim0 rate_mbps $((i % 2 * 500))
		ip -n stB link set sim1 mtu $((i % 2 ? 1500 : 4000))
		ip -n stA link set sim0 down
		ip -n stA link set sim0 up
	done
	wait
	ip -n stA neigh replace 10.77.0.2 lladdr "$(in_b cat /sys/class/net/sim1/address)" dev sim0
	more "$(iperf 2)" 1000000 "TCP afterwards"
}

test_threaded()
{
	in_b sh -c 'echo 1 >/sys/class/net/sim1/threaded' || bad "cannot be threaded"
	pgrep -f 'napi/sim1' >/dev/null || bad "no thread napi/sim1"
	more "$(iperf 2)" 1000000 "TCP, threaded"
}

test_rmmod()
{
	local i senders

	for ((i = 0; i < 3; i++)); do
		set_knob sim0 rate_mbps $((i * 50))
		set_knob sim1 rx_cost_ns 20000
		in_a "$tool" send 10.77.0.2 9 6 1000 0 >/dev/null 2>&1 &
		senders=$!
		in_b "$tool" send 10.77.0.1 9 6 1000 0 >/dev/null 2>&1 &
		sleep 1
		rmmod simnic || bad "rmmod $i"
		wait "$senders"
		wait
		ip netns del stA
		ip netns del stB
		ip netns del stC
		setup || bad "insmod $i"
	done
}
