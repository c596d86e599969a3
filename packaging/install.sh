#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs what it was unpacked with below /usr/local, or removes it: install.sh [uninstall].
# DESTDIR=DIRECTORY, if set, goes before all paths. Needs a shell and what busybox has.
# It starts nothing and attaches nothing. Again, over an older one: what runs goes on until
# "systemctl restart rxaqm". Configuration in /etc/rxaqm stays as it is.
set -eu
cd "$(dirname "$0")"

root=${DESTDIR-}
files=$(cd local && find . -type f | sort)

install()
{
	sha256sum -c SHA256SUMS >/dev/null || { echo 'install.sh: it was not unpacked as it was packed' >&2; exit 1; }
	for file in $files; do
		to=$root/usr/local/$file
		mkdir -p "$(dirname "$to")"
		# A program that runs cannot be written to, but replaced.
		cp -p "local/$file" "$to.new"
		mv -f "$to.new" "$to"
	done
	mkdir -p "$root/etc/rxaqm/profiles.d"
	[ -e "$root/etc/rxaqm/rxaqm.conf" ] || cp rxaqm.conf "$root/etc/rxaqm/rxaqm.conf"
	manuals
	cat <<-END
		$(basename "$PWD") is installed below $root/usr/local; its configuration is $root/etc/rxaqm/rxaqm.conf.
		Nothing is started or attached. Next: "rxaqm doctor", which changes nothing; "man rxaqm".
		"install.sh uninstall" removes it.
	END
}

# For "man -k".
manuals()
{
	[ -n "$root" ] || ! command -v mandb >/dev/null || mandb -q || true
}

uninstall()
{
	if [ -z "$root" ] && [ -x /usr/local/sbin/rxaqm ]; then
		[ ! -d /run/systemd/system ] || systemctl disable --now rxaqm.service rxaqm-exporter.socket \
			rxaqm-doctor.timer
		/usr/local/sbin/rxaqm detach --all || {
			echo 'install.sh: not all is detached, so nothing was removed' >&2
			exit 1
		}
	fi
	for file in $files; do
		rm -f "$root/usr/local/$file"
	done
	rmdir "$root"/usr/local/share/rxaqm/* "$root"/usr/local/share/rxaqm "$root"/usr/local/share/doc/rxaqm*/* \
		"$root"/usr/local/share/doc/rxaqm* 2>/dev/null || true
	manuals
	echo "rxaqm is removed; what is in $root/etc/rxaqm stays."
}

case ${1-install} in
install | uninstall) "${1-install}" ;;
*) echo 'usage: install.sh [uninstall]' >&2; exit 2 ;;
esac
[ -n "$root" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
