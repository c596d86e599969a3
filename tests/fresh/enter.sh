#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command on a machine made of layers: enter.sh MACHINE LAYER... -- COMMAND...
# The layers are directories, the uppermost first; what the command writes goes into it, the
# others stay as they are. To be started in mount and PID namespaces of its own
# (unshare --mount --pid --fork): all mounts and processes end with the command.
set -euo pipefail

machine=$1 upper=$2
shift 2
lower=()
while [ "$1" != -- ]; do
	lower+=("$1")
	shift
done
shift

mount --make-rprivate /
mkdir -p "$upper" "$upper.work"
mount -t overlay -o "lowerdir=$(IFS=: && echo "${lower[*]}"),upperdir=$upper,workdir=$upper.work" \
	overlay "$machine"
cd "$machine"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs run
mkdir dev/pts dev/shm dev/net run/lock
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
for node in null zero full random urandom tty net/tun ptp0; do
	[ -e "/dev/$node" ] || continue
	touch "dev/$node"
	mount --bind "/dev/$node" "dev/$node"
done
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr

# `ip netns exec` wants / to be a mount, which chroot alone does not give.
mkdir -p .before
pivot_root . .before
cd /
umount -l .before
rmdir .before
exec "$@"
