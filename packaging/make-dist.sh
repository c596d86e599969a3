#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds static programs, which need nothing of the system they run on, and packs them with what
# belongs to them: make-dist.sh DIRECTORY [ARCH]. ARCH is Debian's name; another than this machine's
# is built across, with the libraries of that architecture. Wants Debian 12.
#
# Libraries are Debian's. Of two that have no static archive there, or one that cannot be linked,
# the source packages are built here, without what rxaqm does not use. The same sources, built by
# the same packages, give the same file, to the byte: wherever, whenever.
set -euo pipefail
cd "$(dirname "$0")/.."

die()
{
	echo "make-dist.sh: $1" >&2
	exit 1
}

mkdir -p "${1:?the directory is missing}"
dir=$(readlink -f "$1")
here=$(dpkg --print-architecture) || die "this is made on Debian: there is no dpkg"
grep -q '^VERSION_CODENAME=bookworm' /etc/os-release ||
	die "this is made on Debian 12: libelf.a of Debian 13 cannot be linked (sourceware.org/bugzilla/show_bug.cgi?id=32293)"
arch=${2:-$here}
triplet=$(dpkg-architecture -a"$arch" -qDEB_HOST_GNU_TYPE 2>/dev/null) || die "unknown architecture '$arch'"
version=$(cat VERSION)
work=$dir/$arch
libs=$work/libs
name=rxaqm-$version-linux-$arch
# Of the last commit, or, where that is not known, of the last version. So are all times in it.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
	date -u -d "$(sed -n 's/^## .* - //p' CHANGELOG.md | head -n 1)" +%s)}
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
# Nothing of the make that called this.
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD PREFIX DESTDIR

# What is built with these says nothing of where that was.
cflags="-O2 -ffile-prefix-map=$PWD=. -ffile-prefix-map=$work=."

# apt-get with the sources of this release, and lists of its own.
apt()
{
	apt-get -qq -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" \
		-o APT::Sandbox::User=root "$@"
}

# fetch PACKAGE...: unpacked into $work/PACKAGE. apt verifies what it fetches.
fetch()
{
	local package codename

	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mkdir -p "$work"/apt/{lists,cache/archives}/partial "$work/source"
	# shellcheck disable=SC2016 # apt-get expands it
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Identifier: Packages' |
		grep -E " $codename(-updates|-security)?\$" | sort -u |
		sed 's|.*|deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & main|' \
			>"$work/apt/sources.list" ||
		die "apt has no lists of packages of $codename: run 'apt-get update'"
	apt update
	for package; do
		(cd "$work/source" && apt source --download-only "$package") ||
			die "the source package of $package cannot be fetched: another mirror may have it"
		rm -rf "${work:?}/$package"
		dpkg-source --no-check -x "$work/source/$package"_*.dsc "$work/$package"
	done
}

# What libsystemd wants, and nothing else that may be installed: it would look for that, and tell in
# its list of features what it found. So libraries are hidden from it, whatever their options are
# called in a version.
pkg_config_of_systemd()
{
	local name file

	rm -rf "$work/pkgconfig"
	mkdir "$work/pkgconfig"
	for name in libcap mount blkid libselinux libsepol libpcre2-8; do
		for file in /usr/lib/"$triplet"/pkgconfig/$name.pc /usr/share/pkgconfig/$name.pc; do
			[ ! -e "$file" ] || cp "$file" "$work/pkgconfig"
		done
	done
}

# libsystemd: Debian has no archive of it. It needs none of what it could be built with.
build_systemd()
{
	local cross=() cpu

	pkg_config_of_systemd
	if [ "$arch" != "$here" ]; then
		cpu=${triplet%%-*}
		printf '%s\n' '[binaries]' "c = '$triplet-gcc'" "ar = '$triplet-ar'" \
			"pkgconfig = '$triplet-pkg-config'" "strip = '$triplet-strip'" '[host_machine]' \
			"system = 'linux'" "cpu_family = '$cpu'" "cpu = '$cpu'" "endian = 'little'" \
			>"$work/cross"
		cross=(--cross-file "$work/cross")
	fi
	rm -rf "$work/systemd-build"
	# OpenSSL is not among auto_features, and its headers may be there for another architecture.
	PKG_CONFIG_LIBDIR=$work/pkgconfig meson setup "$work/systemd-build" "$work/systemd" \
		"${cross[@]}" -Dauto_features=disabled -Dopenssl=false -Dmode=release -Dbuildtype=plain \
		-Dstatic-libsystemd=true -Dtests=false -Dman=false -Dc_args="$cflags"
	ninja -C "$work/systemd-build" version.h
	ninja -C "$work/systemd-build" libsystemd.a
	cp "$work/systemd-build/libsystemd.a" "$libs/lib"
	cp -r "$work/systemd/src/systemd" "$libs/include"
	printf '%s\n' 'Name: libsystemd' 'Description: static' \
		"Version: $(dpkg-parsechangelog -l "$work/systemd/debian/changelog" -S Version | sed 's/[^0-9].*//')" \
		"Cflags: -I$libs/include" "Libs: -L$libs/lib -lsystemd" >"$libs/lib/pkgconfig/libsystemd.pc"
}

# libmicrohttpd: Debian's is linked with GnuTLS, which needs libraries that have no archive.
build_libmicrohttpd()
{
	mkdir -p "$work/libmicrohttpd-build"
	cd "$work/libmicrohttpd-build"
	../libmicrohttpd/configure -q --host="$triplet" --disable-https --disable-shared \
		--enable-static --disable-doc --disable-examples --disable-curl --disable-nls \
		--prefix="$libs" CFLAGS="$cflags"
	make -s -j"$(nproc)" -C src/microhttpd install
	make -s -C src/include install
	make -s install-pkgconfigDATA
	cd - >/dev/null
}

build_libraries()
{
	[ ! -e "$libs/done" ] || return 0
	rm -rf "$libs"
	mkdir -p "$libs"/{lib/pkgconfig,include}
	fetch systemd libmicrohttpd
	build_systemd
	build_libmicrohttpd
	touch "$libs/done"
}

# With the linker's list of what it took.
build_programs()
{
	local config=pkg-config

	[ "$arch" = "$here" ] || config=$triplet-pkg-config
	PKG_CONFIG_PATH=$libs/lib/pkgconfig make -j"$(nproc)" BUILD="$work/build" CC="$triplet-gcc" \
		PKG_CONFIG="$config --static" CFLAGS="$cflags" \
		LDFLAGS="-static -s -Wl,--build-id=none -Wl,--trace" "$@"
}

# One line for each library in the programs: PACKAGE VERSION, of Debian's sources.
contents()
{
	local archive owner

	grep -ohE "/[^() ]+\.a\b" "$work/link.log" | sort -u | while read -r archive; do
		archive=$(readlink -f "$archive")
		case $archive in
		"$libs"/lib/lib*) dpkg-parsechangelog -l "$work/$(source_of "$archive")/debian/changelog" |
			awk '/^Source:/ { name = $2 } /^Version:/ { print name, $2 }' ;;
		"$work"/build/*) ;;
		*)
			owner=$(dpkg -S "$archive")
			dpkg-query -W -f '${source:Package} ${source:Version}\n' "${owner%%: /*}"
			;;
		esac
	done | sort -u
}

source_of()
{
	case $1 in
	*/libsystemd.a) echo systemd ;;
	*) echo libmicrohttpd ;;
	esac
}

# Licences of what is linked, by source package: their debian/copyright.
licence()
{
	case $1 in
	elfutils) echo 'GPL-2.0-or-later OR LGPL-3.0-or-later' ;;
	gcc-*) echo 'GPL-3.0-or-later WITH GCC-exception-3.1' ;;
	glibc | cross-toolchain-base | systemd | libmicrohttpd) echo LGPL-2.1-or-later ;;
	libinih) echo BSD-3-Clause ;;
	json-c) echo MIT ;;
	libbpf | xdp-tools) echo 'LGPL-2.1-only OR BSD-2-Clause' ;;
	libcap2) echo 'BSD-3-Clause OR GPL-2.0-only' ;;
	libzstd) echo 'BSD-3-Clause OR GPL-2.0-only' ;;
	zlib) echo Zlib ;;
	*) die "which licence has $1, which is linked now? Add a row to licence()" ;;
	esac
}

# SPDX 2.3: the tarball, and what is linked into its programs.
sbom()
{
	local package release licence

	cat <<-END
		{
		 "spdxVersion": "SPDX-2.3",
		 "dataLicense": "CC0-1.0",
		 "SPDXID": "SPDXRef-DOCUMENT",
		 "name": "$name",
		 "documentNamespace": "https://rxaqm.invalid/spdx/$name-$SOURCE_DATE_EPOCH",
		 "creationInfo": {
		  "created": "$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)",
		  "creators": ["Tool: make-dist.sh"]
		 },
		 "packages": [
		  {"name": "rxaqm", "SPDXID": "SPDXRef-rxaqm", "versionInfo": "$version",
		   "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
		   "licenseConcluded": "GPL-2.0-only", "licenseDeclared": "GPL-2.0-only"}
	END
	while read -r package release; do
		licence=$(licence "$package") || exit 1
		printf ' ,{"name": "%s", "SPDXID": "SPDXRef-%s", "versionInfo": "%s",\n' "$package" "$package" "$release"
		printf '   "downloadLocation": "NOASSERTION", "filesAnalyzed": false,\n'
		printf '   "licenseConcluded": "%s", "licenseDeclared": "%s",\n' "$licence" "$licence"
		printf '   "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",\n'
		printf '     "referenceLocator": "pkg:deb/debian/%s@%s?arch=source"}]}\n' "$package" "${release//+/%2B}"
	done <"$work/contents"
	echo ' ],'
	echo ' "relationships": ['
	echo '  {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-rxaqm"}'
	while read -r package release; do
		printf ' ,{"spdxElementId": "SPDXRef-rxaqm", "relationshipType": "STATIC_LINK", "relatedSpdxElement": "SPDXRef-%s"}\n' "$package"
	done <"$work/contents"
	printf ' ]\n}\n'
}

pack()
{
	local tree=$work/$name

	rm -rf "$tree"
	build_programs -s install-programs DESTDIR="$work/root"
	mkdir "$tree"
	mv "$work/root/usr/local" "$tree/local"
	rm -r "$work/root"
	cp packaging/install.sh packaging/rxaqm.conf CHANGELOG.md LICENSE "$tree"
	sed 's@\](\([^):#]*[)#]\)@](local/share/doc/rxaqm/\1@g' "$tree/local/share/doc/rxaqm/README.md" >"$tree/README.md"
	cp -r LICENSES "$tree"
	sbom >"$tree/sbom.spdx.json"
	chmod -R u=rwX,go=rX "$tree"
	(cd "$tree" && find . -type f ! -name SHA256SUMS | sort | xargs sha256sum >../sums && mv ../sums SHA256SUMS &&
		chmod 644 SHA256SUMS)
	tar -C "$work" --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
		--numeric-owner -c "$name" | gzip -9n >"$dir/$name.tar.gz"
	(cd "$dir" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
}

mkdir -p "$work/build"
exec 3>&1 4>&2 >"$work/build.log" 2>&1
trap '[ $? -eq 0 ] || { tail -n 40 "$work/build.log" && echo "make-dist.sh: see $work/build.log"; } >&4' EXIT
build_libraries
find "$work/build" -maxdepth 1 -name 'rxaqm*' -delete
build_programs programs >"$work/link.log"
contents >"$work/contents"
pack
cat "$dir/$name.tar.gz.sha256" >&3
