#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds tests/simnic, the simulated NIC, for guests: tests/vm/build-simnic.sh [KERNEL]...,
# all kernels of tests/vm/kernels by default. The module is build/vm/KERNEL/simnic/simnic.ko.
# Quick when it is newer than its sources.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(find "$vm_repo/tests/simnic" -maxdepth 1 -type f)
[ -e "${sources[0]}" ] || exit 0

# compiler FILE: makes a gcc there that leaves out options it does not know: a kernel built by
# a newer one asks for them. They tune warnings and the layout of code.
compiler()
{
	mkdir -p "$1.known"
	cat >"$1" <<-'END'
		#!/bin/bash
		knows()
		{
			local note=$0.known/${1//\//_}

			[ -e "$note.yes" ] || [ -e "$note.no" ] || {
				if [[ $(gcc "${1/#-Wno-/-W}" -E -x c - </dev/null 2>&1) == *unrecognized* ]]; then
					touch "$note.no"
				else
					touch "$note.yes"
				fi
			}
			[ -e "$note.yes" ]
		}

		for argument; do
			shift
			case $argument in
			-fmin-function-alignment=*) argument=-falign-functions=${argument#*=} ;;
			-fsanitize-trap=undefined) argument=-fsanitize-undefined-trap-on-error ;;
			-W*,* | -f*prefix-map=*) ;;
			-f* | -m* | -W* | -std=*) knows "$argument" || continue ;;
			esac
			set -- "$@" "$argument"
		done
		exec gcc "$@"
	END
	chmod +x "$1"
}

# A pahole older than the kernel's own does not know all its options.
pahole_flags()
{
	local wanted have

	wanted=$(sed -n 's/^CONFIG_PAHOLE_VERSION=//p' "$1/.config")
	have=$(pahole --numeric_version 2>/dev/null) || have=0
	[ "$have" -ge "${wanted:-0}" ] || echo PAHOLE_FLAGS=--btf_gen_floats
}

build()
{
	local kernel=$1 version headers into ko

	[[ $(vm_row "$kernel") == *headers* ]] || return 0
	version=$(vm_version "$kernel")
	headers=$(vm_headers "$kernel")
	into=$vm_cache/$kernel/simnic
	ko=$into/simnic.ko
	if [ -e "$ko" ] && [ -z "$(find "${sources[@]}" "$headers/Makefile" -newer "$ko")" ]; then
		return
	fi
	echo "building simnic for $kernel ($version)"
	rm -rf "$into"
	mkdir -p "$into"
	cp "${sources[@]}" "$into"
	compiler "$into/gcc"
	# shellcheck disable=SC2046
	if ! make -C "$headers" M="$into" CC="$into/gcc" $(pahole_flags "$headers") modules >"$into/build.log" 2>&1; then
		tail -n 20 "$into/build.log"
		die "simnic cannot be built for $kernel: see $into/build.log"
	fi
}

kernels=("$@")
[ $# -gt 0 ] || mapfile -t kernels < <(vm_kernels)
for kernel in "${kernels[@]}"; do
	build "$kernel"
done
