#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes sure that a bpffs is mounted on /sys/fs/bpf, where rxaqm pins its maps.
# systemd mounts it on boot; containers and minimal systems may lack it. Nobody but root has
# business there, and whoever can make a directory could be there before rxaqm: mode 0700, as
# systemd has it.
set -eu

dir=/sys/fs/bpf

[ "$(stat -f -c %T "$dir" 2>/dev/null)" != bpf_fs ] || exit 0
if ! mount -t bpf -o mode=0700 bpf "$dir"; then
	echo "mount-bpffs.sh: cannot mount a bpffs on $dir: needs root and a kernel with CONFIG_BPF_SYSCALL" >&2
	exit 1
fi
