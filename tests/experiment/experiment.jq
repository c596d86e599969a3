# SPDX-License-Identifier: GPL-2.0-only
# What happened between two snapshots of tests/experiment/guest.sh, and the table of all.

def stats: .status.interfaces[0].queues[0].stats;

# Rates are by the second. $truth: of the window, by the simulated NIC.
def result($run; $phase; $a; $b; $truth):
	($b.time - $a.time) as $s
	| ($b | stats | with_entries(.value -= ($a | stats)[.key])) as $d
	| ($b.nic | with_entries(.value -= ($a.nic[.key] // 0))) as $nic
	| ($d.over_ack + $d.over_ce + $d.over_ect0 + $d.over_ect1 + $d.over_not_ect + $d.over_exempt) as $over
	| {
		run: $run, phase: $phase, seconds: $s,
		pps: ($d.packets / $s),
		p50_ns: $truth.p50_ns, p99_ns: $truth.p99_ns, max_ns: $truth.max_ns,
		overflow: ($nic.rx_missed / $s),
		over_ack: ($d.over_ack / $s), over_ect: (($d.over_ect0 + $d.over_ce) / $s),
		over_not_ect: ($d.over_not_ect / $s),
		ack_share: (if $over > 0 then $d.over_ack / $over else 0 end),
		mark: (($d.ecn_mark + $d.ce_mark) / $s), drop: ($d.drop / $s), ack_drop: ($d.ack_drop / $s),
		tx_p50_ns: $b.nic.tx_delay_p50_ns, tx_p99_ns: $b.nic.tx_delay_p99_ns,
		tx_super_frame: (if $nic.tx_packets > 0 then $nic.tx_bytes / $nic.tx_packets else 0 end),
		goodput: {dctcp: (8 * ($b.bytes.dctcp - $a.bytes.dctcp) / $s),
			cubic: (8 * ($b.bytes.cubic - $a.bytes.cubic) / $s)}
	};

def n: . + 0.5 | floor | tostring;
def ms: . / 1e6 | if . >= 100 then n elif . >= 10 then (. * 10 | n | tonumber / 10 | tostring)
	else (. * 100 | n | tonumber / 100 | tostring) end;
def phase: {observe: "observed", enforce: "enforced as then", law: "the default law"}[.];

def table:
	"| completions, load | | true wait p50, p99 (ms) | overflow/s | packets/s | over target: ACK, ECT, Not-ECT /s | marked, dropped, thinned /s | Tx completion p50, p99 (ms) | Tx skb (bytes) | goodput DCTCP, CUBIC (Mbit/s) |",
	"|---|---|---|---|---|---|---|---|---|---|",
	(.[] | "| \(.run | sub("-"; ", ")) | \(.phase | phase) | \(.p50_ns | ms), \(.p99_ns | ms) | \(.overflow | n) | \(.pps | n) | \(.over_ack | n), \(.over_ect | n), \(.over_not_ect | n) | \(.mark | n), \(.drop | n), \(.ack_drop | n) | \(.tx_p50_ns | ms), \(.tx_p99_ns | ms) | \(.tx_super_frame | n) | \(.goodput.dctcp / 1e6 | n), \(.goodput.cubic / 1e6 | n) |");
