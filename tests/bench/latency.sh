#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# latency.sh NETNS: time of "rxaqm attach" and "rxaqm status", for run.sh. NETNS has
# the interfaces l0 to l15. One line a figure: name, value, unit, target, ratio, met.
set -euo pipefail

ns=$1
rxaqm=$RXAQM_BIN

# Milliseconds that a command takes; it must succeed.
took()
{
	local begin=$EPOCHREALTIME end

	"$@" >/dev/null
	end=$EPOCHREALTIME
	awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.1f\n", (e - b) * 1000 }'
}

# figure NAME LIMIT: the median of the lines of stdin
figure()
{
	sort -n | awk -v name="$1" -v limit="$2" '
		{ value[NR] = $1 }
		END {
			median = value[int((NR + 1) / 2)]
			printf "%s\t%.1f\tms\t< %g\t%.3f\t%s\n", name, median, limit, median / limit,
				median < limit ? "yes" : "no"
		}'
}

first()
{
	for ((i = 0; i < 9; i++)); do
		took "$rxaqm" --netns "$ns" attach l0
		"$rxaqm" --netns "$ns" detach l0 >/dev/null
	done
}

further()
{
	for ((i = 0; i < 16; i++)); do
		took "$rxaqm" --netns "$ns" attach "l$i"
	done
}

status()
{
	for ((i = 0; i < 15; i++)); do
		took "$rxaqm" --netns "$ns" status -j
	done
}

first | figure "attach, the first" 500
further | figure "attach, of 16 interfaces" 500
status | figure "status -j, 16 interfaces of 4 queues" 50
"$rxaqm" --netns "$ns" detach --all >/dev/null
