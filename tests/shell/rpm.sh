#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The RPM packages, by Debian's rpmbuild and rpm: build, do what they should, keep attached what is
# when they are installed again, detach when they are removed, and leave nothing. They go into an
# overlay of this machine, in namespaces of its own: the machine itself sees nothing of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() { echo "$1" && exit 77; }

wrong()
{
	echo "$*"
	exit 1
}

xdp_id()
{
	ip -j -d link show "$1" | jq '.[].xdp.prog.id'
}

# In namespaces of its own: SCRATCH DIRECTORY-OF-RPMS
isolated()
{
	local root=$1/root id file
	local -a rpm=(rpm --root "$1/root") in=(chroot "$1/root" env -u RXAQM_BPFFS
		-u RXAQM_PROFILE_PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin)

	mount --make-rprivate /
	mount -t tmpfs none "$1"
	mkdir "$1"/{upper,work,root}
	mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" none "$root"
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount -t bpf -o mode=0700 bpf "$root/sys/fs/bpf"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs none "$root/run"
	rm -rf "$root/etc/rxaqm" "$root/var/lib/rxaqm" "$root"/usr/{,local/}share/{doc/,}rxaqm* # of this machine

	"${rpm[@]}" --nodeps -i "$2"/*.rpm
	[[ $("${in[@]}" rxaqm --version) =~ ^"rxaqm $(cat VERSION)"(\ \([0-9a-f]+(-dirty)?\))?$ ]]
	"${in[@]}" rxaqm profile show | grep '^veth: ' >/dev/null
	"${in[@]}" rxaqm doctor --checks | grep '^| check' >/dev/null
	"${in[@]}" rxaqm qualify --list | grep '^Q1 ' >/dev/null
	"${rpm[@]}" -V --nodeps rxaqm || wrong "rpm -V"
	[ ! -e "$root/sys/fs/bpf/rxaqm" ] || wrong "installing it attached something"

	ip link add rpmtest0 type veth peer name rpmtest1
	"${in[@]}" rxaqm attach rpmtest0
	id=$(xdp_id rpmtest0)
	[ "$id" -gt 0 ]
	echo '# mine' >>"$root/etc/rxaqm/rxaqm.conf"
	"${rpm[@]}" --nodeps -U --force "$2"/*.rpm
	[ "$(xdp_id rpmtest0)" = "$id" ] || wrong "the upgrade took the program off"
	grep '^# mine' "$root/etc/rxaqm/rxaqm.conf" >/dev/null || wrong "the upgrade took configuration away"

	"${rpm[@]}" -ql rxaqm rxaqm-{doctor,qualify,exporter,libs,devel} >"$1/files"
	"${rpm[@]}" --nodeps -e rxaqm rxaqm-{doctor,qualify,exporter,libs,devel}
	[ "$(xdp_id rpmtest0)" = null ] || wrong "the removal left the program"
	while read -r file; do
		[ -d "$root$file" ] || [ ! -e "$root$file" ] || wrong "left behind: $file"
	done <"$1/files"
	for file in /usr/share/rxaqm /usr/share/doc/rxaqm /var/lib/rxaqm /sys/fs/bpf/rxaqm; do
		[ ! -e "$root$file" ] || wrong "left behind: $file"
	done
	echo 'inside: done'
}

main()
{
	local scratch rpms

	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v rpmbuild >/dev/null || skip "no rpmbuild: packaging/install-deps.sh rpm installs it"
	git rev-parse -q --verify HEAD >/dev/null || skip "not a checkout of git"
	unshare -mnpf true 2>/dev/null || skip "namespaces cannot be made here"
	scratch=$(mktemp -d)
	# shellcheck disable=SC2064 # now
	trap "rm -rf '$scratch'" EXIT
	packaging/make-rpm.sh build/rpm --nodeps --define 'debug_package %{nil}' >/dev/null
	rpms=$PWD/build/rpm/RPMS/$(uname -m)
	[ "$(find "$rpms" -name '*.rpm' | wc -l)" -eq 6 ] || wrong "these packages: $(ls "$rpms")"
	# What it was built with is what it asks for.
	[[ $(rpm -qp --requires "$rpms"/rxaqm-[0-9]*.rpm) == *'libbpf.so.1('* ]] || wrong "it does not need libbpf"
	mkdir "$scratch/mnt"
	unshare -mnpf --mount-proc bash -c 'source tests/shell/rpm.sh source && isolated "$@"' - \
		"$scratch/mnt" "$rpms" >"$scratch/out" 2>&1 || {
		cat "$scratch/out"
		wrong "failed in the overlay"
	}
	grep -qx 'inside: done' "$scratch/out"
}

[ "${1-}" = source ] || main
