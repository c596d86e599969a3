/* SPDX-License-Identifier: GPL-2.0-only */
/* kprobes/qualify.bpf.c on an interface of the network namespace entered. */
#pragma once

#include <stdbool.h>

#include "base/log.h"
#include "qualify/measure/others.h"

struct bpf_link;
struct qualify;

struct qualify_probe {
	struct qualify *skel; /* NULL: not loaded */
	struct bpf_link *polls; /* NULL: they are not counted */
	int xdp_fd; /* link of XDP, which goes with the process; -1: not attached */
	bool native; /* XDP */
	unsigned int ifindex;
	struct qualify_seen *seen;
	/* What the programs are told, and tell. */
	struct qualify_orders *orders;
	const volatile struct qualify_progress *progress;
	const volatile __u64 *nr_polls; /* that have ended */
	struct qualify_receivers gone; /* threads, while XDP was on */
	__u8 *received; /* by CPU, of QUALIFY_CPUS: 1 if it received a frame since that was set to 0 */
};

/* Load them. -errno with @error. */
int qualify_probe_open(struct qualify_probe *probe, const char *ifname, struct rxaqm_error *error);
void qualify_probe_close(struct qualify_probe *probe);

/* Put the XDP program there: native, or, where the driver refuses, generic. -errno with @error. */
int qualify_probe_xdp_on(struct qualify_probe *probe, struct rxaqm_error *error);
void qualify_probe_xdp_off(struct qualify_probe *probe);
/* In that mode alone: a descriptor, with which it goes again, or -errno. */
int qualify_probe_xdp_try(struct qualify_probe *probe, bool native);

/* Where orders->to_socket sends what comes by @queue: to AF_XDP socket @fd. 0 or -errno. */
int qualify_probe_to_socket(struct qualify_probe *probe, __u32 queue, int fd);

/* The tc program at ingress; was there a clsact before? */
bool qualify_probe_has_clsact(unsigned int ifindex);
int qualify_probe_tc_on(struct qualify_probe *probe, struct rxaqm_error *error);
/* Also of another process that died. @keep_clsact: leave that. */
void qualify_probe_tc_off(unsigned int ifindex, bool keep_clsact);

/* Nothing was seen, and nothing is ordered. */
void qualify_probe_clear(struct qualify_probe *probe);

/* Count polls of NAPI @napi_id from now on. False: no BTF in the kernel, or no such id (0). */
bool qualify_probe_polls_on(struct qualify_probe *probe, __u32 napi_id);
void qualify_probe_polls_off(struct qualify_probe *probe);

/* What became of frame @seq; NULL: neither program saw it. */
const struct qualify_seen *qualify_probe_seen(const struct qualify_probe *probe, __u32 seq);
