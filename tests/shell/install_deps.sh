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

# Without dpkg: a list to install by hand.
status=0
out=$(PATH=/nonexistent "$(command -v bash)" -c '
	tr() { echo gcc; }
	sort() { while read -r _; do :; done; echo gcc; } # all of it, or the writer gets SIGPIPE
	. packaging/install-deps.sh build' 2>&1) || status=$?
[[ $status -eq 3 && $out == *gcc* ]]

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
chmod +x "$machine"/bin/*
export machine

# A bare "! grep" does not end a script under set -e.
none()
{
	! grep "$@"
}

# on RELEASE GROUP...
on()
{
	printf 'ID=debian\nVERSION_ID=%s\n' "$1" >"$machine/os-release"
	: >"$machine/asked"
	: >"$machine/installed"
	shift
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m bash -euc 'mount --bind "$machine/os-release" "$(readlink -f /etc/os-release)"
		PATH=$machine/bin:$PATH "$@"' bash "$script" "$@"
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

# Where apt fails, its own words are there.
touch "$machine/broken"
status=0
out=$(on 12 vm 2>&1) || status=$?
[[ $status -eq 1 && $out == *"a word of apt's"*"' failed"* ]]
