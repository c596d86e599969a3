# SPDX-License-Identifier: GPL-2.0-only
# What happened in a run of the evaluation, from what counters.sh makes of its files. Rates are by
# the second, of the window; times in seconds are since the load began.

def stats: [.interfaces[].queues[].stats] | map(to_entries) | add | group_by(.key)
	| map({key: .[0].key, value: (map(.value) | add)}) | from_entries;

# Jain's index: 1 if all have the same, 1/n if one has all.
def jain: (map(. * .) | add) as $squares
	| if ($squares // 0) > 0 then (add | . * .) / (length * $squares) else null end;

# When the median got, and for a second stayed, under the limit once it was over, counted from the
# event; 0 if it never was; null if it did not get there before the next.
def settled($series; $from; $to; $limit):
	[$series[] | select(.[0] > $from and .[0] <= $to and .[1] > 0 and .[2] > $limit) | .[0]] as $bad
	| ($bad[1:] + [$to]) as $next
	| if $bad == [] then 0 else
		[range($bad | length) | select($next[.] - $bad[.] >= 1) | $bad[.] - $from]
		| if length > 0 then .[0] else null end
	end;

# In intervals, from what begins to the next event.
def settling($series; $events; $limit; $interval_s):
	[$events[] | select(.[0] | test("^(load|enforce|up|down|end)$"))] as $marks
	| [range($marks | length - 1) as $i | {event: $marks[$i][0],
		intervals: (settled($series; $marks[$i][1]; $marks[$i + 1][1]; $limit)
			| if . then . / $interval_s else null end)}];

def ifb($snapshot):
	[$snapshot.tc // [] | .[] | {drops: (.drops // 0),
		marks: ((.ecn_mark // 0) + ([.tins[]?.ecn_mark] | add // 0))}]
	| {drops: (map(.drops) | add // 0), marks: (map(.marks) | add // 0)};

# Of a list of times, -1 for what never came.
def times: (map(select(. >= 0)) | sort) as $came
	| {sent: length, answered: ($came | length),
		p50_ns: $came[(0.5 * ($came | length) | ceil) - 1], p99_ns: $came[(0.99 * ($came | length) | ceil) - 1]};

# TCP sends again what was lost, 200 ms later or more: what took that much longer than the median.
def typed: times as $all | (map(select(. >= 0)) | sort) as $came
	| $all + {answered: ($came | map(select(. <= $all.p50_ns + 2e8)) | length)};

# A first SYN that was lost is sent again after a second.
def retransmitted: {sent: length, again: map(select(. < 0 or . > 9e8)) | length};

# What each flow of a class got, in bit/s.
def rates: . as $class
	| [range($class.end | length) | 8 * ($class.end[.] - ($class.begin[.] // 0)) / $class.seconds];

# Of an object with all that counters.sh found.
def result:
	. as {$before, $after, $direction, $classes, $window, $series, $events, $target_ns}
	| ($after.time - $before.time) as $s
	| ($after.nic | with_entries(.value -= ($before.nic[.key] // 0))) as $nic
	| ($after.snmp | with_entries(.value -= ($before.snmp[.key] // 0))) as $snmp
	| (if $after.status then ($before.status | stats) as $old
		| $after.status | stats | with_entries(.value -= $old[.key]) else null end) as $aqm
	| ($classes | map({class, flows, rates: rates})) as $flows
	| ($nic.rx_packets - $nic.xdp_drop) as $passed
	| {
		scenario, option, run, row, profile, status: "ok", seconds: $s, target_ns,
		settling: settling($series; $events; 1.5 * $target_ns; .interval_s),
		delay: {packets: $window[0][1], p50_ns: ([$window[0][2], $after.max_ns] | min),
			p99_ns: ([$window[0][3], $after.max_ns] | min), max_ns: $after.max_ns,
			over_target: (if $window[0][1] > 0 then $window[0][5] / $window[0][1] else null end)},
		passed: ($passed / $s), overflow: $nic.rx_missed, overflow_pps: ($nic.rx_missed / $s),
		mark: (if $aqm then ($aqm.ecn_mark + $aqm.ce_mark) / $s else (ifb($after).marks - ifb($before).marks) / $s end),
		drop: (if $aqm then $aqm.drop / $s else (ifb($after).drops - ifb($before).drops) / $s end),
		ack_drop: (if $aqm then $aqm.ack_drop / $s else null end),
		law_drops: $nic.xdp_drop,
		goodput: (if .storage[0] then .storage[0].bulk.bytes * 8 / $s elif $flows == [] then null else $flows | map(.rates | add // 0) | add end),
		classes: ($flows | map({class, flows, rate: (.rates | add // 0), jain: (.rates | jain)})),
		offered: .offered_pps, capacity: .capacity_pps, flood, ring,
		arrived: (($nic.rx_packets + $nic.rx_missed) / $s),
		# Nobody listens where floods go; probes are not among them.
		udp: (if .flood.kind == "udp" then $snmp.UdpNoPorts / $s else null end),
		cpu: {
			# By the clock of the model, drops and all; what is left is idle.
			busy: ($nic.model_ns / 1e9 / $s),
			# The emulated CPU: how long it waited for the model, and how much it is behind.
			waited: ($nic.model_wait_ns / 1e9 / $s), behind: ($nic.model_lost_ns / 1e9 / $s),
			packet_ns: (if $passed > 0 then ($nic.model_ns - $nic.xdp_drop_ns) / $passed else null end),
			drop_ns: (if $nic.xdp_drop > 0 then $nic.xdp_drop_ns / $nic.xdp_drop else null end),
			drop_share: ($nic.xdp_drop_ns / 1e9 / $s),
			# Polls are begun for what is dropped, too.
			drop_polls: (if $nic.rx_packets > 0 then $nic.xdp_drop / $nic.rx_packets * $nic.rx_polls / $s else null end),
			client_idle: .client_idle,
			polls: ($nic.rx_polls / $s), drained: (($nic.rx_polls - $nic.rx_polls_busy) / $s),
			# Of TCP transfers: no probes, no floods.
			gro: (if $nic.rx_bulk_skbs > 0 then $nic.rx_bulk_packets / $nic.rx_bulk_skbs else null end),
			acks: ($nic.tx_acks / $s), sent: ($nic.tx_packets / $s)
		},
		requests: (.probed.requests | times), slow: (.probed.slow | times), typing: (.probed.typing | typed),
		syns: (.probed.connections | retransmitted), bursts, notes,
		storage: (.storage[0] | if . then map_values({rate: (.bytes * 8 / $s)} + (.times | times)) else null end),
		tx: (if $direction == "tx" then {p50_ns: $after.nic.tx_delay_p50_ns,
			p99_ns: $after.nic.tx_delay_p99_ns,
			skb_bytes: (if $nic.tx_packets > 0 then $nic.tx_bytes / $nic.tx_packets else null end)} else null end),
		queue: (if $after.status then $after.status.interfaces[0].queues[0]
			| {target_ns, floor_ns, round_ns, signal, derived_why} else null end),
		events, cdf, series
	};
