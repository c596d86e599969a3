#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/run.sh: nothing that went wrong may end as "0 failed", and nothing is left running.
set -euo pipefail
cd "$(dirname "$0")/../.."
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{packaging,build/tests,tests/{unit,bpf}}
cp tests/run.sh tests/suites.sh "$tree/tests"
touch "$tree/tests/bpf/test.cpp"
printf '#!/bin/sh\n' | tee "$tree/packaging/mount-bpffs.sh" >"$tree/build/tests/bpf"
chmod +x "$tree/packaging/mount-bpffs.sh" "$tree/build/tests/bpf"

# expect STATUS SUM: with a test binary that does what standard input says.
expect()
{
	local status=0 out

	{ echo '#!/bin/sh' && cat; } >"$tree/build/tests/bpf"
	out=$("$tree/tests/run.sh" bpf 2>&1) || status=$?
	[[ $status -ne $1 || $(tail -n 1 <<<"$out") != "$2" ]] || return 0
	echo "want status $1 and '$2', got $status and:"
	echo "$out"
	exit 1
}

expect 0 '2 passed, 0 failed' <<-'END'
	printf 'pass\ta\t\npass\tb\t\nend\n' >>"$RXAQM_TALLY"
END
expect 0 '1 passed, 0 failed, 1 skipped' <<-'END'
	printf 'pass\ta\t\nskip\tb\twhy\nend\n' >>"$RXAQM_TALLY"
END
expect 1 '1 passed, 1 failed' <<-'END'
	printf 'pass\ta\t\nfail\tb\twhy\nend\n' >>"$RXAQM_TALLY"; exit 1
END
# Killed on the way; ended with an error that no test had; said nothing at all.
expect 1 '1 passed, 1 failed' <<-'END'
	printf 'pass\ta\t\n' >>"$RXAQM_TALLY"; kill -SEGV $$
END
expect 1 '1 passed, 1 failed' <<-'END'
	printf 'pass\ta\t\nend\n' >>"$RXAQM_TALLY"; exit 66
END
expect 1 '0 passed, 1 failed' <<-'END'
	exit 0
END
# What is still running when a suite is done is ended, and is a failure.
expect 1 '1 passed, 1 failed' <<-'END'
	printf 'pass\ta\t\nend\n' >>"$RXAQM_TALLY"; sleep 300 & echo $! >left
END
if grep -q sleep "/proc/$(cat "$tree/left")/cmdline" 2>/dev/null; then
	echo "what a suite leaves running is not ended" && exit 1
fi
# Nothing but skips is no success.
expect 1 '0 passed, 0 failed, 1 skipped' <<-'END'
	printf 'skip\tb\twhy\nend\n' >>"$RXAQM_TALLY"; exit 4
END

rm "$tree/build/tests/bpf"
status=0
out=$("$tree/tests/run.sh" bpf 2>&1) || status=$?
[[ $status -eq 1 && $(tail -n 1 <<<"$out") == '0 passed, 1 failed' ]]
status=0
"$tree/tests/run.sh" nonsense 2>/dev/null || status=$?
[ "$status" -eq 2 ]

# What takes real time is run once more, whatever its name, and it is told; what fails twice, or
# cannot be run, has failed.
mkdir "$tree/tests/xsk"
touch "$tree/tests/xsk/test.cpp"
for REAL in build/tests/{cli,unit,xsk} ''; do
	[ ! -x "$REAL" ] || break
done
[ -n "$REAL" ] || { echo "no Catch2 test is built: run 'make build-test'" && exit 77; }
export REAL=$PWD/$REAL
NAME=$("$REAL" --list-tests --verbosity quiet | awk '/,/ && !found { print; found = 1 }')
export NAME
cat >"$tree/build/tests/xsk" <<-'END'
	#!/bin/sh
	case "$*" in
	*--list-tests*) exec "$REAL" "$@" ;;
	*--input-file*)
		shift $(($# - 1))
		"$REAL" --list-tests --verbosity quiet --input-file "$1" | sed 's/.*/pass\t&\t/' >>"$RXAQM_TALLY"
		;;
	*) printf 'fail\t%s\tslow\nfail\tthree\tbad\npass\tfour\t\nend\n' "$NAME" >>"$RXAQM_TALLY" ;;
	esac
	exit 1
END
chmod +x "$tree/build/tests/xsk"

# xsk STATUS LINES: the last lines.
xsk()
{
	local status=0 out

	out=$("$tree/tests/run.sh" xsk 2>&1) || status=$?
	[[ $status -ne $1 || $(tail -n "$(wc -l <<<"$2")" <<<"$out") != "$2" ]] || return 0
	echo "want status $1 and '$2', got $status and:"
	echo "$out"
	exit 1
}

xsk 1 "again: $NAME: slow
failed: three: bad
1 needed a second try
2 passed, 1 failed"
# So it is once only: in the next run that is a failure.
sed -i 's/fail.tthree.tbad.n//; s/^exit 1$/exit 0/' "$tree/build/tests/xsk"
failed="again: $NAME: slow
failed: $NAME: it needed a second try in the run before, too: slow
1 needed a second try
1 passed, 1 failed"
xsk 1 "$failed"
xsk 1 "$failed"
# What was not run meanwhile is not forgotten; what passed at once is.
touch "$tree/build/tests/bpf"
chmod +x "$tree/build/tests/bpf"
expect 0 '1 passed, 0 failed' <<-'END'
	printf 'pass\ta\t\nend\n' >>"$RXAQM_TALLY"
END
xsk 1 "$failed"
cp "$tree/build/tests/xsk" "$tree/slow"
sed -i 's/fail.t%s.tslow/pass\\t%s\\t/' "$tree/build/tests/xsk"
xsk 0 "2 passed, 0 failed"
cp "$tree/slow" "$tree/build/tests/xsk"
xsk 0 "again: $NAME: slow
1 needed a second try
2 passed, 0 failed"
rm "$tree/build/again"
sed -i 's/| sed/| sed d; false \&\&/' "$tree/build/tests/xsk"
xsk 1 '1 passed, 1 failed'

# ends NR SUITE...: who ends it, when NR of its commands run, ends them all.
ends()
{
	local nr=$1 ended i started left='' status=0

	shift
	rm -f "$tree"/started/*
	(cd "$tree" && RXAQM_SIMNIC=none exec setsid tests/run.sh "$@") >/dev/null 2>&1 &
	ended=$!
	for ((i = 0; i < 600; i++)); do
		[ "$(find "$tree/started" -type f | wc -l)" -lt "$nr" ] || break
		sleep 0.1
	done
	kill "$ended"
	for started in "$tree"/started/*; do
		started=${started##*/}
		timeout 20 tail -f /dev/null --pid="$started" || left="$left $started"
	done
	if [ -n "$left" ]; then
		echo "what a lane or a suite ($*) ran is not ended with it"
		# shellcheck disable=SC2086 # a list
		kill $left
		exit 1
	fi
	wait "$ended" || status=$?
	[ "$status" -eq 130 ]
}

mkdir -p "$tree/started" "$tree"/tests/{system,simnic}
touch "$tree"/tests/{system,unit}/test.cpp
cat >"$tree/build/tests/system" <<-'END'
	#!/bin/sh
	touch "started/$$"
	exec sleep 300
END
cp "$tree/build/tests/system" "$tree/build/tests/unit"
cp "$tree/build/tests/system" "$tree/tests/simnic/selftest.sh"
chmod +x "$tree"/build/tests/{system,unit} "$tree/tests/simnic/selftest.sh"
ends 1 selftest
unshare -m true 2>/dev/null || { echo "no right to mount namespaces: lanes not tried" && exit 77; }
ends "$(grep -oE "'(system|unit):" "$tree/tests/run.sh" | wc -l)" unit system
