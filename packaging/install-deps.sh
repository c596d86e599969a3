#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the packages that the given targets need: install-deps.sh [-n] GROUP...,
# on Debian 12 and 13. Does nothing, quickly and without root, when they are there.
# -n only prints what is missing. RXAQM_NO_DEPS=1 skips it all, for systems where the
# same things were installed in another way.
#
# Debian 12 is too old in six of them, written PACKAGE/VERSION; they come from
# bookworm-backports, which is enabled if it is not yet. PACKAGE@13 is wanted from Debian 13
# on; before, there is none.
set -euo pipefail

declare -A packages=(
	[build]="gcc libc6-dev make pkgconf git clang-19 llvm-19 bpftool/7.5 libbpf-dev/1:1.4
		linux-libc-dev/6.12 libxdp-dev libelf-dev zlib1g-dev libinih-dev
		libjson-c-dev libmnl-dev libncurses-dev libsystemd-dev libmicrohttpd-dev"
	[test]="g++ catch2/3.7 libclang-rt-19-dev iproute2 iperf3 ethtool jq procps tmux zsh fish
		python3-jsonschema python3-prometheus-client python3-scapy"
	[deb]="build-essential debhelper dpkg-dev lintian"
	[demo]="gnuplot-nox iproute2 iperf3 ethtool jq procps"
	[eval]="gnuplot-nox iproute2 iperf3 ethtool jq procps nbdkit fio"
	[bench]="iproute2 iperf3 ethtool jq procps dpdk-dev"
	[vm]="qemu-system-x86/1:8 dpdk-dev virtme-ng@13 python3-venv busybox-static kmod file patchelf
		debian-archive-keyring pahole xdp-tools iproute2 ethtool linuxptp curl systemd"
	[lab]="dropbear-bin openssh-client jq ethtool iproute2"
	[browser]="chromium"
	[fresh]="mmdebstrap debian-archive-keyring"
	[lint]="clang-format-19 shellcheck cppcheck man-db groff bash-completion"
)

dry_run=no
[ "${1-}" != -n ] || { dry_run=yes && shift; }

die()
{
	echo "install-deps.sh: $1" >&2
	exit "${2-1}"
}

# The release of this Debian; one far ahead for its testing and unstable, which have no number.
release()
{
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "${VERSION_ID:-99}") 2>/dev/null || echo 99
}

# Prints the packages of all @groups that this release has, each once.
wanted()
{
	local group package

	for group in "$@"; do
		[ -n "${packages[$group]-}" ] ||
			die "unknown group '$group', there are: ${!packages[*]}" 2
		for package in ${packages[$group]}; do
			[[ $package != *@* || ${package#*@} -le ${release%%.*} ]] || continue
			echo "${package%@*}"
		done
	done | sort -u
}

# Prints those of @packages that are absent or too old.
missing()
{
	local package name have
	declare -A version

	while read -r name have; do
		version[$name]=$have
	done < <(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' "${@%%/*}" 2>/dev/null |
		sed -n 's/^installed //p')
	for package; do
		have=${version[${package%%/*}]-}
		if [ -z "$have" ] || { [[ $package == */* ]] &&
			! dpkg --compare-versions "$have" ge "${package#*/}"; }; then
			echo "$package"
		fi
	done
}

# Nothing asks: an operator's version of a configuration file is kept. What apt says is shown if
# it fails.
apt()
{
	local said status=0

	said=$(DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 \
		-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
		-o DPkg::Lock::Timeout=300 "$@" 2>&1 </dev/null) || status=$?
	[ $status -eq 0 ] || tail -n 25 <<<"$said" | sed 's/^/apt-get: /' >&2
	return $status
}

update()
{
	apt update || die "the package lists cannot be fetched: check the network and the sources of apt"
}

# install_from RELEASE PACKAGE...: their dependencies, too, come from RELEASE before others. Without
# a RELEASE apt chooses.
install_from()
{
	local release=$1

	shift
	[ $# -eq 0 ] || apt install --no-install-recommends ${release:+-t "$release"} "$@" ||
		die "'apt-get install ${release:+-t $release }$*' failed: mend what apt-get says above"
}

# Lines "RELEASE URI" of the configured package sources; needs fetched lists.
sources()
{
	# shellcheck disable=SC2016 # apt-get expands it
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' | sort -u
}

enable_backports()
{
	local uri file=/etc/apt/sources.list.d/rxaqm-backports.sources

	! grep -q '^bookworm-backports ' <<<"$(sources)" || return 0
	uri=$(awk '$1 == "bookworm" { print $2; exit }' <<<"$(sources)")
	[ -n "$uri" ] || die "no package source for bookworm is configured: add one, and bookworm-backports"
	echo "enabling bookworm-backports in $file"
	cat >"$file" <<-END
		Types: deb
		URIs: $uri
		Suites: bookworm-backports
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	update
}

groups=("$@")
[ $# -gt 0 ] || groups=(build)
[ -z "${RXAQM_NO_DEPS-}" ] || exit 0

release=$(release)
list=$(wanted "${groups[@]}")
mapfile -t list <<<"$list"
if ! command -v dpkg-query >/dev/null; then
	die "not a Debian: install what these packages hold, then set RXAQM_NO_DEPS=1: ${list[*]}" 3
fi
mapfile -t absent < <(missing "${list[@]}")
[ ${#absent[@]} -gt 0 ] || exit 0
echo "${groups[*]}: installing ${absent[*]}"
[ $dry_run = no ] || exit 0

# shellcheck source=/dev/null
. /etc/os-release
if [ "${ID-}" != debian ] || [ "${VERSION_ID:-99}" -lt 12 ]; then
	die "${PRETTY_NAME-this system} is not Debian 12 or 13: install these by hand (/VERSION: at least), then set RXAQM_NO_DEPS=1: ${absent[*]}" 3
fi
[ "$(id -u)" -eq 0 ] || die "not root: run 'sudo $0 ${groups[*]}'"

update
newer=()
if [ "${VERSION_ID-}" = 12 ]; then
	enable_backports
	for package in "${absent[@]}"; do
		[[ $package != */* ]] || newer+=("${package%%/*}")
	done
	mapfile -t absent < <(printf '%s\n' "${absent[@]}" | sed '/\//d')
fi
install_from "" "${absent[@]%%/*}"
install_from bookworm-backports "${newer[@]}"
mapfile -t absent < <(missing "${list[@]}")
[ ${#absent[@]} -eq 0 ] || die "still missing or too old: ${absent[*]}"
