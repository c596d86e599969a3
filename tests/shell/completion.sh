#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The bash completion offers what the sources know: commands, settings, choices.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=packaging/rxaqm.bash-completion
. packaging/rxaqm.bash-completion
failed=0

# expect LINE CANDIDATE...: all that is offered at the end of the line, in any order.
expect()
{
	local line=$1 got want

	shift
	COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
	_rxaqm 2>/dev/null || true
	got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)
	want=$(printf '%s\n' "$@" | sort | xargs)
	[ "$got" = "$want" ] || { failed=1 && echo "'$line': got '$got', want '$want'"; }
}

mapfile -t commands < <(sed -n 's/^\t{ "\([a-z]*\)", rxaqm_cmd_.*/\1/p' control/aqm/main.c)
keys=$("${RXAQM_BIN:-build/rxaqm}" policy --help | sed -n 's/^  \([a-z0-9_]*=[^ ]*\)$/\1/p')
mapfile -t settings < <(sed -n 's/^\([^=]*=\).*/\1/p' <<<"$keys" | grep -v '^preset=' | sort -u)
mapfile -t presets < <(sed -n 's/^preset=//p' <<<"$keys")
[[ ${#commands[@]} -gt 5 && ${#settings[@]} -gt 10 && ${#presets[@]} -gt 2 ]]

expect 'rxaqm ' "${commands[@]}"
expect 'rxaqm -j --netns blue st' status
expect 'rxaqm policy ' show set load save
expect 'rxaqm profile ch' check
expect 'rxaqm profile show l' lo
expect 'rxaqm att' attach
expect 'rxaqm attach l' lo
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
expect 'rxaqm clock --sample l' lo
expect 'rxaqm qualify --class=a' aqm af_xdp
expect 'rxaqm attach -m generic -H tp lo signal=s' stamp
expect 'rxaqm policy set lo signal=h' hint
expect 'rxaqm policy -q 0-3 set lo ecn' ecn=

# Where "=" is no word break, the whole word is replaced.
COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}
expect 'rxaqm policy set lo mode=en' mode=enforce
exit $failed
