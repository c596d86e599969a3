#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/vm/run.sh: which guests run, what a second run of a group counts, and for how long.
set -euo pipefail
cd "$(dirname "$0")/../.."
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests/vm" "$tree"/cache/{old,new}
cp tests/vm/{run,lib}.sh "$tree/tests/vm"
for script in fetch build-simnic build-debs; do
	printf '#!/bin/sh\n' >"$tree/tests/vm/$script.sh"
done
# The guest: each run of a group takes a line of @tree/says/KERNEL-GROUP, or passes.
cat >"$tree/tests/vm/vm.sh" <<'END_VM'
#!/bin/bash
tree=$(dirname "$0")/../..
says=$tree/says/$1-$3
echo "$1 $3" >>"$tree/ran"
if [ "$3" = wide ]; then
	mkdir "$tree/alone" || exit 1
	sleep 0.5
	rmdir "$tree/alone"
fi
line=$(head -n 1 "$says" 2>/dev/null)
[ -n "$line" ] || line='2 passed, 0 failed'
[ ! -e "$says" ] || sed -i 1d "$says"
printf '%b\n' "$line"
[[ $line == *' 0 failed'* ]]
END_VM
chmod +x "$tree"/tests/vm/*.sh
for kernel in old new; do
	echo "$kernel release pattern image" >>"$tree/tests/vm/kernels"
	echo 1 >"$tree/cache/$kernel/version"
done
cat >"$tree/tests/vm/groups" <<'END_GROUPS'
# NAME KERNELS CPUS SECONDS QEMU TESTS
one old 1 60 none guest:[a]
two old 2 60 igb2 guest:[b]
far new 1 60 long guest:[c]
wide all 2 60 long guest:[d]
END_GROUPS

# expect STATUS RAN LINES [ARGUMENT]...: these guests ran, and these were the last lines.
expect()
{
	local status=0 out ran

	rm -f "$tree/ran"
	out=$(RXAQM_VM_CACHE=$tree/cache "$tree/tests/vm/run.sh" "${@:4}" 2>&1) || status=$?
	ran=$(sort "$tree/ran" 2>/dev/null | paste -sd ,) || ran=
	[[ $status -ne $1 || $ran != "$2" || $(tail -n "$(wc -l <<<"$3")" <<<"$out") != "$3" ]] || return 0
	printf "want status %d, guests '%s' and:\n%s\ngot %d, '%s' and:\n%s\n" "$1" "$2" "$3" \
		"$status" "$ran" "$out"
	exit 1
}

# says KERNEL-GROUP LINE...
says()
{
	mkdir -p "$tree/says"
	printf '%s\n' "${@:2}" >"$tree/says/$1"
}

expect 0 'old one,old two' '4 passed, 0 failed'
expect 0 'new far,new wide,old one,old two,old wide' '10 passed, 0 failed' -a
# Two that take two CPUs each run one after the other.
expect 0 'new wide,old wide' '4 passed, 0 failed' -- wide
expect 0 'new far' '2 passed, 0 failed' -- far
# The table: of all groups and kernels if none is named.
expect 0 'old one,old two' '           old            new
far        untried        untried
one        2 passed       untried
two        2 passed       untried
wide       untried        untried
4 passed, 0 failed'
says old-two '0 passed, 0 failed, 2 skipped'
says new-wide '1 passed, 1 failed' '1 passed, 1 failed'
expect 1 'new far,new wide,new wide,old one,old two,old wide' '           old            new
far        untried        2 passed
one        2 passed       untried
two        2 skipped      untried
wide       2 passed       1 passed, 1 failed
7 passed, 1 failed, 2 skipped' -a
expect 0 'old one' '2 passed, 0 failed' old -- one
expect 2 '' "run.sh: nothing runs on new but what is long: name its group" new

# A test's second try in the guest is told, and counted.
says old-one 'again: a: slow\n1 needed a second try\n2 passed, 0 failed'
expect 0 'old one' 'again: old one: a: slow
1 needed a second try
2 passed, 0 failed' -- one

# So is the second run of a group, which the next run does not accept, until one has passed at once.
fails='failed: a: bad\n1 passed, 1 failed'
says old-one "$fails"
again='again: old one: the whole group: old one: a: bad'
expect 0 'old one,old one' "$again
1 needed a second try
2 passed, 0 failed" -- one
for _ in 1 2; do
	says old-one "$fails"
	expect 1 'old one,old one' "$again
failed: old one: the whole group needed a second run in the run before, too
1 needed a second try
2 passed, 1 failed" -- one
done
expect 0 'old two' '2 passed, 0 failed' -- two
expect 0 'old one' '2 passed, 0 failed' -- one
says old-one "$fails"
expect 0 'old one,old one' "$again
1 needed a second try
2 passed, 0 failed" -- one

# What fails twice has failed; a guest that says nothing has, too.
says old-two "$fails" "$fails"
expect 1 'old two,old two' 'failed: old two: a: bad
1 passed, 1 failed' -- two
says old-two 'nothing' 'nothing'
expect 1 'old two,old two' '0 passed, 1 failed' -- two
