# SPDX-License-Identifier: GPL-2.0-only
# What happened in a run of the evaluation, from what counters.sh makes of its files. Rates are by
# the second, of the window; times in seconds are since the load began.

def stats: [.interfaces[].queues[].stats] | map(to_entries) | add | group_by(.key)
	| map({key: .[0].key, value: (map(.value) | add)}) | from_entries;

# Jain's index: 1 if all have the same, 1/n if one has all.
def jain: (map(. * .) | add) as $squares
	| if $squares > 0 then (add | . * .) / (length * $squares) else null end;

# What each flow of a port got in bit/s: those there at the end, less the control connection of
# iperf3's, which is the one with the least.
def flows($before; $after; $port; $field; $seconds):
	($before | map(select(.port == $port)) | map({key: "\(.peer)", value: .[$field]}) | from_entries) as $old
	| $after | map(select(.port == $port)) | sort_by(.[$field]) | .[1:]
	| map(8 * (.[$field] - ($old["\(.peer)"] // 0)) / $seconds);

# When the median got, and for a second stayed, under the limit once it was over, counted from the
# event; 0 if it never was; null if it did not get there before the next.
def settled($series; $from; $to; $limit):
	[$series[] | select(.[0] > $from and .[0] <= $to and .[1] > 0 and .[2] > $limit) | .[0]] as $bad
	| ($bad[1:] + [$to]) as $next
	| if $bad == [] then 0 else
		[range($bad | length) | select($next[.] - $bad[.] >= 1) | $bad[.] - $from]
		| if length > 0 then .[0] else null end
	end;

def settling($series; $events; $limit):
	[$events[] | select(.[0] | test("^(enforce|up|down|end)$"))] as $marks
	| [range($marks | length - 1) as $i | {event: $marks[$i][0],
		seconds: settled($series; $marks[$i][1]; $marks[$i + 1][1]; $limit)}];

def ifb($snapshot):
	[$snapshot.tc // [] | .[] | {drops: (.drops // 0),
		marks: ((.ecn_mark // 0) + ([.tins[]?.ecn_mark] | add // 0))}]
	| {drops: (map(.drops) | add // 0), marks: (map(.marks) | add // 0)};

def delay($row; $max_ns): {packets: $row[1], p50_ns: ([$row[2], $max_ns] | min),
	p99_ns: ([$row[3], $max_ns] | min), max_ns: $max_ns,
	over_target: (if $row[1] > 0 then $row[5] / $row[1] else null end)};

# Of an object with all that counters.sh found.
def result:
	. as {$before, $after, $direction, $classes, $windows, $series, $events, $udp_pps, $target_ns}
	| ($after.time - $before.time) as $s
	| (if $direction == "tx" then "acked" else "received" end) as $field
	| ($after.nic | with_entries(.value -= ($before.nic[.key] // 0))) as $nic
	| (if $after.status then ($before.status | stats) as $old
		| $after.status | stats | with_entries(.value -= $old[.key]) else null end) as $aqm
	# The flows of a step (port 5309) are gone at the end.
	| ($classes | map(select(.port != 5309) | {key: .class,
		value: flows($before.connections; $after.connections; .port; $field; $s)}) | from_entries) as $flows
	| {
		scenario: $scenario, option: $option, run: $run, status: "ok", seconds: $s,
		target_ns: $target_ns,
		delay: delay($windows[0][0]; $after.max_ns[0]),
		delay_1: (if ($after.max_ns | length) > 1 then delay($windows[1][0]; $after.max_ns[1]) else null end),
		packets: ($nic.rx_packets / $s), overflow: ($nic.rx_missed / $s),
		mark: (if $aqm then ($aqm.ecn_mark + $aqm.ce_mark) / $s else (ifb($after).marks - ifb($before).marks) / $s end),
		drop: (if $aqm then $aqm.drop / $s else (ifb($after).drops - ifb($before).drops) / $s end),
		ack_drop: (if $aqm then $aqm.ack_drop / $s else null end),
		goodput: ($flows | map_values(add // 0)),
		jain: ($flows | map_values(if length > 1 then jain else null end)),
		udp: (if $udp_pps then {offered: $udp_pps, passed: (($after.udp - $before.udp) / $s)} else null end),
		cpu_busy: (($after.cpu.busy - $before.cpu.busy) / ($after.cpu.all - $before.cpu.all)),
		requests, bursts,
		incast: (.incast | if length > 0 then {rounds: length,
			seconds: (map(.end.sum_received.seconds) | sort),
			retransmits: (map(.end.sum_sent.retransmits) | add)} else null end),
		settling: settling($series; $events; 1.5 * $target_ns),
		tx: (if $direction == "tx" then {p50_ns: $after.nic.tx_delay_p50_ns,
			p99_ns: $after.nic.tx_delay_p99_ns,
			skb_bytes: (if $nic.tx_packets > 0 then $nic.tx_bytes / $nic.tx_packets else null end),
			pacing: ($after.connections | map(.pacing) | sort | .[length / 2 | floor])} else null end),
		queues: (if $after.status then [$after.status.interfaces[].queues[] | {floor_ns, signal}] else null end),
		queue_aqm: (if $after.status then [range($after.status.interfaces[0].queues | length) as $q
			| $after.status.interfaces[0].queues[$q].stats as $now | $before.status.interfaces[0].queues[$q].stats as $old
			| ($now.drop + $now.ecn_mark + $now.ce_mark - $old.drop - $old.ecn_mark - $old.ce_mark)] else null end),
		events, cdf, series
	};
