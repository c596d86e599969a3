#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The original experiment on a simulated NIC, in a guest (guest.sh): runs it, prints the table and
# draws the picture of docs/measurements.md. Needs root and about ten minutes of a CPU: the guest
# runs in virtual time (docs/measurements.md).
#
#   experiment.sh [KERNEL] [split-rx|shared-rx|split-tx|shared-tx]...
#
# Leaves build/experiment.svg and all measurements in build/experiment/.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${RXAQM_VM_CACHE:-$root/build/vm}
out=$root/build/experiment
kernel=${1-6.12}
[[ $# -eq 0 ]] || shift
[[ $# -gt 0 ]] || set -- split-rx shared-rx split-tx shared-tx

rm -rf "$out"
mkdir -p "$out"
"$root/tests/vm/fetch.sh" "$kernel"
"$root/tests/vm/build-simnic.sh" "$kernel"
# The guest sees all of this machine's files, but writes to build/ alone.
cp "$cache/$kernel/simnic/simnic.ko" "$out/simnic.ko"
"$root/tests/vm/vm.sh" "$kernel" -n experiment -t 3000 -q "-icount shift=1,sleep=off" -- \
	tests/experiment/guest.sh "$out/simnic.ko" "$out" "$@"

for run; do
	for phase in observe enforce law; do
		jq -n --arg run "$run" --arg phase "$phase" \
			--slurpfile a "$out/$run/$phase-begin.json" --slurpfile b "$out/$run/$phase-end.json" \
			--argjson truth "$(awk '$1 == "queue" { printf "{"; for (i = 3; i < NF; i += 2)
				printf "%s\"%s\": %s", (i > 3 ? ", " : ""), $i, $(i + 1); print "}"; exit }' \
				"$out/$run/$phase-truth.txt")" \
			-L "$here" 'include "experiment"; result($run; $phase; $a[0]; $b[0]; $truth)'
	done
done | jq -s . >"$out/results.json"
jq -r -L "$here" 'include "experiment"; table' "$out/results.json" | tee "$out/table.md"

for run; do
	first=$(jq -s '.[0].time_ns' "$out/$run/observe-samples.json")
	for phase in observe enforce law; do
		jq -r --argjson first "$first" '.queues[0] as $q | select($q.pps > 0)
			| [(.time_ns - $first) / 1e9, $q.sojourn_p50_ns / 1e6, $q.sojourn_p99_ns / 1e6]
			| @tsv' "$out/$run/$phase-samples.json" >"$out/$run/$phase.tsv"
	done
done
gnuplot -c "$here/experiment.gnuplot" "$root/build/experiment.svg" "$out" "$@"
echo "picture: build/experiment.svg"
