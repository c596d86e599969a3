# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # sourced by guest.sh, which sets the variables
#
# One run of the evaluation, in a guest: a scenario with an option. To be sourced.

readonly never=/run/eval-never # a FIFO that nobody writes to
readonly ecn_addr=10.77.0.4 # TCP to it asks for ECN
readonly least_ring=64 # that the NIC takes
readonly spare_cpu=2 # of a second queue

cleanup()
{
	set +e
	# What went wrong was said; what is ended now is of no interest.
	exec 2>/dev/null
	udp_stop
	# Their farewells would take seconds behind a standing queue.
	kill -KILL "${processes[@]}"
	end_processes
	cp "$dir"/* "$results"
	# Last: others wait for it.
	[[ -z $complete ]] || touch "$results/complete"
	rm -rf "$dir"
	# Without it the next run could not build its own.
	"$rxaqm" detach --all >/dev/null
	tc qdisc del dev ifb0 root
	ip link del tunnel
	remove_pair
}

# event NAME: that something begins now, in the guest's time and in the machine's.
event()
{
	local real

	read -r real </sys/class/rtc/rtc0/since_epoch
	printf '%s %s %s\n' "$EPOCHREALTIME" "$1" "$real" >>"$dir/events.txt"
}

# Pauses this shell without starting a program.
nap()
{
	read -r -t "$1" <>"$never" || true
}

build()
{
	local cc=cubic

	build_pair "$module" 0 "${option_has[queues]:-1}"
	if [[ ${option_has[queues]} ]]; then
		ethtool -L "$host_if" combined "${option_has[queues]}"
		set_nic "$host_if" irq_cpu "1 $spare_cpu"
	fi
	set_costs "${scenario_has[profile]}" "${scenario_has[cost]}"
	if [[ ${scenario_has[rate]} ]]; then
		set_nic "$host_if" rate_mbps "${scenario_has[rate]}"
		# With 1024 buckets answers may share one with a bulk flow, whose losses are theirs,
		# too.
		tc qdisc replace dev "$host_if" root fq_codel flows 65536
	fi
	set_nic "$host_if" napi_weight "${scenario_has[weight]}"
	ethtool -G "$host_if" rx "${scenario_has[ring]}"
	set_nic "$host_if" rx_path "${scenario_has[path]}"
	[[ ${scenario_has[shared]} != yes ]] || ethtool --set-priv-flags "$host_if" shared-cq on
	if [[ ${scenario_has[gro]} == yes ]]; then
		in_client ethtool -K "$client_if" gro on
	elif [[ ${scenario_has[direction]} == tx ]]; then
		acknowledge_each
	fi
	ip address add "$ecn_addr/32" dev "$host_if"
	ip -n client route replace "$ecn_addr/32" dev "$client_if" features ecn
	build_senders
	# rxaqm takes from it what ECN-capable packets mean.
	[[ ${scenario_has[flows]} != *dctcp* ]] || cc=dctcp
	sysctl -q -w net.ipv4.tcp_congestion_control=$cc
	if [[ ${scenario_has[aged]} == yes ]]; then
		sysctl -q -w net.ipv4.tcp_min_rtt_wlen=1
		in_client sysctl -q -w net.ipv4.tcp_min_rtt_wlen=1
	fi
	[[ -z ${scenario_has[rtt]} ]] ||
		in_client tc qdisc add dev "$client_if" root netem delay "${scenario_has[rtt]}" limit 20000
	[[ ${scenario_has[interleave]} != yes ]] || interleave
}

# median_ns FILE: in the ring, of queue 0.
median_ns()
{
	awk '$1 == "queue" && $2 == 0 { print $6; exit }' "$1"
}

# set_ring ENTRIES: within what the NIC takes; noted.
set_ring()
{
	local entries=$1

	((entries >= least_ring)) || entries=$least_ring
	((entries <= ring)) || entries=$ring
	ethtool -G "$host_if" rx "$entries"
	echo "$entries" >"$dir/ring.txt"
}

# equal_ring DIR: entries whose packets take as long as the median of that run to pass.
equal_ring()
{
	[[ -e $1/complete ]] || eval_die "no complete run of rxaqm, whose median the ring is to have: ${1##*/}"
	awk -v median="$(median_ns "$1/end-truth.txt")" '
		$1 == "rx_packets:" || $1 == "xdp_drop:" {
			sum[FILENAME] += $1 == "rx_packets:" ? $2 : -$2
		}
		$1 == "at" { time[FILENAME] = $2 }
		END {
			passed = (sum[ARGV[2]] - sum[ARGV[1]]) / (time[ARGV[4]] - time[ARGV[3]])
			printf "%d\n", median / 1e9 * passed + 0.5
		}' "$1"/{begin,end}-nic.txt "$1"/{begin,end}-truth.txt
}

# correct_ring: while its median is more than a tenth off that of rxaqm's run, three times at most.
correct_ring()
{
	local wanted is entries

	wanted=$(median_ns "${results%.*.*}.rxaqm.${results##*.}/end-truth.txt")
	for _ in 1 2 3; do
		set_nic "$host_if" truth_reset 1
		nap 0.5
		truth >"$dir/ring-truth.txt"
		is=$(median_ns "$dir/ring-truth.txt") entries=$(<"$dir/ring.txt")
		((is > 0 && (is * 10 > wanted * 11 || is * 10 < wanted * 9))) || return 0
		set_ring $((entries * wanted / is))
		nap "${scenario_has[settle]}"
	done
}

# use_option: as the options say.
use_option()
{
	local value

	value=${option_has[ring]}
	[[ $value != equal ]] || value=$(equal_ring "${results%.*.*}.rxaqm.${results##*.}")
	[[ -z $value ]] || set_ring "$value"
	value=${option_has[ifb]}
	if [[ $value ]]; then
		ip link set ifb0 up
		# shellcheck disable=SC2086 # a qdisc and its options
		tc qdisc replace dev ifb0 root $value
		tc qdisc add dev "$host_if" ingress
		tc filter add dev "$host_if" parent ffff: matchall action mirred egress redirect dev ifb0
	fi
	value=${option_has[rxaqm]}
	if [[ $value ]]; then
		# auto: the key is not set.
		[[ ${scenario_has[target]} != auto ]] || value=${value//target=TARGET/}
		[[ ${scenario_has[interval]} != auto ]] || value=${value//interval=INTERVAL/}
		value=${value//TARGET/${scenario_has[target]}}
		value=${value//INTERVAL/${scenario_has[interval]}}
		mode=enforce
		[[ ${scenario_has[enforce]} != yes ]] || mode=observe
		# shellcheck disable=SC2086 # keys and values
		"$rxaqm" attach "$host_if" $value mode=$mode >"$dir/attach.txt"
	fi
}

# truth: a block of what the NIC measured. Without a process, each of which takes milliseconds here.
truth()
{
	local lines

	mapfile -t lines <"$debug/$host_if/truth"
	printf '%s\n' "at $EPOCHREALTIME" "${lines[@]}"
}

# The delays in the ring so far, ten times a second.
sample()
{
	local n

	for ((n = 0; n < 1000; n++)); do
		truth
		nap 0.1
	done >"$dir/truth.txt"
}

# What each flow has received so far, by flows-PORT.txt: one line more in each. Those who load are
# nice, and may take a while to answer.
count_received()
{
	local file lines

	[[ ${#receivers[@]} -gt 0 ]] || return 0
	counts=$((counts + 1))
	kill -USR1 "${receivers[@]}"
	for file in "$dir"/flows-*.txt; do
		for _ in {1..200}; do
			mapfile -t lines <"$file"
			[[ ${#lines[@]} -lt $counts ]] || continue 2
			nap 0.005
		done
		eval_die "no answer from bulk within a second: ${file##*/}"
	done
}

# snapshot begin|end: all that is counted.
snapshot()
{
	[[ $1 != begin ]] || set_nic "$host_if" truth_reset 1
	event "$1"
	# Whatever starts no program comes first.
	truth >"$dir/$1-truth.txt"
	ethtool -S "$host_if" >"$dir/$1-nic.txt"
	printf '%s\n' "$(</proc/net/snmp)" >"$dir/$1-snmp.txt"
	printf '%s\n' "$(</proc/stat)" >"$dir/$1-stat.txt"
	count_received
	[[ -z ${option_has[rxaqm]} ]] || "$rxaqm" -j status "$host_if" >"$dir/$1-status.json"
	[[ -z ${option_has[ifb]} ]] || tc -s -j qdisc show dev ifb0 >"$dir/$1-tc.json"
}

# The window: what happens in it depends on the scenario.
measure()
{
	local window

	window=${scenario_has[window]}
	if [[ ${scenario_has[enforce]} == yes ]]; then
		event enforce
		"$rxaqm" policy set "$host_if" mode=enforce >/dev/null
		nap 1.2 # 12 intervals
	fi
	snapshot begin
	if [[ ${scenario_has[bursts]} ]]; then
		send_bursts
	elif [[ ${scenario_has[step]} ]]; then
		send_step "$window"
	elif [[ ${scenario_has[pauses]} ]]; then
		pause_cpu "$window"
	else
		nap "$window"
	fi
	snapshot end
	check_pace
	check_client
	[[ -z ${option_has[rxaqm]} ]] || "$rxaqm" status "$host_if" >"$dir/status.txt"
}

# run SCENARIO OPTION DIR: in a subshell. Leaves what was counted in DIR, as the tools print it;
# counters.sh makes sense of it. The run is complete if DIR/complete is there.
run()
{
	local nr settle

	results=$3
	# Files are collected in memory: the way to the machine's own files is long.
	dir=$(mktemp -d)
	receivers=() storage=() counts=0 complete=''
	trap cleanup EXIT
	use "$1" "$2"
	event start
	build
	event built
	measure_capacity
	use_option
	event set-up
	[[ -z ${option_has[rxaqm]} ]] || quiet_traffic
	start_probe
	sample &
	processes+=($!)
	event load
	nr=${#processes[@]}
	if [[ ${scenario_has[late]} == yes ]]; then
		start_flood
		nap 1.2
		start_flows
	else
		start_flows
		start_flood
		start_storage
	fi
	event loaded
	settle=${scenario_has[settle]}
	[[ $2 != none ]] || settle=${scenario_has[steady]:-$settle}
	nap "$settle"
	[[ ${option_has[ring]} != equal ]] || correct_ring
	measure
	finish_storage
	udp_stop
	if [[ ${#processes[@]} -gt $nr ]]; then
		kill -KILL "${processes[@]:nr}" 2>/dev/null || true
		wait "${processes[@]:nr}" 2>/dev/null || true
	fi
	# What is not answered a second later was lost: it is sent again then.
	nap 1
	finish_probe
	event complete
	complete=yes
}
