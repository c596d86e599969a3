#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The rig sees that its receiving CPU paused, how long, and leaves that out: packets of 10 ms.
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
# shellcheck source=tests/rig/rig.sh
. tests/rig/rig.sh

[ "$(id -u)" -eq 0 ] || { echo "needs root" && exit 77; }
(($(nproc --all) >= 2)) || { echo "needs two CPUs: one to send, one to receive" && exit 77; }
rig_free || { echo "the rig is in use" && exit 77; }
trap 'rig_down; rm -rf "$dir"' EXIT
rig_up backlog

# 40,000 packets a second for a CPU that takes about as many.
seconds=60 rig_clients=() rig_servers=()
rig_flow udp "$RIG_TCP_ADDR" 5203 -u -b 460M -l 1448
map=$(rig_clock show | sed 's/.* map //')
for _ in 1 2 3; do
	ip netns exec "$RIG_WIRE" "$RIG_BIN/truth" backlog "$RIG_RECV_IF" "$map" \
		"/sys/class/net/$RIG_SEND_IF/statistics/tx_dropped" 60000 8000 >"$dir/truth.json" &
	truth=$!
	rig_note_process "$truth"
	sleep 2
	rig_burn set cost=10ms
	sleep 1
	rig_burn set cost=20us
	wait "$truth"
	cat "$dir/truth.json"
	! jq -e '.packets > 0' "$dir/truth.json" >/dev/null || break
done
jq -e '.packets > 0' "$dir/truth.json" >/dev/null ||
	{ echo "the machine is too busy: the receiving CPU pauses all the time" && exit 77; }
# How many there were depends on what else the CPU had to do.
jq -e '.pauses > 0 and .longest_s >= 0.01 and .paused_s >= 0.009 and .undisturbed_s < .seconds - 0.1
	and .not_excused <= .pauses' "$dir/truth.json" >/dev/null
