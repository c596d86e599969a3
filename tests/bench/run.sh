#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench: what the XDP program costs, a table on stdout and build/bench.json; "run.sh xsk" (make
# bench-xsk): only the way to AF_XDP sockets. A missed
# target is said, not failed: only something that broke ends with an error.
#
# State and traffic are its own: a BPF file system, a namespace. The tracing programs of an
# rxaqm that is attached elsewhere on the machine see all packets, though, and then the
# live figures say too little of both sides.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${RXAQM_BUILD:-build}
ns=rxaqm-bench-$$
# NAPI threads are found by their names, which know no namespaces.
tx=tx$$ rx=rx$$
scratch=$(mktemp -d)
export RXAQM_BIN=$PWD/build/rxaqm
[ -z "${RXAQM_BUILD-}" ] || RXAQM_BIN=$RXAQM_BUILD/rxaqm
export RXAQM_PROFILE_PATH=$PWD/nic-profiles RXAQM_BPFFS=$scratch/bpf

# shellcheck disable=SC2317 # the trap calls it
cleanup()
{
	if [ -d "$RXAQM_BPFFS/rxaqm" ]; then
		"$RXAQM_BIN" --netns "$ns" detach --all >/dev/null || true
	fi
	ip netns delete "$ns" 2>/dev/null || true
	umount "$RXAQM_BPFFS" 2>/dev/null || true
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# part NAME COMMAND...: adds its figures to those there are. 77: it cannot run here.
part()
{
	local name=$1 status=0

	shift
	echo "bench: $name" >&2
	"$@" >>"$scratch/figures" || status=$?
	case $status in
	0) ;;
	77) echo "bench: $name: skipped" >&2 ;;
	*)
		echo "bench: $name failed with status $status" >&2
		failed=1
		;;
	esac
}

make_interfaces()
{
	ip netns add "$ns"
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
		net.ipv6.conf.default.disable_ipv6=1
	# The packets of live are for another address.
	ip -n "$ns" link add "$tx" address 02:00:00:00:09:08 type veth \
		peer name "$rx" address 02:00:00:00:09:01
	ip -n "$ns" link set "$tx" up
	ip -n "$ns" link set "$rx" up
	for ((i = 0; i < 16; i++)); do
		ip -n "$ns" link add "l$i" numrxqueues 4 numtxqueues 4 type veth peer name "p$i"
	done
}

table()
{
	awk -F'\t' '
		BEGIN { row("", "value", "", "target", "ratio", "met") }
		function row(a, b, c, d, e, f) {
			printf "%-42s %9s %-9s %-16s %6s  %s\n", a, b, c, d, e, f
		}
		{ row($1, $2, $3, $4, $5, $6) }
	' "$scratch/figures"
}

json()
{
	awk -F'\t' '
		BEGIN { print "[" }
		function pair(name, value, text) {
			if (value != "")
				printf ", \"%s\": %s", name, text ? "\"" value "\"" : value
		}
		{
			printf "%s  {\"name\": \"%s\"", (NR > 1 ? ",\n" : ""), $1
			pair("value", $2)
			pair("unit", $3, 1)
			pair("target", $4, 1)
			pair("ratio", $5)
			pair("met", $6 == "" ? "" : $6 == "yes" ? "true" : "false")
			printf "}"
		}
		END { print "\n]" }
	' "$scratch/figures"
}

[ "$(id -u)" -eq 0 ] || { echo "bench: not root: run 'sudo make bench'" >&2 && exit 1; }
mkdir "$RXAQM_BPFFS"
mount -t bpf -o mode=0700 bpf "$RXAQM_BPFFS"
make_interfaces
: >"$scratch/figures"
failed=0

if [ -n "$(bpftool prog list 2>/dev/null | grep -w 'name tp_gro' || true)" ]; then
	echo "bench: another rxaqm is attached on this machine and takes part in live figures" >&2
fi
if [ "${1-}" != xsk ]; then
	part "cost of a packet" "$build/bench/cost"
	part "a flood" "$build/bench/flood"
	part "live packet rate" ip netns exec "$ns" "$build/bench/live" "$tx" "$rx" "$RXAQM_BIN"
	part "latency of commands" tests/bench/latency.sh "$ns"
	part "generic mode without GRO" tests/bench/gro.sh
	part "CPU time of the daemon" tests/bench/daemon.sh "$ns"
	part "the doctor" tests/bench/sockets.sh
	part "backlog for four minutes" tests/bench/hold.sh
fi
part "AF_XDP packet rate" ip netns exec "$ns" "$build/bench/xsk" "$tx" "$rx" "$RXAQM_BIN"
part "AF_XDP consumer that is too slow" tests/bench/slow.sh
part "testpmd packet rate" tests/bench/testpmd.sh "$ns" "$tx" "$rx"
table
json >"$build/bench${1+-$1}.json"
exit "$failed"
