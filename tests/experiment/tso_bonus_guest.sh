#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The experiment of docs/tso-bonus.md, inside a guest: a host that sends by TCP, and whose receive
# ring stands, so that ACKs wait in it. Flows begin before it stands, or while it does.
#
#   tso_bonus_guest.sh MODULE OUT_DIR TOOLS_DIR RUN...
#
# A RUN is QUEUE,CC,BEGIN,TSO_RTT_LOG,REMEDY,NUMBER: held,cubic,inside,9,none,1. QUEUE:
#   held     by a flood of UDP, which slows for nothing and overflows the ring all the time
#   loop     by a flood that ends before anything is measured; then by ACKs alone, if at all
# BEGIN, of the flows:
#   before   the queue stands
#   aged     before, too, but min_rtt is forgotten after a second, not after 300
#   inside   the standing queue
# REMEDY: none, min_tso=N (net.ipv4.tcp_min_tso_segs), or settings of rxaqm joined by +. It is there
# from the start where the queue is held, and comes once the loop goes by itself.
# Leaves in OUT_DIR for each run a file of JSON.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
module=${1:?the built simnic.ko}
out=${2:?a directory for the results}
tools=${3:?where bulk and flood are}
shift 3
rxaqm=${RXAQM_BIN:-$root/build/rxaqm}
export RXAQM_PROFILE_PATH=${RXAQM_PROFILE_PATH:-$root/nic-profiles:$root/tests/simnic/profiles}

# shellcheck source=tests/simnic/overload.sh
source "$root/tests/simnic/overload.sh"

# Held: what a packet costs makes a full ring 16 ms; loop: ACKs of small frames are more than the
# host's CPU takes, those of large ones are not.
declare -A cost_ns=([held]=100000 [loop]=200000) entries=([held]=128 [loop]=1024)
declare -A flood_pps=([held]=9000 [loop]=7000) flows=([held]=8 [loop]=8)
readonly weight=12 port=5300 cwnd=${TSO_CWND:-64}
# Seconds: until nothing is as it began, and measured.
readonly settle=${TSO_SETTLE:-1} window=${TSO_WINDOW:-1.5}

cleanup()
{
	end_processes
	"$rxaqm" detach --all >/dev/null 2>&1 || true
	remove_pair
}

# flood PPS: until it is ended; its process id is in $flood. It goes before the flows: an instant in
# which the ring is empty is all that the smallest round trip needs.
flood()
{
	"${client[@]}" taskset -c "$client_cpu" chrt -f 1 "$tools/flood" udp "$client_if" \
		"$(<"/sys/class/net/$host_if/address")" "$client_addr" "$host_addr" 9 "$1" &
	flood=$!
	processes+=("$flood")
}

end_flood()
{
	kill "$flood"
	wait "$flood" 2>/dev/null || true
}

# Flows as the host's sockets have them, as a list of JSON.
flow_list()
{
	ss -tinH state established "sport = :$port" | awk '
		function of(name) { for (i = 1; i <= NF; i++) if (index($i, name ":") == 1)
			return substr($i, length(name) + 2); return 0 }
		/cwnd:/ { for (i = 1; i < NF; i++) if ($i == "pacing_rate") pacing = $(i + 1) + 0
			split(of("rtt"), rtt, "/")
			printf "{\"min_rtt_ms\": %s, \"rtt_ms\": %s, \"cwnd\": %s, \"acked\": %s, \"pacing_bps\": %.0f}\n",
				of("minrtt"), rtt[1], of("cwnd"), of("bytes_acked"), pacing }' | jq -s .
}

# All that is counted, at this moment.
snapshot()
{
	jq -n --argjson time "$(cut -d" " -f1 /proc/uptime)" \
		--argjson nic "$(ethtool -S "$host_if" | jq -R -s 'split("\n") | map(capture("^ *(?<key>\\S+): (?<value>[0-9]+)$")) | map({key, value: (.value | tonumber)}) | from_entries')" \
		--argjson tcp "$(awk '$1 == "Tcp:" && $2 ~ /^[0-9]/ { printf "{\"acks\": %s, \"segments\": %s, \"retrans\": %s}", $11, $12, $13 }' /proc/net/snmp)" \
		--argjson flows "$(flow_list)" \
		--arg truth "$(head -n 1 "$debug/$host_if/truth")" \
		'{time: $time, nic: $nic, tcp: $tcp, flows: $flows, truth: $truth}'
}

measure()
{
	echo 1 >"$debug/$host_if/truth_reset"
	snapshot >"$dir/begin.json"
	sleep "$window"
	snapshot >"$dir/end.json"
}

# start_flows NUMBER: until all flows send.
start_flows()
{
	local tries

	taskset -c "$client_cpu" nice "$tools/bulk" listen 0.0.0.0 $port "$cc" send &
	processes+=($!)
	for ((tries = 0; tries < 100; tries++)); do
		[[ -z $(ss -Hltn "sport = :$port") ]] || break
		sleep 0.1
	done
	"${client[@]}" taskset -c "$client_cpu" nice "$tools/bulk" connect "$host_addr" $port "$cc" receive \
		"$1" &
	processes+=($!)
	for ((tries = 0; tries < 200; tries++)); do
		[[ $(flow_list | jq 'map(select(.acked > 100000)) | length') -lt $1 ]] || return 0
		sleep 0.1
	done
	echo "tso_bonus: not all of $1 flows send" >&2
	return 1
}

# limit_cwnd: of all flows to come, as a route can. What a route says is taken from the
# kernel's memory of peers, and into that by a flow that ends; nothing else is to be remembered.
limit_cwnd()
{
	ip route replace "${host_addr%.*}.0/24" dev "$host_if" src "$host_addr" cwnd lock "$cwnd"
	sysctl -q -w net.ipv4.tcp_no_metrics_save=0
	iperf3 -s -1 -p 5299 >/dev/null &
	processes+=($!)
	sleep 0.5
	in_client iperf3 -c "$host_addr" -p 5299 -n 20K -R >/dev/null
	sleep 0.5
	sysctl -q -w net.ipv4.tcp_no_metrics_save=1
}

# build QUEUE LOG BEGIN
build()
{
	local wlen_s=300

	[[ $3 != aged ]] || wlen_s=1
	build_pair "$module" "${cost_ns[$1]}"
	set_nic "$host_if" napi_weight "$weight"
	ethtool -G "$host_if" rx "${entries[$1]}"
	in_client ethtool -K "$client_if" gro on
	[[ $1 != loop ]] || acknowledge_each
	sysctl -q -w net.ipv4.tcp_tso_rtt_log="$2" net.ipv4.tcp_no_metrics_save=1 \
		net.ipv4.tcp_min_tso_segs=2 net.ipv4.tcp_min_rtt_wlen="$wlen_s"
	limit_cwnd
}

remedy()
{
	case $1 in
	none) ;;
	min_tso=*) sysctl -q -w net.ipv4.tcp_min_tso_segs="${1#*=}" ;;
	*)
		# shellcheck disable=SC2086 # settings
		"$rxaqm" attach "$host_if" ${1//+/ } >/dev/null
		flood 300 # a few packets tell the clock
		sleep 1
		end_flood
		;;
	esac
}

# run QUEUE CC BEGIN LOG REMEDY NUMBER
run()
{
	local name=$1,$2,$3,$4,$5,$6

	cc=$2
	dir=$out/raw/$name
	mkdir -p "$dir"
	build "$1" "$4" "$3"
	[[ $1 == loop ]] || remedy "$5"
	if [[ $3 == inside ]]; then
		flood "${flood_pps[$1]}"
		sleep 1
		start_flows "${flows[$1]}"
	else
		start_flows "${flows[$1]}"
		flood "${flood_pps[$1]}"
		sleep 1
	fi
	if [[ $1 == loop ]]; then
		end_flood
		sleep "$settle"
		remedy "$5"
	fi
	sleep "$settle"
	measure
	jq -n --arg queue "$1" --arg cc "$2" --arg begin "$3" --argjson log "$4" --arg remedy "$5" \
		--argjson number "$6" --slurpfile a "$dir/begin.json" --slurpfile b "$dir/end.json" \
		-L "$here" 'include "tso_bonus"; {queue: $queue, cc: $cc, begin: $begin, log: $log,
			remedy: $remedy, number: $number} + window($a[0]; $b[0])' >"$dir/result.json"
	mv "$dir/result.json" "$out/$name.json"
	end_processes
	"$rxaqm" detach --all >/dev/null 2>&1 || true
	remove_pair
	jq -c . "$out/$name.json"
}

trap cleanup EXIT
taskset -cp "$client_cpu" $$ >/dev/null
for combination; do
	IFS=, read -r -a words <<<"$combination"
	run "${words[@]}"
done
