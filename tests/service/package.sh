# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The package where a systemd runs: what its scripts do to the service and to what is attached.
# tests/shell/deb.sh has what is in it, and the same without a service. To be sourced by
# service.sh.

nothing_pinned()
{
	local left

	left=$(find /sys/fs/bpf -mindepth 1 -name '*rxaqm*' -o -name 'dispatch-*')
	[ -z "$left" ] || wrong "still pinned: $left"
}

test_install()
{
	# shellcheck disable=SC2154 # service.sh sets it
	dpkg -i "$package"
	expect LoadState loaded
	expect NeedDaemonReload no
	expect UnitFileState disabled
	expect ActiveState inactive
	nothing_pinned
}

# A new package starts the new daemon; what is attached does not notice.
test_upgrade()
{
	local id pid

	id=$(program) pid=$(property MainPID)
	mark
	# shellcheck disable=SC2154
	dpkg -i "$newer"
	restarted "$pid" || wrong "the daemon of the old package still runs"
	running
	expect NeedDaemonReload no
	expect UnitFileState enabled
	soon "it takes over" said "$nic: was attached already"
	kept "$id"
	[ -z "$(ls /var/lib/rxaqm/upgrade 2>/dev/null)" ] || wrong "the old program was kept though the new one can manage"

	# One that an operator has stopped stays so.
	systemctl stop $unit
	dpkg -i "$package"
	expect ActiveState inactive
	kept "$id"
	systemctl start $unit
	kept "$id"
}

# A new package whose maps are laid out in another way, and back again: the daemon and all that is
# attached move over, also what no section of the configuration is for.
test_other()
{
	local deb id pid policy

	ip link add svc2 type veth peer name svc3
	rxaqm attach svc2 target=auto:700us
	policy=$(rxaqm policy save svc2)
	# shellcheck disable=SC2154
	for deb in "$other" "$package"; do
		id=$(program) pid=$(property MainPID)
		mark
		dpkg -i "$deb"
		restarted "$pid" || wrong "the daemon of the old package still runs"
		running
		soon "it takes over" said "$nic: was attached already"
		[ "$(program)" -gt "$id" ] || wrong "$nic has its old program"
		rxaqm status $nic
		[ "$(rxaqm policy save svc2)" = "$policy" ] || wrong "svc2 has lost its policy"
		[ ! -e /var/lib/rxaqm/upgrade ] || wrong "left behind: $(ls /var/lib/rxaqm/upgrade)"
	done
	rxaqm detach svc2
	ip link del svc2
}

test_remove()
{
	local pid

	pid=$(property MainPID)
	[ "$(program)" -gt 0 ] || wrong "nothing is attached"
	dpkg -L rxaqm >/tmp/service-files
	dpkg -r rxaqm
	! systemctl -q is-active $unit || wrong "the service still runs"
	[ ! -e "/proc/$pid" ] || wrong "the daemon still runs"
	[ "$(program)" = 0 ] || wrong "the program is still on $nic"
	nothing_pinned
	[ -e $config ] || wrong "the configuration is gone"
	expect LoadState not-found
}

test_purge()
{
	local left file

	dpkg -P rxaqm
	# But for the text file of metrics: where it is, is the operator's business.
	left=$(find /etc/rxaqm* /etc/systemd /run /sys/fs/bpf /var/lib/systemd \
		-name '*rxaqm*' ! -name rxaqm-test.target 2>/dev/null) || true
	[ -z "$left" ] || wrong "left behind: $left"
	while read -r file; do
		[ -d "$file" ] || [ ! -e "$file" ] || wrong "left behind: $file"
	done </tmp/service-files
	for file in /usr/share/rxaqm /usr/share/doc/rxaqm /var/lib/rxaqm; do
		[ ! -e "$file" ] || wrong "left behind: $file"
	done
}
