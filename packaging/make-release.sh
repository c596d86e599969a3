#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Gathers what a release is made of: make-release.sh DIRECTORY BUILD. The source, what "make dist",
# "make deb" and "make rpm" left in BUILD, what CHANGELOG.md says of this version, and checksums of
# all of it.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=${1:?the directory is missing} build=$(readlink -f "${2:?the directory of the build is missing}")
version=$(cat VERSION)
name=rxaqm-$version
commit=$(git stash create 2>/dev/null) || true

rm -rf "$dir"
mkdir -p "$dir"
git archive --prefix="$name/" "${commit:-HEAD}" | gzip -9n >"$dir/$name.tar.gz"
cp "$build"/dist/"$name"-linux-*.tar.gz "$build"/deb/*.deb "$build"/rpm/RPMS/*/*.rpm "$build"/rpm/SRPMS/*.rpm "$dir"
for tarball in "$build"/dist/"$name"-linux-*.tar.gz; do
	tarball=$(basename "$tarball" .tar.gz)
	tar -xOzf "$dir/$tarball.tar.gz" "$tarball/sbom.spdx.json" >"$dir/$tarball.spdx.json"
done
awk -v version="$version" '/^## / { on = $2 == version; next } on' CHANGELOG.md >"$dir/NOTES.md"
[ -s "$dir/NOTES.md" ] || { echo "make-release.sh: CHANGELOG.md has nothing of $version" >&2 && exit 1; }
(cd "$dir" && sha256sum -- * >"$build/sums" && mv "$build/sums" SHA256SUMS)
ls "$dir"
