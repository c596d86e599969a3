#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The evaluation, inside a guest: all runs of a plan, one after the other.
#
#   guest.sh MODULE OUT_DIR UNTIL
#
# OUT_DIR/plan has a line "SCENARIO OPTION REPETITION" for each run. Several guests share it: who
# makes the directory OUT_DIR/raw/SCENARIO.OPTION.REP does the run, and leaves there what it
# measured, and why it failed if it did. No run is begun after the time UNTIL, in seconds since
# 1970.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
module=$1 out=$2 until=$3
tools=$out/tools
rxaqm=$root/build/rxaqm
export RXAQM_PROFILE_PATH=$root/nic-profiles:$root/tests/simnic/profiles
# A run that takes longer hangs.
readonly run_seconds=600

# shellcheck source=tests/eval/lib.sh
source "$here/lib.sh"
# shellcheck source=tests/simnic/overload.sh
source "$root/tests/simnic/overload.sh"
# shellcheck source=tests/eval/loads.sh
source "$here/loads.sh"
# shellcheck source=tests/eval/run.sh
source "$here/run.sh"
# shellcheck source=tests/eval/costs.sh
source "$here/costs.sh"

# await_run SCENARIO OPTION REP: until another guest has done it, for as long as it may take.
await_run()
{
	local dir=$out/raw/$1.$2.$3 since now

	since=$(</sys/class/rtc/rtc0/since_epoch) now=$since
	while [[ -e $dir && ! -e $dir/complete && ! -e $dir/failed ]] && ((now - since < run_seconds)); do
		nap 1
		now=$(</sys/class/rtc/rtc0/since_epoch)
	done
}

# one SCENARIO OPTION REP
one()
{
	local dir=$out/raw/$1.$2.$3 pid watchdog status=0

	(set -euo pipefail && run "$1" "$2" "$dir") >"$dir/log.txt" 2>&1 </dev/null &
	pid=$!
	(sleep "$run_seconds" && echo "took longer than $run_seconds s" >>"$dir/log.txt" &&
		kill -TERM -- -$pid && sleep 5 && kill -KILL -- -$pid) &
	watchdog=$!
	wait "$pid" || status=$?
	kill -KILL -- -$watchdog
	wait "$watchdog" 2>/dev/null
	if [[ ! -e $dir/complete || $status -ne 0 ]]; then
		"$rxaqm" detach --all >/dev/null 2>&1
		remove_pair
		rm -f "$dir/complete"
		touch "$dir/failed"
		echo "failed: $1 $2, run $3: $(tail -n 1 "$dir/log.txt")"
	fi
}

memory=$(mktemp -d)
mkfifo "$never"
# Who measures comes before the load. Each run is a process group.
renice -n -15 -p $$ >/dev/null
taskset -cp "$client_cpu" $$ >/dev/null
set -m
# For 2,000 flows.
ulimit -n 8192
sysctl -q -w net.ipv4.tcp_max_syn_backlog=8192
# No CPU time for telling senders of UDP that nobody listens.
sysctl -q -w net.ipv4.icmp_msgs_per_sec=1
modprobe ifb numifbs=1
nr=0 all=$(wc -l <"$out/plan")
while read -r scenario option rep; do
	nr=$((nr + 1))
	# The guest's own time is not the machine's; its hardware clock is.
	now=$(</sys/class/rtc/rtc0/since_epoch)
	((now <= until)) || break
	mkdir "$out/raw/$scenario.$option.$rep" 2>/dev/null || continue
	printf '%(%H:%M:%S)T: %d of %d: %s, %s, run %s\n' "$now" "$nr" "$all" "$scenario" "$option" "$rep"
	use "$scenario" "$option"
	[[ ${option_has[ring]} != equal ]] || await_run "$scenario" rxaqm "$rep"
	one "$scenario" "$option" "$rep"
done <"$out/plan"
