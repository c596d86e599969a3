/* SPDX-License-Identifier: GPL-2.0-only */
/* NAPI polls: how long they take, how long their queues wait. */
#include <bpf/bpf.h>
#include <string.h>

#include "doctor/deep/deep.h"
#include "doctor_polls.skel.h"
#include "doctor_rec.h"

static void add(struct doctor_deep *deep, const struct rxaqm_doctor_napi *from)
{
	struct doctor_deep_napi *to;

	/* Those elsewhere matter only for the CPUs that they share. */
	if (!from->polls || (from->ifindex && from->ifindex != ~0U && *deep->snap->interface &&
			     !doctor_deep_is_about(deep, from->ifindex)))
		return;
	to = rxaqm_list_add(&deep->snap->deep_napis);
	if (!to)
		return;
	*to = (struct doctor_deep_napi){
		.ifindex = from->ifindex,
		.id = from->id,
		.cpu = from->cpu,
		.polls = from->polls,
		.busy = from->busy,
		.packets = from->packets,
		.poll_ns = from->poll_ns,
		.longest_poll_ns = from->longest_poll_ns,
		.wait_ns = from->wait_ns,
		.longest_wait_ns = from->longest_wait_ns,
	};
}

static void read_map(struct doctor_deep *deep, int fd)
{
	struct rxaqm_doctor_napi napi;
	__u64 key, *last = NULL;

	while (!bpf_map_get_next_key(fd, last, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &napi))
			add(deep, &napi);
		last = &key;
	}
}

void doctor_probe_polls(struct doctor_deep *deep)
{
	struct doctor_polls *skel = doctor_polls__open();

	if (skel)
		skel->rodata->netns_inum = doctor_deep_netns();
	if (!skel || doctor_polls__load(skel) || doctor_polls__attach(skel)) {
		doctor_deep_refused(deep, "NAPI polls");
	} else {
		doctor_deep_ran(deep, "polls", doctor_deep_wait(deep));
		doctor_polls__detach(skel);
		read_map(deep, bpf_map__fd(skel->maps.napi_map));
	}
	doctor_polls__destroy(skel);
}
