#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does the default policy hold a queue for minutes? hold.sh [WINDOWS], 24 by default, of 10 s each:
# the rig's backlog, 14 CUBIC flows and UDP at 20 us a packet, nothing set but mode=enforce. A
# window is held if the 99th percentile of its undisturbed time (docs/measurements.md) is at most
# twice the derived target and a round of polls. Needs root. A line a window on stderr, the sum as
# make bench prints it on stdout; exit status 77 where no window had undisturbed time.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/rig/rig.sh
source "$root/tests/rig/rig.sh"
rxaqm=${RXAQM_BIN:-$root/build/rxaqm}
windows=${1:-24}
settle=5 # seconds
scratch=$(mktemp -d)

cleanup()
{
	rig_end
	rm -rf "$scratch"
}

# A few packets let rxaqm learn the NIC's clock, as any NIC has seen before it is overloaded.
quiet_traffic()
{
	local seconds=6 dir=$scratch/quiet

	mkdir -p "$dir"
	rig_clients=() rig_servers=()
	rig_flow quiet "$RIG_TCP_ADDR" 5204 -u -b 8M -l 1448
	rig_traffic_wait
}

# window: its truth, and the target and round in use at its end, as one line.
window()
{
	local map

	map=$(rig_clock show | sed 's/.* map //')
	ip netns exec "$RIG_WIRE" "$RIG_BIN/truth" backlog "$RIG_RECV_IF" "$map" \
		"/sys/class/net/$RIG_SEND_IF/statistics/tx_dropped" 10000 10000 >"$scratch/truth.json" &
	rig_note_process $!
	wait $!
	"$rxaqm" --netns "$RIG_DST" -j status "$RIG_RECV_IF" | jq -r --slurpfile truth "$scratch/truth.json" '
		[.interfaces[0].queues[] | select(.stats.judged > 0)] | max_by(.stats.judged) as $q | $truth[0] as $t |
		($q.target_ns * 2 + $q.round_ns) as $bound |
		[if $t.undisturbed_s < 1 then "disturbed" elif $t.p99_ns <= $bound then "held" else "over" end,
		 $t.p50_ns / 1e6, $t.p99_ns / 1e6, $q.target_ns / 1e6, $bound / 1e6, $t.undisturbed_s] | @tsv'
}

[[ $(id -u) == 0 ]] || { echo "hold: not root" >&2 && exit 1; }
rig_check
rig_begin cleanup
rig_up backlog
"$rxaqm" --netns "$RIG_DST" attach --mode generic --profile "$root/tests/rig/veth-simclock.conf" \
	"$RIG_RECV_IF" mode=enforce >&2
quiet_traffic
rig_traffic_start "$scratch/flows" $((windows * 30 + 60))
sleep "$settle"
for ((i = 0; i < windows; i++)); do
	window | tee -a "$scratch/windows" |
		awk -v n=$((i + 1)) '{ printf "hold: %2d: %s, p50 %.1f ms, p99 %.1f ms, target %.1f ms, bound %.1f ms, %.1f s undisturbed\n", n, $1, $2, $3, $4, $5, $6 }' >&2
done
rig_traffic_stop
awk -F'\t' '
	$1 != "disturbed" { n++; held += $1 == "held"; if ($3 > worst) worst = $3 }
	END {
		if (!n)
			exit 77
		printf "backlog held, windows of 10 s\t%d\tof %d\tall\t%.3f\t%s\n", held, n, held / n,
			held == n ? "yes" : "no"
		printf "backlog held, greatest p99\t%.1f\tms\n", worst
	}' "$scratch/windows"
