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
rxaqm=$root/build/rxaqm
export RXAQM_PROFILE_PATH=$root/nic-profiles
PATH=$root/build/irtt/usr/bin:$PATH # where packaging/unpack-irtt.sh puts it
# A run that takes longer hangs.
readonly run_seconds=120

# shellcheck source=tests/eval/lib.sh
source "$here/lib.sh"
# shellcheck source=tests/simnic/overload.sh
source "$root/tests/simnic/overload.sh"
# shellcheck source=tests/eval/loads.sh
source "$here/loads.sh"
# shellcheck source=tests/eval/run.sh
source "$here/run.sh"

readonly capacities=$out/capacity.txt

# measure_capacity COST: packets a second of the saturated CPU, without any option.
measure_capacity()
{
	local begin end from to generator

	build_pair "$module" "$1"
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
		'BEGIN { printf "%d %d\n", cost, (end - begin) / (to - from) }' | tee -a "$capacities"
}

# one SCENARIO OPTION REP
one()
{
	local dir=$out/raw/$1.$2.$3 pid watchdog status=0

	rm -rf "$dir"
	mkdir -p "$dir"
	(set -euo pipefail && run "$1" "$2" "$dir") >"$dir/log.txt" 2>&1 </dev/null &
	pid=$!
	(sleep "$run_seconds" && echo "took longer than $run_seconds s" >>"$dir/log.txt" &&
		kill -TERM -- -$pid && sleep 5 && kill -KILL -- -$pid) &
	watchdog=$!
	wait "$pid" || status=$?
	kill -KILL -- -$watchdog
	wait "$watchdog" 2>/dev/null
	sysctl -q -p "$memory/sysctls"
	if [[ ! -e $dir/complete || $status -ne 0 ]]; then
		"$rxaqm" detach --all >/dev/null 2>&1
		remove_pair
		rm -f "$dir/complete"
		echo "failed: $1 $2, run $3: $(tail -n 1 "$dir/log.txt")"
	fi
}

# What options may change.
remember_sysctls()
{
	sysctl net.core.netdev_budget net.core.netdev_budget_usecs net.ipv4.tcp_min_tso_segs \
		>"$memory/sysctls"
}

memory=$(mktemp -d)
mkfifo "$never"
# Who measures comes before the load. Each run is a process group.
renice -n -15 -p $$ >/dev/null
set -m
remember_sysctls
# No CPU time for telling senders of UDP that nobody listens.
sysctl -q -w net.ipv4.icmp_msgs_per_sec=1
modprobe ifb numifbs=1
: >"$capacities"
while read -r scenario _; do
	[[ -z $(of_scenario "$scenario" udp) ]] || of_scenario "$scenario" cost
done <"$out/plan" | sort -u | while read -r cost; do
	measure_capacity "$cost" </dev/null
done
nr=0 all=$(wc -l <"$out/plan")
while read -r scenario option rep; do
	nr=$((nr + 1))
	[[ ! -e $out/raw/$scenario.$option.$rep/complete ]] || continue
	if ((SECONDS > seconds)); then
		mkdir -p "$out/raw/$scenario.$option.$rep"
		echo "no time left" | tee "$out/raw/$scenario.$option.$rep/log.txt" >/dev/null
		continue
	fi
	printf '%s s: %d of %d: %s, %s, run %s\n' "$SECONDS" "$nr" "$all" \
		"$scenario" "$option" "$rep"
	one "$scenario" "$option" "$rep"
done <"$out/plan"
