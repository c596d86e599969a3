#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Lays out what apt and dnf install from, of a release: make-repo.sh DIRECTORY RELEASE. Both
# are directories of files, to be served as they are. Nothing is signed: who serves it does that
# (apt/Release, rpm/repodata/repomd.xml), or says "trusted".
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${1:?the directory is missing} release=${2:?the directory of the release is missing}

rm -rf "$dir"
mkdir -p "$dir/apt" "$dir/rpm"
cp "$release"/*.deb "$dir/apt"
cp "$release"/*.rpm "$dir/rpm"
(
	cd "$dir/apt"
	apt-ftparchive packages . >Packages
	gzip -9nk Packages
	apt-ftparchive -o APT::FTPArchive::Release::Origin=rxaqm \
		-o APT::FTPArchive::Release::Label=rxaqm release . >../Release
	mv ../Release .
)
createrepo_c --quiet "$dir/rpm"
echo "deb [trusted=yes] file:$(readlink -f "$dir/apt") ./"
