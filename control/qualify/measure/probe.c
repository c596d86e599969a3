/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/probe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state/kernel.h"
#include "qualify.skel.h"

/* The handle of the tc program, by which it is recognised. */
#define TC_HANDLE 0x7172
#define TC_PRIORITY 49152
#define TC_OPTS(index, ...)                                                                      \
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)(index), .attach_point = BPF_TC_INGRESS); \
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = TC_HANDLE, .priority = TC_PRIORITY, __VA_ARGS__)

#define SEEN_BYTES (QUALIFY_SEEN * sizeof(struct qualify_seen))

int qualify_probe_open(struct qualify_probe *probe, const char *ifname, struct rxaqm_error *error)
{
	void *at;

	*probe = (struct qualify_probe){ .ifindex = if_nametoindex(ifname), .xdp_fd = -1 };
	probe->skel = qualify__open();
	if (probe->skel) {
		rxaqm_kernel_fit(probe->skel->obj);
		bpf_program__set_autoload(probe->skel->progs.qualify_poll,
					  !access("/sys/kernel/btf/vmlinux", R_OK));
	}
	if (!probe->skel || qualify__load(probe->skel)) {
		rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, errno,
				"cannot load the BPF programs of qualify, which need bpf_loop(), "
				"of Linux 5.17: %s%s%s",
				strerror(errno), *rxaqm_log_kernel_message() ? ": " : "",
				rxaqm_log_kernel_message());
		qualify_probe_close(probe);
		return -error->err;
	}
	at = mmap(NULL, SEEN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		  bpf_map__fd(probe->skel->maps.qualify_seen_map), 0);
	if (at == MAP_FAILED) {
		rxaqm_failed(error, errno, "cannot map what qualify saw: %s", strerror(errno));
		qualify_probe_close(probe);
		return -ENOMEM;
	}
	probe->seen = at;
	probe->orders = &probe->skel->bss->orders;
	probe->progress = &probe->skel->bss->progress;
	probe->nr_polls = &probe->skel->bss->polls;
	probe->received = probe->skel->bss->received;
	return 0;
}

static void close_xdp(struct qualify_probe *probe)
{
	if (probe->xdp_fd >= 0)
		close(probe->xdp_fd);
	probe->xdp_fd = -1;
}

void qualify_probe_close(struct qualify_probe *probe)
{
	close_xdp(probe);
	qualify_probe_polls_off(probe);
	if (probe->seen)
		munmap(probe->seen, SEEN_BYTES);
	qualify__destroy(probe->skel);
	probe->skel = NULL;
	probe->seen = NULL;
	probe->received = NULL;
	free(probe->gone.threads.at);
	probe->gone = (struct qualify_receivers){};
}

int qualify_probe_xdp_try(struct qualify_probe *probe, bool native)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);
	int fd = bpf_link_create(bpf_program__fd(probe->skel->progs.qualify_xdp),
				 (int)probe->ifindex, BPF_XDP, &opts);

	return fd < 0 ? -errno : fd;
}

int qualify_probe_xdp_on(struct qualify_probe *probe, struct rxaqm_error *error)
{
	int fd;

	if (probe->xdp_fd >= 0)
		return 0;
	fd = qualify_probe_xdp_try(probe, true);
	probe->native = fd >= 0;
	if (fd == -EBUSY)
		return rxaqm_failed(error, EBUSY,
				    "an XDP program is on the interface: take it off first");
	if (fd < 0)
		fd = qualify_probe_xdp_try(probe, false);
	if (fd < 0)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -fd, "cannot attach XDP: %s",
				       strerror(-fd));
	probe->xdp_fd = fd;
	return 0;
}

void qualify_probe_xdp_off(struct qualify_probe *probe)
{
	if (probe->xdp_fd >= 0)
		qualify_receivers_note(&probe->gone, "/proc");
	close_xdp(probe);
}

bool qualify_probe_has_clsact(unsigned int ifindex)
{
	TC_OPTS(ifindex);

	/* -EINVAL: no clsact qdisc; -ENOENT: clsact without our program. */
	return bpf_tc_query(&hook, &opts) != -EINVAL;
}

int qualify_probe_tc_on(struct qualify_probe *probe, struct rxaqm_error *error)
{
	TC_OPTS(probe->ifindex, .flags = BPF_TC_F_REPLACE,
		.prog_fd = bpf_program__fd(probe->skel->progs.qualify_tc));
	int err = bpf_tc_hook_create(&hook);

	if (!err || err == -EEXIST)
		err = bpf_tc_attach(&hook, &opts);
	if (err)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
				       "cannot attach at tc ingress: %s; is there another ingress "
				       "qdisc than clsact?",
				       strerror(-err));
	return 0;
}

void qualify_probe_tc_off(unsigned int ifindex, bool keep_clsact)
{
	TC_OPTS(ifindex);

	bpf_tc_detach(&hook, &opts);
	hook.attach_point = (enum bpf_tc_attach_point)(BPF_TC_INGRESS | BPF_TC_EGRESS);
	if (!keep_clsact)
		bpf_tc_hook_destroy(&hook);
}

void qualify_probe_clear(struct qualify_probe *probe)
{
	memset(probe->seen, 0, SEEN_BYTES);
	*probe->orders = (struct qualify_orders){};
	memset(&probe->skel->bss->progress, 0, sizeof(probe->skel->bss->progress));
}

bool qualify_probe_polls_on(struct qualify_probe *probe, __u32 napi_id)
{
	if (!napi_id || bpf_program__fd(probe->skel->progs.qualify_poll) < 0)
		return false;
	probe->skel->bss->polled_napi = napi_id;
	if (!probe->polls)
		probe->polls = bpf_program__attach(probe->skel->progs.qualify_poll);
	return probe->polls;
}

void qualify_probe_polls_off(struct qualify_probe *probe)
{
	bpf_link__destroy(probe->polls);
	probe->polls = NULL;
}

const struct qualify_seen *qualify_probe_seen(const struct qualify_probe *probe, __u32 seq)
{
	const struct qualify_seen *seen = &probe->seen[seq % QUALIFY_SEEN];

	return seen->sent_ns && seen->seq == seq ? seen : NULL;
}
