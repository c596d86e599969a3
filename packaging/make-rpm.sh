#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the RPM packages of packaging/rpm/rxaqm.spec from what git has, changes of its files
# included: make-rpm.sh DIRECTORY [OPTION-OF-RPMBUILD]... Packages are in DIRECTORY/RPMS, the source
# package is in DIRECTORY/SRPMS. Untried but on Debian, whose rpm knows of no package that the build
# needs: give --nodeps there.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${1:?the directory is missing}
shift
version=$(cat VERSION)
command -v rpmbuild >/dev/null || {
	echo "make-rpm.sh: rpmbuild is missing: run 'packaging/install-deps.sh rpm' as root" >&2
	exit 1
}

rm -rf "$dir"
mkdir -p "$dir/SOURCES"
dir=$(readlink -f "$dir")
commit=$(git stash create 2>/dev/null) || true
commit=${commit:-HEAD}
# The time of the last commit, so that the same sources make the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
git archive --prefix="rxaqm-$version/" -o "$dir/SOURCES/rxaqm-$version.tar.gz" "$commit"
# Nothing of the make that called this: flags are RPM's here.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD -u PREFIX -u DESTDIR rpmbuild -ba \
	--define "_topdir $dir" --define "rxaqm_version $version" \
	--define 'clamp_mtime_to_source_date_epoch 1' --define 'use_source_date_epoch_as_buildtime 1' \
	"$@" packaging/rpm/rxaqm.spec >"$dir/build.log" 2>&1 ||
	{ tail -n 40 "$dir/build.log" >&2; exit 1; }
ls "$dir"/RPMS/*/*.rpm
