#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# install-deps.sh: silent when nothing is missing, one line and a code of its own otherwise.
set -euo pipefail
cd "$(dirname "$0")/../.."
script=packaging/install-deps.sh

[ -z "${RXAQM_NO_DEPS-}" ] || { echo "RXAQM_NO_DEPS is set" && exit 77; }

# They are there: make test has just installed them.
out=$($script build test 2>&1)
[ -z "$out" ] || { echo "not silent: $out" && exit 1; }

status=0
out=$($script nonsense 2>&1) || status=$?
[[ $status -eq 2 && $out == *"unknown group 'nonsense'"* ]]

# Each group that the Makefile asks for is known.
mapfile -t groups < <(sed -n 's|.*packaging/install-deps.sh \([a-z ]*\)$|\1|p' Makefile | tr ' ' '\n' | sort -u)
[ ${#groups[@]} -ge 4 ]
$script -n "${groups[@]}" >/dev/null

# The build names what is missing or too old, and what is there.
out=$(make tools LIBRARIES='libbpf>=99 zlib' LEAST_CLANG=99 BPFTOOL=nosuchtool 2>&1) && exit 1
[[ $out == *"missing: nosuchtool '"*" >= 99' (it is "*") 'libbpf >= 99' (it is 1."*"); run 'make deps'"* ]] ||
	{ echo "$out" && exit 1; }

# What apt is asked for, on the given Debian, where nothing is installed.
[ "$(id -u)" -eq 0 ] || { echo "the rest needs root" && exit 77; }
machine=$(mktemp -d)
trap 'rm -rf "$machine"' EXIT
mkdir "$machine/bin"
cat >"$machine/bin/apt-get" <<-'END'
	#!/bin/bash
	echo "$*" >>"$machine/asked"
	case " $* " in
	*" indextargets "*) echo "bookworm-backports http://mirror.invalid/debian/" ;;
	*" install "*)
		[ ! -e "$machine/broken" ] || { echo "E: a word of apt's" >&2 && exit 100; }
		for word; do
			[[ $word == -* ]] || echo "installed ${word%%/*} 9:99" >>"$machine/installed"
		done
		;;
	esac
END
cat >"$machine/bin/dpkg-query" <<-'END'
	#!/bin/bash
	cat "$machine/installed"
END
cat >"$machine/bin/dpkg" <<-'END'
	#!/bin/bash
	case $1 in
	--add-architecture) echo "dpkg $*" >>"$machine/asked" ;;
	--print-foreign-architectures) ;;
	*) exec /usr/bin/dpkg "$@" ;;
	esac
END
chmod +x "$machine"/bin/*
export machine

# A bare "! grep" does not end a script under set -e.
none()
{
	! grep "$@"
}

for packager in rpm dnf zypper pacman; do
	cat >"$machine/bin/$packager" <<-'END'
		#!/bin/bash
		[ "${0##*/}" != rpm ] && [ "$1" != -Qq ] || exit 1
		echo "${0##*/} $*" >>"$machine/asked"
	END
done
chmod +x "$machine"/bin/*

# as LINE... GROUP...: on a system whose /etc/os-release has these lines.
as()
{
	: >"$machine/os-release"
	while [[ $1 == *=* ]]; do
		echo "$1" >>"$machine/os-release"
		shift
	done
	: >"$machine/asked"
	: >"$machine/installed"
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m bash -euc 'mount --bind "$machine/os-release" "$(readlink -f /etc/os-release)"
		PATH=$machine/bin:$PATH "$@"' bash "$script" "$@"
}

# on RELEASE-OF-DEBIAN GROUP...
on()
{
	as ID=debian VERSION_ID="$1" "${@:2}"
}

# Backports also for what a package of theirs depends on, and for no other package.
on 12 vm >/dev/null
grep -qx -- '.* install .*-t bookworm-backports qemu-system-x86' "$machine/asked"
grep -v -- '-t bookworm-backports' "$machine/asked" >"$machine/others"
grep -q ' install .* ethtool ' "$machine/others"
none -E ' install .*(qemu|/)' "$machine/others"
on 13 vm >/dev/null
grep -q ' install .* qemu-system-x86.* virtme-ng' "$machine/asked"
none -e '-t bookworm-backports' "$machine/asked"

# No question about a configuration file, ever.
none -v -e '--force-confdef .*--force-confold' -e indextargets "$machine/asked"

# Libraries of another architecture, which dpkg is told of before apt is asked; no other package has
# a ":" that says so.
on 12 dist-arm64 >/dev/null
[ "$(grep -nE 'dpkg --add-architecture arm64$' "$machine/asked" | cut -d : -f 1)" = 1 ]
grep -q ' install .* libbpf-dev:arm64' "$machine/asked"
on 12 vm >/dev/null
none 'add-architecture' "$machine/asked"

# Where apt fails, its own words are there.
touch "$machine/broken"
status=0
out=$(on 12 vm 2>&1) || status=$?
[[ $status -eq 1 && $out == *"a word of apt's"*"' failed"* ]]

# Other systems. What is written there is what such systems have.
# refused WORDS SYSTEM...: with status 3, these words and a list.
refused()
{
	local words=$1

	shift
	status=0
	out=$(as "$@" 2>&1) || status=$?
	[[ $status -eq 3 && $out == *"$words"*RXAQM_NO_DEPS=1* && ! -s $machine/asked ]] ||
		{ echo "$*: status $status: $out, $(cat "$machine/asked")" && exit 1; }
}

rm "$machine/broken"
refused 'Void Linux: nothing is known' ID=void 'PRETTY_NAME="Void Linux"' build
[[ $out == *" libbpf-dev "* ]]
refused 'has no libbpf >= 1.1' ID=debian VERSION_ID=11 build
refused 'has no libbpf >= 1.1' ID=ubuntu VERSION_ID=22.04 build
refused 'has no libsystemd >= 247' ID=ubuntu VERSION_ID=20.04 build
refused 'has no libsystemd >= 247' ID=rocky 'ID_LIKE="rhel centos fedora"' VERSION_ID=8.10 build
refused "only what 'build' needs" ID=fedora VERSION_ID=43 test

# asks WORDS SYSTEM... build: it says "untried" and asks for that.
asks()
{
	local words=$1

	shift
	out=$(as "$@" build)
	# shellcheck disable=SC2053 # a pattern
	[[ $out == *untried* && $(cat "$machine/asked") == $words ]] ||
		{ echo "$*: $out, $(cat "$machine/asked")" && exit 1; }
}

asks '* install * clang * libbpf-dev *linux-tools-generic *' ID=ubuntu 'ID_LIKE=debian' VERSION_ID=24.04
# Mint, by what it is made of; Raspbian, which is like Debian 12.
asks '* install * linux-tools-generic *' ID=linuxmint 'ID_LIKE="ubuntu debian"' VERSION_ID=22.1 \
	UBUNTU_CODENAME=noble
asks '* install * clang-19 * libbpf-dev *' ID=raspbian ID_LIKE=debian \
	VERSION_ID=12 VERSION_CODENAME=bookworm
asks '* install * clang-19 *' ID=debian
asks 'dnf -y install bpftool *pkgconfig(libxdp)*' ID=fedora VERSION_ID=43
asks "dnf -y --enablerepo=codeready-builder-for-rhel-9-$(uname -m)-rpms install *" ID=rhel VERSION_ID=9.6
asks 'dnf -y --enablerepo=crb install *' ID=almalinux 'ID_LIKE="rhel centos fedora"' VERSION_ID=9.6
asks 'dnf -y --enablerepo=ol9_codeready_builder install *' ID=ol ID_LIKE=fedora VERSION_ID=9.6
asks 'zypper --non-interactive install --capability * pkg-config *pkgconfig(zlib)*' \
	ID=opensuse-tumbleweed 'ID_LIKE="opensuse suse"' VERSION_ID=20261101
asks 'pacman -S --noconfirm --needed bpf *' ID=arch
