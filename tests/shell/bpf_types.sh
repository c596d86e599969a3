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
	declared=$(bpftool btf dump file "$object" | grep ' FWD ') || [ $? -eq 1 ]
	[ "$(printf '%s' "$declared" | grep -c .)" -le 1 ] ||
		{ printf '%s: %s\n' "$object" "$declared" && failed=1; }
done
exit $failed
