# SPDX-License-Identifier: GPL-2.0-only
# What rxaqm is to reach, judged. Input as report.jq's.
include "report";
include "versus";

# A criterion over scenarios: {scenario: [NAME, TITLE], value} each; `ok` judges a value.
def judged($part; $what; ok):
	[.[] | select(.value != null) | . + {ok: (.value | ok)}] as $all
	| ([$all[] | select(.ok | not)]) as $bad
	| def figure: if .value >= 1e6 then "never" else .value | number end;
	def told: map("\(figure) (\(.title))") | join("; ");
	[$part, $what,
		if $all == [] then "not measured" elif $bad == [] then "met" else "missed in \($bad | length) of \($all | length)" end,
		if $all == [] then "" elif $bad != [] then $bad | sort_by(-.value) | told
		else "\($all | map(.value) | min | number) to \($all | map(.value) | max | number)" end];

def mss: 1448; # bytes of TCP in a packet
def packets: . / 8 / mss;

# Packets a second that the CPU has for load: what it can take, less the time for drops, less probes:
# a request is a packet, a connection four; typing is two, as its answers are acknowledged.
def capacity_left: .capacity * (1 - .cpu.drop_share)
	- (.requests.sent + .slow.sent + 2 * .typing.sent + 4 * .syns.sent) / .seconds;

def tcp_flows: [.classes[].flows] | add // 0;

# Of floods of one flow, and spoofed ones: the max-min share of all TCP, of half of the
# CPU if spoofed; but no less than what the flood leaves.
def is_flood: .row == "flood" and .flood.kind == "udp" and (.flood.run == 1 or .flood.flows == 1);
def heeds: .scenario | startswith("deaf") | not;
def half: if .flood.run == 1 then 0.5 else 1 end;
def tcp_share: capacity_left as $c | tcp_flows as $n
	| [$c - .offered, if .flood.run == 1 then $c / 2 else $c * $n / ($n + 1) end] | max;
# The share of a client beside them, and of what it lost if it asks for no more.
def client_share: capacity_left * half / (tcp_flows + 1);
def lost_within_share: client_share as $share
	| [if $share >= 200 then lost(.requests) else empty end, if $share >= 10 then lost(.slow) else empty end] | max;

# What a flow that ignores marks has of what a CUBIC flow has.
def deaf_share: if .flood then .udp / (.goodput / tcp_flows | packets)
	else ratio(per_flow("deaf"); per_flow("cubic")) end;

def criteria: . as $in
	| def each(wanted; f): [$in.scenarios[] as [$name, $title]
		| ($in | ran($name; "rxaqm")) as $mine | select($mine != [] and ($mine[0] | wanted))
		| {$title, value: ({$mine, equal: ($in | ran($name; "equal")), none: ($in | ran($name; "none")),
			auto: ($in | ran($name; "auto"))} | f)}];
	def goodput($mine; $theirs): ratio($mine | median(.goodput); $theirs | median(.goodput));
	def is_tcp($profile): .row == "tcp" and .profile == $profile;
	def against(f): each(true; if .equal == [] then null else [(.mine, .equal) | median(f)]
		| if any(. == null) then null else .[0] - .[1] end end);
	def within(wanted; $part): (each(wanted; .mine | median(ratio(.delay.p50_ns; .target_ns)))
			| judged($part; "median in the ring at most 1.2 targets"; . <= 1.2)),
		(each(wanted; .mine | median(ratio(.delay.p99_ns; .target_ns)))
			| judged($part; "99th percentile at most 2 targets"; . <= 2)),
		(each(wanted; .mine | median(settled)) | judged($part; "settled within 12 intervals"; . <= 12));
	[["of", "to reach", "result", "figures: those that miss it, else the range"],
		(each(is_tcp("driver"); goodput(.mine; .equal))
			| judged("TCP, against the ring of equal delay"; "goodput at least the same (0.995), profile driver"; . >= 0.995)),
		(each(is_tcp("stack") and tcp_flows <= 32; goodput(.mine; .equal))
			| judged("TCP, against the ring of equal delay"; "goodput at least 1.15, profile stack, up to 32 flows"; . >= 1.15)),
		(each(is_tcp("stack") and tcp_flows <= 32; goodput(.auto; .none))
			| judged("TCP, against nothing"; "goodput at least 0.98 with target=auto, profile stack, up to 32 flows"; . >= 0.98)),
		(against(lost(.requests)) | judged("all, against the ring of equal delay";
			"requests of 200/s: no more lost (%, more)"; . <= 0)),
		(against(lost(.slow)) | judged("all, against the ring of equal delay";
			"requests of 10/s: no more lost (%, more)"; . <= 0)),
		(against(lost(.typing)) | judged("all, against the ring of equal delay";
			"typing: no more lost (%, more)"; . <= 0)),
		(against(again) | judged("all, against the ring of equal delay";
			"SYNs: no more sent again (%, more)"; . <= 0)),
		(each(.row == "tcp"; .mine | median([lost(.requests), lost(.slow), lost(.typing)] | max))
			| judged("TCP"; "no request lost, and no typing (%)"; . == 0)),
		within(.row == "tcp" and tcp_flows <= 48; "TCP, up to 48 flows"),
		(each(.row == "tcp"; .mine | median(spread(true)))
			| judged("TCP"; "any two kinds of senders with the same RTT within twice of each other, a flow"; . <= 2)),
		(each(is_flood and heeds; .mine | median(if .goodput then ratio(.goodput | packets; tcp_share) else null end))
			| judged("floods, one flow or spoofed"; "TCP at least 0.8 of its max-min share (spoofed: of half)"; . >= 0.8)),
		(each(is_flood and heeds; .mine | median(lost_within_share))
			| judged("floods, one flow or spoofed"; "requests up to the client's share: at most 1 % lost"; . <= 1)),
		within(is_flood; "floods, one flow or spoofed"),
		(each(.scenario | startswith("deaf"); .mine | median(deaf_share))
			| judged("flows that ignore marks"; "at most 2.5 times a CUBIC flow's share"; . <= 2.5)),
		(each(.row | startswith("tx"); goodput(.mine; .none))
			| judged("the host sends"; "goodput at least 0.98 of nothing"; . >= 0.98)),
		(each(.row == "burst"; .mine | map(.law_drops) | max)
			| judged("bursts, incast, pauses"; "the law drops nothing"; . == 0)),
		(each(.row == "exempt"; .mine | median(lost_within_share))
			| judged("exempt traffic over capacity"; "requests of others, within their share: at most 1 % lost"; . <= 1)),
		within(.row == "exempt"; "exempt traffic over capacity")];
