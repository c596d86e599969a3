#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The evaluation: rxaqm beside what people use today, on the simulated NIC, in a guest. Runs
# tests/eval/scenarios with tests/eval/options and makes a report. docs/evaluation.md. Needs root,
# and most of an hour; with -q less than ten minutes.
#
#   eval.sh [-q] [-n RUNS] [-m RUNS] [-t SECONDS] [-c] [-r] [SCENARIO]...
#
#   -q  quick: fewer options, and one run each unless -m says more
#   -n  at most so many runs of each
#   -m  at least so many, 20 at most: for narrower intervals, with -t where that takes longer
#   -t  begins no run after SECONDS in the guest (3450, quick 500)
#   -c  continues what was begun: runs that are complete are not repeated
#   -r  only makes the report, of what was measured before
#
# Leaves build/eval/report.html, results.json, table.md, pictures, and in raw/ what was measured.
# Status 1: a run failed.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/eval/lib.sh
source "$root/tests/eval/lib.sh"
# shellcheck source=tests/eval/counters.sh
source "$root/tests/eval/counters.sh"
# shellcheck source=tests/eval/report.sh
source "$root/tests/eval/report.sh"
cache=${RXAQM_VM_CACHE:-$root/build/vm}
out=$root/build/eval
kernel=6.12

# Seconds after which no run begins. A run takes some 20; the guest is ended if it hangs.
declare -A begin_limit=([full]=3450 [quick]=500)
readonly grace=150

# Others' work on this machine disturbs. Lines "SECONDS CPUS": how many CPUs all but the guest took.
watch_others()
{
	local hertz guest=0 mine busy before='' pid

	hertz=$(getconf CLK_TCK)
	while sleep 2; do
		busy=$(awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat)
		pid=$(cat "$root/build/vm/logs/$kernel-eval.run/pid" 2>/dev/null) || continue
		mine=$(awk '{ print $14 + $15 }' "/proc/$pid/stat" 2>/dev/null) || continue
		if [[ $before ]]; then
			awk -v busy=$((busy - before)) -v mine=$((mine - guest)) -v ticks=$((hertz * 2)) \
				-v time="$EPOCHREALTIME" 'BEGIN { printf "%s %.2f\n", time, (busy - mine) / ticks }'
		fi
		before=$busy guest=$mine
	done >>"$out/others.txt"
}

# Runs the plan.
measure()
{
	local status=0 watcher tool

	PATH=$root/build/irtt/usr/bin:$PATH
	for tool in irtt iperf3 ethtool gnuplot jq tc; do
		command -v "$tool" >/dev/null || eval_die "no $tool: run 'make eval', which installs it" 3
	done
	"$root/tests/vm/fetch.sh" "$kernel"
	"$root/tests/vm/build-simnic.sh" "$kernel"
	# The guest sees all of this machine's files, but writes to build/ alone.
	cp "$cache/$kernel/simnic/simnic.ko" "$out/simnic.ko"
	watch_others &
	watcher=$!
	[[ $mode != quick ]] || export RXAQM_EVAL_QUICK=1
	# In the background: traps wait for what runs in the foreground.
	# The guest comes before whatever else the machine does: a session of its own, since niceness
	# counts between sessions only where the kernel does not group by them.
	setsid bash -c 'renice -n -10 -p $$ >/dev/null; [[ ! -w /proc/self/autogroup ]] ||
		echo -10 >/proc/self/autogroup; exec "$@"' vm \
		"$root/tests/vm/vm.sh" "$kernel" -n eval -t $((seconds + grace)) -- \
		tests/eval/guest.sh "$out/simnic.ko" "$out" "$seconds" &
	wait $! || status=$?
	kill "$watcher" 2>/dev/null || true
	[[ $status -eq 0 ]] || echo "eval: the guest ended early, with status $status: see build/vm/logs/$kernel-eval.log"
}

# others DIR: the CPUs that others took during a run, on average.
others()
{
	awk 'NR == FNR { if (NR == 1) from = $1; to = $1; next }
		$1 >= from && $1 <= to { sum += $2; n++ } END { print n ? sum / n : "null" }' \
		"$1/events.txt" "$out/others.txt"
}

# collect: what was measured, a document for each run of the plan.
collect()
{
	local scenario option rep dir why result

	while read -r scenario option rep; do
		dir=$out/raw/$scenario.$option.$rep
		if [[ -e $dir/complete ]] && result=$(result_json "$dir" "$scenario" "$option" "$rep" 2>"$dir/error.txt"); then
			jq -c --argjson others "$(others "$dir")" '.others_cpus = $others' <<<"$result"
		else
			why=$(cat "$dir/error.txt" "$dir/log.txt" 2>/dev/null | grep -v '^ *$' | tail -n 1) || true
			jq -nc --arg scenario "$scenario" --arg option "$option" --argjson run "$rep" \
				--arg why "${why:-not run: the guest had ended}" '{$scenario, $option, $run, status: "failed", $why}'
		fi
	done <"$out/plan" >"$out/runs.jsonl"
}

# number OPTION: its value.
number()
{
	[[ $OPTARG =~ ^[1-9][0-9]*$ ]] || eval_die "-$1 '$OPTARG': not a number of 1 or more" 2
	echo "$OPTARG"
}

main()
{
	local mode=full report_only=no continued=no most=$most_runs least=1 seconds='' failed option planned

	while getopts qrcn:m:t: option; do
		case $option in
		q) mode=quick ;;
		n) most=$(number n) ;;
		m) least=$(number m) ;;
		t) seconds=$(number t) ;;
		c) continued=yes ;;
		r) report_only=yes ;;
		*) eval_die "usage: eval.sh [-q] [-n RUNS] [-m RUNS] [-t SECONDS] [-c] [-r] [SCENARIO]..." 2 ;;
		esac
	done
	shift $((OPTIND - 1))
	((least <= most)) || eval_die "-m $least -n $most: at least so many cannot be more than at most" 2
	if [[ $report_only == no ]]; then
		seconds=${seconds:-${begin_limit[$mode]}}
		planned=$(plan "$mode" "$least" "$@")
		[[ $continued == yes ]] || rm -rf "$out"
		mkdir -p "$out/raw"
		awk -v most="$most" '$3 <= most' <<<"$planned" >"$out/plan"
		echo "$mode" >"$out/mode"
		trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
		measure
	fi
	[[ -s $out/plan ]] || eval_die "nothing was measured yet: build/eval/plan is missing or empty"
	collect
	report
	failed=$(jq -s 'map(select(.status != "ok")) | length' "$out/runs.jsonl")
	echo "eval: $(wc -l <"$out/plan") runs, $failed failed; build/eval/report.html, results.json, table.md"
	[[ $failed -eq 0 ]]
}

trap 'exit 130' INT
trap 'exit 143' TERM
main "$@"
