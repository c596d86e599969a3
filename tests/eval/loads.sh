# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # sourced by run.sh, which sets the variables
#
# What the client sends: TCP by bulk.c, one port a class; UDP and bursts by the kernel's pktgen;
# all other floods by flood.c; requests and connections by probe.c; storage by nbdkit and fio.

readonly first_port=5300 step_port=5309 probe_port=5330 nbd_port=10809
# Ten slow clients have addresses from the first on; floods of changing senders come from the
# network, which the host reaches by the client, who drops all answers.
readonly first_slow=20 flood_net=10.80
readonly tunnel_net=10.78
readonly udp_bytes=200

# pktgen: lines "FILE COMMAND" to the generator.
pktgen()
{
	in_client bash -c 'while read -r file command; do
		echo "$command" >"/proc/net/pktgen/$file" || exit 1
	done'
}

# udp_setup: frames to a port that nobody listens at.
udp_setup()
{
	[[ -e /sys/module/pktgen ]] || modprobe pktgen
	pktgen <<-END
		kpktgend_$client_cpu rem_device_all
		kpktgend_$client_cpu add_device $client_if
		$client_if clone_skb 0
		$client_if pkt_size $udp_bytes
		$client_if src_min $client_addr
		$client_if src_max $client_addr
		$client_if dst $host_addr
		$client_if dst_mac $(<"/sys/class/net/$host_if/address")
		$client_if udp_src_min 9
		$client_if udp_src_max 9
		$client_if tos 0$1
	END
}

# udp_send COUNT PPS: 0 packets: until udp_stop; 0 pps: as fast as it goes.
udp_send()
{
	local rate="delay 0"

	[[ $2 -eq 0 ]] || rate="ratep $2"
	pktgen <<-END
		$client_if count $1
		$client_if $rate
		pgctrl start
	END
}

udp_stop()
{
	[[ ! -e /sys/module/pktgen || ! -e /run/netns/client ]] || pktgen <<<"pgctrl stop" 2>/dev/null || true
}

# A few packets let rxaqm learn the NIC's clock, as any NIC has seen before it is overloaded.
quiet_traffic()
{
	udp_setup 0
	udp_send 300 1000
}

# class_cc CLASS: its congestion control.
class_cc()
{
	case $1 in
	cubic-ecn | deaf | far | tunnel) echo cubic ;;
	*) echo "$1" ;;
	esac
}

# serve_class CLASS PORT: until it is ended. All that loads is nice, or the CPU it fills would
# have no time for those who measure.
serve_class()
{
	local does=receive

	[[ ${scenario_has[direction]} != tx ]] || does=send
	taskset -c "$client_cpu" nice -n 25 "$tools/bulk" listen 0.0.0.0 "$2" "$(class_cc "$1")" $does \
		>"$dir/flows-$2.txt" 2>"$dir/bulk-$2.txt" &
	processes+=($!)
	[[ $does != receive ]] || receivers+=($!)
}

# start_class CLASS NUMBER PORT: until it is ended; to a server that was started.
start_class()
{
	local does=send out=/dev/null address=$host_addr

	await_listener "$3"
	[[ ${scenario_has[direction]} != tx ]] || { does=receive && out=$dir/flows-$3.txt; }
	case $1 in
	cubic-ecn) address=$ecn_addr ;;
	tunnel) address=$tunnel_net.0.2 ;;
	esac
	# shellcheck disable=SC2086 # bytes and milliseconds
	"${client[@]}" taskset -c "$client_cpu" nice -n 25 "$tools/bulk" connect "$address" "$3" \
		"$(class_cc "$1")" $does "$2" ${scenario_has[round]} >"$out" 2>"$dir/bulk-client-$3.txt" &
	processes+=($!)
	[[ $does != receive ]] || receivers+=($!)
	printf '%s %s %s\n' "$3" "$1" "$2" >>"$dir/classes.txt"
}

# await_sockets PORT STATE NUMBER: of the host's TCP. A program may take long to be read: idle time
# is skipped.
await_sockets()
{
	local line lines found wanted

	printf -v wanted '^ *[0-9]+: [0-9A-F]+:%04X [0-9A-F]+:[0-9A-F]+ %s ' "$1" "$2"
	for _ in {1..1500}; do
		found=0
		mapfile -t lines </proc/net/tcp
		for line in "${lines[@]}"; do
			[[ ! $line =~ $wanted ]] || found=$((found + 1))
		done
		[[ $found -lt $3 ]] || return 0
		nap 0.02
	done
	return 1
}

# await_listener PORT: at the host.
await_listener()
{
	await_sockets "$1" 0A 1 || eval_die "nobody listens at port $1"
}

# deaf PORT: what the client sends there claims to be ECN-capable.
deaf()
{
	in_client tc qdisc add dev "$client_if" clsact
	in_client tc filter add dev "$client_if" egress protocol ip u32 \
		match ip protocol 6 0xff match ip dport "$1" 0xffff \
		action pedit ex munge ip tos set 2 retain 3 pipe action csum ip4h
}

# far PORT: what the client sends there takes 50 ms longer.
far()
{
	in_client tc qdisc add dev "$client_if" root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	in_client tc qdisc add dev "$client_if" parent 1:2 netem delay 50ms limit 20000
	in_client tc filter add dev "$client_if" parent 1: protocol ip u32 \
		match ip protocol 6 0xff match ip dport "$1" 0xffff flowid 1:2
}

# build_senders: addresses and ways of the client that some loads need.
build_senders()
{
	local kind=${scenario_has[tunnel]} n options=()

	for n in {0..9}; do
		echo "address add ${client_addr%.*}.$((first_slow + n))/24 dev $client_if"
	done | ip -n client -batch -
	ip route add "$flood_net.0.0/16" via "$client_addr"
	[[ $kind ]] || return 0
	[[ $kind != vxlan ]] || options=(id 1 dstport 4789)
	ip link add tunnel type "$kind" "${options[@]}" local "$host_addr" remote "$client_addr"
	ip address add "$tunnel_net.0.2/24" dev tunnel
	ip link set tunnel up
	ip -n client link add tunnel type "$kind" "${options[@]}" local "$client_addr" remote "$host_addr"
	ip -n client address add "$tunnel_net.0.1/24" dev tunnel
	ip -n client link set tunnel up
}

start_flows()
{
	local flow port=$first_port

	[[ ${scenario_has[flows]} != *bbr* || -e /sys/module/tcp_bbr ]] || modprobe tcp_bbr
	for flow in ${scenario_has[flows]}; do
		serve_class "${flow%:*}" "$port"
		case $flow in
		deaf:*) deaf "$port" ;;
		far:*) far "$port" ;;
		esac
		port=$((port + 1))
	done
	port=$first_port
	for flow in ${scenario_has[flows]}; do
		start_class "${flow%:*}" "${flow#*:}" "$port"
		port=$((port + 1))
	done
}

# measure_capacity: packets a second that the CPU takes, where a scenario wants to know; the same
# for all scenarios with that cost. Before anything is set up.
measure_capacity()
{
	local begin from cost file

	[[ ${scenario_has[udp]}${scenario_has[flood]} ]] || return 0
	cost=${scenario_has[cost]}
	file=$memory/capacity.${scenario_has[profile]}.$cost
	if [[ ! -s $file ]]; then
		udp_setup 0
		udp_send 0 $((1500000000 / cost)) &
		processes+=($!)
		nap 0.3
		from=$EPOCHREALTIME begin=$(nic_count rx_packets)
		nap 0.6
		awk -v from="$from" -v to="$EPOCHREALTIME" -v begin="$begin" -v end="$(nic_count rx_packets)" \
			'BEGIN { printf "%d\n", (end - begin) / (to - from) }' >"$file"
		udp_stop
		nap 0.6 # until the ring is empty
	fi
	cp "$file" "$dir/capacity.txt"
	[[ $(<"$file") -ge 100 ]] || eval_die "the CPU took $(<"$file") packets a second"
}

# times FACTOR: of the capacity, in packets a second; noted as offered.
times()
{
	awk -v factor="$1" '{ printf "%d\n", factor * $1 }' "$dir/capacity.txt" | tee "$dir/offered.txt"
}

start_flood()
{
	local kind pps from=$client_addr to=$host_addr port=9

	if [[ ${scenario_has[udp]} ]]; then
		pps=$(times "${scenario_has[udp]}")
		udp_setup "${scenario_has[tos]}"
		udp_send 0 "$pps" &
		processes+=($!)
	elif [[ ${scenario_has[flood]} ]]; then
		kind=${scenario_has[flood]%:*} pps=$(times "${scenario_has[flood]#*:}")
		# An ACK of no connection is answered, one to another host's address is not.
		[[ $kind != ack ]] || to=${host_addr%.*}.99
		[[ $kind != syn ]] || port=$probe_port
		[[ -z ${scenario_has[run]} ]] || from=$flood_net.0.1
		# shellcheck disable=SC2086 # none, or a number
		"${client[@]}" taskset -c "$client_cpu" nice -n 15 "$tools/flood" "$kind" "$client_if" \
			"$(<"/sys/class/net/$host_if/address")" "$from" "$to" "$port" "$pps" ${scenario_has[run]} \
			2>"$dir/flood.txt" &
		processes+=($!)
	fi
}

# storage_client NAME NICE OPTION...: of the NBD server, until finish_storage. Each request is in
# NAME_lat.log, with the time when it was done.
storage_client()
{
	local name=$1 nice=$2

	shift 2
	(cd "$dir" && exec "${client[@]}" taskset -c "$client_cpu" nice -n "$nice" fio --name="$name" --thread \
		--ioengine=nbd --uri="nbd://$host_addr:$nbd_port" --size=64M --time_based --runtime=1h \
		--norandommap --clocksource=clock_gettime --eta=never --log_unix_epoch=1 --per_job_logs=0 \
		--write_lat_log="$name" --disable_clat=1 --disable_slat=1 "$@") >"$dir/fio-$name.txt" 2>&1 &
	storage+=($!)
	processes+=($!)
}

# Many who move much, and some who wait for each answer.
start_storage()
{
	local movers=16 askers=8

	[[ ${scenario_has[storage]} ]] || return 0
	taskset -c "$client_cpu" nice -n 10 nbdkit -f -p "$nbd_port" memory 64M >"$dir/nbdkit.txt" 2>&1 &
	processes+=($!)
	await_listener "$nbd_port"
	storage_client bulk 25 --rw="rand${scenario_has[storage]}" --bs=256k --iodepth=4 --numjobs=$movers
	storage_client small 5 --rw=randrw --bs=4k --iodepth=16 --numjobs=$askers --rate_iops=13,12 \
		--rate_process=poisson
	await_sockets "$nbd_port" 01 $((movers + askers)) || eval_die "fio does not connect: $(tail -n 1 "$dir"/fio-bulk.txt)"
}

# They write down what they saw when they are interrupted.
finish_storage()
{
	local one

	for one in "${storage[@]}"; do
		kill -INT "$one"
		wait "$one" || true
	done
	[[ ${#storage[@]} -eq 0 || (-s $dir/bulk_lat.log && -s $dir/small_lat.log) ]] ||
		eval_die "fio left no results: $(tail -n 1 "$dir"/fio-bulk.txt)"
}

nic_count()
{
	ethtool -S "$host_if" | awk -v name="$1:" '$1 == name { print $2 }'
}

# Requests and connections, from before the load on.
start_probe()
{
	taskset -c "$client_cpu" nice -n 5 "$tools/probe" serve "$probe_port" 2>"$dir/probe-server.txt" &
	processes+=($!)
	await_listener "$probe_port"
	"${client[@]}" taskset -c "$client_cpu" nice -n 5 "$tools/probe" ask "$host_addr" "$probe_port" \
		"${client_addr%.*}.$first_slow" >"$dir/probe.txt" 2>"$dir/probe-client.txt" &
	probe_pid=$!
}

# It tells what it found when it is ended.
finish_probe()
{
	kill -TERM "$probe_pid"
	wait "$probe_pid" || true
	[[ -s $dir/probe.txt ]] || eval_die "the probe left no results: $(tail -n 1 "$dir/probe-client.txt")"
}

# send_bursts: lines "SIZE LOST AQM_DROPS".
send_bursts()
{
	local size lost dropped

	udp_setup 0
	for size in ${scenario_has[bursts]} ${scenario_has[bursts]}; do
		lost=$(nic_count rx_missed)
		dropped=$(nic_count xdp_drop)
		udp_send "$size" 0
		nap "0.$((size / 10 + 200))" # until the ring is empty: 0.2 to 0.6 s
		printf '%s %s %s\n' "$size" "$(($(nic_count rx_missed) - lost))" \
			"$(($(nic_count xdp_drop) - dropped))" >>"$dir/bursts.txt"
	done
}

# send_step SECONDS: more flows in the second third.
send_step()
{
	local third=$(($1 / 3)) class nr before=("${receivers[@]}")

	class=${scenario_has[flows]%%:*} nr=${#processes[@]}
	serve_class "$class" "$step_port"
	nap "$third"
	event up
	start_class "$class" "${scenario_has[step]}" "$step_port"
	nap "$third"
	kill -KILL "${processes[@]:nr}"
	receivers=("${before[@]}")
	rm "$dir/flows-$step_port.txt"
	event down
	nap "$third"
}

# pause_cpu SECONDS
pause_cpu()
{
	local pause

	for pause in ${scenario_has[pauses]}; do
		nap 1
		event "pause-$pause"
		set_nic "$host_if" stall_us $((pause * 1000))
	done
}
