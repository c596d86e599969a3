#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What tests/fresh/fresh.sh does on a fresh machine: stages.sh STAGE. Lines of README.md are taken
# from it. What takes a kernel of choice, a guest or most of an hour is only set up.
set -euo pipefail
cd "$(dirname "$0")/../.."

# readme BEGINNING: runs the first line of README.md's indented blocks that begins so.
readme()
{
	local line

	line=$(sed -n 's/^    //p' README.md | awk -v begin="$1" '!found && index($0, begin) == 1 { print; found = 1 }')
	[ -n "$line" ] || { echo "README.md has no command that begins '$1'" && exit 1; }
	echo "\$ $line"
	eval "$line"
}

# There is none on such a machine.
systemctl()
{
	echo "not done: systemctl $*"
}

stage_first()
{
	readme 'apt-get update'
}

stage_deps()
{
	make deps
	make
}

# Shown it is where the NAPI thread of its NIC can be seen, which is not in a PID namespace.
stage_demo()
{
	make setup-demo
}

# One suite shows that tests are built and run here.
stage_test()
{
	export SUITE=cli
	readme 'make test'
}

# All tests are built by this release's compilers, and its dpkg is tried.
stage_suites()
{
	make setup-test setup-test-vm
	make test SUITE=shell
}

stage_install()
{
	readme 'make install'
	readme 'install -D'
	readme 'printf'
	readme 'rxaqm run --check'
	rxaqm profile list >/dev/null
	make uninstall
	[ ! -e /usr/local/sbin/rxaqm ]
}

stage_deb()
{
	readme 'make deb'
	readme 'apt-get install ./build/deb'
	readme 'printf'
	readme 'rxaqm run --check'
	apt-get -qq remove rxaqm
	[ ! -e /usr/sbin/rxaqm ]
	apt-get -qq install --no-install-recommends autopkgtest
	# This machine is thrown away, which is what its tests ask for and "null" does not say. It
	# has no systemd, which mounts that elsewhere.
	packaging/mount-bpffs.sh
	sed -i 's/, isolation-machine//' build/deb/rxaqm-*/debian/tests/control
	autopkgtest --no-built-binaries build/deb/rxaqm-*/ build/deb/*.deb -- null
}

# One file for all, the same wherever it is built, runs where there is nothing else: on older and
# newer systems, and beside busybox alone.
stage_dist()
{
	local root=/root/roots tarball release mirror

	readme 'make dist'
	tarball=$(echo build/dist/*.tar.gz)
	mkdir /root/elsewhere
	tar -c --exclude=./build . | tar -x -C /root/elsewhere
	make -C /root/elsewhere dist
	cmp "$tarball" /root/elsewhere/"$tarball"
	python3 -m json.tool build/dist/*/rxaqm-*/sbom.spdx.json >/dev/null
	apt-get -qq install --no-install-recommends mmdebstrap busybox-static iproute2
	mkdir -p $root/busybox/bin
	cp /bin/busybox $root/busybox/bin
	/bin/busybox --install -s $root/busybox/bin
	# shellcheck disable=SC2016 # apt-get expands it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' "Release: $(. /etc/os-release && echo "$VERSION_CODENAME")" | head -n 1)
	for release in bullseye bookworm trixie; do
		mmdebstrap --quiet --variant=minbase --mode=root --skip=check/qemu $release $root/$release "$mirror"
	done
	for release in busybox bullseye bookworm trixie; do
		echo "--- $release"
		tests/fresh/dist.sh "$tarball" $root/$release
	done
}

# The repository has what an apt of this machine installs.
stage_release()
{
	apt-get -qq install --no-install-recommends git
	git init -q
	git add -A
	git -c user.name=fresh -c user.email=fresh@rxaqm.invalid commit -qm 'As it is'
	make release
	(cd build/release && sha256sum -c --quiet SHA256SUMS && grep -q '^### Added' NOTES.md)
	make repo
	echo "deb [trusted=yes] file:$PWD/build/repo/apt ./" >/etc/apt/sources.list.d/rxaqm.list
	apt-get -qq update
	apt-get -qq install rxaqm
	[[ $(rxaqm --version) == "rxaqm $(cat VERSION) ($(git rev-parse --short=12 HEAD)"* ]]
	rm /etc/apt/sources.list.d/rxaqm.list
}

stage_lint()
{
	make lint
}

stage_vm()
{
	make deps-test-vm
	tests/vm/fetch.sh none
	PATH=$(. tests/vm/lib.sh && vm_path)
	vng --version
	qemu-system-x86_64 -device igb,help >/dev/null
}

stage_eval()
{
	make setup-eval setup-experiment setup-lab
}

stage_bench()
{
	make setup-bench
}

stage_"$1"
