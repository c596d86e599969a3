/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of kprobes/qualify.bpf.c on an interface of the current network namespace. */
#pragma once

#include <stdbool.h>

#include "base/log.h"
#include "qualify/measure/others.h"

struct bpf_link;
struct qualify;

struct qualify_probe {
	struct qualify *skel; /* NULL: not loaded */
	struct bpf_link *polls; /* NULL: polls are not counted */
	int xdp_fd; /* the XDP link, which ends with the process; -1: not attached */
	bool native; /* the XDP mode */
	unsigned int ifindex;
	struct qualify_seen *seen;
	/* Orders to the programs, and what they report. */
	struct qualify_orders *orders;
	const volatile struct qualify_progress *progress;
	const volatile __u64 *nr_polls; /* polls that ended */
	struct qualify_receivers gone; /* receiving threads, noted while XDP was on */
	__u8 *received; /* [QUALIFY_CPUS]: set to 1 when a frame is received on that CPU */
};

/* Load the programs. -errno with @error. */
int qualify_probe_open(struct qualify_probe *probe, const char *ifname, struct rxaqm_error *error);
void qualify_probe_close(struct qualify_probe *probe);

/* Attach XDP in native mode, or in generic mode if the driver refuses. -errno with @error. */
int qualify_probe_xdp_on(struct qualify_probe *probe, struct rxaqm_error *error);
void qualify_probe_xdp_off(struct qualify_probe *probe);
/* Attach XDP in that mode only. Closing the returned descriptor detaches it; -errno. */
int qualify_probe_xdp_try(struct qualify_probe *probe, bool native);

/* Was there a clsact before? The tc program at ingress needs one. */
bool qualify_probe_has_clsact(unsigned int ifindex);
int qualify_probe_tc_on(struct qualify_probe *probe, struct rxaqm_error *error);
/* Remove the tc program, also that of a process that died. @keep_clsact: leave the qdisc. */
void qualify_probe_tc_off(unsigned int ifindex, bool keep_clsact);

/* Forget all frames and orders. */
void qualify_probe_clear(struct qualify_probe *probe);

/* Count the polls of NAPI @napi_id. False: the kernel has no BTF, or @napi_id is 0. */
bool qualify_probe_polls_on(struct qualify_probe *probe, __u32 napi_id);
void qualify_probe_polls_off(struct qualify_probe *probe);

/* What was seen of frame @seq; NULL: neither program saw it. */
const struct qualify_seen *qualify_probe_seen(const struct qualify_probe *probe, __u32 seq);
