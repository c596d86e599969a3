/* SPDX-License-Identifier: GPL-2.0-only */
/* The size of frames sent; the queues that fragments come by. */
#include <bpf/bpf.h>
#include <string.h>

#include "doctor/deep/deep.h"
#include "doctor_frames.skel.h"
#include "doctor_rec.h"

/* The lower end of the class that the middle frame is in. */
static __u64 median_of(const struct rxaqm_doctor_frames *frames)
{
	__u64 below = 0;
	unsigned int i;

	for (i = 0; i < RXAQM_DOCTOR_SIZES; i++) {
		below += frames->size[i];
		if (below * 2 >= frames->frames)
			break;
	}
	return 1ULL << i;
}

static void add_frames(struct doctor_deep *deep, const struct rxaqm_doctor_queue *key, int fd)
{
	struct rxaqm_doctor_frames frames;
	struct doctor_deep_frames *to;

	if (bpf_map_lookup_elem(fd, key, &frames) || !frames.frames)
		return;
	to = rxaqm_list_add(&deep->snap->deep_frames);
	if (to)
		*to = (struct doctor_deep_frames){
			key->ifindex, key->queue,      frames.frames,
			frames.bytes, frames.segments, median_of(&frames)
		};
}

static void add_fragments(struct doctor_deep *deep, const struct rxaqm_doctor_queue *key, int fd)
{
	struct rxaqm_doctor_fragments fragments;
	struct doctor_deep_fragments *to;

	if (bpf_map_lookup_elem(fd, key, &fragments))
		return;
	to = rxaqm_list_add(&deep->snap->deep_fragments);
	if (to)
		*to = (struct doctor_deep_fragments){ key->ifindex, key->queue, fragments.packets,
						      fragments.fragments };
}

static void measure(struct doctor_deep *deep, const char *name, bool frames,
		    void (*add)(struct doctor_deep *deep, const struct rxaqm_doctor_queue *key,
				int fd))
{
	struct doctor_frames *skel = doctor_frames__open();
	struct rxaqm_doctor_queue key, *last = NULL;
	int fd;

	if (skel) {
		skel->rodata->netns_inum = doctor_deep_netns();
		bpf_program__set_autoload(skel->progs.doctor_start_xmit, frames);
		bpf_program__set_autoload(skel->progs.doctor_receive, !frames);
	}
	if (!skel || doctor_frames__load(skel) || doctor_frames__attach(skel)) {
		doctor_deep_refused(deep, frames ? "frames sent" : "fragments by queue");
	} else {
		doctor_deep_ran(deep, name, doctor_deep_wait(deep));
		doctor_frames__detach(skel);
		fd = bpf_map__fd(frames ? skel->maps.frames_map : skel->maps.fragments_map);
		for (; !bpf_map_get_next_key(fd, last, &key); last = &key) {
			if (doctor_deep_is_about(deep, key.ifindex))
				add(deep, &key, fd);
		}
	}
	doctor_frames__destroy(skel);
}

void doctor_probe_frames(struct doctor_deep *deep)
{
	measure(deep, "frames", true, add_frames);
}

void doctor_probe_fragments(struct doctor_deep *deep)
{
	measure(deep, "fragments", false, add_fragments);
}
