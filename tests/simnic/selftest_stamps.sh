# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2317,SC2154 # sourced by selftest.sh, which sets the variables
#
# Clock, timestamps, XDP and tracepoints.

# stamps_of PPS: sends UDP to a receiver in B, prints what simtool receive does.
stamps_of()
{
	background stB receive 5000 60 5000000000
	in_a "$tool" send 10.77.0.2 5000 1 100 "$1" >/dev/null
	detach
}

test_stamps()
{
	local out

	set_knob sim1 phc_offset_ns 5000000000
	out=$(stamps_of 500)
	more "$(value received <<<"$out")" 50 "received"
	near "$(value stamped <<<"$out")" 0 0 "stamped before it was asked for"
	near "$(in_b "$tool" hwtstamp sim1 0 12 | value rx_filter)" 1 0 "filter for PTP_V2_EVENT if all are stamped"
	near "$(in_b "$tool" hwtstamp sim1 | value rx_filter)" 1 0 "filter read back"
	out=$(stamps_of 500)
	more "$(value stamped <<<"$out")" 50 "stamped of all"
	near "$(value stamped <<<"$out")" "$(value received <<<"$out")" 0 "stamped of all"
	near "$(value bad <<<"$out")" 0 0 "bad stamps"
	set_knob sim1 stamp_one_in 4
	out=$(stamps_of 500)
	near "$(value stamped <<<"$out")" $(($(value received <<<"$out") / 4)) 2 "stamped of one in 4"
	set_knob sim1 stamp_one_in 1
	! in_b "$tool" hwtstamp sim1 1 1 2>/dev/null || bad "Tx stamps are granted"
	test_stamps_coverage
}

test_stamps_coverage()
{
	local out before

	set_knob sim1 stamp_coverage ptp
	near "$(in_b "$tool" hwtstamp sim1 | value rx_filter)" 0 0 "filter after coverage ptp"
	! in_b "$tool" hwtstamp sim1 0 1 2>/dev/null || bad "FILTER_ALL granted with coverage ptp"
	near "$(in_b "$tool" hwtstamp sim1 0 12 | value rx_filter)" 12 0 "PTP filter"
	before=$(stat stB sim1 rx_stamped)
	out=$(stamps_of 500)
	near "$(value stamped <<<"$out")" 0 0 "stamped UDP with coverage ptp"
	in_a "$tool" frame sim0 7
	in_a "$tool" send 10.77.0.2 319 0.2 100 50 >/dev/null
	sleep 0.5
	more $(($(stat stB sim1 rx_stamped) - before)) 7 "stamped PTP events"
	[[ $(in_b ethtool -T sim1) == *ptpv2-event* ]] || bad "ethtool -T shows no ptpv2-event"
	set_knob sim1 stamp_coverage none
	! in_b "$tool" hwtstamp sim1 0 12 2>/dev/null || bad "PTP filter granted with coverage none"
	[[ $(in_b ethtool -T sim1) != *hardware-receive* ]] || bad "ethtool -T shows hardware-receive"
}

test_phc()
{
	local out

	[ -e /dev/ptp0 ] || { bad "no /dev/ptp0" && return; }
	grep -qx 'simnic sim1' /sys/class/ptp/*/clock_name || bad "no clock 'simnic sim1'"
	set_knob sim1 phc_offset_ns -1000000
	out=$(in_b "$tool" phc sim1 0)
	near "$(value mono_offset_ns <<<"$out")" -1000000 200000 "offset"
	near "$(value rate_ppb <<<"$out")" 0 2000 "rate"
	near "$(value extended_bad <<<"$out")" 0 0 "bad extended samples"
	set_knob sim1 phc_step_ns 7000000000
	near "$(in_b "$tool" phc sim1 | value mono_offset_ns)" 6999000000 500000 "offset after a step"
	set_knob sim1 phc_drift_ppb 100000
	near "$(in_b "$tool" phc sim1 | value rate_ppb)" 100000 2000 "rate with drift"
	near "$(in_b "$tool" phc sim1 -30 | value rate_ppb)" 70000 2000 "rate with drift and -30 ppm"
	set_knob sim1 phc_drift_ppb -200000
	near "$(in_b "$tool" phc sim1 30 | value rate_ppb)" -170000 2000 "rate with drift and 30 ppm"
	near "$(in_a "$tool" phc sim0 | value rate_ppb)" 0 2000 "rate of the other clock"
}

# background NAMESPACE ARGUMENT...: simtool, until detach, which prints what it did.
background()
{
	local ns=$1

	shift
	rm -f /tmp/simnic.ready
	SIMTOOL_READY=/tmp/simnic.ready ip netns exec "$ns" "$tool" "$@" >/tmp/simnic.counters &
	attached=$!
	for _ in {1..300}; do
		[ ! -e /tmp/simnic.ready ] && [ -e "/proc/$attached" ] || return 0
		sleep 0.1
	done
}

# attach NAMESPACE DEVICE PROGRAM [ARGUMENT]: until detach.
attach() { background "$1" bpf "$object" "$3" "$2" 60 ${4+"$4"}; }

detach()
{
	sleep 0.5 # for what is still in a ring
	kill -TERM "$attached"
	wait "$attached" || echo failed
	cat /tmp/simnic.counters
}

# xdp PROGRAM [ARGUMENT]: traffic into sim1 with a program on; prints counters.
xdp()
{
	attach stB sim1 "$@"
	flood 1 500 >/dev/null
	detach
}

test_xdp()
{
	local n

	n=$(xdp pass | value packets)
	more "$n" 50 "passed"
	near "$(stat stB sim1 xdp_pass)" "$n" 0 "xdp_pass"
	n=$(xdp drop | value packets)
	near "$(stat stB sim1 xdp_drop)" "$n" 0 "xdp_drop"
	more "$n" 50 "dropped"
	n=$(stat stA sim0 rx_packets)
	more "$(xdp tx | value packets)" 50 "sent back"
	near $(($(stat stA sim0 rx_packets) - n)) "$(stat stB sim1 xdp_tx)" 0 "received of those sent back"
	n=$(xdp redirect sim2 | value packets)
	more "$n" 50 "redirected"
	near "$(stat stC sim3 rx_packets)" "$(stat stB sim1 xdp_redirect)" 0 "received of those redirected"
	more "$(xdp frags | value packets)" 50 "passed by an xdp.frags program"
	near "$(stat stB sim1 xdp_errors)" 0 0 "xdp_errors"
	n=$(xdp xsk)
	more "$(value xsk_received <<<"$n")" 50 "AF_XDP received"
	near "$(value xsk_received <<<"$n")" "$(value packets <<<"$n")" 0 "AF_XDP received"
	test_xdp_mtu
}

test_xdp_mtu()
{
	local refusal

	ip -n stB link set sim1 mtu 3503 || bad "MTU 3503 refused"
	! in_b "$tool" bpf "$object" pass sim1 0.1 >/dev/null 2>&1 || bad "XDP at MTU 3503"
	ip -n stB link set sim1 mtu 3502
	attach stB sim1 pass
	refusal=$(ip -n stB link set sim1 mtu 3503 2>&1) && bad "MTU 3503 with XDP"
	[[ $refusal == *'mtu greater than device maximum'* ]] || bad "MTU 3503 with XDP: '$refusal'"
	detach >/dev/null
	ip -n stA link set sim0 mtu 9000
	ip -n stB link set sim1 mtu 9000
	more "$(iperf 1)" 1000000 "TCP at MTU 9000"
}

test_hint()
{
	local out

	set_knob sim1 phc_offset_ns 5000000000
	in_b "$tool" hwtstamp sim1 0 1 >/dev/null
	out=$(xdp hint 5000000000)
	more "$(value stamped <<<"$out")" 50 "stamped"
	near "$(value stamped <<<"$out")" "$(value packets <<<"$out")" 0 "stamped"
	near "$(value bad <<<"$out")" 0 0 "bad stamps"
	in_b "$tool" hwtstamp sim1 0 0 >/dev/null
	near "$(xdp hint | value stamped)" 0 0 "stamped with the filter off"
}

# A program that comes, goes and changes costs no packet: the ring never closes, and it is long
# enough for a machine that stops for a second.
test_xdp_swap()
{
	local i sent lost

	in_b ethtool -G sim1 rx 4096
	flood 6 1500 >/tmp/simnic.sent &
	for ((i = 0; i < 12; i++)); do
		in_b "$tool" bpf "$object" pass sim1 0.05 >/dev/null || bad "attach $i"
	done
	wait
	sleep 1
	sent=$(cat /tmp/simnic.sent)
	lost=$(($(stat stB sim1 rx_closed) + $(stat stB sim1 xdp_errors) + $(stat stB sim1 rx_dropped)))
	near "$(stat stB sim1 rx_packets)" $((sent - $(stat stB sim1 rx_missed))) 0 "received"
	near "$lost" 0 0 "lost"
	more "$(stat stB sim1 xdp_pass)" 10 "xdp_pass"
}

test_trace()
{
	local out

	set_knob sim1 phc_offset_ns 5000000000
	in_b "$tool" hwtstamp sim1 0 1 >/dev/null
	out=$(xdp rx_trace 5000000000)
	more "$(value packets <<<"$out")" 50 "traced"
	near "$(value packets <<<"$out")" "$(stat stB sim1 rx_packets)" 0 "traced"
	near "$(value stamped <<<"$out")" "$(value packets <<<"$out")" 0 "stamped"
	near "$(value bad <<<"$out")" 0 0 "bad times"
	near "$(value cpu1 <<<"$out")" "$(value packets <<<"$out")" 0 "polled on the irq CPU 1"
	set_knob sim1 irq_cpu "0 0"
	out=$(xdp rx_trace 5000000000)
	near "$(value cpu0 <<<"$out")" "$(value packets <<<"$out")" 0 "polled on the irq CPU 0"
	attach stA sim0 tx_trace
	flood 0.5 500 >/dev/null
	out=$(detach)
	more "$(value packets <<<"$out")" 10 "Tx completions traced"
	near "$(value bad <<<"$out")" 0 0 "bad times of Tx"
}
