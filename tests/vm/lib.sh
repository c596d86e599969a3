# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts of tests/vm share, and in part tests/fresh and .ci/run: the list of kernels, the
# cache, the mirror. To be sourced.

vm_repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
vm_cache=${RXAQM_VM_CACHE:-$vm_repo/build/vm}

die()
{
	echo "$(basename "$0"): $1" >&2
	exit "${2-1}"
}

# Sets @cpu to the seconds of CPU that all of this shell's children took that have ended; a subshell
# would have children of its own.
# shellcheck disable=SC2034 # for who sources this
cpu_taken()
{
	local stat

	read -ra stat <"/proc/$BASHPID/stat"
	cpu=$(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}

# mirror_of SUITE: where the system gets it from.
mirror_of()
{
	# shellcheck disable=SC2016 # apt-get expands it
	apt-get indextargets --no-release-info --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' |
		awk -v suite="$1" '$1 == suite { print $2; exit }'
}

# The names of all kernels, in the order of the list.
vm_kernels()
{
	sed -n 's/^\([^# \t]\+\)[ \t].*/\1/p' "$vm_repo/tests/vm/kernels"
}

# vm_row NAME: its row, "RELEASE VERSION KINDS...".
vm_row()
{
	local row

	row=$(awk -v name="$1" '$1 == name { $1 = ""; print substr($0, 2) }' "$vm_repo/tests/vm/kernels")
	[ -n "$row" ] || die "unknown kernel '$1', tests/vm/kernels has: $(vm_kernels | paste -sd ' ')" 2
	echo "$row"
}

# print_matrix ROWS COLUMNS: of lines "ROW COLUMN WHAT..." of stdin. What has no line is untried.
print_matrix()
{
	awk -v rows="$1" -v columns="$2" '
		{ key = $1 SUBSEP $2; $1 = $2 = ""; cell[key] = substr($0, 3) }
		END {
			n = split(rows, row, " ")
			m = split(columns, column, " ")
			printf "%-10s", ""
			for (j = 1; j <= m; j++) printf " %-14s", column[j]
			for (i = 1; i <= n; i++) {
				printf "\n%-10s", row[i]
				for (j = 1; j <= m; j++) {
					key = row[i] SUBSEP column[j]
					printf " %-14s", key in cell ? cell[key] : "untried"
				}
			}
			print ""
		}' | sed 's/ *$//'
}

# vm_version NAME: the version that was fetched.
vm_version()
{
	cat "$vm_cache/$1/version" 2>/dev/null || die "kernel $1 is not in $vm_cache: run 'tests/vm/fetch.sh $1'"
}

# vm_headers NAME: where modules for it are built.
vm_headers()
{
	echo "$vm_cache/$1/usr/src/linux-headers-$(vm_version "$1")"
}

# Prints the directory of vng: its own where the system has it.
vm_path()
{
	if ! command -v vng >/dev/null; then
		[ -x "$vm_cache/venv/bin/vng" ] || die "no vng: run 'tests/vm/fetch.sh'"
		echo "$vm_cache/venv/bin:$PATH"
	else
		echo "$PATH"
	fi
}

# nics KIND...: QEMU's options for NICs, two of each kind on one hub, that is one wire. Each behind
# a port of its own: an igb claims the addresses of its virtual functions, too.
nics()
{
	local kind model i n=0 hub=-1

	for kind; do
		hub=$((hub + 1))
		case $kind in
		igb2 | e1000e2) model=${kind%2} ;;
		vmxnet2) model=vmxnet3 ;;
		virtio2) model=virtio-net-pci,romfile= ;;
		*) die "unknown NICs '$kind': there are igb2, e1000e2, vmxnet2, virtio2" 2 ;;
		esac
		for i in 0 1; do
			n=$((n + 1))
			printf ' -netdev hubport,id=net%s%d,hubid=%d' "$kind" $i $hub
			printf ' -device pcie-root-port,id=port%s%d,chassis=%d' "$kind" $i $n
			printf ' -device %s,netdev=net%s%d,bus=port%s%d,mac=52:54:00:00:00:0%d' \
				"$model" "$kind" $i "$kind" $i $n
		done
	done
}
