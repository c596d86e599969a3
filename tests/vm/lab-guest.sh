#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# In a guest of tests/vm/lab.sh: lab-guest.sh dut|other ROWS.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=$1 rows=$2 lab=$PWD/build/vm/lab
PATH=/usr/local/sbin:/usr/local/bin:$PATH # as root has it who logs in

# interface WIRE: the one on it.
interface()
{
	grep -li "^52:54:00:00:0$1:" /sys/class/net/*/address | cut -d / -f 5
}

# What somebody has done before: the network for logins, an ssh server and keys, "make install".
hostname "$name"
mount --bind "$lab/root/usr/local" /usr/local
printf '127.0.0.1 localhost\n10.79.0.1 dut\n10.79.0.2 other\n' >/run/hosts
mount --bind /run/hosts /etc/hosts
install -d -m 700 /run/root /run/root/.ssh
sed 's|:/root:|:/run/root:|' /etc/passwd >/run/passwd
mount --bind /run/passwd /etc/passwd
install -m 600 "$lab/ssh/id" /run/root/.ssh/id_ed25519
# The key is for one thing, whatever is asked for by it.
(umask 077 && printf 'restrict,command="/usr/local/sbin/rxaqm qualify --serve lab0" %s\n' \
	"$(cat "$lab/ssh/id.pub")" >/run/root/.ssh/authorized_keys)
echo "other $(cat "$lab/ssh/host.pub")" >/run/root/.ssh/known_hosts
management=$(interface 2) nic=$(interface 1)
ip addr add "10.79.0.$([ "$name" = dut ] && echo 1 || echo 2)/24" dev "$management"
ip link set "$management" up

if [ "$name" = other ]; then
	ip link set "$nic" name lab0
	ip link set lab0 up
	# As OpenSSH's sshd has it for root.
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /usr/sbin/dropbear -e -s -r "$lab/ssh/host"
	echo "ready: an ssh server runs, \"lab0\" is up"
	until [ -e "$lab/done" ]; do sleep 0.5; done
	exit
fi

# What the manual says from here on.
status=0
ip link set "$nic" up
for ((i = 0; i < 60; i++)); do
	! ssh -o BatchMode=yes -o ConnectTimeout=5 other true </dev/null || break
	sleep 1
done
rxaqm qualify "$nic" --peer other/lab0 --rows "$rows" --out "$lab/nic.json" \
	--html "$lab/nic.html" || status=$?
case $status in 0 | 5 | 6) ;; *) exit $status ;; esac

failed=0
[ -z "$(ssh -o BatchMode=yes other cat /etc/hostname </dev/null)" ] || {
	echo "not ok the key does one thing only"
	failed=1
}
# shellcheck disable=SC2016 # jq's
named='.interface == $nic and .peer == "host other (lab0)"'
# check WHAT FILTER: of jq, over the record.
check()
{
	if jq -e --arg nic "$nic" "$2" "$lab/nic.json" >/dev/null; then
		echo "ok $1"
	else
		echo "not ok $1"
		failed=1
	fi
}

check "it says what was measured, against what" "$named"
for row in ${rows//,/ }; do
	check "$row was answered, or says what it needs" \
		".rows[] | select(.id == \"$row\") | .verdict != \"unknown\" or (.why | test(\"needs|give\"))"
done
check "stamps are as the NIC's driver says" \
	'[.rows[] | select(.id == "Q2") | .figures[] | select(.name == "filter")][0].words | IN("ptp", "none")'
check "frames came from the other machine" \
	'[.rows[] | select(.id == "Q9") | .figures[] | select(.name == "drain_drop")][0].median > 0'
if [ "$(ethtool -i "$nic" | sed -n 's/^driver: //p')" = igb ]; then
	check "of 256 places in the ring one is never used" \
		'[.rows[] | select(.id == "Q9") | .figures[] | select(.name == "depth")][0].median == 255'
	check "completions are not said to be shared" \
		'[.rows[] | select(.id == "Q1") | .figures[] | select(.name == "design")][0].words != "shared"'
fi
exit $failed
