#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does other load mislead qualify? tests/eval/qualify_beside.sh [RUNS [ROWS]] has it measure a veth
# RUNS times (8) as the host is, and RUNS times beside a busy loop on each CPU, and counts the
# verdicts of each row. A row that says something beside the loops that no run without them says,
# and is not "unknown", is a contradiction: status 1. BUILD names where the programs are (build).
set -euo pipefail
runs=${1:-8} rows=${2:-Q4,Q8,Q9,Q10,Q1,Q12,Q16,Q13,Q15,Q17,Q14,Q11}
build=$(realpath "${BUILD:-$(dirname "$0")/../../build}")
profiles=$(realpath "$(dirname "$0")/../../nic-profiles")
made=$(mktemp -d)

[ -n "${QUALIFY_BESIDE-}" ] || QUALIFY_BESIDE=1 exec unshare -nm "$0" "$@"
mount -t tmpfs none /run
mount -t bpf none /sys/fs/bpf
ip netns add other
ip link add veth0 type veth peer name veth1 netns other
ip link set veth0 up
ip -n other link set veth1 up

loops=()
end()
{
	[ ${#loops[@]} -eq 0 ] || kill "${loops[@]}" || true
	rm -rf "$made"
}
trap end EXIT

# measure BESIDE RUN
measure()
{
	RXAQM_PROFILE_PATH=$profiles RXAQM_BIN=$build/rxaqm "$build/rxaqm-qualify" veth0 \
		--loopback other/veth1 --rows "$rows" --out "$made/$1-$2.json" \
		>"$made/$1-$2.out" 2>&1 || true
	[ -s "$made/$1-$2.json" ] || { cat "$made/$1-$2.out" >&2 && exit 2; }
}

for ((run = 1; run <= runs; run++)); do
	measure quiet "$run"
done
for cpu in $(seq 0 $(($(nproc --all) - 1))); do
	taskset -c "$cpu" sh -c 'while :; do :; done' 2>"$made/loop" &
	loops+=($!)
done
for ((run = 1; run <= runs; run++)); do
	measure busy "$run"
done

[ -z "${KEEP-}" ] || cp "$made"/*.json "$made"/*.out "$KEEP"
jq -n -r '
	def count: group_by(.verdict) | map("\(length) \(.[0].verdict)") | join(", ");
	[inputs | (input_filename | split("/")[-1] | split("-")[0]) as $beside |
		.rows[] | {id, verdict, why, beside: $beside}] | group_by(.id) | map(
		(map(select(.beside == "quiet"))) as $quiet | (map(select(.beside == "busy"))) as $busy |
		($quiet | map(.verdict)) as $said |
		($busy | map(select(.verdict != "unknown" and ($said | any(. != "unknown")) and
			(.verdict as $v | $said | index($v) | not)))) as $against |
		["\(.[0].id)\tquiet: \($quiet | count)\tbusy: \($busy | count)",
			($against[] | "  contradicts: \(.verdict): \(.why)")]) |
	flatten | .[]' "$made"/*.json | tee "$made/result"
! grep -q '^  contradicts' "$made/result"
