#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests: tests/run.sh [SUITE[:TESTS]]..., all of them by default. The last line is
# the sum, "N passed, N failed", with ", N skipped" if there are any.
#
#   unit bpf system cli xsk   build/tests/SUITE, one Catch2 binary each; TESTS are names or tags,
#                         joined by commas (TEST_ARGS, a list, is the same for all that have none)
#   guest                 as well, but only if named: tests/vm/run.sh does, in its guests
#   selftest              of the simulated NIC, tests/simnic/selftest.sh: named only, in guests
#   dist                  what "make dist" made, beside busybox alone, tests/fresh/dist.sh: the same
#   service               package and unit under a systemd, tests/service/service.sh: the same
#   shell                 tests/shell/*.sh: exit 0 passed, 77 skipped (last line says why)
#   fuzz                  build/fuzz/*, FUZZ_SECONDS in all (40), from FUZZ_SEED (1); 0 is a seed
#                         at random, to look for what nobody found
#
# If all are run, lanes run side by side, each in mounts of its own: shell, the halves of unit, and
# system in five. What loads or measures a CPU, xsk and four tags of system, is alone after them.
#
# Tests of xsk, system and guest that fail are run once more at the end, and that counts: a line
# "again: TEST: why it failed" tells of each, and the line before the sum says how many needed it.
# One that needed it in the run before, too, has failed: build/again (RXAQM_AGAIN) has their names.
set -euo pipefail
cd "$(dirname "$0")/.."

all_suites=(unit bpf cli shell fuzz xsk system)
fuzz_seconds=${FUZZ_SECONDS:-40}
fuzz_seed=${FUZZ_SEED:-1}
suite_timeout=${SUITE_TIMEOUT:-2700}
# No test is in two of them. What of system has none of these tags is a lane, too.
alone='[enforce],[trial],[xsk],[deep]' rest=
lanes=('system:[run]' 'system:[attach],[check],[concurrent],[crash],[lifecycle],[state]'
	'system:[causes],[leak],[metrics]'
	'system:[qualify],[views],[queues],[hint]' 'shell'
	'unit:--shard-count 2 --shard-index 0' 'unit:--shard-count 2 --shard-index 1')
for lane in "${lanes[@]}" "system:$alone"; do
	[[ $lane != system:* ]] || rest+=$(sed 's/^system:/~/; s/,/~/g' <<<"$lane")
done
lanes+=("system:$rest")
# Where a lane leaves its results for who started it; tests that run this again are no lanes.
tallies=${RXAQM_TALLIES-}
again_file=${RXAQM_AGAIN-build/again}
unset RXAQM_TALLIES RXAQM_AGAIN

export PATH=$PATH:$PWD/build/daemons/bin # of packaging/unpack-daemons.sh
export RXAQM_PROFILE_PATH=$PWD/nic-profiles:$PWD/tests/simnic/profiles
export RXAQM_BIN=$PWD/build/rxaqm
export RXAQM_BUILD=$PWD/build
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

scratch=$(mktemp -d)
pids=() running=
# A lane is a session, of several process groups.
trap '[ ${#pids[@]} -eq 0 ] || pkill -s "$(IFS=,; echo "${pids[*]}")"
	[ -z "$running" ] || kill "$running"; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
touch "$scratch/all"

# Some tests run it as nobody, who may not enter a checkout below /root.
if [ -x "$RXAQM_BIN" ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups \
	env "$RXAQM_BIN" --version >/dev/null 2>&1; then
	chmod 755 "$scratch"
	cp -r "$RXAQM_BIN"{,-doctor,-qualify,-trial} nic-profiles tests/simnic/profiles "$scratch"
	chmod -R a+rX "$scratch"
	RXAQM_BIN=$scratch/rxaqm RXAQM_PROFILE_PATH=$scratch/nic-profiles:$scratch/profiles
fi

# A guest asks the host for each file, and in virtual time its timers go by meanwhile: the commands
# that tests run, and the libraries of these, in memory. Suites service and dist install their own.
if [ -n "${RXAQM_GUEST-}" ] && [[ " $* " != *" service "* && " $* " != *" dist "* ]]; then
	mkdir "$scratch/bin" "$scratch/lib"
	for tool in bash sh ip tc ethtool sysctl cat ls rm grep pgrep ps sleep taskset timeout nsenter \
		unshare mount bpftool xdp-filter xdp-loader "$RXAQM_BIN"{,-doctor,-qualify,-trial}; do
		! tool=$(command -v "$tool") || cp -L "$tool" "$scratch/bin"
	done
	cp -r nic-profiles tests/simnic/profiles "$scratch"
	ldd "$scratch"/bin/* | awk '$2 == "=>" { print $3 }' | sort -u | xargs cp -Lt "$scratch/lib"
	chmod -R a+rX "$scratch"
	export PATH=$scratch/bin:$PATH LD_LIBRARY_PATH=$scratch/lib
	RXAQM_BIN=$scratch/bin/rxaqm RXAQM_PROFILE_PATH=$scratch/nic-profiles:$scratch/profiles
fi

# bounded SECONDS COMMAND...: ended after so long, and when this is ended. While more tasks want a
# CPU than there are CPUs, time counts by the share that each of them gets, as in
# tests/support/process.hpp.
bounded()
{
	local status=0 left=$(($1 * 100)) cpus tasks

	cpus=$(nproc)
	shift
	rm -f "$scratch/late"
	timeout -k 10 0 "$@" </dev/null &
	running=$!
	(
		unset RXAQM_TALLY # no test has started what runs here
		while sleep 1 && kill -0 "$running" && ((left > 0)); do
			read -r _ _ _ tasks _ </proc/loadavg
			tasks=${tasks%/*}
			((left -= 100 * cpus / (tasks > cpus ? tasks : cpus))) || true
			((left > 0)) || { touch "$scratch/late" && kill "$running"; }
		done
	) </dev/null >/dev/null 2>&1 &
	wait "$running" || status=$?
	[ ! -e "$scratch/late" ] || status=124
	running=
	return "$status"
}

# tally RESULT NAME [REASON]: one result outside a Catch2 binary.
tally()
{
	printf '%s\t%s\t%s\n' "$1" "$2" "${3-}" >>"$RXAQM_TALLY"
}

# end_left NAME: what has been started for this suite and still runs is ended, and is a failure of
# test NAME: it would take a CPU away from what comes later. It is known by its environment,
# whatever group or session it is in; two seconds are for those that are about to end.
end_left()
{
	local pids=() variable="RXAQM_TALLY=$RXAQM_TALLY"

	for _ in {1..20}; do
		mapfile -t pids < <(unset RXAQM_TALLY
			grep -lszxF "$variable" /proc/[0-9]*/environ | cut -d / -f 3)
		[ ${#pids[@]} -gt 0 ] || return 0
		sleep 0.1
	done
	tally fail "$1" "left running: $(ps -o args= -p "${pids[*]}" | paste -sd ';')"
	kill -KILL "${pids[@]}" || true
}

count()
{
	awk -F'\t' -v result="$1" '$1 == result { n++ } END { print n + 0 }' "$2"
}

last_line()
{
	awk 'NF { line = $0 } END { print line }' "$1"
}

sum()
{
	local passed failed skipped

	passed=$(count pass "$1") failed=$(count fail "$1") skipped=$(count skip "$1")
	printf '%d passed, %d failed' "$passed" "$failed"
	[ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
	printf '\n'
}

# shellcheck source=tests/suites.sh
. tests/suites.sh

# What is pinned, locked or named in a lane meets nothing of the others.
start_lanes()
{
	local i

	for i in "${!lanes[@]}"; do
		wanted "${lanes[i]%%:*}" || continue
		# shellcheck disable=SC2016 # the inner shell expands it
		RXAQM_TALLIES=$scratch/lane$i setsid \
			unshare -m --propagation private bash -c '
			mount -t tmpfs tmpfs /run && mkdir -p /run/netns /run/lock &&
			mount -t bpf -o mode=0700 bpf /sys/fs/bpf && exec tests/run.sh "$1"' - "${lanes[i]}" \
			>"$scratch/lane$i.out" 2>&1 </dev/null &
		pids[i]=$!
	done
}

end_lanes()
{
	local i

	for i in "${!pids[@]}"; do
		wait "${pids[i]}" || true
		cat "$scratch/lane$i.out"
		if [ -s "$scratch/lane$i" ]; then
			cat "$scratch/lane$i" >>"$scratch/all"
		else
			RXAQM_TALLY=$scratch/all tally fail "${lanes[i]}" \
				"$(last_line "$scratch/lane$i.out")"
		fi
	done
	pids=()
}

# run_again SUITE: its tests that failed. They take real time on real wires, and what else the
# machine has to do may have taken a CPU away from them.
run_again()
{
	local suite=$1 binary=build/tests/$1 status=0

	[ -x "$binary" ] || return 0
	export RXAQM_TALLY=$scratch/again
	: >"$RXAQM_TALLY"
	"$binary" --list-tests --verbosity quiet |
		grep -Fxf <(awk -F'\t' '$1 == "fail" { print $2 }' "$scratch/all") |
		sed 's/[],[\\"*]/\\&/g' >"$scratch/names" || return 0
	echo "== $suite, again"
	bounded "$suite_timeout" "$binary" --reporter compact --colour-mode none \
		--input-file "$scratch/names" || status=$?
	end_left "$suite"
	awk -F'\t' -v OFS='\t' 'FILENAME == ARGV[1] { again[$2] = $1; next }
		$1 == "fail" && again[$2] == "pass" { print "again", $2, $3; $1 = "pass"; $3 = "" }
		{ print }' "$RXAQM_TALLY" "$scratch/all" >"$scratch/mended"
	mv "$scratch/mended" "$scratch/all"
}

# What needed a second try now and in the run before has failed. For the next run: what did now, and
# of those before what has not run now.
judge_again()
{
	local state=$scratch/before

	touch "$state"
	[ ! -e "$again_file" ] || cp "$again_file" "$state"
	awk -F'\t' '$1 == "again" { print $2 }' "$scratch/all" >"$scratch/now"
	{
		awk -F'\t' 'FILENAME == ARGV[1] { ran[$2]; next } !($1 in ran)' "$scratch/all" "$state"
		cat "$scratch/now"
	} >"$scratch/noted"
	cmp -s "$scratch/noted" "$state" || {
		mkdir -p "$(dirname "$again_file")" && cp "$scratch/noted" "$again_file"
	}
	grep -Fxf "$state" "$scratch/now" >"$scratch/twice" || return 0
	awk -F'\t' -v OFS='\t' 'FILENAME == ARGV[1] { twice[$1]; next }
		$1 == "again" { why[$2] = $3 }
		$1 == "pass" && $2 in twice {
			$1 = "fail"
			$3 = "it needed a second try in the run before, too: " why[$2]
		}
		{ print }' "$scratch/twice" "$scratch/all" >"$scratch/mended"
	mv "$scratch/mended" "$scratch/all"
}

wanted()
{
	[[ " ${suites[*]} " == *" $1 "* ]]
}

# None that runs in guests only, or in part.
whole_suites()
{
	local suite

	for suite in "${suites[@]}"; do
		[[ " ${all_suites[*]} " == *" $suite "* ]] || return 1
	done
}

suites=("$@")
[ $# -gt 0 ] || suites=("${all_suites[@]}")
for suite in "${suites[@]}"; do
	case " ${all_suites[*]} guest selftest dist service " in
	*" ${suite%%:*} "*) ;;
	*)
		echo "tests/run.sh: unknown suite '$suite', there are: ${all_suites[*]} guest selftest dist service" >&2
		exit 2
		;;
	esac
done

# Tests that need the bpffs skip themselves without root.
[ "$(id -u)" -ne 0 ] || packaging/mount-bpffs.sh
if [ -z "$tallies" ] && whole_suites && [ -z "${TEST_ARGS-}" ] && unshare -m true 2>/dev/null; then
	start_lanes
	for suite in bpf cli fuzz; do
		! wanted "$suite" || run_suite "$suite"
	done
	end_lanes
	! wanted xsk || run_suite xsk
	! wanted system || run_suite "system:$alone"
else
	for suite in "${suites[@]}"; do
		run_suite "$suite"
	done
fi
if [ -n "$tallies" ]; then
	mv "$scratch/all" "$tallies"
	exit
fi
for suite in xsk system guest; do
	run_again "$suite"
done
judge_again

awk -F'\t' '$1 == "again" { print "again: " $2 ": " $3 }' "$scratch/all"
awk -F'\t' '$1 == "skip" { print "skipped: " $2 ": " $3 }' "$scratch/all"
awk -F'\t' '$1 == "fail" { print "failed: " $2 ": " $3 }' "$scratch/all"
[ "$(count again "$scratch/all")" -eq 0 ] ||
	echo "$(count again "$scratch/all") needed a second try"
sum "$scratch/all"
# All skipped is not a success: nothing was tested.
[ "$(count fail "$scratch/all")" -eq 0 ] && [ "$(count pass "$scratch/all")" -gt 0 ]
