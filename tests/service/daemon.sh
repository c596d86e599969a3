# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The unit while it runs: what systemd and the journal make of the daemon, what its sandbox
# lets it do, and what becomes of the data plane. To be sourced by service.sh.

# Loads the profile, as the package does where the machine has AppArmor installed.
test_confine()
{
	local parser daemons=$here/../../build/daemons

	[ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" = Y ] ||
		skip "this kernel has no AppArmor"
	if parser=$(command -v apparmor_parser); then
		"$parser" -r /etc/apparmor.d/rxaqm
	else
		[ -x "$daemons/bin/apparmor_parser" ] ||
			skip "no apparmor_parser: packaging/unpack-daemons.sh build/daemons"
		"$daemons/bin/apparmor_parser" -b "$daemons/root/etc/apparmor.d" -K -r /etc/apparmor.d/rxaqm
	fi
	confined
}

confined()
{
	grep -q '^rxaqm ' /sys/kernel/security/apparmor/profiles
}

# Nothing that the daemon did in all of these tests was refused by the profile.
test_denied()
{
	local refused

	confined || skip "no profile is loaded"
	refused=$(dmesg | grep 'apparmor="DENIED".*profile="rxaqm"') || true
	[ -z "$refused" ] || wrong "refused: $refused"
}

test_start()
{
	mark
	# For the text file: the sandbox opens only what is there when the unit starts.
	mkdir -p "$(dirname $textfile)"
	systemctl enable --now $unit
	running
	expect Type notify
	expect StatusText "0 interfaces attached"
	expect NRestarts 0
	soon "there is a status file" test -e /run/rxaqm/status.json
	! said '' -p warning || wrong "the journal has: $(journal -p warning)"
	! confined || [ "$(cat "/proc/$(property MainPID)/attr/current")" = "rxaqm (enforce)" ] ||
		wrong "it is in no profile"
	grep -qE '^NoNewPrivs:\s*1$' "/proc/$(property MainPID)/status" || wrong "there is no sandbox"
	closed /sys/module/printk/parameters/time "$(cat /sys/module/printk/parameters/time)"
	closed /proc/sys/kernel/sysrq "$(cat /proc/sys/kernel/sysrq)"
	closed /proc/sysrq-trigger h
}

# closed FILE TEXT: root, where the daemon is, cannot write this text, which would do no harm.
closed()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	! nsenter -t "$(property MainPID)" -m sh -c 'echo "$2" >"$1"' sh "$@" 2>/dev/null ||
		wrong "the daemon can write $1"
}

test_reload()
{
	local pid

	pid=$(property MainPID)
	mark
	ip link add $nic type veth peer name svc1
	ip link set $nic up
	ip link set svc1 up
	configure
	systemctl reload $unit
	soon "$nic is attached" rxaqm status $nic
	[ "$(program)" -gt 0 ] || wrong "no program on $nic"
	soon "systemd knows" is StatusText "1 interface attached"
	running
	[ "$(property MainPID)" = "$pid" ] || wrong "it was restarted"

	expect_said "configuration read again"
	# With its priority: notice, and not more.
	expect_said "$nic: attached, native mode" -p notice..notice
	expect_said "$nic: attached, native mode" \
		IFACE="$nic" MESSAGE_ID=c756ae717f7e4c02ace98a7adfc51391
	! said '' -p warning || wrong "the journal has: $(journal -p warning)"

	[ -z "$(ss -Hltnp "sport = :${metrics##*:}")" ] || wrong "the daemon listens"
	soon "the metrics are written" grep -q "interface=\"$nic\"" /run/rxaqm/metrics.prom
	soon "the text file has $nic" grep -q "interface=\"$nic\"" $textfile
	jq -e ".interfaces[] | select(.interface == \"$nic\")" /run/rxaqm/status.json >/dev/null ||
		wrong "the status file lacks $nic"
}

# What serves the metrics is nobody, starts when it is asked, and goes on without the daemon.
test_exporter()
{
	local pid

	dpkg -i "$(dirname "$package")"/packages/rxaqm-exporter_*.deb
	! systemctl -q is-active rxaqm-exporter.socket || wrong "it was started by installing it"
	systemctl start rxaqm-exporter.socket
	! systemctl -q is-active rxaqm-exporter || wrong "it was started before it was asked"
	soon "the metrics are served" curl -sf -o /run/metrics "http://$metrics/metrics"
	grep -q "^rxaqm_.*interface=\"$nic\"" /run/metrics || wrong "the metrics lack $nic"
	pid=$(systemctl show -P MainPID rxaqm-exporter)
	[ "$(stat -c %u "/proc/$pid")" -ne 0 ] || wrong "it is root"
	[[ $(grep -c '^Cap\(Eff\|Prm\|Bnd\):.0000000000000000$' "/proc/$pid/status") -eq 3 ]] ||
		wrong "it has capabilities: $(grep ^Cap "/proc/$pid/status")"
	dpkg -P rxaqm-exporter
	! systemctl -q is-active rxaqm-exporter.socket || wrong "its removal left the socket"
}

# The unit with doctor in place of the daemon, which starts it when a queue becomes overloaded: what
# doctor reads is open to it.
test_doctor()
{
	local bundle=/var/lib/rxaqm/bundle.json # where its profile lets it write

	dpkg -i "$(dirname "$package")"/packages/rxaqm-doctor_*.deb
	! systemctl -q is-enabled rxaqm-doctor.timer || wrong "its timer was enabled by installing it"
	sed -e '/^\(NotifyAccess\|WatchdogSec\|Restart\|ExecReload\)/d' -e 's/^Type=.*/Type=oneshot/' \
		-e "s|^ExecStart=.*|ExecStart=/usr/sbin/rxaqm doctor --time=1s --record=$bundle|" \
		-e 's/^RuntimeDirectory=.*/RuntimeDirectory=rxaqm-doctor/' \
		-e 's/^\[Service\]/&\nSuccessExitStatus=3 5/' \
		"$(property FragmentPath)" >/run/systemd/system/rxaqm-test-doctor.service
	systemctl daemon-reload
	systemctl start rxaqm-test-doctor || wrong "$(journalctl -n 5 -o cat -u rxaqm-test-doctor)"
	jq -e '.sockets.source == "bpf"' $bundle >/dev/null ||
		wrong "no pass over sockets by BPF: $(jq -c .cannot_see $bundle)"
	jq -e ".after.ifaces[] | select(.name == \"$nic\")" $bundle >/dev/null ||
		wrong "the bundle lacks $nic"
	rm /run/systemd/system/rxaqm-test-doctor.service $bundle
	dpkg -P rxaqm-doctor
	systemctl daemon-reload
}

test_refused()
{
	local id

	id=$(program)
	mark
	configure on_stop=nonsense
	systemctl reload $unit || true
	soon "the journal says why" said "$config:" -p err
	expect_said nonsense
	soon "systemd knows" said_by_status "configuration not reloaded: $config:"
	running
	kept "$id"

	configure
	systemctl reload $unit
	soon "systemd knows" is StatusText "1 interface attached"
}

said_by_status()
{
	[[ $(property StatusText) == *"$1"* ]]
}

# died NAME SIGNAL RESULT: systemd starts another, which takes over what is attached.
died()
{
	local id pid restarts

	id=$(program) pid=$(property MainPID) restarts=$(property NRestarts)
	mark
	kill "-$1" "$pid"
	soon "systemd sees it" is Result "$2"
	kept "$id"
	soon "it is started again" restarted "$pid"
	expect NRestarts $((restarts + 1))
	kept "$id"
	soon "it takes over" said "$nic: was attached already"
	soon "systemd knows" is StatusText "1 interface attached"
	kept "$id"
}

test_killed()
{
	died KILL signal
}

# A daemon that hangs does not feed the watchdog; one that does not hang does.
test_hung()
{
	local drop_in=/run/systemd/system/$unit.d fed

	mkdir -p $drop_in
	printf '[Service]\nWatchdogSec=6s\n' >$drop_in/watchdog.conf
	systemctl daemon-reload
	systemctl restart $unit
	fed=$(property WatchdogTimestampMonotonic)
	sleep 8
	running
	[ "$(property WatchdogTimestampMonotonic)" -gt "$fed" ] || wrong "the watchdog is not fed"
	died STOP watchdog
	rm -r $drop_in
	systemctl daemon-reload
	systemctl restart $unit
}

# As after a slip in an editor: it stays down, says why, and nothing else happens.
test_wrong()
{
	local id

	id=$(program)
	mark
	configure on_stop=nonsense
	! systemctl restart $unit || wrong "it starts with a wrong configuration"
	# RestartSec=5s
	sleep 7
	expect ActiveState failed
	expect Result exit-code
	expect ExecMainStatus 2
	expect NRestarts 0
	expect_said "$config:"
	expect_said nonsense
	kept "$id"

	configure
	systemctl start $unit
	running
	soon "it takes over" said "$nic: was attached already"
	kept "$id"
}

clock_source()
{
	[ "$(rxaqm status -j |
		jq -r '.interfaces[] | select(.interface == "sim1") | .clock.source')" = "$1" ]
}

# A NIC that comes later, and whose clock the sandbox lets through, and lets be set.
test_clock()
{
	[ -e "$simnic" ] || wrong "no simnic: run tests/vm/build-simnic.sh"
	mark
	insmod "$simnic"
	ip link set sim0 up
	ip link set sim1 up
	soon "sim1 is attached" rxaqm status sim1
	soon "its clock is read" said "sim1: reading its clock, /dev/ptp"
	soon "its clock is in use" clock_source phc
	! said '' -p warning || wrong "the journal has: $(journal -p warning)"

	echo 1 >/sys/kernel/debug/simnic/sim1/xdp_resets_phc
	phc_ctl -q sim1 set adj 37
	rxaqm detach sim1
	mark
	systemctl reload $unit
	soon "its clock is set right" said "that is put back, to within"
	rxaqm detach sim1
	rmmod simnic
}

test_stop()
{
	local id

	id=$(program)
	systemctl stop $unit
	expect ActiveState inactive
	expect Result success
	kept "$id"
	[ ! -e /run/rxaqm ] || wrong "left behind: $(ls -d /run/rxaqm/*)"

	configure on_stop=detach
	mark
	systemctl start $unit
	soon "it takes over" said "$nic: was attached already"
	kept "$id"
	systemctl stop $unit
	expect Result success
	expect_said "$nic: detached"
	[ "$(program)" = 0 ] || wrong "the program is still there"
	nothing_pinned

	# For those that follow.
	configure
	systemctl start $unit
	soon "$nic is attached" rxaqm status $nic
}
