/* SPDX-License-Identifier: GPL-2.0-only */
/* Copy what tracing programs count by NAPI, CPU or queue from their maps into lists. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "doctor/deep/deep.h"
#include "doctor/snapshot/get.h"
#include "doctor_late.skel.h"
#include "doctor_polls.skel.h"
#include "doctor_rec.h"
#include "nic/netns.h"

/* NAPI polls: how long they take, how long their queues wait. */
static void add_polls(struct doctor_deep *deep, const struct rxaqm_doctor_napi *from)
{
	/* If an interface is given, skip the others of this namespace. Backlogs, and NAPIs of other
	 * namespaces, stay: they may share its CPUs.
	 */
	if (!from->polls || (from->ifindex && from->ifindex != ~0U && *deep->snap->interface &&
			     !doctor_iface_at(deep->snap, from->ifindex)))
		return;
	rxaqm_list_put(&deep->snap->deep_napis,
		       (struct doctor_deep_napi){ .ifindex = from->ifindex,
						  .id = from->id,
						  .cpu = from->cpu,
						  .polls = from->polls,
						  .busy = from->busy,
						  .packets = from->packets,
						  .poll_ns = from->poll_ns,
						  .longest_poll_ns = from->longest_poll_ns,
						  .wait_ns = from->wait_ns,
						  .longest_wait_ns = from->longest_wait_ns });
}

void doctor_probe_polls(struct doctor_deep *deep)
{
	struct doctor_polls *skel = doctor_polls__open();
	struct rxaqm_doctor_napi napi;
	__u64 key, *last = NULL;
	int fd;

	if (skel)
		skel->rodata->netns_inum = (__u32)rxaqm_netns_ino();
	if (doctor_deep_look(deep, skel ? skel->skeleton : NULL, "polls", "NAPI polls")) {
		fd = bpf_map__fd(skel->maps.napi_map);
		for (; !bpf_map_get_next_key(fd, last, &key); last = &key) {
			if (!bpf_map_lookup_elem(fd, &key, &napi))
				add_polls(deep, &napi);
		}
	}
	doctor_polls__destroy(skel);
}

/* The upper end of the class that holds the 99th percentile, or the longest wait if that is less.
 */
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

static void add_late(struct doctor_deep *deep, __u32 cpu, const struct rxaqm_doctor_late *late)
{
	struct doctor_deep_late *to = late->waits ? rxaqm_list_add(&deep->snap->deep_late) : NULL;

	if (!to)
		return;
	to->cpu = cpu;
	to->waits = late->waits;
	to->longest_ns = late->longest_ns;
	to->p99_ns = p99_of(late);
	snprintf(to->held_by, sizeof(to->held_by), "%.15s", late->held_by);
	/* Anyone may give a task a name with control characters. */
	rxaqm_clean(to->held_by);
}

static void read_late(struct doctor_deep *deep, int fd)
{
	int cpus = libbpf_num_possible_cpus(), cpu;
	struct rxaqm_doctor_late *late = cpus > 0 ? calloc((size_t)cpus, sizeof(*late)) : NULL;
	__u32 zero = 0;

	if (late && !bpf_map_lookup_elem(fd, &zero, late)) {
		for (cpu = 0; cpu < cpus; cpu++)
			add_late(deep, (__u32)cpu, &late[cpu]);
	}
	free(late);
}

/* How long the receiving softirq waits to begin, by CPU. */
void doctor_probe_late(struct doctor_deep *deep)
{
	struct doctor_late *skel = doctor_late__open();

	if (doctor_deep_look(deep, skel ? skel->skeleton : NULL, "late",
			     "how late receiving begins"))
		read_late(deep, bpf_map__fd(skel->maps.late_map));
	doctor_late__destroy(skel);
}
