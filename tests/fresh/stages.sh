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

stage_install()
{
	readme 'make install'
	readme 'install -D'
	readme 'printf'
	readme 'rxaqm run --check'
	rxaqm profile show >/dev/null
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

# make_root RELEASE DIRECTORY [OPTION]...: a minimal Debian from the mirror of this machine.
make_root()
{
	local release=$1 directory=$2 codename

	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	shift 2
	mkdir -p "$(dirname "$directory")"
	# As this one has it with its updates, others without.
	if [ "$release" = "$codename" ]; then
		set -- "$@" "$release" "$directory" /etc/apt/sources.list
	else
		# shellcheck disable=SC2016 # apt-get expands it
		set -- "$@" "$release" "$directory" \
			"$(apt-get indextargets --format '$(REPO_URI)' "Release: $codename" | head -n 1)"
	fi
	mmdebstrap --quiet --variant=minbase --mode=root --skip=check/qemu "$@"
}

# in_root DIRECTORY COMMAND...: with this machine's network, devices and nothing else of it.
in_root()
{
	cp --remove-destination /etc/resolv.conf /etc/hosts "$1/etc"
	cp -r /usr/local/share/ca-certificates "$1/usr/local/share" 2>/dev/null || true
	# shellcheck disable=SC2016 # expanded in there
	unshare --mount --pid --fork --kill-child bash -euc '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec env -i PATH="$PATH" HOME=/root TERM=dumb chroot "$root" "$@"
	' bash "$@"
}

# differences TARBALL TARBALL: which files differ, and in which words, if any.
differences()
{
	local file

	diff <(tar -tvzf "$1") <(tar -tvzf "$2") || true
	mkdir -p /root/differ/{1,2}
	tar -xzf "$1" -C /root/differ/1
	tar -xzf "$2" -C /root/differ/2
	cd /root/differ/1
	find . -type f | while IFS= read -r file; do
		cmp "$file" "../2/$file" ||
			diff <(strings "$file") <(strings "../2/$file") | head -n 20 || true
	done
}

# same_anew TARBALL ARCH: "make dist" makes the same in a new root, at another path, with another
# umask and time zone, where nothing is that this machine has built or installed.
same_anew()
{
	local root=/root/roots/anew place=/srv/elsewhere/with/a/longer/path

	rm -rf "$root"
	make_root "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
	mkdir -p "$root$place"
	tar -c --exclude=./build . | tar -x -C "$root$place"
	# shellcheck disable=SC2016 # expanded in there
	in_root "$root" bash -euc 'umask 077
		export TZ=Asia/Kolkata LC_ALL=C
		cd "$1"
		tests/fresh/stages.sh first
		make dist ARCH="$2"' bash "$place" "$2"
	cmp "$1" "$root$place/$1" || { differences "$1" "$root$place/$1"; exit 1; }
	echo "the same, made in two roots: $(sha256sum "$1")"
	rm -rf --one-file-system "$root"
}

# One file for all, the same wherever it is built, runs where there is nothing else: on older and
# newer systems, and beside busybox alone.
stage_dist()
{
	local root=/root/roots tarball release

	readme 'make dist'
	tarball=$(echo build/dist/*.tar.gz)
	apt-get -qq install --no-install-recommends mmdebstrap busybox-static iproute2
	same_anew "$tarball" "$(dpkg --print-architecture)"
	python3 -m json.tool build/dist/*/rxaqm-*/sbom.spdx.json >/dev/null
	echo "--- busybox"
	tests/fresh/dist.sh "$tarball"
	for release in bullseye bookworm trixie; do
		echo "--- $release"
		make_root $release $root/$release
		tests/fresh/dist.sh "$tarball" $root/$release
		rm -rf --one-file-system ${root:?}/$release
	done
}

# The same for arm64, the same wherever it is built. There is no such machine: what needs nothing of
# a kernel is run by QEMU.
stage_cross()
{
	local tarball tree program

	make dist ARCH=arm64
	tarball=$(echo build/dist/*-arm64.tar.gz)
	apt-get -qq install --no-install-recommends mmdebstrap qemu-user-static binutils
	same_anew "$tarball" arm64
	tar -xzf "$tarball" -C /root
	tree=$(echo /root/rxaqm-*-arm64)
	(cd "$tree" && sha256sum -c --quiet SHA256SUMS)
	python3 -m json.tool "$tree/sbom.spdx.json" >/dev/null
	for program in "$tree"/local/sbin/*; do
		echo "--- $program"
		readelf -h "$program" | grep -E '^ *Machine: *AArch64$'
		! readelf -ld "$program" | grep -E 'INTERP|NEEDED' || exit 1
		qemu-aarch64-static "$program" --version
	done
	cd "$tree/local/sbin"
	qemu-aarch64-static ./rxaqm profile show | grep '(built-in)'
	printf '[Interface lo]\nmode=observe\n' >/root/arm64.conf
	qemu-aarch64-static ./rxaqm run --check --config /root/arm64.conf
	qemu-aarch64-static ./rxaqm-doctor --checks | grep '^| check'
	qemu-aarch64-static ./rxaqm-qualify --list | grep '^Q1 '
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

# Over the packages of 0.1.0, built here of its sources.
stage_upgrade()
{
	local former=/root/former

	[ -e $former/VERSION ] ||
		{ echo "the commit of 0.1.0 is not in this checkout: git fetch --unshallow" && exit 1; }
	[ "$(cat $former/VERSION)" = 0.1.0 ]
	$former/packaging/install-deps.sh build deb
	$former/packaging/make-deb.sh $former/build/deb
	readme 'make deb'
	apt-get -qq install --no-install-recommends iproute2
	packaging/mount-bpffs.sh
	unshare --net tests/fresh/upgrade.sh $former/build/deb build/deb
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

# All tests but those of fuzz, whose compiler is the same on both, are built by this release's
# compilers, and its dpkg is tried. It is the last: what the stages before wait for is mostly the
# network, while "make test" has the CPUs (.ci/run).
stage_suites()
{
	make setup-test SUITE="unit bpf cli shell xsk system"
	stage_vm
	make setup-test-vm
	make test SUITE=shell
}

stage_"$1"
