#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The experiment of docs/tso-bonus.md, in guests (tso_bonus_guest.sh): runs it and prints the
# tables. Needs root and about an hour of a CPU: guests run in virtual time (docs/measurements.md),
# two at once.
#
#   tso_bonus.sh [REPEATS [KERNEL]]
#
# Leaves all measurements in build/tso-bonus/. What is complete there is not run again.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${RXAQM_VM_CACHE:-$root/build/vm}
out=$root/build/tso-bonus
repeats=${1:-3}
kernel=${2:-6.12}
readonly guests=${TSO_GUESTS:-2}

# Each line: QUEUE CC BEGIN TSO_RTT_LOG REMEDY, a list by commas multiplies.
plan()
{
	cat <<-END
		loop cubic,dctcp before,inside 9,0 none
		loop cubic inside 9 min_tso=8,mode=observe,mode=enforce+ack=keep,mode=enforce
		held cubic before,aged,inside 9 none
		held dctcp before,inside 9 none
		held cubic inside 9 mode=enforce,mode=enforce+target=500us
	END
}

# All runs, those of a first repetition first, but the loop before what is only held.
runs()
{
	local queue ccs begins logs remedies number cc begin log remedy

	while read -r queue ccs begins logs remedies; do
		for number in $(seq "$repeats"); do
			for cc in ${ccs//,/ }; do
				for begin in ${begins//,/ }; do
					for log in ${logs//,/ }; do
						for remedy in ${remedies//,/ }; do
							echo "$queue,$cc,$begin,$log,$remedy,$number"
						done
					done
				done
			done
		done
	done < <(plan) | sort -t, -s -k1,1r -k6,6n
}

mkdir -p "$out/tools"
for tool in bulk flood; do
	"${CC:-cc}" -O2 -Wall -o "$out/tools/$tool" "$root/tests/eval/$tool.c"
done
"$root/tests/vm/fetch.sh" "$kernel"
"$root/tests/vm/build-simnic.sh" "$kernel"
# The guests see all of this machine's files, but write to build/ alone.
cp "$cache/$kernel/simnic/simnic.ko" "$out/simnic.ko"

todo=()
while read -r name; do
	[[ -s $out/$name.json ]] || todo+=("$name")
done < <(runs)
pids=()
for ((guest = 0; guest < guests; guest++)); do
	mine=()
	for ((i = guest; i < ${#todo[@]}; i += guests)); do
		mine+=("${todo[i]}")
	done
	[[ ${#mine[@]} -gt 0 ]] || continue
	"$root/tests/vm/vm.sh" "$kernel" -n "tso-bonus$guest" -t 7200 -q "-icount shift=1,sleep=off" -- \
		tests/experiment/tso_bonus_guest.sh "$out/simnic.ko" "$out" "$out/tools" "${mine[@]}" &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid"
done
while read -r name; do
	cat "$out/$name.json"
done < <(runs) | jq -s . >"$out/results.json"
jq -r -L "$here" 'include "tso_bonus"; table' "$out/results.json" | tee "$out/table.md"
