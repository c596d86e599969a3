#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the packages of a former version, attaches, and installs those of this one over them:
# upgrade.sh OLD NEW, directories of packages. What was attached, and by which policies, is moved
# over; a configuration that somebody changed is kept, and still understood; what is removed then
# leaves nothing. On a machine that is thrown away, in a network namespace of its own
# (unshare --net), with a BPF file system.
set -euo pipefail

old=$(readlink -f "$1") new=$(readlink -f "$2")

wrong()
{
	echo "wrong: $1"
	exit 1
}

# apt's choice; questions of dpkg are answered as apt is told to answer where nobody is asked.
put()
{
	DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Options::=--force-confdef \
		-o Dpkg::Options::=--force-confold install --no-install-recommends "$@" 2>&1
}

# By the program that is in charge of what is attached.
policies()
{
	local name

	for name in up0 up1; do
		rxaqm policy save "$name" | grep -E '^(mode|signal|target|interval|ecn|max_drop)=' |
			sed "s/^/$name: /"
	done
}

xdp_of()
{
	ip -d link show "$1" | grep -oE 'prog/xdp id [0-9]+' || echo none
}

# run_daemon: for as long as it takes to write its file.
run_daemon()
{
	local daemon

	rm -f /run/rxaqm/metrics.prom
	rxaqm run &
	daemon=$!
	until [ -s /run/rxaqm/metrics.prom ]; do
		kill -0 $daemon
		sleep 0.5
	done
	kill $daemon
	wait $daemon
}

ip link set lo up
ip link add up0 type veth peer name up1
ip link set up0 up
ip link set up1 up

put "$old"/rxaqm_*.deb
version=$(dpkg-query -W -f '${Version}' rxaqm)
[[ $(rxaqm --version) == "rxaqm $version"* ]]
printf '[Interface up0]\nmode=enforce\n' >>/etc/rxaqm/rxaqm.conf
run_daemon
rxaqm policy set up0 target=700us interval=30ms
rxaqm attach --mode generic --key cpu up1 max_drop=7%
before=$(policies) was=$(xdp_of up0)
echo "$before"
[[ $was != none ]]

put "$new"/rxaqm_*.deb | tee /tmp/told
[ "$(dpkg-query -W -f '${Version}' rxaqm)" != "$version" ] || wrong "it is still $version"
[[ $(rxaqm --version) == "rxaqm $(dpkg-query -W -f '${Version}' rxaqm)"* ]]
! grep '^rxaqm:' /tmp/told || wrong "it tells of something that was not moved over"
[[ $(xdp_of up0) != none && $(xdp_of up0) != "$was" ]] || wrong "up0 has $(xdp_of up0), and had $was"
after=$(policies)
[ "$before" = "$after" ] || wrong "policies differ: $(diff <(echo "$before") <(echo "$after"))"
[[ $(COLUMNS=10000 rxaqm status up1) == *'up1: generic mode,'*", key cpu"* ]] ||
	wrong "up1 is not attached as it was: $(rxaqm status up1)"
[ ! -e /var/lib/rxaqm/upgrade ] || wrong "left behind: $(ls /var/lib/rxaqm/upgrade)"
[ ! -e /usr/share/rxaqm/profiles ] || wrong "profiles of $version are there still"
grep -qx '\[Interface up0\]' /etc/rxaqm/rxaqm.conf || wrong "the configuration is not as it was changed"
rxaqm run --check
run_daemon

put "$new"/rxaqm-{doctor,qualify,exporter}_*.deb
DEBIAN_FRONTEND=noninteractive apt-get -qq purge rxaqm
[[ $(xdp_of up0) == none && $(xdp_of up1) == none ]] || wrong "a program is left"
for file in /sys/fs/bpf/rxaqm /etc/rxaqm /var/lib/rxaqm /usr/share/rxaqm /usr/share/doc/rxaqm; do
	[ ! -e "$file" ] || wrong "left behind: $file"
done
echo "from $version: done"
