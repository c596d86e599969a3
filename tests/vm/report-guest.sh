#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# In a guest of tests/vm/reports.sh: report-guest.sh DRIVER FILE. Measures the first of two
# interfaces by DRIVER against the second, as docs/qualify.md says for two ports of one machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
driver=$1 file=$2 status=0

[ "$driver" != veth ] || ip link add veth0 type veth peer name veth1
ports=()
for port in /sys/class/net/*; do
	port=${port##*/}
	[ "$(ethtool -i "$port" 2>/dev/null | sed -n 's/^driver: //p')" != "$driver" ] || ports+=("$port")
done
[ ${#ports[@]} -eq 2 ] || { echo "no two interfaces by $driver" && exit 1; }

# interrupts PORT CPU: of its own, or of the PCI device that a virtio device is of.
interrupts()
{
	local device number

	device=$(readlink -f "/sys/class/net/$1/device")
	for number in "$device"/msi_irqs/* "$device"/../msi_irqs/*; do
		[ ! -e "$number" ] || echo "$2" >"/proc/irq/${number##*/}/smp_affinity_list" || true
	done
}

# What is built meanwhile is another one.
cp build/rxaqm build/rxaqm-qualify /tmp
ip link set "${ports[0]}" up
ip link set "${ports[1]}" up
ip netns add other
interrupts "${ports[0]}" 1
interrupts "${ports[1]}" 0
ip link set "${ports[1]}" netns other
ip -n other link set "${ports[1]}" up
RXAQM_PROFILE_PATH=$PWD/nic-profiles /tmp/rxaqm qualify "${ports[0]}" \
	--loopback "other/${ports[1]}" --out "$file.json" --html "$file.html" || status=$?
case $status in 0 | 5 | 6) ;; *) exit $status ;; esac
