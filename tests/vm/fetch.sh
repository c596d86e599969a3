#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches what guests need, once: tests/vm/fetch.sh [-u] [KERNEL]..., all kernels of
# tests/vm/kernels by default. Image, modules and headers go to build/vm/KERNEL
# (RXAQM_VM_CACHE names another place than build/vm) and virtme-ng to build/vm/venv,
# unless the system has it; KERNEL "none" is virtme-ng alone. What is there is not looked at
# again; -u looks for newer ones.
#
# The packages come from the mirror that the system's own apt uses, by an apt of its own
# below build/vm/apt: the system's package state is not touched.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

virtme_ng=virtme-ng==1.42
layout=1 # of the cache: another one is fetched anew
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# What the host tools of a newer release's headers are linked with.
tool_libraries=(libc6 libelf1t64 libssl3t64 zlib1g libzstd1)

need()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null ||
			die "no $tool: run 'packaging/install-deps.sh vm' as root" 3
	done
}

vm_apt()
{
	"$@" -qq -o Dir::Etc::sourcelist="$vm_cache/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State="$vm_cache/apt" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$vm_cache/apt/cache" -o APT::Sandbox::User=root -o APT::Architecture=amd64 \
		-o APT::Update::Post-Invoke::= -o APT::Default-Release=
}

# patiently COMMAND...: three times at most, while it fails or the network stops in the middle.
patiently()
{
	local try

	for try in 1 2 3; do
		! timeout -k 10 300 "$@" || return 0
		echo "attempt $try of 3 failed, or took more than 300 s: $1 $2" >&2
	done
	return 1
}

# Fetches the package lists of the releases that are asked for, once a run: an old one may be gone.
vm_lists()
{
	local release mirror security codename

	[ ! -e "$vm_cache/apt/fresh" ] || return 0
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	mirror=$(mirror_of "$codename") security=$(mirror_of "$codename-security")
	[ -n "$mirror" ] || die "apt knows no source for '$codename': guests need a Debian with its package mirror" 3
	mkdir -p "$vm_cache"/apt/{lists,cache/archives}/partial
	for release in $(for name in "${kernels[@]}"; do vm_row "$name" | cut -d ' ' -f 1; done | sort -u); do
		echo "deb [signed-by=$keyring] $mirror $release main"
		# Kernels of a release that is supported come from there first.
		[[ -z $security || $release == *-* || $release == sid ]] ||
			echo "deb [signed-by=$keyring] $security $release-security main"
	done >"$vm_cache/apt/sources.list"
	vm_apt patiently apt-get update || die "the package lists cannot be fetched from $mirror: check the network"
	touch "$vm_cache/apt/fresh"
}

# newest VERSION KIND...: the newest that has packages of all kinds.
newest()
{
	local pattern=$1 version kind

	shift
	vm_apt apt-cache pkgnames linux- | sort -Vr >"$vm_cache/apt/names"
	while read -r version; do
		for kind; do
			grep -qxF "linux-$kind-$version" "$vm_cache/apt/names" || continue 2
		done
		echo "$version"
		return
	done < <(sed -nE "s/^linux-$1-($pattern)\$/\1/p" "$vm_cache/apt/names")
}

# The packages named on standard input, and the parts that they need.
closure()
{
	local package

	while read -r package; do
		echo "$package"
		vm_apt apt-cache show --no-all-versions "$package" | sed -n 's/^Depends: //p' |
			grep -oE '\blinux-(headers|kbuild|base)-[0-9][^ ,]*' || true
	done | sort -u
}

# unpack DIRECTORY PACKAGE...
unpack()
{
	local into=$1 debs=$vm_cache/apt/debs deb

	shift
	rm -rf "$debs" && mkdir -p "$debs" "$into"
	(cd "$debs" && vm_apt patiently apt-get download "$@") || die "cannot fetch $*: check the network"
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$into"
	done
	rm -rf "$debs"
}

# relocate KERNEL DIRECTORY FINAL: links and paths in headers point below FINAL.
relocate()
{
	local version=$1 tree=$2 final=$3 link modules

	sed -i "s|/usr/src/|$final/usr/src/|" "$tree/usr/src/linux-headers-$version/Makefile"
	modules=$(modules_of "$version" "$tree")
	for link in build source; do
		rm -f "$modules/$link"
	done
	ln -s "$final/usr/src/linux-headers-$version" "$modules/build"
}

modules_of()
{
	if [ -d "$2/lib/modules/$1" ]; then
		echo "$2/lib/modules/$1"
	else
		echo "$2/usr/lib/modules/$1"
	fi
}

# mend_tools RELEASE DIRECTORY FINAL: programs that this system's libraries are too old
# for get those of their own release.
mend_tools()
{
	local release=$1 tree=$2 libraries=usr/lib/x86_64-linux-gnu tools=() tool

	while read -r tool; do
		[[ $(ldd "$tool" 2>&1) != *"not found"* ]] || tools+=("$tool")
	done < <(find "$tree"/usr/lib/linux-kbuild-* -type f -perm -u+x -exec sh -c \
		'[ "$(head -c 4 "$1" | tail -c 3)" = ELF ]' sh '{}' ';' -print)
	[ ${#tools[@]} -gt 0 ] || return 0
	need patchelf
	unpack "$tree/sysroot" "${tool_libraries[@]/%//$release}"
	for tool in "${tools[@]}"; do
		patchelf --set-interpreter "$3/sysroot/$libraries/ld-linux-x86-64.so.2" \
			--set-rpath "$3/sysroot/$libraries" "$tool"
	done
}

fetch_kernel()
{
	local name=$1 row release pattern kinds version packages=() final new modules made

	row=$(vm_row "$name")
	final=$vm_cache/$name new=$vm_cache/$name.new
	made="$layout $final $row" # its headers hold the path
	if [ $update = no ] && [ "$(cat "$final/complete" 2>/dev/null)" = "$made" ]; then
		return
	fi
	vm_lists
	read -r release pattern kinds <<<"$row"
	# shellcheck disable=SC2086 # kinds is a list
	version=$(newest "$pattern" $kinds)
	[ -n "$version" ] ||
		die "$release has no kernel that matches '$pattern': mend the row of $name in tests/vm/kernels"
	if [ "$(cat "$final/complete" "$final/version" 2>/dev/null)" = "$made"$'\n'"$version" ]; then
		return
	fi
	echo "fetching kernel $name: $version"
	# shellcheck disable=SC2086
	mapfile -t packages < <(printf "linux-%s-$version\n" $kinds | closure)
	rm -rf "$new"
	unpack "$new" "${packages[@]}"
	if [[ $kinds == *headers* ]]; then
		relocate "$version" "$new" "$final"
		mend_tools "$release" "$new" "$final"
	fi
	modules=$(modules_of "$version" "$new")
	depmod -b "${modules%/lib/modules/*}" "$version"
	ln -s "$(cd "$new" && find boot usr/lib/modules -name 'vmlinuz*' -print -quit 2>/dev/null)" "$new/vmlinuz"
	echo "$version" >"$new/version"
	rm -rf "$final"
	mv "$new" "$final"
	echo "$made" >"$final/complete"
}

fetch_virtme()
{
	! command -v vng >/dev/null || return 0
	# A venv does not survive being moved, and says where it is in the programs' first lines.
	if [ "$(cat "$vm_cache/venv/complete" 2>/dev/null)" = "$virtme_ng $vm_cache" ]; then
		return
	fi
	echo "fetching $virtme_ng"
	rm -rf "$vm_cache/venv"
	python3 -m venv "$vm_cache/venv" || die "no venv for python3: run 'packaging/install-deps.sh vm' as root" 3
	patiently "$vm_cache/venv/bin/pip" install --quiet --disable-pip-version-check "$virtme_ng" ||
		die "cannot fetch $virtme_ng: check the network, or install virtme-ng so that vng is in PATH"
	echo "$virtme_ng $vm_cache" >"$vm_cache/venv/complete"
}

update=no
[ "${1-}" != -u ] || { update=yes && shift; }
[ "$(uname -m)" = x86_64 ] || die "the guests are x86-64, this machine is $(uname -m)" 3
need dpkg-deb apt-get depmod
mkdir -p "$vm_cache"
vm_cache=$(cd "$vm_cache" && pwd)
exec 9>"$vm_cache/lock"
flock 9
rm -f "$vm_cache/apt/fresh"
fetch_virtme
[ "${1-}" != none ] || exit 0
kernels=("$@")
[ $# -gt 0 ] || mapfile -t kernels < <(vm_kernels)
for name in "${kernels[@]}"; do
	fetch_kernel "$name"
done
