#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The demo's checks: what each of them needs to be ok, and that nothing is called shown that is not.
set -euo pipefail
cd "$(dirname "$0")/../.."

# What was found on a machine that had nothing else to do.
# shellcheck disable=SC2016 # jq expands it
good='{
	kind: $kind, target_ns: 1000000, need: 6,
	before: {truth: {undisturbed_s: 6.02, seconds: 6.1, p50_ns: 6700000, p99_ns: 8300000, overflow: 300, overflow_all: 300},
		goodput_tcp: 256e6, marks: 0, drops: 0},
	after: {truth: {undisturbed_s: 6.01, seconds: 7.5, packets: 200000, p50_ns: 1000000,
			p99_ns: 3200000, overflow: 200, overflow_all: 900},
		goodput_tcp: 250e6, goodput: {tcp: 140e6, "tcp-ecn": 110e6, udp: 80e6}, marks: 100, drops: 100}
}'

# verdicts KIND CHANGE: what is made of it, in a row.
verdicts()
{
	jq -rn -L tests/demo --arg kind "$1" "include \"demo\"; $good | $2 | [checks | .ok] | join(\" \")"
}

# expect VERDICTS KIND CHANGE
expect()
{
	local got

	got=$(verdicts "$2" "$3")
	[ "$got" = "$1" ] || { echo "$2, $3: want '$1', got '$got'" && exit 1; }
}

for kind in ring backlog; do
	expect "true true true true true true" $kind .
	expect "false true true true true true" $kind '.after.truth.p50_ns = 5e6'
	expect "false true true true true true" $kind '.after.truth.p50_ns = 0'
	expect "true false true true true true" $kind '.after.truth.p99_ns = 9e6'
	# What overflowed while something else had the CPU is not held against rxaqm; of the rest
	# no more than a sender is allowed that was held up.
	expect "true true true true true true" $kind '.after.truth.overflow_all = 5000'
	expect "true true false true true true" $kind '.after.truth.overflow = 201'
	expect "true true true false true true" $kind '.after.goodput_tcp = 200e6'
	expect "true true true true false true" $kind '.after.goodput = {tcp: 180e6, "tcp-ecn": 70e6}'
	expect "true true true true false true" $kind '.after.goodput = {tcp: 80e6, "tcp-ecn": 170e6}'
	expect "true true true true false true" $kind '.after.goodput = {tcp: 0, "tcp-ecn": 0}'
	expect "true true true true true false" $kind '.before.drops = 1'
	expect "true true true true true false" $kind '.after.marks = 0'
	# Too little undisturbed time proves nothing, and does not excuse drops while it observes.
	expect " true" $kind '.after.truth.undisturbed_s = 5.9'
	expect " true" $kind '.before.truth.undisturbed_s = 5.9 | .after.goodput_tcp = 0'
	expect " false" $kind '.after.truth.undisturbed_s = 0 | .before.drops = 1'
done
expect "true true false true true true" ring '.before.truth.overflow_all = 0'
expect "true true true true true true" backlog '.before.truth.overflow_all = 0'

# The picture says what it shows, in its title and at each half.
command -v gnuplot >/dev/null || { echo "no gnuplot: the picture is not drawn" && exit; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/demo/demo.sh
(
	source tests/demo/demo.sh
	build=$scratch out=$scratch/demo kinds=(ring backlog)
	for kind in "${kinds[@]}"; do
		mkdir -p "$out/$kind"
		printf '%s\t%s\t%s\n' -2 6.5 8 -1 6.7 8.1 0 1 3 1 0.9 2.5 >"$out/$kind/samples.tsv"
		jq -n --arg kind "$kind" "$good | .before += {p50_ns: 88800000, p99_ns: 115000000}
			| .after += {p50_ns: 3600000, p99_ns: 6100000}" >"$out/$kind/result.json"
	done
	draw
)
halves="A NIC's ring, 256 entries: median 88.8 ms and 3.6 ms. A CPU's backlog, 4096 packets: median 88.8 ms and 3.6 ms."
for text in "<title>Time in the queue of an overloaded CPU, without and with rxaqm. $halves</title>" \
	'>median 88.8 ms, p99 115 ms<' '>median 3.6 ms, p99 6.1 ms<' '>target 1 ms<' 'fill="#ffffff"'; do
	[[ $(<"$scratch/demo.svg") == *"$text"* ]] || { echo "the picture does not say: $text" && exit 1; }
done
[ "$(grep -c '>median 88.8 ms, p99 115 ms<' "$scratch/demo.svg")" -eq 2 ]
[ -s "$scratch/demo.png" ]
