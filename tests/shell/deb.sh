#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Debian package: builds, holds what it should, keeps attached what is when it is upgraded,
# detaches when it is removed, and leaves nothing. It is installed into an overlay of this
# machine, in namespaces of its own: the machine itself sees nothing of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() { echo "$1" && exit 77; }

wrong()
{
	echo "$*"
	exit 1
}

# Inside the overlay, as its root, in its /tmp: the packages and their tests.
inside()
{
	local id file

	dpkg -i rxaqm.deb
	[[ $(rxaqm --version) =~ ^"rxaqm $(dpkg-query -W -f '${Version}' rxaqm)"(\ \([0-9a-f]+(-dirty)?\))?$ ]]
	grep -q '^veth: ' <<<"$(rxaqm profile show)"
	[ -z "$(dpkg -V rxaqm)" ] || wrong "dpkg -V: $(dpkg -V rxaqm)"
	# The others are packages of their own.
	[[ $(rxaqm doctor --checks 2>&1) == *'install the package rxaqm-doctor' ]] ||
		wrong "without rxaqm-doctor: $(rxaqm doctor --checks 2>&1)"
	dpkg -i rxaqm-doctor_*.deb rxaqm-qualify_*.deb
	rxaqm doctor --checks | grep '^| check' >/dev/null
	rxaqm qualify --list | grep '^Q1 ' >/dev/null
	! compgen -G '/etc/systemd/system/*.wants/rxaqm-doctor.*' || wrong "doctor's timer is enabled"
	dpkg -P rxaqm-qualify rxaqm-doctor
	# Nothing is started or attached by installing it.
	[ ! -e /sys/fs/bpf/rxaqm ] || wrong "installing it attached something"
	! compgen -G '/etc/systemd/system/*.wants/rxaqm.service' || wrong "the service is enabled"

	# What autopkgtest runs on the installed packages, from the top of the sources.
	debian/tests/veth
	dpkg -i librxaqm-xsk1_*.deb librxaqm-xsk-dev_*.deb
	debian/tests/consumer
	dpkg -P librxaqm-xsk-dev
	dpkg -P librxaqm-xsk1

	ip link set lo up
	ip link add debtest0 type veth peer name debtest1
	rxaqm attach debtest0
	id=$(xdp_id debtest0)
	[ "$id" -gt 0 ]

	echo 'mode=observe' >/etc/rxaqm/profiles.d/local.txt
	dpkg -i newer.deb
	[ "$(xdp_id debtest0)" = "$id" ] ||
		wrong "the upgrade took the program off"
	rxaqm status debtest0 >/dev/null
	[ ! -e /var/lib/rxaqm ] || wrong "the old program was kept though the new one can manage"

	dpkg -L rxaqm >/tmp/files
	dpkg -r rxaqm
	[ "$(xdp_id debtest0)" = null ] ||
		wrong "the removal left the program"
	[ ! -e /sys/fs/bpf/rxaqm ] || wrong "the removal left $(ls /sys/fs/bpf/rxaqm)"
	[ -e /etc/rxaqm/profiles.d/local.txt ] || wrong "the removal took configuration away"

	dpkg -P rxaqm
	while read -r file; do
		[ -d "$file" ] || [ ! -e "$file" ] || wrong "left behind: $file"
	done </tmp/files
	for file in /etc/rxaqm /usr/share/rxaqm /var/lib/rxaqm /usr/share/doc/rxaqm; do
		[ ! -e "$file" ] || wrong "left behind: $file"
	done
	echo 'inside: done'
}

# policies IFACE [OPTION]...: as saved, but for what a lease has left.
policies()
{
	local program=rxaqm

	[ ! -x /var/lib/rxaqm/upgrade/kept ] || program=/var/lib/rxaqm/upgrade/kept
	$program "${@:2}" policy save "$1" | sed 's/^lease=[0-9].*/lease=some/'
}

xdp_id()
{
	ip -j -d link show "$1" | jq '.[].xdp.prog.id'
}

# moved PACKAGE: its program cannot manage what is attached; once it is installed, all is as it was.
moved()
{
	local before after id

	before=$(policies debtest0 && policies debtest1 && policies debtest2 --netns debtest)
	id=$(xdp_id debtest0)
	dpkg -i "$1" 2>&1 | tee out
	[ "$(xdp_id debtest0)" -gt "$id" ] || wrong "debtest0 has its old program"
	after=$(policies debtest0 && policies debtest1 && policies debtest2 --netns debtest)
	[ "$before" = "$after" ] || wrong "policies that were lost: $(diff <(cat <<<"$before") - <<<"$after")"
	[[ $(COLUMNS=10000 rxaqm status) == *'debtest1: generic mode,'*", key cpu"* ]] ||
		wrong "debtest1 is not attached as it was: $(rxaqm status debtest1)"
	[ ! -e /var/lib/rxaqm ] || wrong "left behind: $(ls /var/lib/rxaqm)"
}

# An upgrade to a version whose maps are laid out in another way: what is attached, and by which
# policies, moves over to it; what cannot is told.
inside_other()
{
	local old id

	dpkg -i rxaqm.deb
	ip netns add debtest
	ip link add debtest2 netns debtest type veth peer name debtest3
	rxaqm attach debtest0 target=auto:700us mode=enforce lease=60m
	rxaqm attach --mode generic --key cpu debtest1
	rxaqm policy set debtest1 --queue 0 interval=33ms signal=busy
	rxaqm --netns debtest attach debtest2 max_drop=7%
	moved other.deb
	! grep '^rxaqm:' out || wrong "it tells of something"

	# Back, which is the same, but not while an interface is in a namespace that no command can
	# name: it would be left to nobody.
	ip link add debtest4 type veth peer name debtest5
	rxaqm attach debtest4
	unshare -n sleep 1000 &
	while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
	ip link set debtest4 netns $!
	id=$(xdp_id debtest0)
	dpkg -i rxaqm.deb 2>&1 | tee out
	grep '^rxaqm: .* without a name is: debtest4\.$' out || wrong "it does not tell of debtest4"
	[ "$(xdp_id debtest0)" = "$id" ] || wrong "it was detached"
	nsenter -t $! -n /var/lib/rxaqm/upgrade/kept detach debtest4
	kill $!
	moved rxaqm.deb

	# What an earlier version left in this state: the program of 0.10.0 can manage it, and that
	# of 0.9.0, which any listing puts last, cannot. The one that can has a key for debtest1
	# that its successor does not know.
	mkdir -p /var/lib/rxaqm
	cp /usr/sbin/rxaqm real
	cat >/var/lib/rxaqm/rxaqm-0.10.0 <<-'END'
		#!/bin/sh
		/tmp/real "$@" || exit
		[ "$1 $2 $3" != 'policy save debtest1' ] || echo outdated=1 >>"$4"
	END
	chmod +x /var/lib/rxaqm/rxaqm-0.10.0
	dpkg-deb -x other.deb other
	cp other/usr/sbin/rxaqm /var/lib/rxaqm/rxaqm-0.9.0
	cp other/usr/sbin/rxaqm /usr/sbin/rxaqm
	! rxaqm status || wrong "it can manage what it should not"
	old=$(/tmp/real policy save debtest0 | grep target)
	dpkg -i other.deb 2>&1 | tee out
	[ "$(rxaqm policy save debtest0 | grep target)" = "$old" ] || wrong "policies were lost"
	grep '^rxaqm: debtest1 is not attached as it was: .*outdated' out ||
		wrong "it does not tell that a policy was lost"
	[ "$(ls /var/lib/rxaqm/upgrade)" = debtest1@..policy ] || wrong "left behind: $(ls /var/lib/rxaqm/*)"

	dpkg -P rxaqm
	[ "$(xdp_id debtest0)" = null ] || wrong "the removal left the program"
	[ ! -e /var/lib/rxaqm ] || wrong "left behind: $(ls /var/lib/rxaqm)"
	echo 'inside: other done'
}

# In namespaces of its own: SCRATCH DIRECTORY-OF-DEBS
isolated()
{
	local scratch=$1 debs=$2 root=$1/root

	mount --make-rprivate /
	mount -t tmpfs none "$scratch"
	mkdir "$scratch"/{upper,work,root}
	mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" none "$root"
	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount -t bpf -o mode=0700 bpf "$root/sys/fs/bpf"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs none "$root/run"
	mount -t tmpfs none "$root/tmp"
	mkdir -p "$root/tmp/tests/shell" "$root/tmp/control/xsk/example" "$root/tmp/debian"
	cp "$debs"/*.deb "$debs"/packages/*.deb "$root/tmp"
	cp tests/shell/deb.sh "$root/tmp/tests/shell"
	cp control/xsk/example/consumer.c "$root/tmp/control/xsk/example"
	cp -r packaging/debian/tests "$root/tmp/debian"
	rm -rf "$root/etc/rxaqm" "$root/var/lib/rxaqm" # of this machine
	exec chroot "$root" env -u RXAQM_BPFFS -u RXAQM_PROFILE_PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		bash -c 'source /tmp/tests/shell/deb.sh source; cd /tmp; inside; inside_other'
}

# holds PACKAGE FILE...: it has these.
holds()
{
	local package=$1 file

	shift
	dpkg-deb -c "$scratch"/debs/packages/"$package"_*.deb | awk '{ print substr($6, 2) }' \
		>"$scratch/$package.list"
	for file; do
		grep -qxF "$file" "$scratch/$package.list" || wrong "not in $package: $file"
	done
}

# Both names of the least version of libbpf: what builds it, and what it runs with.
depends_on_libbpf()
{
	local least package

	least=$(sed -n 's/.*libbpf>=\([0-9.]*\) .*/\1/p' Makefile)
	for package in rxaqm rxaqm-doctor rxaqm-qualify librxaqm-xsk1; do
		[[ $(dpkg-deb -f "$scratch"/debs/packages/"$package"_*.deb Depends) == *"libbpf1 (>= 1:$least)"* ]] ||
			wrong "$package does not depend on libbpf1 $least"
	done
}

main()
{
	local lib package

	[ "$(id -u)" -eq 0 ] || skip "needs root"
	for tool in dpkg-buildpackage dh lintian dpkg-deb; do
		command -v $tool >/dev/null ||
			skip "no $tool: packaging/install-deps.sh build deb installs it"
	done
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	tests/vm/build-debs.sh >/dev/null
	cp -r build/service "$scratch/debs"
	[ "$(dpkg-deb -f "$scratch/debs/rxaqm.deb" Maintainer)" = 'A Packager <packager@example.org>' ] ||
		wrong "the maintainer is $(dpkg-deb -f "$scratch/debs/rxaqm.deb" Maintainer)"

	lintian --allow-root --fail-on error,warning \
		--suppress-tags bad-distribution-in-changes-file "$scratch"/debs/packages/*.changes
	lib=/usr/lib/$(gcc -print-multiarch)
	# shellcheck disable=SC2046 # a list of files
	holds rxaqm /usr/sbin/rxaqm /usr/share/man/man8/rxaqm.8.gz \
		/usr/share/bash-completion/completions/rxaqm /usr/share/doc/rxaqm/copyright \
		/usr/share/zsh/vendor-completions/_rxaqm /usr/share/fish/vendor_completions.d/rxaqm.fish \
		/usr/share/rxaqm/rxaqm-complete /usr/share/doc/rxaqm/{README,fleet,design,law,measurements}.md \
		/usr/share/doc/rxaqm/rxaqm.schema.json \
		/usr/share/rxaqm/prometheus/rxaqm.rules.yml /usr/share/rxaqm/grafana/rxaqm.json \
		/usr/sbin/rxaqm-trial /usr/share/man/man8/rxaqm-trial.8.gz \
		/etc/rxaqm/profiles.d/ /etc/rxaqm/rxaqm.conf /etc/apparmor.d/rxaqm \
		/usr/bin/rxaqm-xsk /usr/share/man/man1/rxaqm-xsk.1.gz /usr/share/doc/rxaqm/af_xdp.md \
		$(cd nic-profiles && printf '/usr/share/doc/rxaqm/nic-profiles/%s\n' *.conf)
	holds rxaqm-doctor /usr/sbin/rxaqm-doctor /usr/share/man/man8/rxaqm-doctor.8.gz \
		/usr/share/doc/rxaqm-doctor/doctor.{md,schema.json}
	holds rxaqm-qualify /usr/sbin/rxaqm-qualify /usr/share/man/man8/rxaqm-qualify.8.gz \
		/usr/share/doc/rxaqm-qualify/qualify.{md,schema.json}
	grep -qE '^(/usr)?/lib/systemd/system/rxaqm.service$' "$scratch/rxaqm.list" || wrong "no unit"
	! grep -E '^/usr/local|\.test\.yml|librxaqm|sbin/rxaqm-(doctor|qualify)' "$scratch/rxaqm.list" ||
		wrong "in the package, but should not"
	! grep -E 'exporter' "$scratch/rxaqm.list" || wrong "rxaqm has the exporter, which listens"
	holds rxaqm-exporter /usr/sbin/rxaqm-exporter /usr/share/man/man8/rxaqm-exporter.8.gz
	for package in rxaqm-exporter rxaqm-doctor; do
		[ "$(grep -cE "/systemd/system/$package\.(service|socket|timer)\$" "$scratch/$package.list")" -eq 2 ] ||
			wrong "$package has not its two units"
	done
	holds librxaqm-xsk1 "$lib/librxaqm-xsk.so.1"
	holds librxaqm-xsk-dev /usr/include/rxaqm/rxaqm-xsk.h /usr/share/man/man3/rxaqm-xsk.3.gz \
		"$lib"/{librxaqm-xsk.so,librxaqm-xsk.a,pkgconfig/librxaqm-xsk.pc}
	depends_on_libbpf

	unshare -mnpf true 2>/dev/null || skip "namespaces cannot be made here"
	mkdir "$scratch/mnt"
	unshare -mnpf --mount-proc bash -c 'source tests/shell/deb.sh source && isolated "$@"' - \
		"$scratch/mnt" "$scratch/debs" >"$scratch/out" 2>&1 || {
		cat "$scratch/out"
		wrong "failed in the overlay"
	}
	grep -qx 'inside: done' "$scratch/out" && grep -qx 'inside: other done' "$scratch/out"
}

[ "${1-}" = source ] || main
