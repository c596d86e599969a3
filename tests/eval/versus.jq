# SPDX-License-Identifier: GPL-2.0-only
# Who wins each row of the evaluation, and by how much: rxaqm beside one rival.
include "report";

def lost(kind): ratio((kind.sent - kind.answered); kind.sent) | percent;
def again: ratio(.syns.again; .syns.sent) | percent;

# The most that a flow of one kind has, of a flow of another; `near`: of those whose RTT is the same.
def spread($near): [.classes[] | select(.class != "far" or ($near | not))
	| .rate / .flows] | if length < 2 or min == 0 then null else max / min end;

# What is compared: `sign` is 1 where more is better; a difference of `least` counts, as a share of the
# rival's where `relative`, in the figure's own unit else.
def measures:
	{name: "goodput", sign: 1, least: 0.02, relative: true, value: median(.goodput // .passed)},
	{name: "requests (200/s)", sign: -1, least: 0.2, value: median(lost(.requests))},
	{name: "requests (10/s)", sign: -1, least: 0.2, value: median(lost(.slow))},
	{name: "typing", sign: -1, least: 0.2, value: median(lost(.typing))},
	{name: "SYNs", sign: -1, least: 0.2, value: median(again)},
	{name: "p50", sign: -1, least: 0.1, relative: true, value: median(.delay.p50_ns | ms)},
	{name: "p99", sign: -1, least: 0.1, relative: true, value: median(.delay.p99_ns | ms)},
	{name: "shares", sign: -1, least: 0.1, relative: true, value: median(spread(false))};

# 1 if the first is better by as much as counts, -1 if the second is, else 0; with what is told.
def compare($mine; $theirs):
	{mine: $mine.value, theirs: $theirs.value}
	+ (if $mine.value == null or $theirs.value == null then {better: 0} else
		($mine.sign * ($mine.value - $theirs.value)) as $by
		| {better: (if ($by | fabs) <= $mine.least * (if $mine.relative then $theirs.value | fabs else 1 end) then 0
			elif $by > 0 then 1 else -1 end),
		by: "\($mine.name) \(if $mine.relative then ratio($mine.value; $theirs.value)
				| if . then "\(number) times" else "\($mine.value | number) to 0" end
			else "\($mine.value | number) to \($theirs.value | number) %" end)"} end);

def compared($mine; $theirs): [$mine | measures] as $m | [$theirs | measures] as $t
	| [range($m | length) as $i | compare($m[$i]; $t[$i])];

# Of what `compared` gives.
def better($name): . as $all | [["rxaqm", 1], [$name, -1]]
	| map(. as [$who, $sign] | [$all[] | select(.better == $sign) | .by]
		| if . == [] then empty else "\($who): \(join(", "))" end)
	| if . == [] then "even" else join("; ") end;

def beside: if .mine == null and .theirs == null then ""
	else "\(.mine | if . then number else "-" end) / \(.theirs | if . then number else "-" end)" end;

def shares: . as $runs | [.[].classes[].class] | unique
	| map(. as $c | "\($c) \($runs | cell(per_flow($c) | if . then . / 1e6 else null end))") | join(", ");

def versus: . as $in
	| [["scenario", "rxaqm against", "better", "goodput (ratio)", "requests lost, 200/s (%)", "10/s (%)",
		"typing (%)", "SYNs again (%)", "p50 in the ring (ms)", "p99 (ms)", "Mbit/s a flow: rxaqm", "the other"]]
	+ [.scenarios[] as [$name, $title] | ($in | ran($name; "rxaqm")) as $mine | select($mine != [])
		| ("equal", "none") as $rival | ($in | ran($name; $rival)) as $theirs | select($theirs != [])
		| compared($mine; $theirs) as $all
		| [$title, "\($in.options[$rival])\(if $rival == "equal" then " (\($theirs | median(.ring)))" else "" end)",
			($all | better($in.options[$rival])),
			(ratio($all[0].mine; $all[0].theirs) | if . then number else "" end)]
		+ [$all[1:7][] | beside] + [($mine, $theirs) | shares]];
