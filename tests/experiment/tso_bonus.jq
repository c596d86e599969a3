# SPDX-License-Identifier: GPL-2.0-only
# What happened between two snapshots of tests/experiment/tso_bonus_guest.sh, and the table of all.

def median: sort | if length == 0 then null else (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;

# Of what the host sent and got between two snapshots; rates are by the second.
def window($a; $b):
	($b.time - $a.time) as $s
	| ($b.nic | with_entries(.value -= ($a.nic[.key] // 0))) as $nic
	| ($b.tcp | with_entries(.value -= $a.tcp[.key])) as $tcp
	| ($b.truth | capture("p50_ns (?<ns>[0-9]+)").ns | tonumber) as $p50_ns
	| {
		ring_ms: ($p50_ns / 1e6),
		frame_bytes: ($nic.tx_bytes / ([$nic.tx_packets, 1] | max)),
		frames: ($nic.tx_packets / $s),
		acks: ($tcp.acks / $s),
		overflow: ($nic.rx_missed / $s),
		drained: (($nic.rx_polls - $nic.rx_polls_busy) / $s),
		xdp_drop: ($nic.xdp_drop / $s),
		retrans: ($tcp.retrans / $s),
		goodput_mbps: (8 * (($b.flows | map(.acked) | add) - ($a.flows | map(.acked) | add)) / $s / 1e6),
		min_rtt_ms: ($b.flows | map(.min_rtt_ms) | median),
		rtt_ms: ($b.flows | map(.rtt_ms) | median),
		cwnd: ($b.flows | map(.cwnd) | median),
		pacing_mbytes: ($b.flows | map(.pacing_bps) | median / 8e6),
		flows: ($b.flows | length)
	};

def n: . + 0.5 | floor | tostring;
def ms: if . >= 10 then n else (. * 100 + 0.5 | floor | . / 100 | tostring) end;
def acks_per_mb: .acks / (.goodput_mbps / 8);

# The median of a figure over repetitions, and from what to what, where that is more than 5 %.
def over(f): map(f) as $all | ($all | median) as $m
	| if $m == 0 or (($all | max) - ($all | min)) <= $m * 0.05 then ($m | ms)
	else "\($m | ms) (\($all | min | ms) to \($all | max | ms))" end;

def row: "| \(.[0].cc) | \(.[0].begin) | \(.[0].log) | \(.[0].remedy) | \(over(.ring_ms)) | \(over(.min_rtt_ms)) | \(over(.frame_bytes)) | \(over(acks_per_mb)) | \(over(.goodput_mbps)) | \(length) |";

def table_of($queue):
	"| | flows begin | tcp_tso_rtt_log | remedy | waits in the ring (ms) | min_rtt (ms) | frame sent (bytes) | ACKs a MB | goodput (Mbit/s) | runs |",
	"|---|---|---|---|---|---|---|---|---|---|",
	(map(select(.queue == $queue)) | group_by([.cc, .remedy != "none", .remedy, -.log, .begin != "before", .begin])[] | row);

def table: "Loop:", "", table_of("loop"), "", "Held:", "", table_of("held");
