#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the packages that the given targets need: install-deps.sh [-n] GROUP... Does nothing,
# quickly and without root, when they are there. -n only prints what is missing, and as what the
# system is taken. RXAQM_NO_DEPS=1 skips it all, for systems where the same things were installed in
# another way. docs/platforms.md has what is tried.
#
# PACKAGE/VERSION is wanted from that version on; what Debian 12 has not so new, for tests, comes
# from bookworm-backports, which is enabled then.
set -euo pipefail

# GROUP PLATFORM PACKAGE...: rows of the platform, of its family before the "-" and of its packager
# add up. Where the names are from:
#   apt, debian-*  packages of Debian, installed by tests/fresh
#   ubuntu-*       packages.ubuntu.com; bpftool is virtual there, of linux-tools
#   dnf, zypper    pkgconfig(NAME) is what RPM makes of each .pc file, and Fedora's packaging
#                  guidelines want ("PkgConfigBuildRequires"); else packages.fedoraproject.org and
#                  setup_dependencies.org of xdp-tutorial
#   pacman         archlinux.org/packages: libbpf, libxdp, bpf (which has bpftool)
readonly table='
build apt gcc libc6-dev make pkgconf git linux-libc-dev libelf-dev zlib1g-dev libinih-dev
build apt libjson-c-dev libsystemd-dev libmicrohttpd-dev
build apt libbpf-dev libxdp-dev
build debian-11 clang-16 llvm-16 bpftool
build debian-12 clang-19 llvm-19 bpftool
build debian-13 clang-19 llvm-19 bpftool
build ubuntu clang llvm linux-tools-common linux-tools-generic
build dnf gcc make pkgconf-pkg-config git clang llvm bpftool
build zypper gcc make pkg-config git clang llvm bpftool
build rpm pkgconfig(libbpf) pkgconfig(libxdp) pkgconfig(inih) pkgconfig(json-c)
build rpm pkgconfig(libsystemd) pkgconfig(libmicrohttpd) pkgconfig(libelf)
build rpm pkgconfig(zlib)
build pacman gcc make pkgconf git clang llvm bpf linux-api-headers libbpf libxdp libinih
build pacman json-c systemd-libs libmicrohttpd libelf zlib
test apt g++ catch2/3.7 iproute2 iperf3 ethtool jq procps tmux zsh fish nftables
test apt python3-jsonschema python3-prometheus-client python3-scapy python3-yaml ansible-core
test debian libclang-rt-19-dev
test ubuntu libclang-rt-dev
deb apt build-essential debhelper dh-apparmor dpkg-dev lintian
dist debian dpkg-dev meson gperf python3-jinja2 libcap-dev libmount-dev
dist-arm64 debian gcc-aarch64-linux-gnu pkgconf:arm64 libc6-dev:arm64 linux-libc-dev:arm64
dist-arm64 debian libelf-dev:arm64 zlib1g-dev:arm64 libinih-dev:arm64 libjson-c-dev:arm64
dist-arm64 debian libcap-dev:arm64 libmount-dev:arm64
dist-arm64 debian libbpf-dev:arm64 libxdp-dev:arm64
rpm apt rpm
repo apt apt-utils createrepo-c
rpm dnf rpm-build
rpm zypper rpm-build
demo apt gnuplot-nox iproute2 iperf3 ethtool jq procps
eval apt gnuplot-nox iproute2 iperf3 ethtool jq procps nbdkit fio
bench apt iproute2 iperf3 ethtool jq procps dpdk-dev
vm apt qemu-system-x86/1:8 dpdk-dev python3-venv busybox-static kmod file patchelf
vm apt debian-archive-keyring pahole xdp-tools iproute2 ethtool linuxptp curl systemd
vm debian-13 virtme-ng
lab apt dropbear-bin openssh-client jq ethtool iproute2
browser apt chromium
fresh apt mmdebstrap debian-archive-keyring
lint apt clang-format-19 shellcheck cppcheck man-db mandoc groff bash-completion
'

dry_run=no
[ "${1-}" != -n ] || { dry_run=yes && shift; }

die()
{
	echo "install-deps.sh: $1" >&2
	exit "${2-1}"
}

# By /etc/os-release: $pretty, $platform (FAMILY-VERSION), $packager, $untried, and the $repository
# that has what is for developers, if it is a repository of its own. No $platform where nobody knows
# what packages are called.
identify()
{
	local ID='' ID_LIKE='' VERSION_ID='' VERSION_CODENAME='' UBUNTU_CODENAME='' PRETTY_NAME='' id
	# They tell what a derivative is made of.
	local -A codenames=([bullseye]=debian-11 [bookworm]=debian-12 [trixie]=debian-13
		[jammy]=ubuntu-22.04 [noble]=ubuntu-24.04)

	platform='' packager='' untried=untried repository=''
	# shellcheck source=/dev/null
	[ ! -r /etc/os-release ] || . /etc/os-release
	pretty=${PRETTY_NAME:-${ID:-a system without /etc/os-release}}
	for id in "$ID" $ID_LIKE; do
		case $id in
		# Testing and unstable have no number.
		debian | ubuntu) platform=$id-${VERSION_ID:-99} packager=apt ;;
		fedora) platform=$id-$VERSION_ID packager=dnf ;;
		rhel | centos | rocky | almalinux | ol) platform=rhel-${VERSION_ID%%.*} packager=dnf ;;
		opensuse* | suse | sles) platform=suse-$VERSION_ID packager=zypper ;;
		arch) platform=arch packager=pacman ;;
		*) continue ;;
		esac
		break
	done
	[ "$packager" != apt ] || [ "$id" = "$ID" ] ||
		platform=${codenames[${UBUNTU_CODENAME:-$VERSION_CODENAME}]-$platform}
	case $platform in
	debian-1[23]) [ "$ID" != debian ] || untried='' ;;
	debian-1[4-9]* | debian-[2-9][0-9]*) platform=debian-13 ;;
	rhel-*)
		repository=crb
		[ "$ID" != rhel ] || repository=codeready-builder-for-$platform-$(uname -m)-rpms
		[ "$ID" != ol ] || repository=ol${platform#*-}_codeready_builder
		;;
	esac
}

# lacks PLATFORM: what the build needs, and it has not or too old.
lacks()
{
	case $1 in
	debian-11) echo 'libbpf >= 1.1, libxdp >= 1.3, bpftool >= 7.1' ;;
	ubuntu-22.04) echo 'libbpf >= 1.1, libxdp >= 1.3' ;;
	debian-[1-9] | debian-10 | ubuntu-1[0-9].* | ubuntu-20.* | rhel-[1-8]) echo 'libsystemd >= 247' ;;
	esac
}

# Prints the packages of all @groups that this platform has, each once.
wanted()
{
	local group row_group row_platform words word kinds=" $platform ${platform%%-*} $packager "

	[[ $packager != dnf && $packager != zypper ]] || kinds+="rpm "
	for group in "$@"; do
		[[ $table == *$'\n'"$group "* ]] || die "unknown group '$group', there are: $(
			cut -d ' ' -f 1 <<<"$table" | sort -u | xargs)" 2
		while read -r row_group row_platform words; do
			[[ $row_group == "$group" && $kinds == *" $row_platform "* ]] || continue
			for word in $words; do echo "$word"; done
		done <<<"$table"
	done | sort -u
}

# Prints those of @packages that are absent or too old.
missing()
{
	local package name have native
	declare -A version

	if [ "$packager" != apt ]; then
		for package; do
			case $packager in
			pacman) pacman -Qq "$package" >/dev/null 2>&1 || echo "$package" ;;
			*) rpm -q --whatprovides "$package" >/dev/null 2>&1 || echo "$package" ;;
			esac
		done
		return
	fi
	native=$(dpkg --print-architecture)
	while read -r name have; do
		version[${name%":$native"}]=$have
	done < <(dpkg-query -W -f '${db:Status-Status} ${binary:Package} ${Version}\n' "${@%%/*}" 2>/dev/null |
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
		-o DPkg::Lock::Timeout=300 "$@" 2>&1 </dev/null 9>&-) || status=$?
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

# by_hand WHY: where this cannot install them.
by_hand()
{
	local names

	platform=debian-13 packager=apt
	names=$(wanted "${groups[@]}")
	die "$pretty: $1: install what these packages of Debian hold (/VERSION: at least), then set RXAQM_NO_DEPS=1: ${names//$'\n'/ }" 3
}

identify
[ -n "$platform" ] || by_hand 'nothing is known here of its packages'
list=$(wanted "${groups[@]}")
[ -n "$list" ] || by_hand "only what 'build' needs is known here"
mapfile -t list <<<"$list"
mapfile -t absent < <(missing "${list[@]}")
[ ${#absent[@]} -gt 0 ] || exit 0
lacks=$(lacks "$platform")
if [ -n "$lacks" ] && [[ " ${groups[*]} " == *' build '* ]]; then
	die "$pretty has no $lacks: build that from source and install the rest of ${absent[*]}, then set RXAQM_NO_DEPS=1; or build on a newer system" 3
fi
echo "${groups[*]}: installing ${absent[*]}${untried:+ ($pretty, $untried${repository:+, with $repository})}"
[ $dry_run = no ] || exit 0
[ "$(id -u)" -eq 0 ] || die "not root: run 'sudo $0 ${groups[*]}'"
# One that runs beside waits: apt itself does not, while lists are fetched.
exec 9<"$0" && flock 9

case $packager in
dnf) dnf -y ${repository:+--enablerepo="$repository"} install "${absent[@]}" ;;
zypper) zypper --non-interactive install --capability "${absent[@]}" ;;
pacman) pacman -S --noconfirm --needed "${absent[@]}" ;;
esac || die "$packager could not install them: mend what it says above, or install them in another way and set RXAQM_NO_DEPS=1"
[ "$packager" = apt ] || exit 0

for architecture in $(printf '%s\n' "${absent[@]}" | sed -n 's|^[^/]*:||p' | sort -u); do
	grep -qx "$architecture" <<<"$(dpkg --print-foreign-architectures)" || {
		echo "adding the architecture $architecture (dpkg --add-architecture)"
		dpkg --add-architecture "$architecture"
	}
done
update
newer=()
if [ "$platform" = debian-12 ]; then
	for package in "${absent[@]}"; do
		[[ $package != */* ]] || newer+=("${package%%/*}")
	done
	[ ${#newer[@]} -eq 0 ] || enable_backports
	mapfile -t absent < <(printf '%s\n' "${absent[@]}" | sed '/\//d')
fi
install_from "" "${absent[@]%%/*}"
install_from bookworm-backports "${newer[@]}"
mapfile -t absent < <(missing "${list[@]}")
[ ${#absent[@]} -eq 0 ] || die "still missing or too old: ${absent[*]}"
