# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2317,SC2154 # sourced by selftest.sh, which sets the variables
#
# What the CPU of the model takes. By counters: how fast the machine is does not matter.

# grown DEVICE NAMESPACE: into grew, by how much each counter has since it was called last.
declare -A grown_from
grown()
{
	local name now

	while read -r name now; do
		name=${name%:}
		grew[$name]=$((now - ${grown_from[$1.$name]-0}))
		grown_from[$1.$name]=$now
	done < <(ip netns exec "$2" ethtool -S "$1" | tail -n +2)
}

test_costs()
{
	local -A grew

	refused sim1 pace 2 -1 x
	# UDP is not merged.
	set_count sim1 rx_cost_ns 3000
	set_count sim1 rx_skb_ns 5000
	grown sim1 stB
	flood 1 500 >/dev/null
	sleep 0.5
	grown sim1 stB
	more "${grew[rx_packets]}" 100 "UDP packets"
	near "${grew[model_ns]}" $((grew[rx_packets] * 8000)) 0 "cost of UDP"
	near "${grew[rx_bulk_packets]}" 0 0 "UDP packets of a TCP transfer"
	test_costs_tcp
	test_costs_ack
}

# By packet each packet, by skb those that GRO made of them.
test_costs_tcp()
{
	local small

	set_knob sim1 rx_cost_ns 1000000
	set_knob sim1 rx_skb_ns 0
	iperf 2 >/dev/null
	grown sim1 stB
	set_knob sim1 rx_cost_ns 0
	set_knob sim1 rx_skb_ns 1000
	iperf 2 >/dev/null
	grown sim1 stB
	small=$((grew[rx_packets] - grew[rx_bulk_packets]))
	more "${grew[rx_bulk_skbs]}" 10 "skbs of a TCP transfer"
	more "${grew[rx_bulk_packets]}" $((grew[rx_bulk_skbs] * 3 / 2)) "packets of ${grew[rx_bulk_skbs]} skbs"
	near "${grew[model_ns]}" $(((grew[rx_bulk_skbs] + small) * 1000)) 60000 "cost by skb"
	set_knob sim1 rx_path list
	iperf 1 >/dev/null
	grown sim1 stB
	near "${grew[model_ns]}" $((grew[rx_packets] * 1000)) 0 "cost by skb without GRO"
	near "${grew[rx_bulk_skbs]}" "${grew[rx_bulk_packets]}" 0 "skbs without GRO"
	set_knob sim1 rx_path gro
	set_knob sim1 rx_skb_ns 0
}

# Who receives sends hardly anything but ACKs, who sends hardly any.
test_costs_ack()
{
	set_count sim1 tx_ack_ns 1000
	set_count sim0 tx_ack_ns 1000
	grown sim1 stB
	iperf 2 >/dev/null
	grown sim1 stB
	more "${grew[tx_acks]}" 20 "ACKs"
	near "${grew[model_ns]}" $((grew[tx_acks] * 1000)) 0 "cost of ${grew[tx_acks]} ACKs"
	near "${grew[tx_acks]}" "${grew[tx_packets]}" 60 "ACKs of what is sent"
	grown sim0 stA
	more "$((grew[tx_packets] - grew[tx_acks]))" $((grew[tx_packets] / 2)) "what a sender sends but ACKs"
	set_knob sim1 tx_ack_ns 0
	set_knob sim0 tx_ack_ns 0
}

# now_ns: the time that counters are in.
now_ns()
{
	local seconds

	read -r seconds _ </proc/uptime
	echo "${seconds/./}0000000"
}

# stalls DEVICE: takes CPU 1 away for 150 ms, by the stall of that device.
stalls()
{
	grown sim1 stB
	set_knob "$1" stall_us 150000
	sleep 0.3
	grown sim1 stB
}

test_pace()
{
	local -A grew
	local before_ns begun_ns end_ns after_ns flooder lost

	set_knob sim1 rx_cost_ns 100000
	set_knob sim2 irq_cpu 1
	ip netns exec stA taskset -c 0 "$tool" send 10.77.0.2 9 60 200 15000 >/dev/null &
	flooder=$!
	sleep 1
	grown sim1 stB
	sleep 1
	grown sim1 stB
	near "${grew[model_wait_ns]}" "${grew[model_ns]}" 0 "time waited without pace"
	near "${grew[model_lost_ns]}" 0 0 "time lost without pace"

	set_count sim1 pace 1
	sleep 0.5
	before_ns=$(now_ns)
	grown sim1 stB
	begun_ns=$(now_ns)
	sleep 2
	end_ns=$(now_ns)
	grown sim1 stB
	after_ns=$(now_ns)
	# Of an overloaded CPU the model has all the time there is, or it was lost. 20 ms: the clock
	# has 10 ms, and the model may lag by 4.
	lost=$((grew[model_ns] + grew[model_lost_ns]))
	more "$lost" $((end_ns - begun_ns - 20000000)) "time of the model"
	more $((after_ns - before_ns + 20000000)) "$lost" "time that passed"
	[ "${grew[model_wait_ns]}" -lt "${grew[model_ns]}" ] || bad "it waited all the time, paced"

	# What others take from the CPU is lost, in a stall of its own the clock stands.
	stalls sim2
	more "${grew[model_lost_ns]}" 140000000 "time lost while another device took the CPU"
	near "${grew[model_stalled_ns]}" 0 0 "time in which the clock stood then"
	stalls sim1
	more "${grew[model_stalled_ns]}" 149000000 "time in which the clock stood in a stall"
	kill -KILL "$flooder"
	wait "$flooder" 2>/dev/null
	test_pace_drops
}

# What is dropped takes the model's time, too: as long as it took the CPU.
test_pace_drops()
{
	sleep 1 # until the ring is empty
	grown sim1 stB
	xdp drop >/dev/null
	sleep 0.5
	grown sim1 stB
	more "${grew[xdp_drop]}" 50 "packets dropped, paced"
	more "${grew[xdp_drop_ns]}" 0 "time for drops, paced"
	near "${grew[model_ns]}" \
		$(((grew[rx_packets] - grew[xdp_drop]) * 100000 + grew[xdp_drop_ns])) 0 \
		"time of the model with drops"
}
