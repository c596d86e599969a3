#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The evaluation: rxaqm beside what people use today, on the simulated NIC, in guests that run in
# virtual time. Runs tests/eval/scenarios with tests/eval/options and makes a report.
# docs/measurements.md. Needs root, and 70 minutes; with -q less than ten minutes.
#
#   eval.sh [-q] [-n RUNS] [-m RUNS] [-g GUESTS] [-t SECONDS] [-c] [-r] [-d] [SCENARIO]...
#
#   -q  quick: fewer scenarios and options, and one run each unless -m says more
#   -n  at most so many runs of each
#   -m  at least so many, 20 at most
#   -g  so many guests at once (two; one takes one CPU)
#   -t  begins no run after SECONDS (4000, quick 500)
#   -c  continues what was begun: runs that are complete are not repeated
#   -r  only makes the report, of what was measured before
#   -d  puts it into docs/measurements.md, too
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

# Seconds after which no run begins. A guest that hangs is ended.
declare -A begin_limit=([full]=4000 [quick]=500)
readonly grace=200
# A guest's clock is the instructions it has executed, 2 ns each: neither what else this machine
# does nor what its hypervisor takes reaches it. Its hardware clock is the machine's.
readonly virtual_time="-icount shift=1,sleep=off -rtc base=utc,clock=host"

build_tools()
{
	local tool

	mkdir -p "$out/tools"
	for tool in bulk flood probe; do
		"${CC:-cc}" -O2 -Wall -o "$out/tools/$tool" "$eval_dir/$tool.c"
	done
}

# Runs the plan.
measure()
{
	local status tool guest guests=() dir

	for tool in ethtool fio gnuplot jq nbdkit tc; do
		command -v "$tool" >/dev/null || eval_die "no $tool: run 'make eval', which installs it" 3
	done
	"$root/tests/vm/fetch.sh" "$kernel"
	"$root/tests/vm/build-simnic.sh" "$kernel"
	# The guest sees all of this machine's files, but writes to build/ alone.
	cp "$cache/$kernel/simnic/simnic.ko" "$out/simnic.ko"
	build_tools
	for dir in "$out"/raw/*; do
		[[ -e $dir/complete ]] || rm -rf "$dir"
	done
	# In the background: traps wait for what runs in the foreground.
	for ((guest = 1; guest <= nr_guests; guest++)); do
		"$root/tests/vm/vm.sh" "$kernel" -n "eval$guest" -c 3 -t $((seconds + grace)) -q "$virtual_time" -- \
			tests/eval/guest.sh "$out/simnic.ko" "$out" $(($(date +%s) + seconds)) &
		guests+=($!)
	done
	for guest in "${!guests[@]}"; do
		status=0
		wait "${guests[guest]}" || status=$?
		[[ $status -eq 0 ]] ||
			echo "eval: a guest ended early, with status $status: see build/vm/logs/$kernel-eval$((guest + 1)).log"
	done
}

# collect: what was measured, a document for each run of the plan.
collect()
{
	local scenario option rep dir why result

	while read -r scenario option rep; do
		dir=$out/raw/$scenario.$option.$rep
		if [[ -e $dir/complete ]] && result=$(result_json "$dir" "$scenario" "$option" "$rep" 2>"$dir/error.txt"); then
			jq -c . <<<"$result"
		else
			why=$(cat "$dir/error.txt" "$dir/log.txt" 2>/dev/null | grep -v '^ *$' | tail -n 1) || true
			jq -nc --arg scenario "$scenario" --arg option "$option" --argjson run "$rep" \
				--arg why "${why:-not run: no time was left}" '{$scenario, $option, $run, status: "failed", $why}'
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
	local nr_guests=2 mode=full report_only=no document=no continued=no most=$most_runs least=1 seconds='' failed option planned

	while getopts qrcdn:m:g:t: option; do
		case $option in
		q) mode=quick ;;
		n) most=$(number n) ;;
		m) least=$(number m) ;;
		g) nr_guests=$(number g) ;;
		t) seconds=$(number t) ;;
		c) continued=yes ;;
		r) report_only=yes ;;
		d) document=yes ;;
		*) eval_die "usage: eval.sh [-q] [-n RUNS] [-m RUNS] [-g GUESTS] [-t SECONDS] [-c] [-r] [-d] [SCENARIO]..." 2 ;;
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
	[[ $document == no ]] || into_docs
	failed=$(jq -s 'map(select(.status != "ok")) | length' "$out/runs.jsonl")
	echo "eval: $(wc -l <"$out/plan") runs, $failed failed; build/eval/report.html, results.json, table.md"
	[[ $failed -eq 0 ]]
}

trap 'exit 130' INT
trap 'exit 143' TERM
main "$@"
