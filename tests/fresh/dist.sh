#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unpacks what "make dist" made in a root directory, installs, runs and removes it there, on an
# interface in a network namespace of its own: dist.sh TARBALL [ROOT]. The root needs no more than a
# shell and what busybox has; without a name it is one where busybox is alone.
set -euo pipefail

tarball=$(readlink -f "$1")
if [ $# -gt 1 ]; then
	root=$(readlink -f "$2")
else
	root=$(mktemp -d)
	trap 'rm -rf --one-file-system "$root"' EXIT
	mkdir "$root/bin"
	cp "$(command -v busybox)" "$root/bin"
	for applet in $(busybox --list); do
		[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
	done
fi

# What is done in there; for a shell as simple as busybox's.
inside()
{
	cat <<-'END'
		set -eu
		PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
		export PATH
		expect() # WHAT COMMAND...: which prints that
		{
			what=$1
			shift
			echo "\$ $*"
			said=$("$@" 2>&1) || { echo "status $?: $said"; exit 1; }
			case $said in
			*"$what"*) ;;
			*) echo "$said"; echo "not in it: $what"; exit 1 ;;
			esac
		}
		cd /rxaqm-*
		grep -o '](local[^)#]*' README.md | sed 's/^](//' >/links
		[ -s /links ]
		while read -r link; do
			[ -e "$link" ] || { echo "README.md: link to $link"; exit 1; }
		done </links
		expect "Next: " sh install.sh
		expect "rxaqm " rxaqm --version
		expect "(built-in)" rxaqm profile show
		expect "" rxaqm attach dist0
		expect "profile veth" rxaqm profile show dist0
		expect "dist0: native mode" rxaqm status dist0
		# Without traffic it cannot clear all places.
		expect "NOT THE CAUSE" sh -c 'rxaqm doctor || [ $? -eq 3 ]'
		expect "Q1 " rxaqm qualify --list
		expect "" rxaqm detach dist0
		printf '[Interface dist0]\nmode=observe\n' >>/etc/rxaqm/rxaqm.conf
		expect "dist0" rxaqm run --check
		rxaqm run &
		daemon=$!
		until rxaqm status dist0 >/dev/null 2>&1 && [ -e /run/rxaqm/metrics.prom ]; do
			kill -0 $daemon
			sleep 1
		done
		expect "dist0: native mode" rxaqm status dist0
		expect "rxaqm_build_info" cat /run/rxaqm/metrics.prom
		kill $daemon
		wait $daemon
		expect "rxaqm-exporter " rxaqm-exporter --version
		expect "is removed" sh install.sh uninstall
		[ -z "$(find /usr/local -name '*rxaqm*' ! -type d)" ]
	END
}

cd "$root"
mkdir -p proc sys run dev tmp var/lib usr/local etc
rm -rf rxaqm-* etc/rxaqm
tar -xzf "$tarball"
inside >inside.sh
# What the root has is all there is to run.
# shellcheck disable=SC2016 # expanded in there
unshare --mount --net --pid --fork bash -euc '
	ip link set lo up
	ip link add dist0 type veth peer name dist1
	ip link set dist0 up
	ip link set dist1 up
	mount --make-rprivate /
	mount --bind "$1" "$1"
	cd "$1"
	mount -t proc proc proc
	mount -t sysfs sysfs sys
	mount -t bpf bpf sys/fs/bpf
	mount -t tmpfs tmpfs run
	mount -t tmpfs tmpfs dev
	touch dev/null
	mount --bind /dev/null dev/null
	exec env -i PATH="$PATH" chroot . /bin/sh /inside.sh
' bash "$root"
rm -rf inside.sh rxaqm-* etc/rxaqm
