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

# Inside the overlay, as its root: NEW.deb NEWER.deb
inside()
{
	local new=$1 newer=$2 id file

	dpkg -i "$new"
	[ "$(rxaqm --version)" = "rxaqm $(dpkg-query -W -f '${Version}' rxaqm)" ]
	grep -q '^veth ' <<<"$(rxaqm profile list)"
	[ -z "$(dpkg -V rxaqm)" ] || wrong "dpkg -V: $(dpkg -V rxaqm)"
	# Nothing is started or attached by installing it.
	[ ! -e /sys/fs/bpf/rxaqm ] || wrong "installing it attached something"
	! compgen -G '/etc/systemd/system/*.wants/rxaqm.service' || wrong "the service is enabled"

	ip link set lo up
	ip link add debtest0 type veth peer name debtest1
	rxaqm attach debtest0
	id=$(ip -j -d link show debtest0 | jq '.[].xdp.prog.id')
	[ "$id" -gt 0 ]

	echo 'mode=observe' >/etc/rxaqm/profiles.d/local.txt
	dpkg -i "$newer"
	[ "$(ip -j -d link show debtest0 | jq '.[].xdp.prog.id')" = "$id" ] ||
		wrong "the upgrade took the program off"
	rxaqm status debtest0 >/dev/null
	[ ! -e /var/lib/rxaqm ] || wrong "the old program was kept though the new one can manage"

	dpkg -L rxaqm >/tmp/files
	dpkg -r rxaqm
	[ "$(ip -j -d link show debtest0 | jq '.[].xdp')" = null ] ||
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

# An upgrade to a version that cannot read the maps: the old program stays, and can detach.
inside_stranger()
{
	local new=$1 stranger=$2 old

	dpkg -i "$new"
	old=/var/lib/rxaqm/rxaqm-$(dpkg-query -W -f '${Version}' rxaqm)
	rxaqm attach debtest0
	dpkg -i "$stranger" 2>&1 | grep -F "Run \"$old detach --all\"" ||
		wrong "the upgrade does not say how to detach"
	[ "$(ip -j -d link show debtest0 | jq '.[].xdp.prog.id')" -gt 0 ]
	"$old" detach --all
	rm -rf /sys/fs/bpf/rxaqm
	dpkg -P rxaqm
	[ ! -e /var/lib/rxaqm ] || wrong "left behind: $(ls /var/lib/rxaqm)"
	echo 'inside: stranger done'
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
	cp "$debs"/*.deb tests/shell/deb.sh "$root/tmp"
	rm -rf "$root/etc/rxaqm"
	exec chroot "$root" env -u RXAQM_BPFFS -u RXAQM_PROFILE_PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		bash -c 'source /tmp/deb.sh source &&
			inside /tmp/new.deb /tmp/newer.deb &&
			inside_stranger /tmp/new.deb /tmp/stranger.deb'
}

# remake DEB VERSION OUT [PROGRAM]: the package again, as another version, with another program.
remake()
{
	local dir=$scratch/remake

	rm -rf "$dir"
	dpkg-deb -R "$1" "$dir"
	sed -i "s/^Version: .*/Version: $2/" "$dir/DEBIAN/control"
	if [ $# -gt 3 ]; then
		install -m 755 "$4" "$dir/usr/sbin/rxaqm"
		rm "$dir/DEBIAN/md5sums"
	fi
	dpkg-deb --root-owner-group -Znone -b "$dir" "$3" >/dev/null
}

main()
{
	local deb file missing

	[ "$(id -u)" -eq 0 ] || skip "needs root"
	for tool in dpkg-buildpackage dh lintian dpkg-deb; do
		command -v $tool >/dev/null ||
			skip "no $tool: packaging/install-deps.sh build deb installs it"
	done
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	DEBFULLNAME='A Packager' DEBEMAIL=packager@example.org \
		packaging/make-deb.sh "$scratch/deb" >/dev/null
	deb=$(compgen -G "$scratch/deb/rxaqm_*.deb")
	[ "$(dpkg-deb -f "$deb" Maintainer)" = 'A Packager <packager@example.org>' ] ||
		wrong "the maintainer is $(dpkg-deb -f "$deb" Maintainer)"

	lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file "$deb"
	dpkg-deb -c "$deb" | awk '{ print substr($6, 2) }' >"$scratch/list"
	missing=
	for file in /usr/sbin/rxaqm /usr/share/man/man8/rxaqm.8.gz \
		/usr/share/bash-completion/completions/rxaqm /usr/share/doc/rxaqm/copyright \
		/usr/share/rxaqm/prometheus/rxaqm.rules.yml /usr/share/rxaqm/grafana/rxaqm.json \
		/etc/rxaqm/profiles.d/ /etc/rxaqm/rxaqm.conf \
		/usr/bin/rxaqm-xsk /usr/include/rxaqm/rxaqm-xsk.h /usr/share/man/man1/rxaqm-xsk.1.gz \
		/usr/share/man/man3/rxaqm-xsk.3.gz /usr/share/doc/rxaqm/af_xdp.md.gz \
		"/usr/lib/$(gcc -print-multiarch)/librxaqm-xsk.so" \
		"/usr/lib/$(gcc -print-multiarch)/librxaqm-xsk.a" \
		"/usr/lib/$(gcc -print-multiarch)/pkgconfig/librxaqm-xsk.pc" \
		$(cd nic-profiles && printf '/usr/share/rxaqm/profiles/%s\n' *.conf); do
		grep -qxF "$file" "$scratch/list" || missing+=" $file"
	done
	[ -z "$missing" ] || wrong "not in the package:$missing"
	grep -qE '^(/usr)?/lib/systemd/system/rxaqm.service$' "$scratch/list" || wrong "no unit"
	! grep -E '^/usr/local|\.test\.yml' "$scratch/list" || wrong "in the package, but should not"

	unshare -mnpf true 2>/dev/null || skip "namespaces cannot be made here"
	mkdir "$scratch/debs" "$scratch/mnt"
	cp "$deb" "$scratch/debs/new.deb"
	remake "$deb" 99 "$scratch/debs/newer.deb"
	printf '#!/bin/sh\necho "rxaqm: the state is of ABI version 1, this rxaqm speaks 99" >&2\nexit 1\n' \
		>"$scratch/stranger"
	remake "$deb" 99 "$scratch/debs/stranger.deb" "$scratch/stranger"
	unshare -mnpf --mount-proc bash -c 'source tests/shell/deb.sh source && isolated "$@"' - \
		"$scratch/mnt" "$scratch/debs" >"$scratch/out" 2>&1 || {
		cat "$scratch/out"
		wrong "failed in the overlay"
	}
	grep -qx 'inside: done' "$scratch/out" && grep -qx 'inside: stranger done' "$scratch/out"
}

[ "${1-}" = source ] || main
