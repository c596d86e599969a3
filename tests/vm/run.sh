#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests of tests/vm/groups in guests: tests/vm/run.sh [-a] [KERNEL]... [-- GROUP...],
# on all kernels of tests/vm/kernels, and all rows but the long ones by default; -a: these as well.
# Then they are told in a table, group by kernel: without names all there are, and what did not run
# is untried. The last line is the sum, "N passed, N failed", with ", N skipped" if there are any.
# Output: build/vm/logs.
#
# An emulated CPU is slow, and slower where the machine has other things to do: a group with a
# failure is run once more, when no other guest runs, and that run counts. That is a second try of
# what failed, as those in the guest are (tests/run.sh): told, counted, and once only. Names are in
# build/vm/again.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

rows=()
while read -r row; do
	rows+=("$row")
done < <(grep -Ev '^(#|$)' "$vm_repo/tests/vm/groups")

# each COMMAND...: COMMAND KERNEL ROW for all that were asked for.
each()
{
	local row kernel fields

	for row in "${rows[@]}"; do
		read -ra fields <<<"$row"
		for kernel in "${kernels[@]}"; do
			[[ ,${fields[1]}, == *,all,* || ,${fields[1]}, == *,$kernel,* ]] || continue
			[[ " ${groups[*]} " == *" ${fields[0]} "* ]] || continue
			"$@" "$kernel" "${fields[@]}"
		done
	done
}

known_groups()
{
	printf '%s\n' "${rows[@]%% *}"
}

kernels=() groups=() all=
[ "${1-}" != -a ] || { all=1 && shift; }
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
shown_groups="${groups[*]}" shown_kernels="${kernels[*]}"
[ -n "$shown_groups" ] || shown_groups=$(known_groups | sort -u | paste -sd ' ')
[ -n "$shown_kernels" ] || shown_kernels=$(vm_kernels | paste -sd ' ')
# What is long runs if it is named, or all is wanted.
if [ ${#groups[@]} -eq 0 ]; then
	[ -n "$all" ] || mapfile -t rows < <(printf '%s\n' "${rows[@]}" | awk '$5 !~ /long/')
	mapfile -t groups < <(known_groups)
fi
if [ ${#kernels[@]} -eq 0 ]; then
	mapfile -t kernels < <(vm_kernels)
	mapfile -t kernels < <(each echo | cut -d ' ' -f 1 | sort -u)
fi
[ -n "$(each echo)" ] || die "nothing runs on ${kernels[*]} but what is long: name its group" 2

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

	# An emulated CPU copies a byte at a time by "rep movsb", which the kernel uses where a CPU
	# claims to be fast at that. In virtual time it would be another machine.
	[[ ,$1, == *,virtual,* ]] || printf ' -cpu max,-erms,-fsrm'
	for kind in ${1//,/ }; do
		case $kind in
		none | long) ;;
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
	local cpu out=$scratch/$kernel-$group again=build/vm/again/$kernel-$group sum vm

	tests/vm/vm.sh "$kernel" -n "$group" -t "$seconds" -c "$cpus" -q "$(devices "$qemu")" -- \
		env RXAQM_GUEST=1 RXAQM_LOCK_SECONDS=1200 RXAQM_AGAIN="$again" \
		tests/run.sh "${@:7}" >"$out" 2>&1 &
	vm=$!
	trap 'kill "$vm" 2>/dev/null; wait "$vm"; exit 143' TERM
	wait "$vm" || status=$?
	sum=$(tail -n 1 "$out" | grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$') || sum=
	# All tests of a group may be skipped; a group that failed must say so, or has not ended.
	if [ -z "$sum" ] || { [ "$status" -ne 0 ] && [[ $sum != *" 0 failed"*skipped && $sum == *" 0 failed"* ]]; }; then
		sed "s|^|$kernel $group: |" "$out" | tail -n 40
		sum="0 passed, 1 failed"
	fi
	grep -E '^(again|failed|skipped): ' "$out" | sed "s|^\([a-z]*\): |\1: $kernel $group: |" >"$out.told" || true
	echo "$sum" >"$out.sum"
	cpu_taken
	printf '%s %s: %s (%d s, %d s of CPU)\n' "$kernel" "$group" "$sum" $((SECONDS - started)) "$cpu"
	sed -n 's/^failed: /not ok: /p' "$out.told"
}

# run_again KERNEL ROW...: if it failed. What passes then, and did so in the run before, has failed.
run_again()
{
	local name="$1 $2" out=$scratch/$1-$2 noted=build/vm/again/$1-$2.group why

	if [[ $(cat "$out.sum" 2>/dev/null) == *" 0 failed"* ]]; then
		rm -f "$noted"
		return
	fi
	cat "$out.told" 2>/dev/null || true
	why=$(sed -n 's/^failed: //p' "$out.told" 2>/dev/null | head -n 1)
	echo "$name: once more, alone"
	run_group "$@" &
	jobs_running=($!)
	wait $!
	jobs_running=()
	[[ $(cat "$out.sum") == *" 0 failed"* ]] || return 0
	echo "again: $name: the whole group: ${why:-its guest ended}" >>"$out.told"
	if [ -e "$noted" ]; then
		echo "failed: $name: the whole group needed a second run in the run before, too" >>"$out.told"
		echo "0 passed, 1 failed" >"$out-again.sum"
	fi
	mkdir -p build/vm/again
	touch "$noted"
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

# What groups service and dist install, from the machine's own make; without it, their tests fail
# and say so.
build_packages()
{
	[ "$2" != service ] || tests/vm/build-debs.sh || true
	[ "$2" != dist ] || [ -e "$scratch/dist" ] || make -s dist || true
	[ "$2" != dist ] || touch "$scratch/dist"
}

# Start as soon as fewer guests than CPUs run, and none that takes two CPUs if this one does. In
# virtual time QEMU runs all of a guest's on one.
wide_running=
start()
{
	local pid left=() wide='' wait_for

	[[ $4 -lt 2 || ,$6, == *,virtual,* ]] || wide=1
	while :; do
		left=() wait_for=
		for pid in "${jobs_running[@]}"; do
			kill -0 "$pid" 2>/dev/null || continue
			left+=("$pid")
			[[ -z $wide || $pid != "$wide_running" ]] || wait_for=1
		done
		jobs_running=("${left[@]}")
		[[ -n $wait_for || ${#left[@]} -ge $(nproc) ]] || break
		wait -n || true
	done
	run_group "$@" &
	jobs_running+=($!)
	[ -z "$wide" ] || wide_running=$!
}

cd "$vm_repo"
tests/vm/fetch.sh "${kernels[@]}"
for kernel in "${kernels[@]}"; do
	version=$(vm_version "$kernel")
	echo "== $kernel: $version"
done
build_simnic
each build_packages
each start
wait
jobs_running=()
each run_again

# cell KERNEL ROW...: how its last run ended.
cell()
{
	local sum

	sum=$(cat "$scratch/$1-$2.sum")
	[[ $sum != *" 0 failed"* ]] || sum=${sum/, 0 failed/}
	echo "$2 $1 ${sum#0 passed, }"
}

each cell | print_matrix "$shown_groups" "$shown_kernels"
cat "$scratch"/*.told 2>/dev/null | sort >"$scratch/told" || true
cat "$scratch/told"
! again=$(grep -c '^again: ' "$scratch/told") || echo "$again needed a second try"
cat "$scratch"/*.sum 2>/dev/null | awk '
	{ passed += $1; failed += $3; skipped += $5 }
	END {
		printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
		exit failed > 0 || passed == 0
	}'
