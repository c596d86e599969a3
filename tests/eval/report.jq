# SPDX-License-Identifier: GPL-2.0-only
# Tables of the evaluation's results. Input: {runs, scenarios: [[NAME, TITLE]], options: {NAME: TITLE}}.
# With several runs a cell has the median, and the least and the greatest in brackets.

def digits($n): pow(10; $n) as $f | (. * $f + 0.5 | floor) / $f | tostring;
def number: if . >= 100 then digits(0) elif . >= 10 then digits(1) else digits(2) end;

def middle: sort | if length > 0 then (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 else null end;

def cell(f):
	[.[] | f | select(. != null)] | sort
	| if length == 0 then null
	elif length == 1 then .[0] | number
	else "\(middle | number) (\(.[0] | number) to \(.[-1] | number))" end;

def median(f): [.[] | f | select(. != null)] | middle;
def ms: if . then . / 1e6 else null end;
def mbit: if . then . / 1e6 else null end;

# Columns of a scenario: [title, cell], for the ok runs of one option.
def columns($runs):
	([$runs[] | .goodput // {} | keys[]] | unique) as $classes
	| ([$runs[] | .bursts // [] | .[].size] | unique) as $sizes
	| ([$runs[] | .settling // [] | .[].event] | unique) as $events
	| [
		["time in ring p50, ms", cell(.delay.p50_ns | ms)],
		["p99, ms", cell(.delay.p99_ns | ms)],
		["max, ms", cell(.delay.max_ns | ms)],
		["over target, %", cell(.delay.over_target | if . then 100 * . else null end)],
		["queue 1: p50, ms", cell(.delay_1.p50_ns | ms)],
		["queue 1: p99, ms", cell(.delay_1.p99_ns | ms)],
		["queue 1: marks and drops", cell(.queue_aqm | if . and length > 1 then .[1] else null end)],
		["lost in the ring/s", cell(.overflow)],
		["marks/s", cell(.mark)],
		["drops/s", cell(.drop)],
		["ACKs dropped/s", cell(.ack_drop | if . == 0 then null else . end)],
		($classes[] as $c | ["\($c), Mbit/s", cell(.goodput[$c] | mbit)]),
		($classes[] as $c | ["Jain \($c)", cell(.jain[$c])]),
		["UDP offered/s", cell(.udp.offered)],
		["UDP passed/s", cell(.udp.passed)],
		["requests p50, ms", cell(.requests.p50_ns | ms)],
		["p99, ms ", cell(.requests.p99_ns | ms)],
		["p99.9, ms", cell(.requests.p999_ns | ms)],
		["unanswered, %", cell(.requests | if . and .sent > 0 then 100 * (.sent - .answered) / .sent else null end)],
		($sizes[] as $n | ["lost of \($n)", cell(if .bursts then [.bursts[] | select(.size == $n)
			| .lost + .dropped] | middle else null end)]),
		($events[] as $e | ["settled after \($e), s", (cell([.settling[]? | select(.event == $e)
			| .seconds][0]) // "not")]),
		["rounds", cell(.incast.rounds)],
		["a round, s", cell(.incast.seconds | if . then middle else null end)],
		["Tx completion p50, ms", cell(.tx.p50_ns | ms)],
		["p99, ms  ", cell(.tx.p99_ns | ms)],
		["Tx skb, bytes", cell(.tx.skb_bytes)],
		["pacing of a flow, Mbit/s", cell(.tx.pacing | mbit)],
		["receiving CPU busy, %", cell(.cpu_busy | if . then 100 * . else null end)]
	];

# The options of a scenario in their order, each with its runs.
def by_option: reduce .[] as $r ([];
	(map(.option) | index($r.option)) as $i
	| if $i == null then . + [{option: $r.option, runs: [$r]}] else .[$i].runs += [$r] end);

# [[heading...], [cell...]...]; columns without a value in any row are left out.
def scenario_table($options):
	([.[] | select(.status == "ok")]) as $ok
	| by_option as $groups
	| [$groups[] | (.runs | map(select(.status == "ok"))) as $runs
		| {option: $options[.option], runs: "\($runs | length) of \(.runs | length)",
			columns: (if $runs == [] then [] else $runs | columns($ok) end),
			failed: [.runs[] | select(.status != "ok") | "run \(.run): \(.why)"]}] as $rows
	| ([$rows[].columns[] | select(.[1] != null) | .[0]] | unique) as $used
	| ([$rows[] | .columns | select(. != []) | map(.[0])][0] // [] | map(select(. as $t | $used | index([$t]) != null))) as $titles
	| [["option", "runs"] + $titles + (if any($rows[]; .failed != []) then ["failed"] else [] end)]
	+ [$rows[] | (.columns | map({key: .[0], value: .[1]}) | from_entries) as $cells
		| [.option, .runs] + [$titles[] | $cells[.] // "–"]
		+ (if any($rows[]; .failed != []) then [.failed | join("; ")] else [] end)];

def escape: tostring | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;");
def html_table: "<table><tr>" + (.[0] | map("<th>\(escape)</th>") | add) + "</tr>\n"
	+ (.[1:] | map("<tr>" + (map("<td>\(escape)</td>") | add) + "</tr>\n") | add) + "</table>";
def markdown_table: ([.[0]] + [.[0] | map("---")] + .[1:]) | map("| " + join(" | ") + " |") | join("\n");

def html: . as {$runs, $scenarios, $options}
	| $scenarios[] as [$name, $title]
	| [$runs[] | select(.scenario == $name)] | select(. != [])
	| "<h3 id=\"\($name)\">\($title | escape)</h3>\n" + (scenario_table($options) | html_table);

# The main table: all scenarios, the columns that all of them have.
def main: . as {$runs, $scenarios, $options}
	| [["scenario", "option", "time in ring p50, p99 (ms)", "over target (%)", "lost in the ring/s",
		"marks, drops/s", "TCP goodput (Mbit/s)", "UDP passed/s", "CPU busy (%)"]]
	+ [$scenarios[] as [$name, $title]
		| [$runs[] | select(.scenario == $name)] | by_option | to_entries[]
		| (.value.runs | map(select(.status == "ok"))) as $ok
		| [if .key == 0 then $title else "" end, $options[.value.option]]
		+ if $ok == [] then ["failed: \(.value.runs[0].why)", "", "", "", "", "", ""] else
			$ok | ["\(cell(.delay.p50_ns | ms)), \(cell(.delay.p99_ns | ms))",
				cell(.delay.over_target | if . then 100 * . else null end) // "",
				cell(.overflow), "\(cell(.mark)), \(cell(.drop))",
				cell(.goodput | if . == {} then null else add / 1e6 end) // "",
				cell(.udp.passed) // "", cell(100 * .cpu_busy)] end];

# What a scenario is there for, as a table of its own.
def markdown($name): . as {$runs, $scenarios, $options}
	| [$runs[] | select(.scenario == $name)] | scenario_table($options) | markdown_table;
