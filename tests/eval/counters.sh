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

# snmp_values FILE: pairs of lines "PROTOCOL: NAME..." and "PROTOCOL: VALUE..." to an object.
snmp_values()
{
	awk '{ if ($1 == of) for (i = 2; i <= NF; i++) {
			printf "%s\"%s%s\": %s", rows++ ? ", " : "{", substr($1, 1, length($1) - 1), name[i], $i
		} else { of = $1; for (i = 2; i <= NF; i++) name[i] = $i } }
		END { print rows ? "}" : "{}" }' "$1"
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
		--argjson snmp "$(snmp_values "$1/$2-snmp.txt")" \
		--argjson max_ns "$(awk '$1 == "queue" && $NF > max { max = $NF } END { print max + 0 }' "$1/$2-truth.txt")" \
		--slurpfile status <(document "$1/$2-status.json") \
		--slurpfile tc <(document "$1/$2-tc.json") \
		'{$time, $nic, $snmp, $max_ns, status: $status[0], tc: $tc[0]}'
}

# truth_rows ZERO TARGET_NS FILE...
truth_rows()
{
	awk -v zero="$1" -v target="$2" -f "$eval_dir/truth.awk" "${@:3}"
}

# flow_bytes DIR: of each class, what its flows received up to the begin and the end of the window,
# and when.
flow_bytes()
{
	local port class flows

	lines "$1/classes.txt" | while read -r port class flows; do
		awk -v class="$class" -v flows="$flows" '{
			time[NR] = $1
			for (i = 2; i <= NF; i++) line[NR] = line[NR] (i > 2 ? ", " : "") $i
		} END { if (NR > 1) printf "{\"class\": \"%s\", \"flows\": %d, \"seconds\": %.6f, \"begin\": [%s], \"end\": [%s]}\n",
			class, flows, time[NR] - time[1], line[1], line[NR] }' "$1/flows-$port.txt"
	done | jq -sc .
}

# probed DIR: of the requests and connections that began in the window, and the times they took.
probed()
{
	awk -v from="$(awk '$2 == "begin" { print $1 }' "$1/events.txt")" \
		-v to="$(awk '$2 == "end" { print $1 }' "$1/events.txt")" '
		$2 >= from && $2 <= to { n[$1]++; row[$1] = row[$1] (n[$1] > 1 ? ", " : "") $3 }
		END {
			printf "{\"requests\": [%s], \"slow\": [%s], \"typing\": [%s], \"connections\": [%s]}\n",
				row["request"], row["slow"], row["typing"], row["connect"]
		}' \
		"$1/probe.txt"
}

# storage_json DIR: of the requests to the NBD server that were done in the window, how many, of how
# many bytes, and the times they took; null if there was none.
storage_json()
{
	[[ -s $1/bulk_lat.log ]] || { echo null && return; }
	awk -F ', *' -v from="$(awk '$2 == "begin" { printf "%.0f", $1 * 1000 }' "$1/events.txt")" \
		-v to="$(awk '$2 == "end" { printf "%.0f", $1 * 1000 }' "$1/events.txt")" '
		FNR == 1 { files++ }
		$1 >= from && $1 < to { bytes[files] += $4; n = requests[files]++; row[files] = row[files] (n ? ", " : "") $2 }
		END {
			for (i = 1; i <= 2; i++)
				printf "%s\"%s\": {\"bytes\": %.0f, \"times\": [%s]}", i == 1 ? "{" : ", ", i == 1 ? "bulk" : "small",
					bytes[i], row[i]
			print "}"
		}' "$1/bulk_lat.log" "$1/small_lat.log"
}

# flood_json SCENARIO: its kind and flows, and packets of a sender if that changes; null if there is
# none.
flood_json()
{
	jq -nc --arg udp "$(of_scenario "$1" udp)" --arg flood "$(of_scenario "$1" flood)" \
		--arg run "$(of_scenario "$1" run)" '
		if $udp != "" then {kind: "udp", flows: 1, run: null}
		elif $flood == "" then null
		elif $run != "" then {kind: ($flood | split(":")[0]), flows: null, run: ($run | tonumber)}
		else {kind: ($flood | split(":")[0]), flows: 64, run: null} end'
}

# in_seconds TIME [DEFAULT]: of a key of scenarios; `auto` is the default.
in_seconds()
{
	awk -v t="${1/auto/${2-}}" 'BEGIN { print (t + 0) * (t ~ /ms$/ ? 1e-3 : t ~ /us$/ ? 1e-6 : 1) }'
}

# result_json DIR SCENARIO OPTION REP: of a complete run.
result_json()
{
	local dir=$1 target_ns zero

	target_ns=$(awk -v s="$(in_seconds "$(of_scenario "$2" target)" "$(of_scenario default target)")" 'BEGIN { print s * 1e9 }')
	zero=$(awk '$2 == "load" { print $1 }' "$dir/events.txt")
	jq -n -L "$eval_dir" --arg scenario "$2" --arg option "$3" --argjson run "$4" \
		--arg row "$(of_scenario "$2" row)" --arg direction "$(of_scenario "$2" direction)" \
		--argjson target_ns "$target_ns" --argjson interval_s "$(in_seconds "$(of_scenario "$2" interval)" "$(of_scenario default interval)")" \
		--argjson client_idle "$(document "$dir/client-idle.txt")" \
		--argjson before "$(snapshot_json "$dir" begin)" --argjson after "$(snapshot_json "$dir" end)" \
		--argjson window "$(truth_rows "$zero" "$target_ns" "$dir/begin-truth.txt" "$dir/end-truth.txt")" \
		--argjson cdf "$(awk -v cdf=1 -f "$eval_dir/truth.awk" "$dir/begin-truth.txt" "$dir/end-truth.txt")" \
		--argjson series "$(truth_rows "$zero" "$target_ns" "$dir/truth.txt")" \
		--argjson events "$(awk -v zero="$zero" '{ printf "%s[\"%s\", %.3f, %d]", n++ ? ", " : "[", $2, $1 - zero, $3 }
			END { print "]" }' "$dir/events.txt")" \
		--argjson classes "$(flow_bytes "$dir")" \
		--argjson capacity_pps "$(document "$dir/capacity.txt")" \
		--argjson offered_pps "$(document "$dir/offered.txt")" \
		--argjson probed "$(probed "$dir")" --slurpfile storage <(storage_json "$dir") \
		--argjson ring "$(document "$dir/ring.txt")" --arg profile "$(of_scenario "$2" profile)" \
		--argjson flood "$(flood_json "$2")" \
		--argjson notes "$(lines "$dir/status.txt" | jq -Rsc 'split("\n") | map(select(test("note")))')" \
		--argjson bursts "$(lines "$dir/bursts.txt" | awk '
			{ printf "%s{\"size\": %d, \"lost\": %d, \"dropped\": %d}", n++ ? ", " : "[", $1, $2, $3 }
			END { print n ? "]" : "null" }')" \
		'include "result"; $ARGS.named | result'
}
