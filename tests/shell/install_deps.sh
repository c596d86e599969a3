#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# install-deps.sh: silent when nothing is missing, one line and a code of its own otherwise.
set -euo pipefail
cd "$(dirname "$0")/../.."
script=packaging/install-deps.sh

[ -z "${RXAQM_NO_DEPS-}" ] || { echo "RXAQM_NO_DEPS is set" && exit 77; }

# They are there: make test has just installed them.
out=$($script build test 2>&1)
[ -z "$out" ] || { echo "not silent: $out" && exit 1; }

status=0
out=$($script nonsense 2>&1) || status=$?
[[ $status -eq 2 && $out == *"unknown group 'nonsense'"* ]]

# Each group that the Makefile asks for is known.
mapfile -t groups < <(sed -n 's|.*packaging/install-deps.sh \([a-z ]*\)$|\1|p' Makefile | tr ' ' '\n' | sort -u)
[ ${#groups[@]} -ge 4 ]
$script -n "${groups[@]}" >/dev/null

# Without dpkg: a list to install by hand.
status=0
out=$(PATH=/nonexistent "$(command -v bash)" -c '
	tr() { echo gcc; }
	sort() { while read -r _; do :; done; echo gcc; } # all of it, or the writer gets SIGPIPE
	. packaging/install-deps.sh build' 2>&1) || status=$?
[[ $status -eq 3 && $out == *gcc* ]]
