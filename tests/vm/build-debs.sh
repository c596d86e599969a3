#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds what the guests of group "service" install: build/service/rxaqm.deb, the package, and
# newer.deb, the same with a higher version. Quick when they are newer than their sources.
set -euo pipefail
cd "$(dirname "$0")/../.."

dir=build/service
sources=(Makefile README.md VERSION control docs kprobes nic-profiles packaging xdp)

if [ -e $dir/newer.deb ] && [ -z "$(find "${sources[@]}" -newer $dir/newer.deb -print -quit)" ]; then
	exit 0
fi
echo "building the packages for the guests"
rm -rf $dir
packaging/make-deb.sh $dir/deb >/dev/null
cp "$(compgen -G "$dir/deb/rxaqm_*.deb")" $dir/rxaqm.deb
dpkg-deb -R $dir/rxaqm.deb $dir/newer
sed -i 's/^Version: .*/Version: 99/' $dir/newer/DEBIAN/control
dpkg-deb --root-owner-group -Znone -b $dir/newer $dir/newer.deb >/dev/null
rm -rf $dir/newer $dir/deb
