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
