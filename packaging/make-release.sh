#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Gathers what a release is made of: make-release.sh DIRECTORY BUILD. The source, what "make dist",
# "make deb" and "make rpm" left in BUILD, what CHANGELOG.md says of this version, and checksums of
# all of it. All is of one commit, which all of it tells: what is not committed is refused. Without
# arguments it only looks for that.
set -euo pipefail
cd "$(dirname "$0")/.."

die()
{
	echo "make-release.sh: $1" >&2
	exit 1
}

version=$(cat VERSION)
name=rxaqm-$version

git rev-parse -q --verify HEAD >/dev/null 2>&1 ||
	die "a release is of a commit, and this is no checkout of git: clone the repository"
changed=$(git status --porcelain --untracked-files=all)
[ -z "$changed" ] || die "these are not committed, and a release is of a commit: $(
	cut -c 4- <<<"$changed" | paste -sd ' '); commit or stash them (git stash -u)"
notes=$(awk -v version="$version" '/^## / { on = $2 == version; next } on' CHANGELOG.md)
[ -n "$notes" ] || die "CHANGELOG.md has no section '## $version', which VERSION names: write it"

[ $# -gt 0 ] || exit 0
dir=$1 build=$(readlink -f "${2:?the directory of the build is missing}")
rm -rf "$dir"
mkdir -p "$dir"
git archive --prefix="$name/" HEAD | gzip -9n >"$dir/$name.tar.gz"
cp "$build"/dist/"$name"-linux-*.tar.gz "$build"/deb/*.deb "$build"/rpm/RPMS/*/*.rpm "$build"/rpm/SRPMS/*.rpm "$dir"
for tarball in "$build"/dist/"$name"-linux-*.tar.gz; do
	tarball=$(basename "$tarball" .tar.gz)
	tar -xOzf "$dir/$tarball.tar.gz" "$tarball/sbom.spdx.json" >"$dir/$tarball.spdx.json"
done
echo "$notes" >"$dir/NOTES.md"
(cd "$dir" && sha256sum -- * >"$build/sums" && mv "$build/sums" SHA256SUMS)
ls "$dir"
