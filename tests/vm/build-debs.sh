#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds what is installed by the guests of group "service" and by tests/shell/deb.sh:
# build-debs.sh makes build/service. There are then rxaqm.deb, the package;
# newer.deb, the same with a higher version; other.deb, with a higher one still and a program whose
# maps are of another ABI version. What make-deb.sh made is in packages/. Quick when they are newer
# than their sources; who asks meanwhile waits. Their maintainer is A Packager.
set -euo pipefail
cd "$(dirname "$0")/../.."

dir=build/service
export DEBFULLNAME='A Packager' DEBEMAIL=packager@example.org
sources=(Makefile README.md VERSION control docs kprobes nic-profiles packaging xdp
	tests/vm/build-debs.sh)

# remake VERSION OUT [PROGRAM]: the package again, as another version, with another program.
remake()
{
	dpkg-deb -R "$dir/rxaqm.deb" "$dir/remake"
	sed -i "s/^Version: .*/Version: $1/" "$dir/remake/DEBIAN/control"
	if [ $# -gt 2 ]; then
		install -m 755 "$3" "$dir/remake/usr/sbin/rxaqm"
		rm "$dir/remake/DEBIAN/md5sums"
	fi
	dpkg-deb --root-owner-group -Znone -b "$dir/remake" "$2" >/dev/null
	rm -r "$dir/remake"
}

mkdir -p build
exec 9>build/service.lock
flock 9
if [ -e "$dir/other.deb" ] && [ -z "$(find "${sources[@]}" -newer "$dir/other.deb" -print -quit)" ]; then
	exit 0
fi
echo "building the packages for the tests"
rm -rf "$dir"
packaging/make-deb.sh "$dir/packages" >/dev/null
cp "$(compgen -G "$dir/packages/rxaqm_*.deb")" "$dir/rxaqm.deb"
remake 99 "$dir/newer.deb"

tree=$(compgen -G "$dir/packages/rxaqm-*/")
sed -i 's/^\(#define RXAQM_ABI_VERSION\) .*/\1 99/' "$tree/xdp/shared/types.h"
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD \
	make -s -j"$(nproc)" -C "$tree" build/rxaqm PREFIX=/usr >/dev/null
strip "$tree/build/rxaqm"
remake 100 "$dir/other.deb" "$tree/build/rxaqm"
rm -rf "$tree"
