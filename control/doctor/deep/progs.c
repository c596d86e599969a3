/* SPDX-License-Identifier: GPL-2.0-only */
/* What BPF programs cost. The kernel counts their runs and time while a descriptor of
 * BPF_ENABLE_STATS is open, so counting ends however this process ends.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/deep/deep.h"

#define MAX_PROGS 4096
#define LEAST_RUNS 100 /* in the window; a program with fewer is left out */

struct cost {
	__u32 id;
	__u64 runs, ns;
};

static bool info_of(__u32 id, struct bpf_prog_info *info)
{
	int fd = bpf_prog_get_fd_by_id(id), err;
	__u32 len = sizeof(*info);

	if (fd < 0)
		return false;
	memset(info, 0, sizeof(*info));
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return !err;
}

static size_t read_costs(struct cost costs[MAX_PROGS])
{
	struct bpf_prog_info info;
	size_t nr = 0;
	__u32 id = 0;

	while (nr < MAX_PROGS && !bpf_prog_get_next_id(id, &id)) {
		if (info_of(id, &info))
			costs[nr++] = (struct cost){ id, info.run_cnt, info.run_time_ns };
	}
	return nr;
}

static void add(struct doctor_deep *deep, const struct cost *was, size_t nr_was,
		const struct bpf_prog_info *is)
{
	struct cost before = { is->id, is->run_cnt, is->run_time_ns };
	struct doctor_deep_prog *to;
	size_t i;

	for (i = 0; i < nr_was; i++) {
		if (was[i].id == is->id)
			before = was[i];
	}
	if (is->run_cnt - before.runs < LEAST_RUNS)
		return;
	to = rxaqm_list_add(&deep->snap->deep_progs);
	if (!to)
		return;
	to->id = is->id;
	to->runs = is->run_cnt - before.runs;
	to->run_ns = is->run_time_ns - before.ns;
	snprintf(to->name, sizeof(to->name), "%s", *is->name ? is->name : "without a name");
	snprintf(to->type, sizeof(to->type), "%s",
		 libbpf_bpf_prog_type_str((enum bpf_prog_type)is->type) ?: "of a new type");
}

void doctor_probe_progs(struct doctor_deep *deep)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	struct cost *was = calloc(MAX_PROGS, sizeof(*was));
	struct bpf_prog_info info;
	__u32 id = 0;
	size_t nr;

	if (fd < 0 || !was) {
		doctor_cannot_see(deep->snap, "the cost of BPF programs", "BPF_ENABLE_STATS: %s",
				  strerror(fd < 0 ? -fd : ENOMEM));
	} else {
		nr = read_costs(was);
		doctor_deep_ran(deep, "progs", doctor_deep_wait(deep));
		while (!bpf_prog_get_next_id(id, &id)) {
			if (info_of(id, &info))
				add(deep, was, nr, &info);
		}
	}
	if (fd >= 0)
		close(fd);
	free(was);
}
