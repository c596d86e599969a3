# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # eval_dir is lib.sh's
#
# What run.sh left in a directory, as JSON. To be sourced.

# name_values: lines "NAME: VALUE" to an object.
name_values()
{
	awk -F ': *' 'NF == 2 && $2 ~ /^[0-9]+$/ {
		gsub(/ /, "", $1)
		printf "%s\"%s\": %s", rows++ ? ", " : "{", $1, $2
	} END { print rows ? "}" : "{}" }' "$1"
}

# Of the receiving CPU, in ticks: all, and those that it was not idle.
cpu_ticks()
{
	awk '$1 == "cpu1" { for (i = 2; i <= NF; i++) all += $i
		printf "{\"all\": %d, \"busy\": %d, \"softirq\": %d}\n", all, all - $5 - $6, $8 }' "$1"
}

# UDP packets that reached the host's stack.
udp_packets()
{
	awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 + $3 }' "$1"
}

# Each connection of the classes' ports: what it has received and seen acknowledged so far.
connections()
{
	awk '{
		n = split($3, here, ":"); m = split($4, there, ":"); received = acked = pacing = 0
		for (i = 5; i <= NF; i++) {
			if ($i ~ /^bytes_received:/) { received = substr($i, 16) }
			if ($i ~ /^bytes_acked:/) { acked = substr($i, 13) }
			if ($i == "pacing_rate") { pacing = $(i + 1) }
		}
		unit = pacing ~ /Gbps/ ? 1e9 : pacing ~ /Mbps/ ? 1e6 : pacing ~ /[Kk]bps/ ? 1e3 : 1
		printf "%s{\"port\": %d, \"peer\": %d, \"received\": %.0f, \"acked\": %.0f, \"pacing\": %.0f}",
			rows++ ? ", " : "[", here[n], there[m], received, acked, (pacing + 0) * unit
	} END { print rows ? "]" : "[]" }' "$1"
}

# document FILE: a JSON file, or null if there is none.
document()
{
	if [[ -s $1 ]]; then cat "$1"; else echo null; fi
}

# lines FILE: none if there is no file.
lines()
{
	[[ ! -e $1 ]] || cat "$1"
}

# snapshot_json DIR begin|end
snapshot_json()
{
	jq -n --argjson time "$(awk '{ print $2; exit }' "$1/$2-truth.txt")" \
		--argjson nic "$(name_values "$1/$2-nic.txt")" \
		--argjson cpu "$(cpu_ticks "$1/$2-stat.txt")" \
		--argjson udp "$(udp_packets "$1/$2-snmp.txt")" \
		--argjson connections "$(connections "$1/$2-ss.txt")" \
		--argjson max_ns "$(awk '$1 == "queue" { printf "%s%s", n++ ? ", " : "[", $NF }
			END { print "]" }' "$1/$2-truth.txt")" \
		--slurpfile status <(document "$1/$2-status.json") \
		--slurpfile tc <(document "$1/$2-tc.json") \
		'{time: $time, nic: $nic, cpu: $cpu, udp: $udp, connections: $connections,
			max_ns: $max_ns, status: $status[0], tc: $tc[0]}'
}

# truth_rows ZERO TARGET_NS QUEUE FILE...
truth_rows()
{
	local zero=$1 target=$2 queue=$3

	shift 3
	awk -v zero="$zero" -v target="$target" -v queue="$queue" -f "$eval_dir/truth.awk" "$@"
}

# round_trips DIR: of irtt's requests that were sent within the window.
round_trips()
{
	[[ -s $1/requests.json ]] || { echo null && return; }
	jq -c --argjson from "$(awk '$2 == "begin" { print $1 }' "$1/events.txt")" \
		--argjson to "$(awk '$2 == "end" { print $1 }' "$1/events.txt")" '
		[.round_trips[] | select(.timestamps.client.send.wall / 1e9 | . >= $from and . <= $to)]
		| ([.[] | .delay.rtt | numbers] | sort) as $rtt
		| {sent: length, answered: ($rtt | length)}
		+ ([["p50_ns", 0.5], ["p99_ns", 0.99], ["p999_ns", 0.999]]
			| map({key: .[0], value: $rtt[(.[1] * ($rtt | length) | ceil) - 1]}) | from_entries)' \
		"$1/requests.json"
}

# result_json DIR SCENARIO OPTION REP: of a complete run.
result_json()
{
	local dir=$1 target target_ns zero queue

	target=$(of_scenario "$2" target)
	target_ns=$(awk -v t="$target" 'BEGIN { print (t + 0) * (t ~ /ms$/ ? 1e6 : 1e3) }')
	zero=$(awk '$2 == "load" { print $1 }' "$dir/events.txt")
	jq -n -L "$eval_dir" --arg scenario "$2" --arg option "$3" --argjson run "$4" \
		--argjson target_ns "$target_ns" \
		--argjson direction "\"$(of_scenario "$2" direction)\"" \
		--argjson before "$(snapshot_json "$dir" begin)" --argjson after "$(snapshot_json "$dir" end)" \
		--argjson windows "[$(for queue in 0 1; do
			[[ $queue == 0 ]] || echo ,
			truth_rows "$zero" "$target_ns" $queue "$dir/begin-truth.txt" "$dir/end-truth.txt"
		done)]" \
		--argjson cdf "$(awk -v cdf=1 -v queue=0 -f "$eval_dir/truth.awk" "$dir/begin-truth.txt" "$dir/end-truth.txt")" \
		--argjson series "$(truth_rows "$zero" "$target_ns" 0 "$dir/truth.txt")" \
		--argjson events "$(awk -v zero="$zero" '{ printf "%s[\"%s\", %.3f]", n++ ? ", " : "[", $2, $1 - zero }
			END { print "]" }' "$dir/events.txt")" \
		--argjson classes "$(lines "$dir/classes.txt" | awk '
			{ printf "%s{\"port\": %d, \"class\": \"%s\", \"flows\": %d}", n++ ? ", " : "[", $1, $2, $3 }
			END { print n ? "]" : "[]" }')" \
		--argjson udp_pps "$(cat "$dir/udp-pps.txt" 2>/dev/null || echo null)" \
		--argjson requests "$(round_trips "$dir")" \
		--argjson bursts "$(lines "$dir/bursts.txt" | awk '
			{ printf "%s{\"size\": %d, \"lost\": %d, \"dropped\": %d}", n++ ? ", " : "[", $1, $2, $3 }
			END { print n ? "]" : "null" }')" \
		--slurpfile incast <(lines "$dir/incast.json") \
		'include "result"; $ARGS.named | .incast = $incast | result'
}
