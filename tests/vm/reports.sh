#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the reports in docs/qualify anew: tests/vm/reports.sh [NIC]..., igb, e1000e, vmxnet3,
# virtio_net and veth by default; RXAQM_REPORTS names another directory. Some 4 minutes each.
#
# They are made in a guest in virtual time (docs/measurements.md): what else the machine does is not
# in the figures. The first four are QEMU's, two of a kind on one wire.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"
kernel=sid seconds=2400
made=$vm_repo/build/vm/reports
into=${RXAQM_REPORTS:-$vm_repo/docs/qualify}

# report NIC
report()
{
	local wires=

	case $1 in
	veth) ;;
	igb | e1000e) wires=$(nics "${1}2") ;;
	vmxnet3) wires=$(nics vmxnet2) ;;
	virtio_net) wires=$(nics virtio2) ;;
	*) die "unknown NIC '$1': there are igb, e1000e, vmxnet3, virtio_net, veth" 2 ;;
	esac
	rm -f "$made/$1".*
	"$vm_repo/tests/vm/vm.sh" $kernel -n "report-$1" -t $seconds \
		-q "$wires -icount shift=1,sleep=off" -- tests/vm/report-guest.sh "$1" "${made#"$vm_repo/"}/$1"
	jq -c . "$made/$1.json" >"$into/$1.json"
}

mkdir -p "$made" "$into"
nics=("$@")
[ $# -gt 0 ] || nics=(igb e1000e vmxnet3 virtio_net veth)
for nic in "${nics[@]}"; do
	report "$nic"
done
[ ! -e "$made/igb.html" ] || "$vm_repo/packaging/picture.sh" "$made/igb.html" Q11 >"$into/igb-Q11.svg"
