// SPDX-License-Identifier: GPL-2.0-only
/*
 * simtool bpf OBJECT PROGRAM IF SECONDS [PEER_IF | OFFSET_NS]: attaches one program of
 * selftest.bpf.c until SECONDS are over or SIGTERM comes, natively or to its tracepoint, and prints
 * what it counted. The file $SIMTOOL_READY is created once it is attached.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xdp/xsk.h>

#include "simtool.h"
#include "simtool_counters.h"

#define NR_FRAMES 1024

#ifndef BPF_F_XDP_DEV_BOUND_ONLY /* linux/bpf.h of Debian 12 is older than that */
#define BPF_F_XDP_DEV_BOUND_ONLY (1U << 6)
#endif

static struct bpf_map *counters_map(struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) {
		if (strstr(bpf_map__name(map), ".bss"))
			return map;
	}
	return NULL;
}

static int load(struct bpf_object *obj, const char *name, int ifindex)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), name));
	prog = bpf_object__find_program_by_name(obj, name);
	if (!prog)
		return -ENOENT;
	if (!strcmp(name, "hint")) {
		bpf_program__set_ifindex(prog, ifindex);
		bpf_program__set_flags(prog, BPF_F_XDP_DEV_BOUND_ONLY);
	}
	return bpf_object__load(obj);
}

static int map_fd(struct bpf_object *obj, const char *name)
{
	return bpf_object__find_map_fd_by_name(obj, name);
}

/* Receives in copy mode on queue 0 until @end; returns how many, or -1. */
static long xsk_receive(struct bpf_object *obj, const char *ifname, double end)
{
	struct xsk_socket_config cfg = { .rx_size = NR_FRAMES,
					 .tx_size = NR_FRAMES,
					 .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
					 .bind_flags = XDP_COPY };
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons completion, rx;
	struct xsk_socket *socket;
	struct xsk_umem *umem;
	__u32 i, n, index, from, key = 0;
	long received = 0;
	int fd;
	void *area = mmap(NULL, NR_FRAMES * 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (xsk_umem__create(&umem, area, NR_FRAMES * 4096, &fill, &completion, NULL) ||
	    xsk_socket__create(&socket, ifname, 0, umem, &rx, &tx, &cfg))
		return -1;
	fd = xsk_socket__fd(socket);
	if (xsk_ring_prod__reserve(&fill, NR_FRAMES, &index) != NR_FRAMES ||
	    bpf_map_update_elem(map_fd(obj, "xsk_map"), &key, &fd, BPF_ANY))
		return -1;
	for (i = 0; i < NR_FRAMES; i++)
		*xsk_ring_prod__fill_addr(&fill, index + i) = i * 4096ULL;
	xsk_ring_prod__submit(&fill, NR_FRAMES);
	tell_ready();
	while (goes_on(end)) {
		n = xsk_ring_cons__peek(&rx, 64, &from);
		if (!n) {
			usleep(1000);
			continue;
		}
		if (xsk_ring_prod__reserve(&fill, n, &index) != n)
			return -1;
		for (i = 0; i < n; i++)
			*xsk_ring_prod__fill_addr(&fill, index + i) = xsk_umem__extract_addr(
				xsk_ring_cons__rx_desc(&rx, from + i)->addr);
		xsk_ring_prod__submit(&fill, n);
		xsk_ring_cons__release(&rx, n);
		received += n;
	}
	xsk_socket__delete(socket);
	xsk_umem__delete(umem);
	return received;
}

static int print(struct bpf_object *obj)
{
	struct simtool_counters c;
	__u32 key = 0;
	int cpu;

	if (bpf_map_lookup_elem(bpf_map__fd(counters_map(obj)), &key, &c))
		return complain("cannot read", "the counters");
	printf("packets %llu\nstamped %llu\nbad %llu\n", c.packets, c.stamped, c.bad);
	for (cpu = 0; cpu < 8; cpu++)
		printf("cpu%d %llu\n", cpu, c.cpu_packets[cpu]);
	return 0;
}

static int run_xdp(struct bpf_object *obj, char **args, int ifindex)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, args[1]);
	double end = seconds_now() + atof(args[3]);

	if (!strcmp(args[1], "redirect")) {
		__u32 key = 0, to = if_nametoindex(args[4]);

		if (bpf_map_update_elem(map_fd(obj, "dev_map"), &key, &to, BPF_ANY))
			return complain("cannot redirect to", args[4]);
	}
	if (bpf_xdp_attach(ifindex, bpf_program__fd(prog), XDP_FLAGS_DRV_MODE, NULL))
		return complain("cannot attach to", args[2]);
	if (!strcmp(args[1], "xsk")) {
		printf("xsk_received %ld\n", xsk_receive(obj, args[2], end));
	} else {
		tell_ready();
		wait_until(end);
	}
	return bpf_xdp_detach(ifindex, XDP_FLAGS_DRV_MODE, NULL) ?
		       complain("cannot detach from", args[2]) :
		       0;
}

int cmd_bpf(char **args)
{
	struct bpf_object *obj = bpf_object__open(args[0]);
	int ifindex = if_nametoindex(args[2]), err;
	struct simtool_counters *initial;
	size_t size;

	if (!obj)
		return complain("cannot open", args[0]);
	/* libbpf 1.1 says const of what may be written before the load. */
	initial = (void *)bpf_map__initial_value(counters_map(obj), &size);
	initial->ifindex = ifindex;
	if (args[4])
		initial->phc_offset_ns = atoll(args[4]);
	if (load(obj, args[1], ifindex))
		return complain("cannot load program", args[1]);
	if (strstr(args[1], "_trace")) {
		if (!bpf_program__attach(bpf_object__find_program_by_name(obj, args[1])))
			return complain("cannot attach", args[1]);
		tell_ready();
		wait_until(seconds_now() + atof(args[3]));
		err = 0;
	} else {
		err = run_xdp(obj, args, ifindex);
	}
	return print(obj) ? 1 : err;
}
