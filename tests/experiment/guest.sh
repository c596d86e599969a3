#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The experiment, inside a guest: one overloaded CPU behind a ring of 4096 entries, many DCTCP
# flows with some CUBIC among them, that fill the ring with data (load rx) or, as storage does,
# with the ACKs of what the host sends (load tx); with its own or a shared completion queue.
# Each run is observed, then enforced as the original did, then by the default law.
# docs/measurements.md.
#
#   guest.sh MODULE OUT_DIR [DESIGN-LOAD]...
#
# Leaves in OUT_DIR for each run and phase what `rxaqm top` printed, and measurements as JSON.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
module=${1:?the built simnic.ko}
out=${2:?a directory for the results}
shift 2
rxaqm=${RXAQM_BIN:-$root/build/rxaqm}
export RXAQM_PROFILE_PATH=${RXAQM_PROFILE_PATH:-$root/nic-profiles:$root/tests/simnic/profiles}

# shellcheck source=tests/simnic/overload.sh
source "$root/tests/simnic/overload.sh"

# Seconds.
readonly settle=${EXPERIMENT_SETTLE:-3} window=${EXPERIMENT_WINDOW:-4}

# A packet's cost on the overloaded CPU, on top of what the emulated CPU takes itself, is such
# that the other CPU can offer more; a poll takes as long as one of 64 packets of 20 us. Where ACKs
# take five times that, 16 flows have one as often as 64 have there. Flows: DCTCP and CUBIC.
declare -A cost_ns=([rx]=${EXPERIMENT_RX_COST_NS:-50000} [tx]=${EXPERIMENT_TX_COST_NS:-100000})
declare -A weight=([rx]=24 [tx]=12) ring_size=([rx]=4096 [tx]=2048)
declare -A dctcp_flows=([rx]=24 [tx]=12) cubic_flows=([rx]=8 [tx]=4)
declare -A port=([dctcp]=5300 [cubic]=5301)
# What the original experiment did: step marking at 10 ms.
readonly policy="preset=meta2022"
# The default law, and its default target.
readonly default_policy=(law=auto target=auto ce_threshold=off)
readonly phases="observe enforce law"

cleanup()
{
	end_processes
	"$rxaqm" detach --all >/dev/null 2>&1 || true
	remove_pair
}

# build_network DESIGN LOAD
build_network()
{
	build_pair "$module" "${cost_ns[$2]}"
	set_nic "$host_if" napi_weight "${weight[$2]}"
	ethtool -G "$host_if" rx "${ring_size[$2]}"
	[[ $1 != shared ]] || ethtool --set-priv-flags "$host_if" shared-cq on
	[[ $2 != tx ]] || acknowledge_each
}

# A few packets let rxaqm learn the NIC's clock, as any NIC has seen before it is overloaded.
quiet_traffic()
{
	iperf3 -s -1 -p 5299 >/dev/null &
	processes+=($!)
	sleep 0.5
	in_client iperf3 -c "$host_addr" -p 5299 -u -b 4M -l 500 -t "$settle" >/dev/null
}

await_listener()
{
	local tries

	for ((tries = 0; tries < 100; tries++)); do
		[[ -z $(ss -Hltn "sport = :$1") ]] || return 0
		sleep 0.2
	done
	echo "experiment: nobody listens at port $1" >&2
	return 1
}

# start_flows LOAD: until they are ended. They are nice, or the CPU they fill would have no time
# for those who measure.
start_flows()
{
	local class reverse=()

	[[ $1 != tx ]] || reverse=(-R)
	for class in dctcp cubic; do
		taskset -c "$client_cpu" nice iperf3 -s -1 -p "${port[$class]}" >/dev/null &
		processes+=($!)
	done
	for class in dctcp cubic; do
		await_listener "${port[$class]}"
	done
	for class in dctcp cubic; do
		ip netns exec client taskset -c "$client_cpu" nice iperf3 -c "$(address_for "$class")" \
			-p "${port[$class]}" -C "$class" -P "$(flows_of "$class" "$1")" -t 3600 \
			-i 0 "${reverse[@]}" >"$dir/$class.log" 2>&1 &
		processes+=($!)
	done
}

flows_of()
{
	case $1 in
	dctcp) echo "${dctcp_flows[$2]}" ;;
	cubic) echo "${cubic_flows[$2]}" ;;
	esac
}

# goodput_bytes CLASS: that the host's sockets of a class have received, or sent and seen
# acknowledged, as ss has it.
goodput_bytes()
{
	ss -tinH state established "sport = :${port[$1]}" |
		awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^bytes_(received|acked):/) {
			sub(/.*:/, "", $i); sum += $i } } END { printf "%d", sum }'
}

# truth KEY: of the time packets truly waited in the host's ring, in ns.
truth()
{
	awk -v key="$1" '{ for (i = 1; i < NF; i++) if ($i == key) { print $(i + 1); exit } }' \
		"$debug/$host_if/truth"
}

# All that is counted, at this moment.
snapshot()
{
	jq -n --argjson time "$(cut -d" " -f1 /proc/uptime)" \
		--argjson nic "$(ethtool -S "$host_if" | jq -R -s 'split("\n") | map(capture("^ *(?<key>\\S+): (?<value>[0-9]+)$")) | map({key, value: (.value | tonumber)}) | from_entries')" \
		--argjson dctcp "$(goodput_bytes dctcp)" --argjson cubic "$(goodput_bytes cubic)" \
		--slurpfile status <("$rxaqm" -j status "$host_if") \
		'{time: $time, nic: $nic, bytes: {dctcp: $dctcp, cubic: $cubic}, status: $status[0]}'
}

# measure PHASE
measure()
{
	snapshot >"$dir/$1-begin.json"
	echo 1 >"$debug/$host_if/truth_reset"
	"$rxaqm" top -j -i 200ms -n $((window * 5)) "$host_if" >"$dir/$1-samples.json" &
	processes+=($!)
	"$rxaqm" top -i 2s -n $((window / 2)) "$host_if" | tee "$dir/$1-top.txt"
	cp "$debug/$host_if/truth" "$dir/$1-truth.txt"
	snapshot >"$dir/$1-end.json"
	"$rxaqm" status "$host_if" >"$dir/$1-status.txt"
}

# run DESIGN LOAD
run()
{
	local phase

	dir=$out/$1-$2
	mkdir -p "$dir"
	say "== $1 completion queue, load $2 (${cost_ns[$2]} ns a packet)"
	build_network "$1" "$2"
	# shellcheck disable=SC2086 # a key and value
	"$rxaqm" attach "$host_if" $policy mode=observe >"$dir/attach.txt"
	quiet_traffic
	start_flows "$2"
	for phase in $phases; do
		case $phase in
		enforce) "$rxaqm" policy set "$host_if" mode=enforce >/dev/null ;;
		law) "$rxaqm" policy set "$host_if" "${default_policy[@]}" >/dev/null ;;
		esac
		sleep "$settle"
		say "-- $phase"
		measure "$phase"
	done
	end_processes
	"$rxaqm" detach "$host_if" >/dev/null
	ip netns del client
	rmmod simnic
}

trap cleanup EXIT
taskset -cp "$client_cpu" $$ >/dev/null
[[ $# -gt 0 ]] || set -- split-rx shared-rx split-tx shared-tx
for combination; do
	run "${combination%-*}" "${combination#*-}"
done
