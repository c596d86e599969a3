#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A release is of one commit: what is not committed is refused before anything is built. What is
# gathered has checksums, and notes of its version alone. Real packages are made by "make fresh
# STAGE=release".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() { echo "$1" && exit 77; }
wrong() { echo "$1" && exit 1; }

git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "not a checkout of git"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/source"
cd "$tree/source"
mkdir packaging
cp "$OLDPWD"/{Makefile,.gitignore} .
cp "$OLDPWD/packaging/make-release.sh" packaging
echo 7.8.9 >VERSION
printf '# Changelog\n\n## 7.8.9 - 2000-01-01\n\n### Added\n\n- This.\n\n## 7.8.8\n\n- That.\n' >CHANGELOG.md
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD

# refused WORD...: "make release" ends with these words, and has built nothing.
refused()
{
	local said word

	! said=$(make release 2>&1) || wrong "a release was made: $said"
	for word; do
		[[ $said == *"$word"* ]] || wrong "no '$word' in: $said"
	done
	[ ! -e build ] || wrong "it built before it refused: $said"
}

commit()
{
	git add -A
	git -c user.name=test -c user.email=test@rxaqm.invalid commit -qm "$1"
}

refused 'no checkout of git'
git init -q
commit first
echo changed >>CHANGELOG.md
touch 'not added'
refused 'not committed' 'CHANGELOG.md' 'not added' 'commit or stash'
commit second
echo 7.9.0 >VERSION
commit third
refused "CHANGELOG.md has no section '## 7.9.0'"
echo 7.8.9 >VERSION
commit fourth
packaging/make-release.sh

mkdir -p build/{dist,deb,rpm/RPMS/noarch,rpm/SRPMS} rxaqm-7.8.9-linux-any
echo '{}' >rxaqm-7.8.9-linux-any/sbom.spdx.json
tar -czf build/dist/rxaqm-7.8.9-linux-any.tar.gz --remove-files rxaqm-7.8.9-linux-any
touch build/dist/rxaqm-7.8.8-linux-any.tar.gz build/deb/rxaqm.deb build/rpm/{RPMS/noarch/rxaqm,SRPMS/rxaqm.src}.rpm
packaging/make-release.sh build/release build >/dev/null
cd build/release
sha256sum -c --quiet SHA256SUMS
[ "$(ls)" = "$(printf '%s\n' NOTES.md SHA256SUMS rxaqm-7.8.9-linux-any.{spdx.json,tar.gz} \
	rxaqm-7.8.9.tar.gz rxaqm.{deb,rpm,src.rpm})" ] || wrong "in it: $(ls)"
grep -q '^- This\.$' NOTES.md
! grep -q 'That' NOTES.md || wrong "notes of 7.8.8 are in those of 7.8.9"
[ "$(tar -xOzf rxaqm-7.8.9.tar.gz rxaqm-7.8.9/VERSION)" = 7.8.9 ]
