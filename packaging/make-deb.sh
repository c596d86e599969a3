#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Debian package: make-deb.sh DIRECTORY. The sources are copied there, since
# dpkg-buildpackage wants debian/ at their top and leaves its own things among them.
# DEBFULLNAME and DEBEMAIL say who maintains the package, as they do for dch.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${1:?the directory is missing}
version=$(cat VERSION)
source=$dir/rxaqm-$version

for tool in dpkg-buildpackage dh; do
	command -v "$tool" >/dev/null || {
		echo "make-deb.sh: $tool is missing: run 'packaging/install-deps.sh build deb' as root" >&2
		exit 1
	}
done
rm -rf "$dir"
mkdir -p "$source"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$source"
cp -r packaging/debian "$source/debian"

# The time of the last commit, so that the same sources make the same package.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
case ${DEBEMAIL-} in
'') ;;
*'<'*'>') maintainer=$DEBEMAIL ;;
*) maintainer="${DEBFULLNAME:-${maintainer% <*}} <$DEBEMAIL>" ;;
esac
sed -i "s|^Maintainer: .*|Maintainer: ${maintainer//[&|\\]/}|" "$source/debian/control"
cat >"$source/debian/changelog" <<-END
	rxaqm ($version) unstable; urgency=medium

	  * Version $version.

	 -- $maintainer  $(date -u -R -d "@$epoch")
END

cd "$source"
# Nothing of the make that called this: flags are dpkg-buildflags' here.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD -u PREFIX -u DESTDIR SOURCE_DATE_EPOCH="$epoch" \
	dpkg-buildpackage --build=binary --unsigned-source --unsigned-changes -J"$(nproc)" \
	>../build.log 2>&1 || { tail -n 40 ../build.log >&2; exit 1; }
cd - >/dev/null
ls "$dir"/*.deb
