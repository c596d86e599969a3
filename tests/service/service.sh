#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The package and its unit under a real systemd, inside a guest, as root:
# service.sh PACKAGE.deb NEWER.deb OTHER.deb [TEST]..., of tests/vm/build-debs.sh. Installs,
# upgrades and removes them: the guest forgets it. The tests go through the life of a host in this
# order, each goes on where the one before ended. Prints "ok TEST" or "not ok TEST: why" for each;
# fails if any failed.
#
# systemd is the first process of a PID and mount namespace of the guest, and starts nothing of
# the machine's own: no unit is wanted by any other but for the journal.
# shellcheck disable=SC2317 # run_test calls the tests by name
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/service/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/service/daemon.sh
. "$here/daemon.sh"
# shellcheck source=tests/service/package.sh
. "$here/package.sh"

all=(install confine start reload exporter doctor refused killed hung upgrade other wrong clock stop
	denied remove purge)

give_up()
{
	echo "service.sh: $1" >&2
	exit "${2-1}"
}

# As the first process of the namespaces.
boot()
{
	local wants

	mount --make-rprivate /
	# Nothing of what the guest's own init keeps there, and nothing that a test leaves.
	mount -t tmpfs -o mode=755 run /run
	mkdir /run/lock
	mount -t tmpfs -o mode=755 none /etc/systemd/system
	for wants in /usr/lib/systemd/system/*.wants; do
		mount -t tmpfs -o mode=755 none "$wants"
	done
	mkdir -p /run/systemd/system
	cat >/run/systemd/system/rxaqm-test.target <<-'END'
		[Unit]
		Requires=basic.target systemd-journald.service
		After=basic.target systemd-journald.service
	END
	# Images of containers forbid packages to start and stop services.
	rm -f /usr/sbin/policy-rc.d
	# Nor is all of the machine's manual to be indexed anew: that takes minutes here.
	rm -f /var/lib/man-db/auto-update
	export container=rxaqm-test
	exec /usr/lib/systemd/systemd --system --unit=rxaqm-test.target --log-target=console
}

# Prints the number that the guest knows systemd by, once that has booted.
booted()
{
	local pid i

	for ((i = 0; i < 600; i++)); do
		pid=$(pgrep -P "$1" | head -n 1)
		if [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm")" = systemd ] &&
			nsenter -t "$pid" -m -p systemctl is-active rxaqm-test.target >/dev/null 2>&1; then
			echo "$pid"
			return
		fi
		kill -0 "$1" 2>/dev/null || return
		sleep 0.2
	done
}

# Under that systemd: TEST...
inside()
{
	local name failures=0

	for name; do
		run_test "$name" || failures=$((failures + 1))
	done
	return $((failures > 0))
}

main()
{
	local log=/run/service-systemd.log init pid

	[[ "$(findmnt -n -o FSTYPE /)" == 9p && ! -w / ]] ||
		give_up "this is no guest of tests/vm/vm.sh: it would change this machine" 2
	[ -x /usr/lib/systemd/systemd ] || give_up "no systemd: run 'packaging/install-deps.sh vm' as root"
	modprobe -q veth || true
	# shellcheck disable=SC2093
	env -i PATH="$PATH" TERM=linux unshare --pid --mount --mount-proc --fork \
		bash "$here/service.sh" --boot >"$log" 2>&1 </dev/null &
	init=$!
	pid=$(booted $init)
	[ -n "$pid" ] || { tail -n 40 "$log" && give_up "systemd has not booted"; }
	nsenter -t "$pid" -m -p env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		DEBIAN_FRONTEND=noninteractive package="$package" newer="$newer" other="$other" \
		simnic="${RXAQM_SIMNIC-}" bash "$here/service.sh" --inside "$@"
}

case ${1-} in
--boot) boot ;;
--inside) shift && inside "$@" ;;
*)
	[ $# -ge 3 ] || give_up "usage: service.sh PACKAGE.deb NEWER.deb OTHER.deb [TEST]..." 2
	package=$(realpath "$1") newer=$(realpath "$2") other=$(realpath "$3")
	[[ -e $package && -e $newer && -e $other ]] || give_up "no '$1', '$2' or '$3': run 'tests/vm/build-debs.sh'"
	shift 3
	[ $# -gt 0 ] || set -- "${all[@]}"
	main "$@"
	;;
esac
