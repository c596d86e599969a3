/* SPDX-License-Identifier: GPL-2.0-only */
/* How late the softirq that receives begins, by CPU. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/deep/deep.h"
#include "doctor_late.skel.h"
#include "doctor_rec.h"

/* The upper end of the class that the 99th of a hundred waits is in, or the longest. */
static __u64 p99_of(const struct rxaqm_doctor_late *late)
{
	__u64 sum = 0, end_ns;
	unsigned int i;

	for (i = 0; i < RXAQM_DOCTOR_WAITS - 1; i++) {
		sum += late->wait[i];
		if (sum * 100 >= late->waits * 99)
			break;
	}
	end_ns = 2ULL << i;
	return end_ns < late->longest_ns ? end_ns : late->longest_ns;
}

static void add(struct doctor_deep *deep, __u32 cpu, const struct rxaqm_doctor_late *late)
{
	struct doctor_deep_late *to = late->waits ? rxaqm_list_add(&deep->snap->deep_late) : NULL;
	char *at;

	if (!to)
		return;
	to->cpu = cpu;
	to->waits = late->waits;
	to->longest_ns = late->longest_ns;
	to->p99_ns = p99_of(late);
	snprintf(to->held_by, sizeof(to->held_by), "%.15s", late->held_by);
	/* Anyone may give a task a name with control characters. */
	for (at = to->held_by; *at; at++)
		*at = iscntrl((unsigned char)*at) ? '?' : *at;
}

static void read_map(struct doctor_deep *deep, int fd)
{
	int cpus = libbpf_num_possible_cpus(), cpu;
	struct rxaqm_doctor_late *late = cpus > 0 ? calloc((size_t)cpus, sizeof(*late)) : NULL;
	__u32 zero = 0;

	if (late && !bpf_map_lookup_elem(fd, &zero, late)) {
		for (cpu = 0; cpu < cpus; cpu++)
			add(deep, (__u32)cpu, &late[cpu]);
	}
	free(late);
}

void doctor_probe_late(struct doctor_deep *deep)
{
	struct doctor_late *skel = doctor_late__open_and_load();

	if (!skel || doctor_late__attach(skel)) {
		doctor_deep_refused(deep, "how late receiving begins");
	} else {
		doctor_deep_ran(deep, "late", doctor_deep_wait(deep));
		doctor_late__detach(skel);
		read_map(deep, bpf_map__fd(skel->maps.late_map));
	}
	doctor_late__destroy(skel);
}
