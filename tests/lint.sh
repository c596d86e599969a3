#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `make lint` checks, after a build: format, licences, scripts, manuals and their keys, and the
# control plane by a second compiler and cppcheck. Goes through all before it fails.
# shellcheck disable=SC2317 # check calls the functions by name
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

mapfile -t sources < <(find xdp kprobes control tests -name '*.[ch]' -o -name '*.[ch]pp' | sort)
mapfile -t product < <(find xdp kprobes control -name '*.[ch]' | sort)
mapfile -t scripts < <(
	find packaging tests .ci -type f | sort | while read -r file; do
		[[ $(head -n 1 "$file" | tr -d '\0') =~ ^#!.*[/\ ](ba)?sh ]] && echo "$file"
	done
)
mapfile -t sourced < <(find packaging tests .ci -name '*.sh' ! -perm -u+x | sort)
completion=packaging/rxaqm.bash-completion
completions=("$completion" packaging/rxaqm.zsh-completion packaging/rxaqm.fish-completion)
manuals=(docs/rxaqm.8 docs/rxaqm.conf.5 docs/rxaqm-xsk.1 docs/rxaqm-xsk.3 docs/rxaqm-exporter.8
	docs/rxaqm-doctor.8 docs/rxaqm-qualify.8 docs/rxaqm-trial.8)
failed=()

check()
{
	local name=$1

	shift
	printf '  %-8s %s\n' LINT "$name"
	"$@" || failed+=("$name")
}

# The licence is on the first line, in scripts on the second. REUSE.toml has it for what has no
# comments. REUSE-IgnoreStart
licences()
{
	local file bad=0

	for file in "${sources[@]}" "${scripts[@]}" "${completions[@]}" Makefile; do
		[[ $(head -n 2 "$file") == *'SPDX-License-Identifier: '* ]] && continue
		echo "$file: no SPDX-License-Identifier at its beginning"
		bad=1
	done
	return "$bad"
}
# REUSE-IgnoreEnd

# What a file of control/ includes is of its own directory or of one below, of its own program or of
# core, of the exporter only base and command: control/README.md has the order. xsk/ is a library
# and a program.
layers()
{
	local file name dir dirs program bad=0
	local -A level_of=()

	read -ra dirs <<<"$CONTROL_DIRS"
	for name in "${dirs[@]}" exporter xsk xsk/tool; do
		level_of[$name]=${#level_of[@]}
	done
	# shellcheck disable=SC2016 # those of Markdown
	[[ $(sed -n 's/^| `\([a-z/]*\)\/`.*/\1/p' control/README.md | paste -sd ' ') == "${dirs[*]}" ]] || {
		echo "control/README.md: its table is not CONTROL_DIRS of the Makefile"
		bad=1
	}
	while IFS=: read -r file name; do
		dir=${file#control/} dir=${dir%/*} program=${dir%%/*}
		name=${name#*\"} name=${name%\"*}
		name=${name%/*}
		for name in "core/$name" "aqm/$name" "$name"; do
			[ -z "${level_of[$name]-}" ] || break
		done
		[[ -n ${level_of[$name]-} && ${level_of[$name]} -le ${level_of[$dir]-0} &&
			${name%%/*} =~ ^(core|$program)$ ]] &&
			[[ $program != exporter || $name =~ ^(core/base|core/command|exporter)$ ]] && continue
		echo "$file: includes $name/, which is not below $dir/, or not its program's or core's"
		bad=1
	done < <(grep -rHE --include='*.[ch]' '^#include "[a-z]+/' control/*/)
	return "$bad"
}

# No two files of control/ need each other, directly or by others: what the object of one takes from
# that of another goes one way. Needs build/.
circles()
{
	local loops

	loops=$(find control -name '*.c' ! -path '*/example/*' -printf 'build/obj/%p\n' |
		sed 's/c$/o/' | xargs nm -A -g | awk '
		{ file = $1; sub(/:.*/, "", file); sub(/^build\/obj\//, "", file); sub(/o$/, "c", file) }
		$(NF - 1) == "U" { uses[file " " $NF] }
		$(NF - 1) ~ /^[TDBRVW]$/ { defined[$NF] = file }
		END {
			for (use in uses) {
				split(use, pair, " ")
				if (pair[2] in defined && defined[pair[2]] != pair[1])
					print pair[1], defined[pair[2]]
			}
		}' | tsort 2>&1 >/dev/null)
	[ -z "$loops" ] || { echo "$loops" && return 1; }
}

# What clang-format leaves alone: comments. Leading tabs count 8 columns.
wide_comments()
{
	awk 'match($0, /^\t*/) && length($0) + 7 * RLENGTH > 100 && /^\t*( ?\/?\*|#) / {
		print FILENAME ":" FNR ": over 100 columns"
		bad = 1
	}
	END { exit bad }' "${sources[@]}" "${scripts[@]}" "${sourced[@]}" tests/vm/groups
}

# What CONTRIBUTING.md says of files and commits.
long_files()
{
	awk 'FNR == 401 { print FILENAME ": over 400 lines"; bad = 1 } END { exit bad }' "${product[@]}"
}

signed_off()
{
	local unsigned

	[ -e .git ] || { echo 'not looked at: not a checkout of git' && return; }
	unsigned=$(git log -n 20 --no-merges \
		--format='%(trailers:key=Signed-off-by,valueonly,separator=%x20)%x09%h %s' | sed -n 's/^\t//p')
	[ -z "$unsigned" ] || { echo "$unsigned" && return 1; }
}

# grep -q ends at the first match. What still writes into the pipe then dies of SIGPIPE, which
# pipefail takes for a failure: now and then, the more there is to write.
quiet_pipes()
{
	! grep -nE '\| *grep -[a-zA-Z]*q' "${scripts[@]}" "${sourced[@]}" || {
		echo 'give grep -q its text as a here-string'
		return 1
	}
}

# Builds with glibc 2.31 and the headers of Linux 5.10: docs/platforms.md. What is newer, and was
# once used, is here; netdev.h, netns.c and adopt.c have numbers of their own in its place.
newer_systems()
{
	! grep -nE '^#include <(sys/pidfd|sys/mount|linux/netdev)\.h>|[^_](fsopen|fsconfig|fsmount|pidfd_[a-z]+)\(' \
		"${product[@]}" || { echo 'newer than glibc 2.31 or Linux 5.10'; return 1; }
}

second_compiler()
{
	local cflags

	cflags=$(pkg-config --cflags libbpf libxdp inih json-c libelf zlib libsystemd libmicrohttpd) || return
	# shellcheck disable=SC2086 # a list of flags
	"${CLANG:-clang}" -fsyntax-only -std=gnu11 -D_GNU_SOURCE= -Wall -Wextra -Wshadow -Werror \
		-DRXAQM_VERSION='""' \
		-iquote xdp/shared -iquote xdp -iquote control/core -iquote control/aqm -iquote control \
		-iquote control/xsk -iquote build/bpf $cflags \
		control/*/*.c control/{core,aqm,doctor,qualify}/*/*.c control/xsk/tool/*.c
}

# cppcheck sees no system headers: these macros change the syntax.
static_analysis()
{
	local opts='(type, name, ...)=struct type name = { __VA_ARGS__ }'

	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j 2 \
		--enable=warning,performance,portability \
		--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
		--suppress='*:build/*' \
		-D'SEC(name)=' -D"LIBBPF_OPTS$opts" -D"DECLARE_LIBXDP_OPTS$opts" \
		-D'bpf_object__for_each_program(prog, obj)=while ((prog = next_program(obj, prog)))' \
		-D'bpf_object__for_each_map(map, obj)=while ((map = next_map(obj, map)))' \
		-D'rxaqm_each_attr(attr, message, offset)=while ((attr = next_attr(message, offset)))' \
		-DRXAQM_VERSION='""' \
		-Ixdp/shared -Ixdp -Icontrol/core -Icontrol/aqm -Icontrol -Icontrol/xsk \
		control xdp kprobes tests/rig
}

manual_page()
{
	local warnings

	warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 \
		man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>&1 >/dev/null)
	[ -z "$warnings" ] || { echo "$warnings" && return 1; }
	mandoc -Tlint -Wwarning "$1"
}

check 'format (make format)' "${CLANG_FORMAT:-clang-format-19}" --dry-run -Werror "${sources[@]}"
check licences licences
check 'layers of control/' layers
check 'circles in control/' circles
check 'comments' wide_comments
check 'long files' long_files
check 'sign-off' signed_off
check 'quiet pipes' quiet_pipes
check 'scripts' shellcheck -x "${scripts[@]}"
check 'completion' shellcheck -s bash "$completion"
check 'completion syntax' bash -n "$completion"
check 'keys in documents (make docs)' packaging/make-docs.sh --check
check 'old systems' newer_systems
check 'clang' second_compiler
check 'cppcheck' static_analysis
for manual in "${manuals[@]}"; do
	check "$manual" manual_page "$manual"
done

[ ${#failed[@]} -eq 0 ] && exit
printf 'lint: failed: %s\n' "${failed[@]}" >&2
exit 1
