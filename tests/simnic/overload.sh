# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced: who sources it uses the variables
#
# An overloaded host in a guest with two CPUs, over a pair of simulated NICs: what the experiment
# and the evaluation share. The client, in a namespace, and all programs are on CPU 0; CPU 1 does
# nothing but receive for the host.

readonly client_cpu=1 host_cpu=0
readonly client_if=sim0 host_if=sim1
readonly client_addr=10.77.0.1 host_addr=10.77.0.2 dctcp_addr=10.77.0.3
readonly debug=/sys/kernel/debug/simnic
readonly ring=4096 mtu=1500

processes=()

say()
{
	printf '%s\n' "$*"
}

end_processes()
{
	local pid

	for pid in "${processes[@]-}"; do
		[[ -z $pid ]] || kill "$pid" 2>/dev/null || true
	done
	for pid in "${processes[@]-}"; do
		[[ -z $pid ]] || wait "$pid" 2>/dev/null || true
	done
	processes=()
}

# Cheaper than ip netns exec, which mounts. The array is for the background, where a function
# would be a shell of its own, and that would be what is ended.
readonly client=(nsenter --net=/run/netns/client)

in_client()
{
	"${client[@]}" "$@"
}

# set_nic IF FILE VALUE: a knob of the simulated NIC.
set_nic()
{
	printf '%s\n' "$3" >"$debug/$1/$2"
}

# build_pair MODULE COST_NS [QUEUES]: each received packet costs the host COST_NS, on top of what
# the emulated CPU takes itself.
build_pair()
{
	local settings=(
		"net.ipv4.tcp_rmem=4096 131072 6291456"
		"net.ipv4.tcp_wmem=4096 131072 6291456"
	)

	[[ -e /sys/module/tcp_dctcp ]] || modprobe tcp_dctcp
	insmod "$1" pairs=1 queues="${3-1}"
	ip netns add client
	ip -batch - <<-END
		link set $client_if netns client
		address add $host_addr/24 dev $host_if
		address add $dctcp_addr/32 dev $host_if
		link set $host_if mtu $mtu up
	END
	ip -n client -batch - <<-END
		link set lo up
		address add $client_addr/24 dev $client_if
		link set $client_if mtu $mtu up
		route add $dctcp_addr/32 dev $client_if congctl dctcp
	END
	ethtool -G "$host_if" rx "$ring"
	in_client ethtool -G "$client_if" rx "$ring"
	# Each packet of the client's is acknowledged as a NIC without GRO would have it.
	in_client ethtool -K "$client_if" gro off
	set_nic "$client_if" irq_cpu "$client_cpu"
	set_nic "$host_if" irq_cpu "$host_cpu"
	set_nic "$host_if" rx_cost_ns "$2"
	# The listening socket decides whether a connection may use DCTCP's ECN.
	sysctl -q -w net.ipv4.tcp_congestion_control=dctcp "${settings[@]}"
	# A new namespace begins with what the first has.
	in_client sysctl -q -w net.ipv4.tcp_congestion_control=cubic "${settings[@]}"
}

# address_for CC: where connections of that congestion control go. iperf3 sets it when they are
# established, and by then ECN is settled: so it is DCTCP's route that asks for it.
address_for()
{
	if [[ $1 == dctcp ]]; then echo "$dctcp_addr"; else echo "$host_addr"; fi
}

# The host gets an ACK for each packet it sends, so that they outrun the CPU before data does.
acknowledge_each()
{
	ip -n client route replace "${host_addr%.*}.0/24" dev "$client_if" quickack 1
	ip -n client route replace "$dctcp_addr/32" dev "$client_if" congctl dctcp quickack 1
}

# What build_pair built; may be called at any time.
remove_pair()
{
	ip netns del client 2>/dev/null || true
	rmmod simnic 2>/dev/null || true
}
