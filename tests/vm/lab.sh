#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A lab of two machines and a cable, as docs/qualify.md asks for it, and "rxaqm qualify" in it:
#
#   tests/vm/lab.sh [-k KERNEL] [-n NIC] [ROWS]     make lab, 6.12, igb, and some quick rows
#
# Two guests share two wires, both of QEMU's (-netdev stream, over a socket below build/vm/lab): one
# between the NICs, and one for ssh. rxaqm is installed on both, and root of "dut" may log in on
# "other" with a key. What is typed then, on dut, is what the manual says. The report stays in
# build/vm/lab. Exit status 0: the record has what it must have.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

kernel=6.12 nic=igb
while getopts k:n: option; do
	case $option in
	k) kernel=$OPTARG ;;
	n) nic=$OPTARG ;;
	*) die "usage: lab.sh [-k KERNEL] [-n NIC] [ROWS]" 2 ;;
	esac
done
shift $((OPTIND - 1))
rows=${1-Q1,Q2,Q5,Q9,Q11,Q16}
lab=$vm_repo/build/vm/lab seconds=${RXAQM_LAB_SECONDS:-400}

for tool in dropbear ssh jq; do
	PATH=$PATH:/usr/sbin command -v $tool >/dev/null ||
		die "no $tool: run 'packaging/install-deps.sh lab' as root" 3
done
vm_version "$kernel" >/dev/null
rm -rf "$lab"
mkdir -p "$lab/ssh"
ssh-keygen -q -t ed25519 -N '' -f "$lab/ssh/id"
dropbearkey -t ed25519 -f "$lab/ssh/host" | grep ^ssh- >"$lab/ssh/host.pub"
make -s -C "$vm_repo" install DESTDIR="$lab/root" >/dev/null

# machine NAME on|off: QEMU's options for one that serves both wires, or connects to them.
machine()
{
	local wire model n=0

	for wire in "$nic" virtio-net-pci,romfile=; do
		n=$((n + 1))
		printf ' -netdev stream,id=wire%d,server=%s,addr.type=unix,addr.path=%s/wire%d' \
			$n "$2" "$lab" $n
		printf ' -device pcie-root-port,id=port%d,chassis=%d' $n $n
		printf ' -device %s,netdev=wire%d,bus=port%d,mac=52:54:00:00:0%d:0%d' \
			"$wire" $n $n $n "$([ "$1" = dut ] && echo 1 || echo 2)"
	done
}

guest()
{
	"$vm_repo/tests/vm/vm.sh" "$kernel" -n "lab-$1" -t "$seconds" -q "$(machine "$1" "$2")" -- \
		tests/vm/lab-guest.sh "$1" "$rows"
}

guest other on >"$lab/other.log" 2>&1 &
other=$!
trap 'touch "$lab/done"; wait $other || true' EXIT
for ((i = 0; i < 300; i++)); do
	if [ -S "$lab/wire1" ] && [ -S "$lab/wire2" ]; then break; fi
	kill -0 $other 2>/dev/null || break
	sleep 0.1
done
[ -S "$lab/wire2" ] || { cat "$lab/other.log" && die "the other machine did not start"; }

guest dut off
touch "$lab/done"
