#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The evaluation, inside a guest: all runs of a plan, one after the other.
#
#   guest.sh MODULE OUT_DIR SECONDS
#
# OUT_DIR/plan has a line "SCENARIO OPTION REPETITION" for each run. OUT_DIR/raw/SCENARIO.OPTION.REP
# gets what it measured, and why it failed if it did. No run is begun after SECONDS.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
module=$1 out=$2 seconds=$3
# A run that takes longer hangs.
readonly run_seconds=90

# shellcheck source=tests/eval/lib.sh
source "$here/lib.sh"
# shellcheck source=tests/simnic/overload.sh
source "$root/tests/simnic/overload.sh"
# shellcheck source=tests/eval/loads.sh
source "$here/loads.sh"

export RXAQM_EVAL_CAPACITY=$out/capacity.txt

# measure_capacity COST: packets a second of the saturated CPU, without any option.
measure_capacity()
{
	local begin end from to generator

	build_pair "$module" "$1"
	sysctl -q -w net.ipv4.icmp_msgs_per_sec=1
	udp_setup 1000 9
	udp_send 0 0 &
	generator=$!
	sleep 1
	from=$EPOCHREALTIME begin=$(nic_count rx_packets)
	sleep 3
	to=$EPOCHREALTIME end=$(nic_count rx_packets)
	udp_stop
	wait "$generator"
	remove_pair
	awk -v cost="$1" -v from="$from" -v to="$to" -v begin="$begin" -v end="$end" \
		'BEGIN { printf "%d %d\n", cost, (end - begin) / (to - from) }' | tee -a "$RXAQM_EVAL_CAPACITY"
}

# one SCENARIO OPTION REP
one()
{
	local dir=$out/raw/$1.$2.$3 status=0

	mkdir -p "$dir"
	timeout -k 10 "$run_seconds" "$here/run.sh" "$module" "$1" "$2" "$dir" \
		>"$dir/log.txt" 2>&1 || status=$?
	[[ -e $dir/complete ]] || status=${status/#0/1}
	if [[ $status -ne 0 ]]; then
		remove_pair
		rm -f "$dir/complete"
		[[ $status -ne 124 ]] || echo "took longer than $run_seconds s" >>"$dir/log.txt"
		echo "failed: $1 $2, run $3: $(tail -n 1 "$dir/log.txt")"
	fi
}

modprobe ifb numifbs=1
: >"$RXAQM_EVAL_CAPACITY"
while read -r scenario _; do
	[[ -z $(of_scenario "$scenario" udp) ]] || of_scenario "$scenario" cost
done <"$out/plan" | sort -u | while read -r cost; do
	measure_capacity "$cost" </dev/null
done
nr=0 all=$(wc -l <"$out/plan")
while read -r scenario option rep; do
	nr=$((nr + 1))
	if ((SECONDS > seconds)); then
		mkdir -p "$out/raw/$scenario.$option.$rep"
		echo "no time left" | tee "$out/raw/$scenario.$option.$rep/log.txt" >/dev/null
		continue
	fi
	printf '%s s: %d of %d: %s, %s, run %s\n' "$SECONDS" "$nr" "$all" \
		"$scenario" "$option" "$rep"
	one "$scenario" "$option" "$rep" </dev/null
done <"$out/plan"
