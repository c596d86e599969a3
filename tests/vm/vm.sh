#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command as root in a guest, over this machine's own files:
#
#   tests/vm/vm.sh KERNEL [-t SECONDS] [-n NAME] [-c CPUS] [-q QEMU_OPTIONS] -- COMMAND...
#
# KERNEL is one of tests/vm/kernels, fetched before by tests/vm/fetch.sh. The command runs
# in this repository; build/ is writable and stays, all else is read-only or forgotten.
# Its output and exit status are those of vm.sh, with its environment variables RXAQM_*.
# Kept in build/vm/logs: KERNEL-NAME.log, the output, and KERNEL-NAME.console, the kernel's.
#
# Status 124: it took longer than SECONDS (300). Status 125: the guest died.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

usage="usage: vm.sh KERNEL [-t SECONDS] [-n NAME] [-c CPUS] [-q QEMU_OPTIONS] -- COMMAND..."
seconds=300 name=command cpus=2 qemu_options=''
[ $# -gt 0 ] || die "$usage" 2
kernel=$1
shift
while getopts t:n:c:q: option; do
	case $option in
	t) seconds=$OPTARG ;;
	n) name=$OPTARG ;;
	c) cpus=$OPTARG ;;
	q) qemu_options=$OPTARG ;;
	*) die "$usage" 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "$usage" 2

vm_row "$kernel" >/dev/null
vm_version "$kernel" >/dev/null
PATH=$(vm_path)
export PATH
for tool in vng qemu-system-x86_64 busybox file; do
	command -v "$tool" >/dev/null || die "no $tool: run 'packaging/install-deps.sh vm' as root" 3
done

logs=$vm_repo/build/vm/logs
output=$logs/$kernel-$name.log console=$logs/$kernel-$name.console
run=$logs/$kernel-$name.run # seen by the guest, too
mkdir -p "$logs"
rm -rf "$run"
mkdir "$run"
: >"$output"

# What the guest does. Results come back through files: not every set of guest tools has
# a channel for them.
{
	cat <<-'END'
		mountpoint -q /sys/fs/bpf || mount -t bpf -o mode=0700 bpf /sys/fs/bpf
		mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
		mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
		mkdir -p /run/netns
		ip link set lo up
		modprobe -q tun || true
		ulimit -l unlimited
	END
	printf 'cd %q\n' "$vm_repo"
	env -0 | while IFS= read -r -d '' variable; do
		[[ $variable != RXAQM_* ]] || printf 'export %q\n' "$variable"
	done
	[ ! -e "$vm_cache/$kernel/simnic/simnic.ko" ] ||
		printf 'export RXAQM_SIMNIC=%q\n' "$(cd "$vm_cache/$kernel" && pwd)/simnic/simnic.ko"
	printf '%q ' "$@"
	printf '>%q 2>&1 </dev/null\n' "$output"
	printf 'echo $? >%q\nsync\n' "$run/status"
} >"$run/guest.sh"

# Where the machine is busy an emulated timer may be late: the kernel is not to panic over it,
# nor to distrust its clock, nor to call that a lockup.
patience="no_timer_check tsc=nowatchdog nowatchdog"

# What udev would load for devices that no test asks for takes half of the time that a boot takes.
unused=kvm_amd,kvm_intel,ccp,sr_mod,sg,ahci,evdev,psmouse,serio_raw,pcspkr,button,qemu_fw_cfg
unused+=,i2c_i801,lpc_ich,iTCO_wdt,i6300esb,aesni_intel,ghash_clmulni_intel,sha1_ssse3
unused+=,sha256_ssse3,sha512_ssse3,crct10dif_pclmul,crc32_pclmul,crc32c_intel

# vng gives the guest six serial devices of 31 ports, that is, 384 queues, and QEMU's main loop
# looks at all of them each time a timer fires.
few_ports="-global virtio-serial-device.max_ports=2"

# Its own process group: whatever vng starts ends with it.
set -m
vng --verbose --run "$vm_cache/$kernel/vmlinuz" --disable-kvm --disable-microvm --force-9p \
	--append "$patience modprobe.blacklist=$unused" --cpus "$cpus" --memory 2G \
	--user root --rwdir "$vm_repo/build" \
	--qemu-opts="-pidfile $run/pid $few_ports $qemu_options" -- bash "$run/guest.sh" \
	</dev/null >"$console" 2>&1 &
guest=$!
set +m
trap 'kill -KILL -- -$guest 2>/dev/null || true' EXIT
tail -n +1 -f --pid=$guest "$output" &
follower=$!

timed_out=no
deadline=$((SECONDS + seconds))
while kill -0 $guest 2>/dev/null; do
	if [ $SECONDS -ge $deadline ]; then
		timed_out=yes
		kill -KILL "$(cat "$run/pid" 2>/dev/null || echo $guest)" 2>/dev/null || true
		kill -KILL -- -$guest 2>/dev/null || true
		break
	fi
	sleep 0.5
done
wait $guest 2>/dev/null || true
wait $follower 2>/dev/null || true

fail()
{
	echo "failed: $2; the end of $console:"
	tail -n 25 "$console" | cut -c 1-200
	exit "$1"
}
[ $timed_out = no ] || fail 124 "timed out after $seconds s"
if trouble=$(grep -aE -m 1 'Kernel panic|BUG: |Oops|general protection|KASAN:' "$console"); then
	fail 125 "the kernel said '$trouble'"
fi
status=$(cat "$run/status" 2>/dev/null) || fail 125 "the guest ended early"
rm -rf "$run"
exit "$status"
