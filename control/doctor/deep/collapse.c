/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the kernel takes to collapse a receive queue (net/ipv4/tcp_input.c:tcp_collapse). */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/each.h"
#include "doctor/collect/collect.h"
#include "doctor/deep/deep.h"
#include "doctor_calls.skel.h"
#include "doctor_rec.h"

#define FUNCTION "tcp_collapse"

/* The name that the compiler gave it: "tcp_collapse", "tcp_collapse.isra.0". False: inlined. */
static bool find_symbol(char *buf, size_t size)
{
	char line[512], name[128];
	bool found = false;

	rxaqm_each_line(line, "/proc/kallsyms") {
		if (sscanf(line, "%*s %*[tT] %127s", name) != 1 ||
		    strncmp(name, FUNCTION, strlen(FUNCTION)) ||
		    (name[strlen(FUNCTION)] && name[strlen(FUNCTION)] != '.'))
			continue;
		snprintf(buf, size, "%s", name);
		found = true;
		break;
	}
	return found;
}

static void put(struct doctor_deep *deep, struct doctor_calls *skel, __u64 took_ns)
{
	struct rxaqm_doctor_calls calls;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.calls_map), &zero, &calls))
		return;
	doctor_map_set(&deep->snap->deep, "collapse_calls", calls.calls);
	doctor_map_set(&deep->snap->deep, "collapse_total_ns", calls.total_ns);
	doctor_map_set(&deep->snap->deep, "collapse_longest_ns", calls.longest_ns);
	doctor_deep_ran(deep, "collapse", took_ns);
}

void doctor_probe_collapse(struct doctor_deep *deep)
{
	struct bpf_link *begin = NULL, *end = NULL;
	struct doctor_calls *skel = NULL;
	char symbol[128];
	__u64 took_ns;

	if (!find_symbol(symbol, sizeof(symbol))) {
		doctor_cannot_see(deep->snap, "the time of a collapse",
				  "the kernel has no symbol " FUNCTION ": it is inlined");
		return;
	}
	skel = doctor_calls__open_and_load();
	/* Attach the end first: a call that has already begun is not counted. */
	if (skel)
		end = bpf_program__attach_kprobe(skel->progs.doctor_return, true, symbol);
	if (end)
		begin = bpf_program__attach_kprobe(skel->progs.doctor_call, false, symbol);
	if (begin) {
		took_ns = doctor_deep_wait(deep);
		put(deep, skel, took_ns);
	} else {
		doctor_cannot_see(deep->snap, "the time of a collapse", "no kprobe on %s: %s%s",
				  symbol, strerror(errno),
				  errno == ENOENT || errno == EOPNOTSUPP ?
					  " (the kernel is built without CONFIG_KPROBES)" :
					  "");
	}
	bpf_link__destroy(begin);
	bpf_link__destroy(end);
	doctor_calls__destroy(skel);
}
