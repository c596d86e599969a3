# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# How each suite is run: run_suite. To be sourced by run.sh, which has lanes, second tries and sums.

run_catch2()
{
	local suite=$1 binary=build/tests/$1 status=0

	if ! compgen -G "tests/$suite/*.cpp" >/dev/null && ! compgen -G "tests/$suite/*/*.cpp" >/dev/null; then
		echo "no tests yet"
		return
	fi
	if [ ! -x "$binary" ]; then
		tally fail "$suite" "$binary is not built: run 'make build-test'"
		return
	fi
	# shellcheck disable=SC2086 # TEST_ARGS is a list
	bounded "$suite_timeout" "$binary" --reporter compact --colour-mode none \
		--min-duration 1 ${TEST_ARGS-} || status=$?
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		tally fail "$suite" "stopped after $suite_timeout s"
	elif [ "$(count end "$RXAQM_TALLY")" -eq 0 ]; then
		tally fail "$suite" "died with status $status after: $(tail -n 1 "$RXAQM_TALLY" | cut -f 2)"
	elif [ "$status" -ne 0 ] && [ "$(count fail "$RXAQM_TALLY")" -eq 0 ] &&
		[ "$(count pass "$RXAQM_TALLY")" -gt 0 ]; then
		tally fail "$suite" "ended with status $status"
	fi
	end_left "$suite"
}

run_shell()
{
	local script name status

	for script in tests/shell/*.sh; do
		[ -e "$script" ] || continue
		name=$(basename "$script" .sh) status=0
		bounded 600 bash "$script" >"$scratch/out" 2>&1 || status=$?
		case $status in
		0) tally pass "$name" ;;
		77) tally skip "$name" "$(last_line "$scratch/out")" ;;
		*)
			sed "s|^|$name: |" "$scratch/out"
			tally fail "$name" "status $status: $(last_line "$scratch/out")"
			;;
		esac
		end_left "$name"
	done
}

run_fuzz()
{
	local targets=() target name seconds status runs

	for target in tests/fuzz/fuzz_*.c; do
		[ ! -e "$target" ] || targets+=("$(basename "$target" .c)")
	done
	[ ${#targets[@]} -gt 0 ] || return 0
	seconds=$((fuzz_seconds / ${#targets[@]}))
	[ "$seconds" -gt 0 ] || seconds=1
	for name in "${targets[@]#fuzz_}"; do
		if [ ! -x "build/fuzz/$name" ]; then
			tally fail "fuzz $name" "build/fuzz/$name is not built: run 'make build-test'"
			continue
		fi
		status=0
		mkdir -p "build/fuzz/corpus/$name"
		set -- "build/fuzz/corpus/$name"
		[ ! -d "tests/fuzz/corpus/$name" ] || set -- "$@" "tests/fuzz/corpus/$name"
		bounded $((seconds + 120)) "build/fuzz/$name" -seed="$fuzz_seed" \
			-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix="build/fuzz/$name-" "$@" \
			>"build/fuzz/$name.log" 2>&1 || status=$?
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log")
		printf '%s: %s inputs in %s s\n' "$name" "${runs:-?}" "$seconds"
		if [ "$status" -eq 0 ]; then
			tally pass "fuzz $name"
		else
			tail -n 40 "build/fuzz/$name.log"
			tally fail "fuzz $name" "status $status, see build/fuzz/$name.log"
		fi
	done
}

# run_telling LABEL COMMAND...: one that prints "ok TEST", "not ok TEST: why", "skip TEST: why".
run_telling()
{
	local label=$1 status=0 result rest shown

	shift
	mkfifo "$scratch/pipe"
	tee "$scratch/out" <"$scratch/pipe" &
	shown=$!
	bounded "$suite_timeout" "$@" >"$scratch/pipe" 2>&1 || status=$?
	end_left "$label"
	wait "$shown"
	rm "$scratch/pipe"
	while read -r result rest; do
		case $result in
		ok) tally pass "$label: $rest" ;;
		skip) tally skip "$label: ${rest%%:*}" "${rest#*: }" ;;
		not) rest=${rest#ok } && tally fail "$label: ${rest%%:*}" "${rest#*: }" ;;
		esac
	done <"$scratch/out"
	if [ "$status" -ne 0 ] && [ "$(count fail "$RXAQM_TALLY")" -eq 0 ]; then
		tally fail "$label" "ended with status $status: $(last_line "$scratch/out")"
	fi
}

run_selftest()
{
	run_telling "simnic's own" tests/simnic/selftest.sh "${RXAQM_SIMNIC:?the module}" build/simnic
}

run_dist()
{
	local status=0

	bounded "$suite_timeout" tests/fresh/dist.sh "build/dist/rxaqm-$(cat VERSION)-linux-$(dpkg --print-architecture).tar.gz" \
		>"$scratch/out" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		tally pass dist
	else
		cat "$scratch/out"
		tally fail dist "status $status: $(last_line "$scratch/out")"
	fi
	end_left dist
}

run_service()
{
	# shellcheck disable=SC2086 # TEST_ARGS is a list
	run_telling service tests/service/service.sh \
		build/service/{rxaqm,newer,other}.deb ${TEST_ARGS-}
}

run_suite()
{
	local suite=${1%%:*} started=$SECONDS
	local TEST_ARGS=${TEST_ARGS-}

	[[ $1 != *:* ]] || TEST_ARGS=${1#*:}
	export RXAQM_TALLY=$scratch/$suite
	: >"$RXAQM_TALLY"
	echo "== $suite"
	case $suite in
	shell) run_shell ;;
	fuzz) run_fuzz ;;
	selftest) run_selftest ;;
	service) run_service ;;
	dist) run_dist ;;
	*) run_catch2 "$suite" ;;
	esac
	echo "== $suite: $(sum "$RXAQM_TALLY") ($((SECONDS - started)) s)"
	cat "$RXAQM_TALLY" >>"$scratch/all"
}
