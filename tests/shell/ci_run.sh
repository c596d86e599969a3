#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# .ci/run: what its steps say is added up, and nothing that went wrong ends as "0 failed".
set -euo pipefail
cd "$(dirname "$0")/../.."
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{.ci,bin,says,tests/vm}
cp .ci/run "$tree/.ci"
cp tests/vm/lib.sh "$tree/tests/vm"
# A step says what @tree/says/TARGET does.
cat >"$tree/bin/make" <<'END_MAKE'
#!/bin/bash
echo "$*" >>"$TREE/made"
[ ! -e "$TREE/says/$1" ] || . "$TREE/says/$1"
[ "$1" = demo ] || echo "${sum:-5 passed, 0 failed}"
END_MAKE
chmod +x "$tree/bin/make"

# expect STATUS LINES [ARGUMENT]: these are the last lines.
expect()
{
	local status=0 out

	rm -f "$tree/made"
	TREE=$tree PATH=$tree/bin:$PATH timeout 60 "$tree/.ci/run" "${@:3}" >"$tree/out" 2>&1 || status=$?
	out=$(cat "$tree/out")
	rm -f "$tree"/says/*
	[[ $status -ne $1 || $(tail -n "$(wc -l <<<"$2")" <<<"$out") != "$2" ]] || return 0
	printf 'want status %d and:\n%s\ngot %d and:\n%s\n' "$1" "$2" "$status" "$out"
	exit 1
}

expect 0 '15 passed, 0 failed'
[ "$(sort "$tree/made" | paste -sd ,)" = demo,fresh,test,test-vm ]
expect 0 '15 passed, 0 failed' all
[ "$(sort "$tree/made" | paste -sd ,)" = 'demo,fresh STAGE=all,test,test-vm LONG=1' ]
echo 'sum="4 passed, 0 failed, 2 skipped"' >"$tree/says/test"
expect 0 '14 passed, 0 failed, 2 skipped'
echo 'echo 4 passed, 1 failed; exit 1' >"$tree/says/test"
expect 1 'failed: make test: status 1
failed: make test: 4 passed, 1 failed
14 passed, 1 failed'
# What failed is named at the end, in order, and so are the tests of a stage of fresh.
echo 'echo "13 suites: failed: deb: why"; echo "failed: Debian 13: suites"; exit 2' >"$tree/says/fresh"
echo 'echo "failed: law: why"; echo 4 passed, 1 failed; exit 2' >"$tree/says/test"
expect 1 '13 suites: failed: deb: why
failed: Debian 13: suites
failed: make fresh: status 2
failed: make fresh: 0 passed, 1 failed
failed: law: why
failed: make test: status 2
failed: make test: 4 passed, 1 failed
9 passed, 2 failed'
echo 'echo "the queue stood"; exit 3' >"$tree/says/demo"
expect 1 'failed: make demo: status 3
demo: the queue stood
15 passed, 1 failed'
echo 'sum="nothing to add"' >"$tree/says/test-vm"
expect 1 'failed: make test-vm: 0 passed, 1 failed
10 passed, 1 failed'
# So are the tests of guests that had ended when the run was.
echo 'echo "not ok: 6.1 kernel: swap: why"; exit 2' >"$tree/says/test-vm"
expect 1 'failed: 6.1 kernel: swap: why
failed: make test-vm: status 2
failed: make test-vm: 0 passed, 1 failed
10 passed, 1 failed'
# What passed in a second run has not failed.
echo 'echo "not ok: 6.1 kernel: swap: why"' >"$tree/says/test-vm"
expect 0 '15 passed, 0 failed'
# Four second tries are accepted, wherever they were, and named; more are not.
# shellcheck disable=SC2016,SC2028 # the step expands it
echo 'printf "again: %s: slow\nskipped: one: no\n2 needed a second try\n" "$1"' |
	tee "$tree/says/test" >"$tree/says/test-vm"
expect 0 'again: test: slow
again: test-vm: slow
4 needed a second try
15 passed, 0 failed'
echo 'echo 5 needed a second try' >"$tree/says/test"
expect 1 '5 needed a second try
failed: second tries: 5, more than 4
15 passed, 1 failed'
# What a step leaves behind keeps its output open: the run does not wait for that.
# shellcheck disable=SC2016 # the step expands it
echo 'sleep 300 & echo $! >"$TREE/left"' >"$tree/says/test"
expect 0 '15 passed, 0 failed'
kill "$(cat "$tree/left")"
