#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The completions offer what the sources know: commands, settings, choices, rows; and ask nothing.
# shellcheck disable=SC2016,SC2317 # code of zsh; with_SHELL is called by name
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# As they are installed, but for this directory.
for shell in bash zsh fish; do
	sed "s|/usr/share/rxaqm|$PWD/packaging|" "packaging/rxaqm.$shell-completion" >"$scratch/$shell"
done
# shellcheck source=packaging/rxaqm.bash-completion
. "$scratch/bash"

wrong()
{
	failed=1
	echo "$*"
}

# expect LINE CANDIDATE...: all that is offered at the end of the line, in any order.
expect()
{
	local line=$1 got want

	shift
	COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
	_rxaqm 2>/dev/null || true
	got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)
	want=$(printf '%s\n' "$@" | sort | xargs)
	[ "$got" = "$want" ] || wrong "'$line': got '$got', want '$want'"
}

mapfile -t commands < <(sed -n 's/^\t{ "\([a-z]*\)", rxaqm_cmd_.*/\1/p' control/aqm/main.c)
keys=$("${RXAQM_BIN:-build/rxaqm}" policy --help | sed -n 's/^  \([a-z0-9_]*=[^ ]*\)$/\1/p')
mapfile -t settings < <(sed -n 's/^\([^=]*=\).*/\1/p' <<<"$keys" | grep -v '^preset=' | sort -u)
mapfile -t presets < <(sed -n 's/^preset=//p' <<<"$keys")
mapfile -t rows < <(grep -ohE '"Q[0-9]+"' control/qualify/rows/table.c | tr -d '"' | sort -u)
[[ ${#commands[@]} -gt 5 && ${#settings[@]} -gt 10 && ${#presets[@]} -gt 2 && ${#rows[@]} -gt 15 ]]

# rxaqm itself is not asked.
mkdir "$scratch/bin"
printf '#!/bin/sh\ntouch %s/asked\n' "$scratch" >"$scratch/bin/rxaqm"
chmod +x "$scratch/bin/rxaqm"
PATH=$scratch/bin:$PATH

expect 'rxaqm ' "${commands[@]}"
expect 'rxaqm -j --netns blue st' status
expect 'rxaqm --vers' --version
expect 'rxaqm policy ' show set load save
expect 'rxaqm profile ch' check
expect 'rxaqm profile show l' lo
expect 'rxaqm att' attach
expect 'rxaqm attach l' lo
expect 'rxaqm attach --no' --no-reset
expect 'rxaqm policy set --al' --all
expect 'rxaqm policy set --all mode=en' enforce
expect 'rxaqm policy set lo ' "${settings[@]}" preset=
expect 'rxaqm attach lo ce' ce_threshold= ce_threshold_selector=
expect 'rxaqm policy set lo preset=' "${presets[@]}"
expect 'rxaqm policy set lo mode=enforce law=c' codel
while IFS='|' read -r name choices; do
	IFS='|' read -ra choices <<<"$choices"
	expect "rxaqm policy set lo $name=" "${choices[@]}"
done < <(sed -n 's/^\([a-z0-9_]*\)=\([a-z0-9]*|[a-z0-9|]*\)$/\1|\2/p' <<<"$keys")
expect 'rxaqm attach --mode g' generic
expect 'rxaqm attach --hook=kp' kprobe
expect 'rxaqm check l' lo
expect 'rxaqm qualify --class=a' aqm af_xdp
expect 'rxaqm qualify -r ' "${rows[@]}"
expect 'rxaqm qualify --rows Q1,Q7' Q1,Q7
expect 'rxaqm doctor --verify rx-queues-f' rx-queues-few
expect 'rxaqm attach -m generic -H tp lo signal=s' stamp
expect 'rxaqm policy set lo signal=h' hint
expect 'rxaqm policy set -q 0-3 lo ecn' ecn=
expect 'rxaqm policy load lo REUS' REUSE.toml
expect 'rxaqm --netns $(touch${IFS}x) attach '
expect 'rxaqm nosuch '

# Where "=" is no word break, the whole word is replaced.
COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}
expect 'rxaqm policy set lo mode=en' mode=enforce
expect 'rxaqm run --config=REUS' --config=REUSE.toml

# The other shells: lines that have one end. "" where there is none.
begun=('rxaqm stat' 'rxaqm policy set lo mode=en' 'rxaqm policy set lo tar' 'rxaqm attach --no-r'
	'rxaqm qualify --rows=Q1,Q7' 'rxaqm run --config=REUS' 'rxaqm run -c REUS')
ended=('rxaqm status' 'rxaqm policy set lo mode=enforce' 'rxaqm policy set lo target='
	'rxaqm attach --no-reset' 'rxaqm qualify --rows=Q1,Q7' 'rxaqm run --config=REUSE.toml'
	'rxaqm run -c REUSE.toml')

# Each line that fish makes of those begun.
with_fish()
{
	for line in "${begun[@]}"; do
		HOME=$scratch fish --no-config -c "source $scratch/fish; complete -C '$line'" |
			awk -F '\t' -v line="${line% *}" '{ print line " " $1 }'
	done
}

# The same of zsh, in a terminal of its own: what is typed, a tab, and a key that prints the line.
with_zsh()
{
	mkdir "$scratch/functions"
	cp "$scratch/zsh" "$scratch/functions/_rxaqm"
	HOME=$scratch timeout 60 zsh -f -c '
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit && compinit -u -D
		show() { print -r -- \"<<\$BUFFER>>\"; BUFFER= }; zle -N show; bindkey \"^X\" show
		stty -echo; print READ\"\"Y"
		zpty -r -m z out "*READY*"
		shift
		for line; do
			zpty -w -n z "$line"$'"'\t\x18'"'
			zpty -r -m z out "*>>*" || exit
			print -r -- "${${out##*<<}%%>>*}"
		done
		zpty -d z' - "$scratch/functions" "${begun[@]}" | tr -d '\r' | sed 's/ $//'
}

# Behind a blank any word may come; what it is for is told.
if command -v fish >/dev/null; then
	for line in 'rxaqm ' 'rxaqm policy '; do
		offered=$(HOME=$scratch fish --no-config -c "source $scratch/fish; complete -C '$line'")
		[ "$(wc -l <<<"$offered")" -ge 4 ] || wrong "fish has too little behind '$line': $offered"
		! grep -vP '\t.' <<<"$offered" || wrong "fish does not tell what these are for"
	done
fi

[ ! -e "$scratch/asked" ] || wrong "rxaqm was run"
for shell in fish zsh; do
	if ! command -v $shell >/dev/null; then
		echo "no $shell: its completion is not tested; packaging/install-deps.sh test installs it"
		continue
	fi
	diff <(printf '%s\n' "${ended[@]}") <("with_$shell") || wrong "$shell completes otherwise"
done
exit $failed
