# SPDX-License-Identifier: GPL-2.0-only
# Sums, tables and checks of the demo. A result is
#   {kind, target_ns, need: SECONDS, before: WINDOW, after: WINDOW}
# and a window is what happened between two snapshots of tests/demo/demo.sh.

# Counters and buckets of the only interface: those of all its queues together.
def totals:
	[.status.interfaces[].queues[].stats] | map(to_entries) | add
	| group_by(.key) | map({key: .[0].key, value: map(.value) | add}) | from_entries;
def buckets:
	[.hist.interfaces[].queues[].buckets[]] | group_by(.floor_ns)
	| map({floor_ns: .[0].floor_ns, packets: map(.packets) | add});

# That of the queue which stands, as derived in the end.
def target_ns: [.status.interfaces[].queues[] | select(.stats.packets > 0)] | max_by(.stats.packets) | .target_ns;

# Histogram $now less $then, without empty buckets; each gets the floor of the next as its end.
def histogram($old; $new):
	($old | buckets | map({key: "\(.floor_ns)", value: .packets}) | from_entries) as $packets
	| $new | buckets
	| map(.packets -= ($packets["\(.floor_ns)"] // 0)) | map(select(.packets > 0));

# Four buckets a doubling: a bucket ends a quarter of its octave on.
def bucket_end_ns:
	if .floor_ns < 1024 then 1024
	else .floor_ns + pow(2; (.floor_ns | log2 | floor) - 2) end;

def quantile_ns($q):
	(map(.packets) | add // 0) as $total
	| reduce .[] as $b ({sum: 0};
		if .value or .sum + $b.packets < $q * $total then .sum += $b.packets
		else .value = $b.floor_ns
			+ ($q * $total - .sum) / $b.packets * (($b | bucket_end_ns) - $b.floor_ns)
		end)
	| .value // 0;

# Goodput in bit/s within [$from, $to], seconds from the start of the test.
def goodput($from; $to):
	[.intervals[].sum | select(.start >= $from and .end <= $to)]
	| if length > 0 then (map(.bytes) | add) * 8 / (map(.seconds) | add) else 0 end;

# $flows: {NAME: {start, server: iperf3's JSON}}, $truth: output of tests/rig/truth. Goodput is for
# the time in which the receiving CPU did not pause.
def window($a; $b; $flows; $truth):
	($a | totals) as $old | ($b | totals) as $new
	| ($new | with_entries(.value -= ($old[.key] // 0))) as $stats
	| histogram($a; $b) as $hist
	| {
		seconds: ($b.time - $a.time),
		packets: $stats.packets,
		burning: ($stats.packets * $b.cost_ns / 1e9 / ($b.time - $a.time)),
		p50_ns: ($hist | quantile_ns(0.5)),
		p99_ns: ($hist | quantile_ns(0.99)),
		truth: $truth,
		polls_left: $stats.polls_left,
		polls_drained: $stats.polls_drained,
		marks: ($stats.ecn_mark + $stats.ce_mark),
		drops: $stats.drop,
		goodput: ($flows
			| map_values(. as $f | $f.server | goodput($a.time - $f.start; $b.time - $f.start)
				* $truth.seconds / ($truth.seconds - $truth.paused_s)))
	}
	| .goodput_tcp = (.goodput | .tcp + .["tcp-ecn"]);

### Text

def fixed($digits): pow(10; $digits) as $f
	| (. * $f | round) as $n
	| if $digits == 0 then "\($n)"
	else "\($n / $f | floor).\("0000\($n % $f)"[-$digits:])" end;
def duration:
	if . >= 99.5e6 then (. / 1e6 | fixed(0)) + " ms"
	elif . >= 1e6 then (. / 1e6 | fixed(1)) + " ms"
	else (. / 1e3 | fixed(0)) + " us" end;
def rate: (. / 1e6 | fixed(1)) + " Mbit/s";
def ratio: (if . >= 10 then fixed(0) else fixed(1) end) + "x";
def left($width): . + " " * ([$width - length, 0] | max);
def right($width): " " * ([$width - length, 0] | max) + .;

def row($name; $before; $after; $note):
	"  " + ($name | left(26)) + ($before | right(14)) + ($after | right(14))
	+ (if $note == "" then "" else "   " + $note end);
def times_lower($before; $after):
	if $after > 0 then ($before / $after | ratio) + " lower" else "" end;
def seconds: (.undisturbed_s | fixed(1)) + " of " + (.seconds | fixed(1)) + " s";
def persecond(f): f / .seconds | fixed(0);

def table:
	.before as $b | .after as $a
	| row(.kind; "without"; "with rxaqm"; ""),
	row("sojourn p50"; $b.p50_ns | duration; $a.p50_ns | duration; times_lower($b.p50_ns; $a.p50_ns)),
	row("sojourn p99"; $b.p99_ns | duration; $a.p99_ns | duration; times_lower($b.p99_ns; $a.p99_ns)),
	row("  by the rig, p50"; $b.truth.p50_ns | duration; $a.truth.p50_ns | duration;
		times_lower($b.truth.p50_ns; $a.truth.p50_ns)),
	row("  by the rig, p99"; $b.truth.p99_ns | duration; $a.truth.p99_ns | duration;
		times_lower($b.truth.p99_ns; $a.truth.p99_ns)),
	row("packets/s"; $b | persecond(.packets); $a | persecond(.packets); ""),
	row("polls/s that left packets"; $b | persecond(.polls_left); $a | persecond(.polls_left); ""),
	row("polls/s that drained"; $b | persecond(.polls_drained); $a | persecond(.polls_drained); ""),
	row("CE marks/s"; $b | persecond(.marks); $a | persecond(.marks); ""),
	row("AQM drops/s"; $b | persecond(.drops); $a | persecond(.drops); ""),
	row("overflow drops/s"; $b | persecond(.truth.overflow_all); $a | persecond(.truth.overflow_all); ""),
	row("receiving CPU burning"; $b.burning * 100 | fixed(0) + " %"; $a.burning * 100 | fixed(0) + " %"; ""),
	row("  taken by others"; $b.truth.paused_s * 1000 | fixed(0) + " ms"; $a.truth.paused_s * 1000 | fixed(0) + " ms";
		"at most \([$b.truth.longest_s, $a.truth.longest_s] | max * 1000 | fixed(1)) ms at a time"),
	row("undisturbed"; $b.truth | seconds; $a.truth | seconds; ""),
	row("goodput TCP, ECN"; $b.goodput["tcp-ecn"] | rate; $a.goodput["tcp-ecn"] | rate; ""),
	row("goodput TCP, no ECN"; $b.goodput.tcp | rate; $a.goodput.tcp | rate; ""),
	row("goodput UDP"; $b.goodput.udp // 0 | rate; $a.goodput.udp // 0 | rate; ""),
	row("goodput TCP, all"; $b.goodput_tcp | rate; $a.goodput_tcp | rate;
		if $b.goodput_tcp > 0 then ($a.goodput_tcp / $b.goodput_tcp | fixed(2)) + " of before"
		else "" end);

# What the picture says of a window.
def in_picture: "median \(.p50_ns | duration), p99 \(.p99_ns | duration)";

# Of null for ok nothing is known.
def check($ok; $text): {ok: $ok, text: $text};

# Sojourn and overflow are those of the undisturbed seconds. A pause of the CPU lengthens each
# queue.
def checks:
	.before as $b | .after as $a | .need as $need
	| (if .kind == "ring" then 3 else 5 end) as $times
	| ([$b, $a] | map(.truth.undisturbed_s) | min) as $undisturbed
	| (if $undisturbed >= $need then
		check($a.truth.p50_ns > 0 and $b.truth.p50_ns >= $times * $a.truth.p50_ns;
			"median sojourn \($b.truth.p50_ns | duration) -> \($a.truth.p50_ns | duration), at least \($times)x lower"),
		check($b.truth.p99_ns > $a.truth.p99_ns;
			"p99 sojourn \($b.truth.p99_ns | duration) -> \($a.truth.p99_ns | duration), lower"),
		# A sender that was held up makes up for it in a burst that no ring has room for.
		check($a.truth.overflow * 1000 <= $a.truth.packets and
				($b.truth.overflow_all > 0 or .kind == "backlog");
			"overflow drops \($b.truth.overflow_all) -> \($a.truth.overflow), at most 1 of 1000 packets with rxaqm"),
		check($b.goodput_tcp > 0 and $a.goodput_tcp >= 0.8 * $b.goodput_tcp;
			"TCP goodput \($b.goodput_tcp | rate) -> \($a.goodput_tcp | rate), at least 0.8 of before"),
		# Both kinds have as many flows.
		check([$a.goodput | .tcp, .["tcp-ecn"]] | min > 0 and max <= 2 * min;
			"TCP with ECN \($a.goodput["tcp-ecn"] | rate), without \($a.goodput.tcp | rate), within twice of each other")
	else
		check(null; "undisturbed for \($b.truth | seconds) without, \($a.truth | seconds) with rxaqm; \($need) s are needed")
	end),
	check($a.marks > 0 and $a.drops > 0 and $b.marks == 0 and $b.drops == 0;
		"marked \($a.marks), dropped \($a.drops); while observing none");
