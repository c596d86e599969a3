#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests of tests/vm/groups in guests: tests/vm/run.sh [KERNEL]... [-- GROUP...],
# on all kernels of tests/vm/kernels and all groups but those to be named by default. The last line
# is the sum, "N passed, N failed", with ", N skipped" if there are any. Output: build/vm/logs.
#
# An emulated CPU is slow, and slower where the machine has other things to do: a group with a
# failure is run once more, when no other guest runs, and that run counts.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

rows=()
while read -r row; do
	rows+=("$row")
done < <(grep -Ev '^(#|$)' "$vm_repo/tests/vm/groups")

known_groups()
{
	printf '%s\n' "${rows[@]%% *}"
}

kernels=() groups=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	vm_row "$1" >/dev/null
	kernels+=("$1")
	shift
done
[ $# -eq 0 ] || shift
for group; do
	grep -qxF "$group" <<<"$(known_groups)" ||
		die "unknown group '$group', tests/vm/groups has: $(known_groups | paste -sd ' ')" 2
	groups+=("$group")
done
[ ${#kernels[@]} -gt 0 ] || mapfile -t kernels < <(vm_kernels)
[ ${#groups[@]} -gt 0 ] ||
	mapfile -t groups < <(printf '%s\n' "${rows[@]}" | awk '$5 !~ /named/ { print $1 }')

scratch=$(mktemp -d)
jobs_running=()
# shellcheck disable=SC2317 # trap calls it
finish()
{
	[ ${#jobs_running[@]} -eq 0 ] || kill "${jobs_running[@]}" 2>/dev/null || true
	wait
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM

# What the QEMU column names: virtual time, and NICs.
devices()
{
	local kind kinds=()

	for kind in ${1//,/ }; do
		case $kind in
		none | memory | named) ;;
		# The guest's clock is the instructions it has executed, 2 ns each.
		virtual) printf ' -icount shift=1,sleep=off' ;;
		*) kinds+=("$kind") ;;
		esac
	done
	nics "${kinds[@]}"
}

# run_group KERNEL ROW...: leaves the sum and all lines that tell of failures and skips. In the
# background, where SIGTERM ends the guest, too.
run_group()
{
	local kernel=$1 group=$2 cpus=$4 seconds=$5 qemu=$6 status=0 started=$SECONDS
	local out=$scratch/$kernel-$group sum vm memory=

	[[ ,$qemu, != *,memory,* ]] || memory=1
	tests/vm/vm.sh "$kernel" -n "$group" -t "$seconds" -c "$cpus" -q "$(devices "$qemu")" -- \
		env RXAQM_GUEST=1 RXAQM_MEMORY=$memory tests/run.sh "${@:7}" >"$out" 2>&1 &
	vm=$!
	trap 'kill "$vm" 2>/dev/null; wait "$vm"; exit 143' TERM
	wait "$vm" || status=$?
	sum=$(tail -n 1 "$out" | grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$') || sum=
	# All tests of a group may be skipped; a group that failed must say so, or has not ended.
	if [ -z "$sum" ] || { [ "$status" -ne 0 ] && [[ $sum != *" 0 failed"*skipped && $sum == *" 0 failed"* ]]; }; then
		sed "s|^|$kernel $group: |" "$out" | tail -n 40
		sum="0 passed, 1 failed"
	fi
	grep -E '^(failed|skipped): ' "$out" | sed "s|^\([a-z]*\): |\1: $kernel $group: |" >"$out.told" || true
	echo "$sum" >"$out.sum"
	printf '%s %s: %s (%d s)\n' "$kernel" "$group" "$sum" $((SECONDS - started))
}

# run_again KERNEL ROW...: if it failed.
run_again()
{
	local out=$scratch/$1-$2

	[[ $(cat "$out.sum" 2>/dev/null) != *" 0 failed"* ]] || return 0
	cat "$out.told" 2>/dev/null || true
	echo "$1 $2: once more, alone"
	run_group "$@" &
	jobs_running=($!)
	wait $!
	jobs_running=()
}

# The simulated NIC is built here, so that a kernel it does not build for is one failure of many.
build_simnic()
{
	local kernel

	for kernel in "${kernels[@]}"; do
		tests/vm/build-simnic.sh "$kernel" && continue
		echo "0 passed, 1 failed" >"$scratch/$kernel-simnic.sum"
		echo "failed: $kernel simnic: it cannot be built" >"$scratch/$kernel-simnic.told"
	done
}

# What group service installs; without it, its tests fail and say so.
build_debs()
{
	[ "$2" != service ] || tests/vm/build-debs.sh || true
}

# Start when fewer than @1 guests run.
start()
{
	local most=$1 pid left=()

	shift
	while :; do
		left=()
		for pid in "${jobs_running[@]}"; do
			! kill -0 "$pid" 2>/dev/null || left+=("$pid")
		done
		jobs_running=("${left[@]}")
		[ ${#jobs_running[@]} -ge "$most" ] || break
		wait -n || true
	done
	run_group "$@" &
	jobs_running+=($!)
}

# each CPUS COMMAND...: COMMAND KERNEL ROW for all that were asked for, and take that many CPUs:
# in virtual time QEMU runs all of a guest's on one.
each()
{
	local cpus=$1 row kernel fields takes

	shift
	for kernel in "${kernels[@]}"; do
		for row in "${rows[@]}"; do
			read -ra fields <<<"$row"
			takes=${fields[2]}
			[[ ,${fields[4]}, != *,virtual,* ]] || takes=1
			[[ $cpus == any || $takes == "$cpus" ]] || continue
			[[ ,${fields[1]}, == *,all,* || ,${fields[1]}, == *,$kernel,* ]] || continue
			[[ " ${groups[*]} " == *" ${fields[0]} "* ]] || continue
			"$@" "$kernel" "${fields[@]}"
		done
	done
}

cd "$vm_repo"
for kernel in "${kernels[@]}"; do
	version=$(vm_version "$kernel")
	echo "== $kernel: $version"
done
build_simnic
each any build_debs
each 1 start "$(nproc)"
wait
each 2 start 1
wait
jobs_running=()
each any run_again

cat "$scratch"/*.told 2>/dev/null | sort || true
cat "$scratch"/*.sum 2>/dev/null | awk '
	{ passed += $1; failed += $3; skipped += $5 }
	END {
		printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
		exit failed > 0 || passed == 0
	}'
