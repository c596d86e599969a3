#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# "make dist" gives the same file wherever it is built: so no BPF object has two types that are only
# declared. clang 19 keeps these in a std::unordered_map by address, and writes them as they come.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/sbin
build=${RXAQM_BUILD:-build}
failed=0
for source in xdp/*.bpf.c kprobes/*.bpf.c; do
	object=$build/bpf/$(basename "$source" .c).o
	types=$(bpftool btf dump file "$object")
	declared=$(grep ' FWD ' <<<"$types" || true)
	[ "$(grep -c . <<<"$declared")" -le 1 ] ||
		{ printf '%s: %s\n' "$object" "$declared" && failed=1; }
done
exit $failed
