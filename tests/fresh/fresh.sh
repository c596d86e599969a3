#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does what README.md says on machines that have nothing: tests/fresh/fresh.sh [RELEASE]...
# [-- STAGE...], on Debian 12 and 13, side by side, the stages of tests/fresh/stages.sh.
# "all": all of them, but no "suites" on this machine's own release, whose tests "make test" builds
# here. Without names, what .ci/run has time for: none that builds all several times; on this
# machine's release none of what .ci/run sets up or builds here; on the other one no "lint", and
# "suites" instead of "test" and "vm".
# A machine is a minimal Debian below build/fresh, on this machine's kernel and network, with mounts
# and processes of its own. Each stage begins with what "first" and "deps" leave, which all make
# targets begin with, and with nothing of the others: a package that another stage installs is
# missing.
#
# The packages come from the mirror that this machine's apt uses. At the end a table tells of all
# stages by release, of which those that did not run are untried. The last line is the sum of the
# stages, "N passed, N failed". Output: build/fresh/RELEASE-STAGE.log. The machines are removed.
set -euo pipefail
# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"

declare -A codename=([12]=bookworm [13]=trixie)
all_stages=(first deps)
mapfile -t -O 2 all_stages < <(sed -n 's/^stage_\([a-z]*\)()$/\1/p' "$vm_repo/tests/fresh/stages.sh" |
	grep -vxE 'first|deps')
fresh=$vm_repo/build/fresh
# 0.1.0, which stage "upgrade" begins with: the commit whose CHANGELOG.md describes it.
former=3e1dba053b9b7a6a7dd8bfb63e30bda7deebb109
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
export LC_ALL=C.UTF-8

releases=() stages=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	[ -n "${codename[$1]-}" ] || die "unknown release '$1', there are 12 and 13" 2
	releases+=("$1")
	shift
done
[ $# -eq 0 ] || shift
for stage; do
	[[ " ${all_stages[*]} all " == *" $stage "* ]] || die "unknown stage '$stage', there are: ${all_stages[*]}" 2
	stages+=("$stage")
done
[ ${#releases[@]} -gt 0 ] || releases=(12 13)
own_release='' not_on_own=suites not_on_other=''
if [[ ${stages[*]-} == all || ${#stages[@]} -eq 0 ]]; then
	own_release=$(. /etc/os-release && echo "${VERSION_ID-}")
	if [ ${#stages[@]} -eq 0 ]; then
		not_on_other='dist cross release upgrade vm'
		not_on_own="$not_on_other suites demo deb eval bench"
		not_on_other+=' lint test'
	fi
	stages=("${all_stages[@]}")
fi
[ "$(id -u)" -eq 0 ] || die "not root"
command -v mmdebstrap >/dev/null || die "no mmdebstrap: run 'packaging/install-deps.sh fresh'" 3
grep -qw overlay /proc/filesystems || modprobe -q overlay || die "this kernel has no overlay file system" 3

mkdir -p "$fresh"
exec 9>"$fresh/lock"
flock -n 9 || die "another one is at work below $fresh"

workers=()
# Mounts and processes of a stage are its own, and end with it.
# shellcheck disable=SC2317 # trap calls it
finish()
{
	[ ${#workers[@]} -eq 0 ] || kill "${workers[@]}" 2>/dev/null || true
	wait
	rm -rf --one-file-system "$fresh"/machine-*
}
trap finish EXIT
trap 'exit 130' INT TERM

# How this machine reaches the network, for apt of the other, which is not to ask.
apt_settings()
{
	apt-config dump --format '%F "%v";%n' Acquire | grep -iE '^Acquire::[a-z]+::Proxy' || true
	echo 'APT::Get::Assume-Yes "true";'
}

# make_machine RELEASE DIRECTORY: with this checkout, as it is, in /root/rxaqm.
make_machine()
{
	local suite=${codename[$1]} base=$2 log=$fresh/$1-base.log mirror security here

	here=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	mirror=$(mirror_of "$here") security=$(mirror_of "$here-security")
	[ -n "$mirror" ] || die "apt knows no source for '$here': this needs a Debian with its package mirror" 3
	apt_settings >"$fresh/$1-apt.conf"
	# What it mounts there ends with it, even if it is killed: a copy of a build/ with a /proc
	# in it would fill any disk. shellcheck disable=SC2016 # mmdebstrap's shell expands it
	printf 'deb %s\n' "$mirror $suite main" "$mirror $suite-updates main" \
		${security:+"$security $suite-security main"} |
		unshare --mount mmdebstrap --variant=minbase --mode=root --keyring="$keyring" \
			--aptopt="$fresh/$1-apt.conf" \
			--dpkgopt=force-unsafe-io "$suite" "$base" - >"$log" 2>&1 ||
		{ tail -n 25 "$log" && die "no minimal Debian $1 can be made: see $log"; }
	cp --remove-destination /etc/resolv.conf /etc/hosts "$base/etc"
	cp -r /usr/local/share/ca-certificates "$base/usr/local/share" 2>/dev/null || true
	mkdir "$base/root/rxaqm"
	git -C "$vm_repo" ls-files -z --cached --others --exclude-standard |
		(cd "$vm_repo" && while IFS= read -r -d '' file; do
			[ ! -e "$file" ] || printf '%s\0' "$file"
		done | tar -c --null -T -) | tar -x --no-same-owner -C "$base/root/rxaqm"
	# Where it is not, as in a shallow clone, the stage says so.
	git -C "$vm_repo" archive --prefix=former/ "$former" 2>/dev/null | tar -x -C "$base/root" 2>/dev/null || true
}

# run_stage RELEASE STAGE LAYER...: in the background, so that traps need not wait for it.
run_stage()
{
	local release=$1 stage=$2 log=$fresh/$1-$2.log started status=0 cpu before

	shift 2
	started=$SECONDS
	cpu_taken
	before=$cpu
	mkdir -p "$fresh/machine-$release/root"
	env -i PATH="$PATH" LC_ALL="$LC_ALL" TERM=dumb HOME=/root "${passed_on[@]}" \
		unshare --mount --pid --fork --kill-child \
		"$vm_repo/tests/fresh/enter.sh" "$fresh/machine-$release/root" "$@" -- \
		bash /root/rxaqm/tests/fresh/stages.sh "$stage" >"$log" 2>&1 </dev/null 9>&- &
	trap 'kill -KILL '$!'; exit 143' TERM
	wait $! || status=$?
	trap 'exit 143' TERM
	cpu_taken
	if [ $status -eq 0 ]; then
		echo "1 passed, 0 failed $stage" >>"$fresh/$release.sum"
		printf 'ok      Debian %s: %s (%d s, %d s of CPU)\n' "$release" "$stage" \
			$((SECONDS - started)) $((cpu - before))
		return
	fi
	echo "0 passed, 1 failed $stage" >>"$fresh/$release.sum"
	tail -n 40 "$log" | sed "s|^|$release $stage: |"
	printf 'failed: Debian %s: %s: status %d (%d s), see %s\n' \
		"$release" "$stage" $status $((SECONDS - started)) "$log"
	return $status
}

# Stages "first" and "deps" leave layers, all others stand on them.
on_release()
{
	local release=$1 machine=$fresh/machine-$1 stage under left_out=

	trap - EXIT
	[ -z "$own_release" ] || left_out=$not_on_other
	[ "$release" != "$own_release" ] || left_out=$not_on_own
	mkdir -p "$machine"
	make_machine "$release" "$machine/base"
	run_stage "$release" first "$machine/first" "$machine/base"
	run_stage "$release" deps "$machine/deps" "$machine/first" "$machine/base"
	for stage in "${stages[@]}"; do
		[[ $stage != first && $stage != deps ]] || continue
		[[ " $left_out " != *" $stage "* ]] || continue
		# Only there (packaging/make-dist.sh).
		[[ $stage != dist && $stage != cross && $stage != release || $release = 12 ]] || continue
		under=("$machine"/{deps,first,base})
		# "suites" and "vm" install all that "test" does, so what that leaves hides nothing.
		[[ $stage != suites && $stage != vm || ! -d $machine/test ]] || under=("$machine/test" "${under[@]}")
		run_stage "$release" "$stage" "$machine/$stage" "${under[@]}" || true
		[ "$stage" = test ] || rm -rf --one-file-system "${machine:?}/$stage" "$machine/$stage.work"
	done
	rm -rf --one-file-system "$machine"
}

mapfile -t passed_on < <(env | grep -E '^(PIP_[A-Z_]+|KIND)=' || true)
rm -rf --one-file-system "$fresh"/machine-* "$fresh"/*.sum
for release in "${releases[@]}"; do
	on_release "$release" &
	workers+=($!)
done
for release in "${releases[@]}"; do
	# It may have ended before it could tell.
	wait "${workers[0]}" || [[ $(cat "$fresh/$release.sum") == *'1 failed'* ]] ||
		echo "0 passed, 1 failed" >>"$fresh/$release.sum"
	workers=("${workers[@]:1}")
done
for release in "${releases[@]}"; do
	awk -v release="$release" 'NF > 4 { print $5, release, $3 ? "failed" : "passed" }' "$fresh/$release.sum"
done | print_matrix "${all_stages[*]}" "$(printf '%s\n' "${!codename[@]}" | sort | paste -sd ' ')"
echo "other systems, and arm64: docs/platforms.md"
cat "$fresh"/*.sum | awk '
	{ passed += $1; failed += $3 }
	END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }'
