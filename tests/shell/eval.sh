#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The evaluation's arithmetic on figures that are known, its lists, and what it says of failures.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# same WHAT WANTED ACTUAL
same()
{
	[[ $2 == "$3" ]] || { echo "$1: '$3', not '$2'" && exit 1; }
}

mkdir "$scratch/tests"
cp -r tests/eval "$scratch/tests/eval"
in_lib() { bash -c 'source "$1/tests/eval/lib.sh"; shift; "$@"' in_lib "$scratch" "$@"; }

# Every scenario with every option it names; quick is a part of it.
full=$(in_lib plan full 1)
quick=$(in_lib plan quick 1)
[[ $(wc -l <<<"$full") -gt 60 && $(wc -l <<<"$quick") -gt 10 ]]
same "runs of quick mode that full mode has not" "" "$(comm -13 <(sort <<<"$full") <(sort <<<"$quick"))"
same "a scenario of one's own choice" "bursts rxaqm 1" "$(in_lib plan full 1 bursts | head -n 1)"
same "runs of a scenario, at least six" 6 "$(in_lib plan quick 6 bursts | grep -c ' rxaqm ')"

# A ring of equal delay needs what rxaqm left in the same run.
same "rings of equal delay before rxaqm" "" "$(awk '$2 == "rxaqm" { ran[$1, $3] = 1 }
	$2 == "equal" && !ran[$1, $3]' <<<"$full")"
# What is inherited, and what is not; another profile is another scenario.
same "inherited" 100000 "$(in_lib of_scenario udp-4-tcp cost)"
same "not inherited" 1 "$(in_lib of_scenario udp-4-tcp runs)"
same "taken back" "" "$(in_lib of_scenario spoof-4-tcp udp)"
same "a profile" "stack" "$(in_lib of_scenario mixed-stack profile)"
same "what a profile shares" "$(in_lib of_scenario mixed flows)" "$(in_lib of_scenario mixed-stack flows)"
same "what a scenario only has by name" "" "$(awk '$1 == "udp-10"' <<<"$full")"
same "by name" "udp-10 rxaqm 1" "$(in_lib plan full 1 udp-10 | head -n 1)"

# refused WHAT: a plan, with status 2.
refused()
{
	local status=0 out

	out=$(in_lib plan full 1 "${@:2}" 2>&1) || status=$?
	[[ $status -eq 2 && $out == *"$1"* ]] || { echo "status $status: $out" && exit 1; }
}
refused "no scenario 'nonsense'" nonsense
printf '\n[odd]\ntitle = Odd\noptions = none odd\n' >>"$scratch/tests/eval/scenarios"
refused "no option 'odd'" odd
printf 'flow = dctcp:1\n' >>"$scratch/tests/eval/scenarios"
refused "unknown key 'flow'"
cp tests/eval/scenarios "$scratch/tests/eval/scenarios"
printf '\n[odd]\ntitle = Odd\nlike = nobody\n' >>"$scratch/tests/eval/scenarios"
refused "'odd' is like 'nobody'"
cp tests/eval/scenarios "$scratch/tests/eval/scenarios"

# What was measured before is still there when a command is refused.
mkdir -p "$scratch/build/eval"
echo kept >"$scratch/build/eval/plan"
for wrong in nonsense "-n many" "-m 21" "-m 2 -n 1" "-t 0" "-x"; do
	status=0
	# shellcheck disable=SC2086 # an option and its value
	"$scratch/tests/eval/eval.sh" $wrong >"$scratch/out" 2>&1 || status=$?
	same "status of eval.sh $wrong" 2 "$status"
	[[ -s $scratch/out ]] || { echo "eval.sh $wrong says nothing" && exit 1; }
	same "what was measured before eval.sh $wrong" kept "$(cat "$scratch/build/eval/plan")"
done

# Eleven packets before; then five of two queues, a second later; then, after a reset, one.
cat >"$scratch/truth" <<-'END'
	at 100.0
	queue 0 count 2 p50_ns 0 p99_ns 0 max_ns 0
	  1024 1088 2
	queue 1 count 9 p50_ns 0 p99_ns 0 max_ns 0
	  4096 4352 9
	at 101.0
	queue 0 count 6 p50_ns 0 p99_ns 0 max_ns 0
	  1024 1088 4
	  2048 2176 2
	queue 1 count 10 p50_ns 0 p99_ns 0 max_ns 0
	  1024 1088 1
	  4096 4352 9
	at 102.0
	queue 0 count 1 p50_ns 0 p99_ns 0 max_ns 0
	  2048 2176 1
	queue 1 count 0 p50_ns 0 p99_ns 0 max_ns 0
END
truth()
{
	awk -v zero=100 -v target=2000 -f tests/eval/truth.awk "$@" "$scratch/truth" |
		jq -c 'map(map(. + 0))' # as numbers: newer versions of jq keep how they were written
}
same "delays" "[[1,5,1056,2112,2112,2],[2,1,2112,2112,2112,1]]" "$(truth)"
same "distribution" "[[1088,0.5],[2176,1]]" "$(truth -v cdf=1)"

settled() { jq -nc -L tests/eval "include \"result\"; settled($1; 10; 15; 20)"; }
same "never over" 0 "$(settled '[[10.5, 9, 20, 30], [11, 9, 5, 30]]')"
same "settled" 1 "$(settled '[[10.5, 9, 30, 30], [11, 9, 30, 30], [12.5, 9, 3, 30], [13, 9, 30, 30]]')"
same "never settled" null "$(settled '[range(11; 15) | [., 9, 30, 30], [. + 0.5, 9, 30, 30]]')"
same "Jain's index" '[1,0.25]' "$(jq -nc -L tests/eval 'include "result"; [([5, 5, 5] | jain), ([4, 0, 0, 0] | jain)]')"

cells() { jq -nc -L tests/eval "include \"report\"; $1 | cell(.)"; }
same "a cell of one run" '"3"' "$(cells '[3]')"
same "a cell of two runs" '"2 (1 to 3)"' "$(cells '[3, 1]')"
same "a cell of three runs" '"5 (1 to 6)"' "$(cells '[6, 1, null, 5]')"
same "a cell of no runs" null "$(cells '[null]')"

same "requests" '{"sent":4,"answered":3,"p50_ns":20,"p99_ns":30}' \
	"$(jq -nc -L tests/eval 'include "result"; [30, -1, 10, 20] | times')"
same "SYNs" '{"sent":3,"again":2}' "$(jq -nc -L tests/eval 'include "result"; [1000, 1000000000, -1] | retransmitted')"

# judge VALUE...: of scenarios A, B, ...; the bound is 2.
judge()
{
	jq -nc -L tests/eval 'include "criteria"; [$ARGS.positional | to_entries[]
		| {title: (65 + .key | [.] | implode), value: .value}] | judged("x"; "y"; . <= 2) | .[2:]' --jsonargs "$@"
}
same "all met" '["met","1 to 2"]' "$(judge 1 2)"
same "one missed" '["missed in 1 of 2","3 (B)"]' "$(judge 1 3)"
same "never" '["missed in 2 of 2","never (A); 3 (B)"]' "$(judge 1000000 3)"
same "not measured" '["not measured",""]' "$(judge null)"

# A run that failed is in the table, with the reason, and none of its figures is judged.
input='{runs: [{scenario: "s", option: "rxaqm", run: 1, row: "tcp", status: "failed", why: "it broke"},
	{scenario: "s", option: "none", run: 1, row: "tcp", status: "ok", target_ns: 1, delay: {}, requests: {sent: 1, answered: 1}, syns: {},
	cpu: {}, classes: [], settling: [], overflow: 0}], scenarios: [["s", "S"]], options: {rxaqm: "O", none: "N"}}'
report() { jq -nr -L tests/eval "include \"report\"; include \"versus\"; include \"criteria\"; $1"; }
table=$(report "$input | delays | markdown_table")
[[ $(grep -c "it broke" <<<"$table") -eq 1 ]] || { echo "no reason in: $table" && exit 1; }
same "criteria of a run that failed" "0" "$(report "$input | criteria | map(select(.[2] == \"met\")) | length")"

# A packet costs the same in both profiles if there are two an skb. Who falls behind is told.
cat >"$scratch/costs" <<'END'
source "$1/tests/eval/lib.sh" && source "$1/tests/eval/costs.sh"
host_if=nic dir=$1/pace
client_cpu=1
set_nic() { printf '%s=%s ' "$2" "$3"; }
check_client_of() { use "$1" rxaqm && check_client; }
"${@:2}"
END
costs() { bash "$scratch/costs" "$scratch" "$@"; }
same "costs by packet" "rx_cost_ns=60000 rx_skb_ns=0 pace=1 " "$(costs set_costs driver 60000)"
same "costs by skb" "rx_cost_ns=20000 rx_skb_ns=80000 pace=1 " "$(costs set_costs stack 60000)"
status=0
out=$(costs set_costs free 60000 2>&1) || status=$?
[[ $status -eq 2 && $out == *"no profile 'free'"* ]] || { echo "status $status: $out" && exit 1; }
mkdir "$scratch/pace"
echo "at 100.5" >"$scratch/pace/begin-truth.txt"
echo "at 102.5" >"$scratch/pace/end-truth.txt"
echo "     model_lost_ns: 7000000" >"$scratch/pace/begin-nic.txt"
echo "     model_lost_ns: 46000000" >"$scratch/pace/end-nic.txt"
same "behind by 1.95 %" "" "$(costs check_pace 2>&1)"
echo "     model_lost_ns: 49000000" >"$scratch/pace/end-nic.txt"
status=0
out=$(costs check_pace 2>&1) || status=$?
[[ $status -eq 1 && $out == *"it fell behind by 2.1 %"* ]] || { echo "$status: $out" && exit 1; }
: >"$scratch/pace/end-nic.txt"
! costs check_pace >/dev/null 2>&1 || { echo "no counter, and it kept pace" && exit 1; }

# idle JIFFIES SCENARIO: of 400 that the client's CPU had.
idle()
{
	printf 'cpu 9 9 9 9 9 9 9 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 50 7 20 1000 3 1 2 0 0 0\n' >"$scratch/pace/begin-stat.txt"
	printf 'cpu 9 9 9 9 9 9 9 0 0 0\ncpu0 0 0 0 999 0 0 0 0 0 0\ncpu1 %d 17 30 %d 5 1 2 0 0 0\n' \
		$((50 + 400 - 20 - $1)) $((1000 + $1 - 2)) >"$scratch/pace/end-stat.txt"
	costs check_client_of "$2" 2>&1
}
same "idle for 3.25 %" "" "$(idle 13 mixed)"
same "noted" 3.25 "$(<"$scratch/pace/client-idle.txt")"
status=0
out=$(idle 11 mixed) || status=$?
[[ $status -eq 1 && $out == *"idle for 2.8 % of the window"* ]] || { echo "$status: $out" && exit 1; }
same "a flood, which spins" "" "$(idle 0 udp-4-tcp)"
: >"$scratch/pace/end-stat.txt"
! costs check_client_of mixed >/dev/null 2>&1 || { echo "no figures, and the client was idle" && exit 1; }

same "typing: what came 200 ms after the median was sent again" '{"sent":4,"answered":2}' \
	"$(jq -nc -L tests/eval 'include "result"; [10, -1, 20, 300000000] | typed | {sent, answered}')"

# A flood of one flow at 4 times beside 4 CUBIC flows. Of 10,000 packets a second drops take a
# tenth, probes 1,000: 8,000 are left, 1,600 a flow, 6,400 for TCP; it has half of that. Two
# seconds.
cat >"$scratch/runs.jq" <<-'END'
	def invented: {run: 1, status: "ok", row: "flood", profile: "driver", seconds: 2, target_ns: 10e6, settling: [],
		delay: {p50_ns: 10e6, p99_ns: 15e6}, requests: {sent: 400, answered: 400}, slow: {sent: 200, answered: 198},
		typing: {sent: 300, answered: 300}, syns: {sent: 200, again: 0}, offered: 40000, capacity: 10000,
		flood: {kind: "udp", flows: 1, run: null}, cpu: {drop_share: 0.1}, udp: 4800, ring: null, law_drops: 0,
		passed: 9000, notes: [], tx: null, goodput: (3200 * 8 * 1448), classes: [{class: "cubic", flows: 4, rate: (3200 * 8 * 1448)}]};
	def input: {options: {rxaqm: "rxaqm", none: "nothing", equal: "ring of equal delay"},
		scenarios: [["flood", "F"], ["deaf-udp", "D"], ["mix", "M"], ["sends", "T"], ["icmp", "I"]],
		runs: [
			(invented + {scenario: "flood", option: "rxaqm"}),
			(invented + {scenario: "flood", option: "equal", ring: 90, slow: {sent: 200, answered: 100}, goodput: 1e6}),
			(invented + {scenario: "deaf-udp", option: "rxaqm"}),
			(invented + {scenario: "mix", option: "rxaqm", row: "tcp", profile: "stack", goodput: 90, flood: null, udp: null, classes:
				[{class: "dctcp", flows: 1, rate: 60}, {class: "cubic", flows: 1, rate: 20}, {class: "far", flows: 1, rate: 10}]}),
			(invented + {scenario: "mix", option: "equal", ring: 128, row: "tcp", profile: "stack", goodput: 100, flood: null, udp: null,
				syns: {sent: 200, again: 1}, classes:
				[{class: "dctcp", flows: 1, rate: 60}, {class: "cubic", flows: 1, rate: 40}, {class: "far", flows: 1, rate: 10}]}),
			(invented + {scenario: "mix", option: "auto", row: "tcp", profile: "stack", goodput: 99}),
			(invented + {scenario: "mix", option: "none", row: "tcp", profile: "stack", goodput: 100}),
			(invented + {scenario: "sends", option: "none", row: "tx-split", goodput: 100, tx: {p50_ns: 9}}),
			(invented + {scenario: "sends", option: "rxaqm", row: "tx-split", goodput: 96, tx: {p50_ns: 9}}),
			(invented + {scenario: "icmp", option: "rxaqm", row: "exempt", slow: {sent: 200, answered: 190},
				delay: {p50_ns: 11e6, p99_ns: 25e6}})]};
END
cp tests/eval/*.jq "$scratch"
# of_report FILTER: of the invented runs.
of_report()
{
	jq -nrc -L "$scratch" "include \"report\"; include \"versus\"; include \"criteria\"; include \"runs\"; input | $1"
}
# criterion PART OF ITS TEXT
criterion() { of_report "criteria[] | select(.[1] | contains(\"$1\")) | .[2:] | join(\": \")"; }
same "share of TCP in a flood" "missed in 1 of 1: 0.5 (F)" "$(criterion "max-min share")"
same "requests in a flood" "met: 1 to 1" "$(criterion "up to the client's share")"
same "a deaf flow" "missed in 1 of 1: 6 (D)" "$(criterion "2.5 times")"
same "exempt traffic over capacity" "missed in 1 of 1
met
missed in 1 of 1
not measured" "$(of_report 'criteria[] | select(.[0] | startswith("exempt")) | .[2]')"
same "two kinds, the far one aside" "missed in 1 of 1: 3 (M)" "$(criterion "any two kinds")"
same "goodput, stack" "missed in 1 of 1: 0.9 (M)" "$(criterion "1.15, profile stack")"
same "goodput, driver: a flood is no row of it" "not measured: " "$(criterion "profile driver")"
same "goodput with target=auto" "met: 0.99 to 0.99" "$(criterion "target=auto")"
same "SYNs against the ring" "met: -0.5 to 0" "$(criterion "no more sent again")"
same "the host sends" "missed in 1 of 1: 0.96 (T)" "$(criterion "0.98 of nothing")"

won() { of_report "versus[] | select(.[0] == \"$1\") | .[1:4] | join(\"|\")"; }
same "who wins the mix" "ring of equal delay (128)|rxaqm: SYNs 0 to 0.5 %; ring of equal delay: goodput 0.9 times|0.9
nothing|nothing: goodput 0.9 times|0.9" "$(won M)"
same "who wins the flood" "ring of equal delay (90)|rxaqm: goodput 37.1 times, requests (10/s) 1 to 50 %|37.1" "$(won F)"

# The picture of delays has the scenarios of the story, or, without any of these, those that ran.
command -v gnuplot >/dev/null || { echo "no gnuplot: the pictures are not drawn" && exit; }
# pictured SCENARIO...: runs of these, of rxaqm and nothing; prints the names in the picture.
pictured()
{
	mkdir -p "$scratch/pictures/plot"
	jq -n '{scenarios: ($ARGS.positional | map([., "of " + .])), options: {}, runs: [$ARGS.positional[] as $scenario
		| {rxaqm: 1, none: 20} | to_entries[] | {scenario: $scenario, option: .key, run: 1, row: "", status: "ok",
			target_ns: 1e6, delay: {p50_ns: (.value * 1e6), p99_ns: (.value * 2e6)}}]}' \
		--args "$@" >"$scratch/pictures/report-input.json"
	bash -c 'eval_dir=$1/tests/eval out=$1/pictures && source tests/eval/report.sh && draw_delays' - "$scratch"
	grep -oE '>of [a-z0-9-]+<' "$scratch/pictures/delay.svg" | tr -d '<>' | xargs
}
same "the story" "of mixed of icmp" "$(pictured mixed rtt cubic-both icmp)"
same "another story" "of rtt of bursts" "$(pictured rtt bursts)"
[[ $(<"$scratch/pictures/delay.svg") == *'<title>Median time in the ring; of rtt: 20 ms, 1 ms with rxaqm; of bursts: 20 ms, 1 ms with rxaqm</title>'*'>  rxaqm: 1 / 2 ms<'* ]] || {
	grep -F -e title -e rxaqm "$scratch/pictures/delay.svg"
	exit 1
}
