#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests simnic, inside a guest, as root: selftest.sh MODULE.ko TOOLS_DIRECTORY [TEST]...
# TOOLS_DIRECTORY is what `make -C tests/simnic OUT=... tools` made. Prints "ok TEST" or
# "not ok TEST: why" for each, "skip TEST: why" for what this kernel does not have; fails if any
# failed. Times are bounded loosely: an emulated machine is slow, and stops now and then.
# shellcheck disable=SC2317 # run_test calls the tests by name
set -uo pipefail

module=$1 tools=$2
shift 2
debug=/sys/kernel/debug/simnic
tool=$tools/simtool
object=$tools/selftest.bpf.o
failures=0

here=$(dirname "$0")
# shellcheck source=tests/simnic/selftest_lib.sh
. "$here/selftest_lib.sh"
# shellcheck source=tests/simnic/selftest_rings.sh
. "$here/selftest_rings.sh"
# shellcheck source=tests/simnic/selftest_stamps.sh
. "$here/selftest_stamps.sh"
# shellcheck source=tests/simnic/selftest_costs.sh
. "$here/selftest_costs.sh"

run_test()
{
	local why=''

	if [ "$1" = hint ] && [[ $(uname -r) =~ ^6\.[12]\. ]]; then
		echo "skip hint: Linux $(uname -r) has no XDP hints"
		return
	fi
	if [ "$1" = qstats ] && [[ $(uname -r) =~ ^6\.[0-9]\. ]]; then
		echo "skip qstats: Linux $(uname -r) has no counters of queues by netlink"
		return
	fi
	if ! setup; then
		bad "setup failed"
	else
		"test_$1"
		teardown
	fi
	if [ -n "$why" ]; then
		echo "not ok $1: $why"
		failures=$((failures + 1))
	else
		echo "ok $1"
	fi
}

mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
all=(tcp_udp tso overflow qstats rss weight rings completions stamps phc xdp hint xdp_swap trace rate settings costs pace threaded changes rmmod)
[ $# -gt 0 ] || set -- "${all[@]}"
dmesg -C
for name; do
	run_test "$name"
done

# A pool whose pages never come back complains after a minute.
sleep 65
if dmesg | grep -E 'WARNING|BUG|Oops|Call Trace|page_pool|inflight|refcount|hung task|stalled pool|scheduling while|unregister_netdevice'; then
	echo "not ok dmesg: see above"
	failures=$((failures + 1))
else
	echo "ok dmesg"
fi
exit $((failures > 0))
