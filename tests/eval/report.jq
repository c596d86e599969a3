# SPDX-License-Identifier: GPL-2.0-only
# Tables of the evaluation's results. Input: {runs, scenarios: [[NAME, TITLE]], options: {NAME:
# TITLE}}. With several runs a cell has the median, and the least and the greatest in brackets.

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
def percent: if . then 100 * . else null end;

# The runs that are complete, of a scenario with an option.
def ran($scenario; $option): [.runs[] | select(.scenario == $scenario and .option == $option and .status == "ok")];

# What one flow of a class gets, of a run.
def per_flow($class): [.classes[] | select(.class == $class)] | if . == [] then null else .[0] | .rate / .flows end;
def class_rate($class): [.classes[] | select(.class == $class)] | if . == [] then null else .[0].rate end;

# All events that rxaqm has to settle after, in intervals; "never" counts as a million.
def settled: [.settling[] | select(.event != "end") | .intervals // 1e6] as $all
	| if any(.settling[]; .event == "enforce") then [.settling[] | select(.event == "enforce") | .intervals // 1e6] | max
	else $all | max end;

def ratio($a; $b): if $a == null or $b == null or $b == 0 then null else $a / $b end;

# The options of a scenario in their order, each with its runs.
def by_option: reduce .[] as $r ([];
	(map(.option) | index($r.option)) as $i
	| if $i == null then . + [{option: $r.option, runs: [$r]}] else .[$i].runs += [$r] end);

# A table of the scenarios with runs that are wanted: columns are [TITLE, cell] of the runs of an
# option. Where `failed` is true it has those that failed, too, with the reason.
def table(columns; wanted; $failed): . as {$runs, $scenarios, $options}
	| [$runs[] | select(.status == "ok" and wanted)] as $some
	| if $some == [] then [["not measured"]] else
	[["scenario", "option"] + ($some[:1] | [columns | .[0]])]
	+ [$scenarios[] as [$name, $title]
		| [$runs[] | select(.scenario == $name and (if .status == "ok" then wanted else $failed end))]
		| by_option | to_entries[]
		| (.value.runs | map(select(.status == "ok"))) as $ok
		| [if .key == 0 then $title else "" end, $options[.value.option]]
		+ if $ok == [] then ["failed: \(.value.runs[0].why | sub("^/.*/tests/"; "tests/"))"] else $ok | [columns | .[1] // ""] end] end;

def delays: table(
	["median in the ring (ms)", cell(.delay.p50_ns | ms)], ["p99 (ms)", cell(.delay.p99_ns | ms)],
	["settled after (intervals)", cell(settled | if . >= 1e6 then null else . end)],
	["lost in the ring/s", cell(.overflow_pps)],
	["marks/s", cell(.mark)], ["drops/s", cell(.drop)], ["ACKs dropped/s", cell(.ack_drop)],
	["TCP goodput (Mbit/s)", cell(.goodput | if . then . / 1e6 else null end)],
	["of each class", (. as $r | [$r[].classes[].class] | unique | if length < 2 then null
		else map(. as $c | "\($c) \($r | cell(class_rate($c) | if . then . / 1e6 else null end))") | join(", ") end)],
	["packets passed/s", cell(.passed)],
	["SYNs sent again (%)", cell(ratio(.syns.again; .syns.sent) | percent)]; true; true);

# A kind of probes: what was lost, and how long the others took.
def probe($name; kind): ["\($name): lost (%)", cell(ratio(kind.sent - kind.answered; kind.sent) | percent)],
	["p50 (ms)", cell(kind.p50_ns | ms)], ["p99 (ms)", cell(kind.p99_ns | ms)];

def probes: table(probe("requests, 200/s"; .requests), probe("requests, 10/s"; .slow), probe("typing"; .typing),
	["SYNs sent again (%)", cell(ratio(.syns.again; .syns.sent) | percent)]; true; false);

def costs: table(
	["CPU busy (%)", cell(.cpu.busy | percent)], ["a packet that passes (us)", cell(.cpu.packet_ns | if . then . / 1e3 else null end)],
	["a packet that is dropped (us)", cell(.cpu.drop_ns | if . then . / 1e3 else null end)],
	["time for drops (%)", cell(.cpu.drop_share | percent)], ["client's CPU idle (%)", cell(.cpu.client_idle)],
	["polls/s", cell(.cpu.polls)], ["polls that drained the ring/s", cell(.cpu.drained)],
	["packets an skb after GRO", cell(.cpu.gro)], ["ACKs sent/s", cell(.cpu.acks)], ["skbs sent/s", cell(.cpu.sent)],
	["flood offered/s", cell(.offered)], ["all that arrived/s", cell(.arrived)], ["UDP to sockets/s", cell(.udp)]; true; false);

def sending: table(
	["Tx completion p50 (ms)", cell(.tx.p50_ns | ms)], ["p99 (ms)", cell(.tx.p99_ns | ms)],
	["TSO frame (bytes)", cell(.tx.skb_bytes)], ["goodput (Mbit/s)", cell(.goodput / 1e6)],
	["target (ms)", cell(.queue.target_ns | ms)]; .tx != null; false);

# What fio saw, of requests that were done in the window.
def storing: table(
	(("bulk", "small") as $who | [(if $who == "bulk" then "256 KiB" else "4 KiB" end) + ": Mbit/s", cell(.storage[$who].rate / 1e6)],
		["requests/s", cell(.storage[$who].sent / .seconds)],
		["p50 (ms)", cell(.storage[$who].p50_ns | ms)], ["p99 (ms)", cell(.storage[$who].p99_ns | ms)]);
	.storage != null; false);

def burst_table: table(
	((64, 256, 1024, 4096) as $n | ["of \($n): lost, dropped by the law",
		([.[].bursts[] | select(.size == $n)] | "\(map(.lost) | middle | number), \(map(.dropped) | middle | number)")]);
	.bursts != null; false);

def escape: tostring | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;");
def html_table: "<table><tr>" + (.[0] | map("<th>\(escape)</th>") | add) + "</tr>\n"
	+ (.[1:] | map("<tr>" + (map("<td\(if startswith("missed") then " class=missed" elif . == "met" then " class=met" else "" end)>\(escape)</td>") | add) + "</tr>\n") | add) + "</table>";
def markdown_table: ([.[0]] + [.[0] | map("---")] + .[1:]) | map("| " + join(" | ") + " |") | join("\n");
