#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The demo: an overloaded receiving CPU, first without rxaqm, then with it, once for a
# NIC's ring and once for a CPU's backlog. What it claims is checked: exit status 0 says
# that it was so, 1 that it was not, 75 that the machine had too little undisturbed time to tell.
# docs/measurements.md explains it. Needs root and about a minute.
#
#   demo.sh [ring|backlog]...
#
# Leaves build/demo.svg, build/demo.png and the measurements in build/demo/.

set -euo pipefail

demo_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$demo_dir/../.." && pwd)
build=$root/build
out=$build/demo
rxaqm=${RXAQM:-$build/rxaqm}

# shellcheck source=tests/rig/rig.sh
source "$root/tests/rig/rig.sh"

# Seconds.
quiet=6
settle_before=4
settle_after=3
undisturbed=6 # each window has so much time in which nothing else took the receiving CPU,
limit=60      # or ends after that

# A round of the ring's NAPI takes 64 x 30 us = 1.9 ms, and the ring ends at 7.7 ms: two rounds,
# which would be derived, are half of it. The backlog has room for what is derived.
declare -A mode=([ring]=native [backlog]=generic)
declare -A policy=([ring]="target=2ms" [backlog]="target=auto")
declare -A title=(
	[ring]="A NIC's ring, 256 entries"
	[backlog]="A CPU's backlog, 4096 packets"
)

say()
{
	printf '\n%s\n' "$*"
}

# Traps have to wait for commands in the foreground, but not for these.
run()
{
	local pid

	"$@" &
	pid=$!
	rig_note_process "$pid"
	wait "$pid"
}

rxaqm_run()
{
	"$rxaqm" --netns "$RIG_DST" "$@"
}

# top SECONDS: what an operator sees, less the CPUs that have no queue.
top()
{
	run "$rxaqm" --netns "$RIG_DST" top -n $(($1 / 2)) -i 2s "$RIG_RECV_IF" > >(sed -u "/ none /d; s/^/  /")
}

# CLOCK_MONOTONIC in seconds.
now()
{
	rig_clock show | awk '{ printf "%.6f\n", $2 / 1e9 }'
}

# snapshot NAME: all cumulative figures at this moment.
snapshot()
{
	jq -n --argjson time "$(now)" \
		--argjson cost_ns "$(rig_burn show | cut -d" " -f2)" \
		--slurpfile hist <(rxaqm_run -j hist "$RIG_RECV_IF") \
		--slurpfile status <(rxaqm_run -j status "$RIG_RECV_IF") \
		'{time: $time, cost_ns: $cost_ns, hist: $hist[0], status: $status[0]}' >"$dir/$1.json"
}

# measure NAME: one window, watched.
measure()
{
	local map truth top

	map=$(rig_clock show | sed 's/.* map //')
	snapshot "$1-begin"
	ip netns exec "$RIG_WIRE" "$RIG_BIN/truth" "$kind" "$RIG_RECV_IF" "$map" \
		"/sys/class/net/$RIG_SEND_IF/statistics/tx_dropped" \
		$((undisturbed * 1000)) $((limit * 1000)) >"$dir/$1-truth.json" &
	truth=$!
	rig_note_process "$truth"
	"$rxaqm" --netns "$RIG_DST" top -n "$limit" -i 2s "$RIG_RECV_IF" > >(sed -u "/ none /d; s/^/  /") &
	top=$!
	rig_note_process "$top"
	wait "$truth"
	kill "$top" 2>/dev/null || true
	wait "$top" || true
	snapshot "$1-end"
}

# A few packets let rxaqm learn the NIC's clock, as any NIC has seen before it is overloaded.
quiet_traffic()
{
	local seconds=$quiet dir=$dir/quiet

	mkdir -p "$dir"
	rig_clients=() rig_servers=()
	rig_flow quiet "$RIG_TCP_ADDR" 5204 -u -b 8M -l 1448
}

# Samples of the sojourn over time, for the picture.
start_sampling()
{
	"$rxaqm" --netns "$RIG_DST" top -j -i 100ms -n $((3 * limit * 10)) "$RIG_RECV_IF" >"$dir/samples.json" &
	sampler=$!
	rig_note_process "$sampler"
}

demonstrate()
{
	local kind=$1 dir=$out/$1 sampler

	mkdir -p "$dir"
	say "== ${title[$kind]} (${mode[$kind]} XDP, $(rig_cost "$kind") a packet)"
	rig_up "$kind"
	rxaqm_run attach --mode "${mode[$kind]}" --profile "$root/tests/rig/veth-simclock.conf" \
		"$RIG_RECV_IF" mode=observe "${policy[$kind]}"
	[[ $kind == backlog ]] || rig_pin

	say "A quiet network"
	quiet_traffic
	top "$quiet"
	rig_traffic_wait

	say "Overload, rxaqm observes: the queue stands"
	start_sampling
	now >"$dir/flows-start"
	rig_traffic_start "$dir" $((3 * limit))
	run sleep "$settle_before"
	measure before

	say "Overload, rxaqm enforces ${policy[$kind]}"
	now >"$dir/enforced"
	rxaqm_run policy set "$RIG_RECV_IF" mode=enforce
	run sleep "$settle_after"
	measure after

	kill "$sampler"
	wait "$sampler" || true
	rig_traffic_stop
	rxaqm_run detach "$RIG_RECV_IF"
	rig_end
	summarise
}

summarise()
{
	local name

	for name in tcp-ecn tcp udp; do
		jq -n --arg name "$name" --argjson start "$(<"$dir/flows-start")" \
			--slurpfile server "$dir/$name.server" \
			'{($name): {start: $start, server: $server[0]}}'
	done | jq -s add >"$dir/flows.json"
	for name in before after; do
		jq -n -L "$demo_dir" --slurpfile a "$dir/$name-begin.json" --slurpfile b "$dir/$name-end.json" \
			--slurpfile flows "$dir/flows.json" --slurpfile truth "$dir/$name-truth.json" \
			"include \"demo\"; {$name: window(\$a[0]; \$b[0]; \$flows[0]; \$truth[0])}"
	done | jq -s -L "$demo_dir" --arg kind "$kind" --slurpfile last "$dir/after-end.json" \
		--argjson need "$undisturbed" \
		'include "demo"; add + {kind: $kind, target_ns: ($last[0] | target_ns), need: $need}' >"$dir/result.json"
	# Seconds since rxaqm began to enforce, median and 99th percentile in ms.
	jq -r --argjson zero "$(<"$dir/enforced")" '.time_ns as $t | .queues[]
		| select(.sojourn_p50_ns > 0)
		| [$t / 1e9 - $zero, .sojourn_p50_ns / 1e6, .sojourn_p99_ns / 1e6] | @tsv' \
		"$dir/samples.json" >"$dir/samples.tsv"
}

draw()
{
	local kind terminal says="Time in the queue of an overloaded CPU, without and with rxaqm"

	for kind in "${kinds[@]}"; do
		jq -r -L "$demo_dir" --arg title "${title[$kind]}" 'include "demo"; .target_ns / 1e6, $title,
			(.before, .after | in_picture)' "$out/$kind/result.json" >"$out/$kind/words.txt"
		says+=". ${title[$kind]}: $(sed -n '3,4s/,.*//p' "$out/$kind/words.txt" | paste -sd '|' |
			sed 's/|median/ and/')"
	done
	for terminal in svg png; do
		gnuplot -c "$demo_dir/demo.gnuplot" "$terminal" "$build/demo.$terminal" "${kinds[@]/#/$out/}"
	done
	# What is read aloud, and shown where the pointer is.
	sed -i -e "s|<title>Gnuplot</title>|<title>$says.</title>|" -e 's|^<svg |&role="img" |' "$build/demo.svg"
}

# A machine that has no time for it is no finding about rxaqm, and no proof either.
readonly EX_DISTURBED=75 # EX_TEMPFAIL of sysexits.h

report()
{
	local kind status=0 ok text

	for kind in "${kinds[@]}"; do
		say "$(jq -r -L "$demo_dir" 'include "demo"; table' "$out/$kind/result.json")"
	done
	say "Checks"
	for kind in "${kinds[@]}"; do
		while IFS=$'\t' read -r ok text; do
			case $ok in
			true) printf '  ok    %s: %s\n' "$kind" "$text" ;;
			false) printf '  FAIL  %s: %s\n' "$kind" "$text" && status=1 ;;
			*) printf '  miss  %s: %s\n' "$kind" "$text" && ((status)) || status=$EX_DISTURBED ;;
			esac
		done < <(jq -r -L "$demo_dir" 'include "demo"; checks | [.ok, .text] | @tsv' \
			"$out/$kind/result.json")
	done
	((status != EX_DISTURBED)) || say "Not proved: the machine was busy with other things; try again"
	return "$status"
}

main()
{
	local tool kind

	kinds=("$@")
	(($#)) || kinds=(ring backlog)
	for kind in "${kinds[@]}"; do
		[[ -n ${mode[$kind]:-} ]] || rig_die "what is $kind? There are ring and backlog"
		rig_check_kind "$kind"
	done
	rig_check
	for tool in gnuplot awk sed; do
		command -v "$tool" >/dev/null || rig_die "needs $tool"
	done
	[[ -x $rxaqm ]] || rig_die "$rxaqm is missing: run 'make build-demo'"

	rig_begin rig_end
	rm -rf "$out"
	mkdir -p "$out"
	for kind in "${kinds[@]}"; do
		demonstrate "$kind"
	done
	draw
	report
	say "Pictures: build/demo.svg build/demo.png"
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || main "$@"
