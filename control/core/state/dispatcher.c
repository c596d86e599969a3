/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "state/dispatcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int rxaqm_bpf_map_pin(const char *path, size_t bytes, bool writable, void **ret_data)
{
	int prot = PROT_READ | (writable ? PROT_WRITE : 0), fd = bpf_obj_get(path);
	void *data;

	if (fd < 0)
		return fd;
	data = mmap(NULL, bytes, prot, MAP_SHARED, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return -errno;
	*ret_data = data;
	return 0;
}

int rxaqm_bpf_info(int fd, void *info, __u32 len)
{
	int err;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return err;
}

int rxaqm_bpf_next_link(__u32 *id, struct bpf_link_info *info)
{
	int err;

	while (!(err = bpf_link_get_next_id(*id, id))) {
		memset(info, 0, sizeof(*info));
		err = rxaqm_bpf_info(bpf_link_get_fd_by_id(*id), info, sizeof(*info));
		/* It has just gone, or is being made. */
		if (err != -ENOENT && err != -EAGAIN)
			return err ? err : 1;
	}
	return err == -ENOENT ? 0 : err;
}

/* Links of programs that trace the dispatcher, as xdpdump does, have the same type. */
static bool is_inside(const struct bpf_link_info *info, __u32 dispatcher_id)
{
	return info->type == BPF_LINK_TYPE_TRACING &&
	       info->tracing.target_obj_id == dispatcher_id &&
	       info->tracing.attach_type != BPF_TRACE_FENTRY &&
	       info->tracing.attach_type != BPF_TRACE_FEXIT;
}

bool rxaqm_xdp_has(const struct rxaqm_xdp_progs *progs, __u32 prog_id)
{
	unsigned int i;

	for (i = 0; prog_id && i < progs->nr; i++)
		if (progs->id[i] == prog_id)
			return true;
	return false;
}

static void add_prog(struct rxaqm_xdp_progs *progs, __u32 id)
{
	if (id && progs->nr < RXAQM_XDP_PROGS_MAX && !rxaqm_xdp_has(progs, id))
		progs->id[progs->nr++] = id;
}

/* The kernel does not say whether a program takes fragments. A dispatcher's only map has its
 * configuration, in an order that libxdp has kept: magic, version, number of programs, and from
 * version 2 on this.
 */
#define CONFIG_MAGIC 236
#define CONFIG_MAX 512

static int read_fragments(__u32 map_id, bool *ret_fragments)
{
	int fd = bpf_map_get_fd_by_id(map_id), err;
	struct bpf_map_info info = {};
	__u8 config[CONFIG_MAX] = {};
	__u32 key = 0;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, &info, &(__u32){ sizeof(info) });
	if (!err && info.value_size <= sizeof(config))
		err = bpf_map_lookup_elem(fd, &key, config);
	close(fd);
	*ret_fragments = config[0] == CONFIG_MAGIC && config[3];
	return err;
}

static int read_once(unsigned int ifindex, struct rxaqm_xdp_progs *progs)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, opts);
	__u32 map_id = 0;
	struct bpf_prog_info info = {
		.nr_map_ids = 1,
		.map_ids = (__u64)(unsigned long)&map_id,
	};
	struct bpf_link_info link;
	__u32 link_id = 0;
	int err;

	memset(progs, 0, sizeof(*progs));
	err = bpf_xdp_query((int)ifindex, 0, &opts);
	/* An interface that is not here has none: libbpf from 1.2 on asks for that interface only,
	 * and older ones look for it in a list of all.
	 */
	if (err)
		return err == -ENODEV ? 0 : err;
	progs->generic = opts.skb_prog_id && !opts.drv_prog_id;
	add_prog(progs, opts.prog_id);
	add_prog(progs, opts.drv_prog_id);
	add_prog(progs, opts.skb_prog_id);
	if (!progs->nr)
		return 0;
	err = rxaqm_bpf_info(bpf_prog_get_fd_by_id(progs->id[0]), &info, sizeof(info));
	progs->dispatcher = !err && !strcmp(info.name, "xdp_dispatcher");
	if (!progs->dispatcher)
		return err;
	err = read_fragments(map_id, &progs->fragments);
	while (!err && (err = rxaqm_bpf_next_link(&link_id, &link)) > 0) {
		if (is_inside(&link, progs->id[0]))
			add_prog(progs, link.prog_id);
		err = 0;
	}
	return err;
}

int rxaqm_xdp_read(unsigned int ifindex, struct rxaqm_xdp_progs *progs)
{
	int tries = 5, err;

	do /* again, if programs change meanwhile */
		err = read_once(ifindex, progs);
	while (err == -ENOENT && --tries);
	return err;
}

bool rxaqm_xdp_exists(__u32 prog_id)
{
	struct bpf_prog_info info = {};

	/* A program that cannot be asked about, for lack of memory or descriptors, is not gone. */
	return prog_id &&
	       rxaqm_bpf_info(bpf_prog_get_fd_by_id(prog_id), &info, sizeof(info)) != -ENOENT;
}
