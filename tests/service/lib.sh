# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of service.sh share. To be sourced.

unit=rxaqm.service
config=/etc/rxaqm/rxaqm.conf
nic=svc0
textfile=/var/lib/prometheus/node-exporter/rxaqm.prom
metrics=127.0.0.1:9752

# run_test NAME: the last line that a test prints is why it failed, or was skipped.
run_test()
{
	local out=/tmp/service-test.out status

	(
		set -eE
		trap 'echo "line ${BASH_LINENO[0]}: $BASH_COMMAND"' ERR
		"test_$1"
	) >"$out" 2>&1 </dev/null
	status=$?
	if [ "$status" -eq 0 ]; then
		echo "ok $1"
		return 0
	fi
	if [ "$status" -eq 77 ]; then
		echo "skip $1: $(tail -n 1 "$out")"
		return 0
	fi
	sed "s|^|$1: |" "$out"
	journalctl --no-pager -q -n 20 -o short-monotonic -u $unit | sed "s|^|$1: journal: |"
	echo "not ok $1: $(tail -n 1 "$out")"
	return 1
}

wrong()
{
	trap - ERR
	echo "$*"
	exit 1
}

skip()
{
	trap - ERR
	echo "$*"
	exit 77
}

# soon WHAT COMMAND...: it becomes true within half a minute.
soon()
{
	local what=$1 until=$((SECONDS + 30))

	shift
	while [ $SECONDS -lt $until ]; do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.3
	done
	wrong "not within half a minute: $what"
}

property()
{
	systemctl show -P "$1" $unit
}

# is PROPERTY VALUE
is()
{
	[ "$(property "$1")" = "$2" ]
}

# expect PROPERTY VALUE
expect()
{
	is "$1" "$2" || wrong "$1 of the unit is '$(property "$1")', not '$2'"
}

running()
{
	expect ActiveState active
	expect SubState running
}

restarted()
{
	[ "$(property MainPID)" != "$1" ] && is SubState running
}

# The program that the kernel runs on the interface: the same number, the same program.
program()
{
	ip -j -d link show $nic | jq '.[].xdp.prog.id // 0'
}

# kept PROGRAM: it still is on the interface, and rxaqm knows it.
kept()
{
	[ "$(program)" = "$1" ] || wrong "$nic had program $1, and has $(program) now"
	rxaqm status "$nic" >/dev/null
}

# The journal of the unit since the mark; options of journalctl may follow. Not by a cursor:
# journalctl leaves out the first match after one that does not match itself.
mark()
{
	sleep 0.01
	since=@$(date +%s.%6N)
}

journal()
{
	journalctl --sync
	journalctl -q --no-pager -u $unit -o cat --since "$since" "$@"
}

# said TEXT [OPTION...]: a line of the journal has it.
said()
{
	local text=$1

	shift
	journal "$@" | grep -F -e "$text" >/dev/null
}

expect_said()
{
	said "$@" || wrong "the journal does not say '$1' (${*:2}), but: $(journal | tail -n 5)"
}

# configure [LINE]...: the configuration that most tests want, and more in [Daemon].
configure()
{
	cat >$config <<-END
		[Daemon]
		status_interval=1s
		$(printf '%s\n' "$@")
		[Metrics]
		textfile=$textfile
		textfile_interval=1s
		[Interface $nic]
		mode=observe
		lease=10s
		[Interface sim1]
		mode=observe
	END
}
