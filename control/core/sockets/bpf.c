/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets by BPF iterators, kprobes/sockets.bpf.c. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sockets/sockets.h"
#include "sockets.skel.h"

/* The kernel gives at most 8 pages at a time (kernel/bpf/bpf_iter.c), possibly with a record cut.
 */
#define BUF_SIZE (64 * 1024)

static int read_all(int fd, rxaqm_socket_fn each, void *arg)
{
	char *buf = malloc(BUF_SIZE);
	size_t kept = 0, at;
	ssize_t got = -1;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		struct rxaqm_socket_rec rec;

		got = read(fd, buf + kept, BUF_SIZE - kept);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0)
			break;
		kept += (size_t)got;
		for (at = 0; at + sizeof(rec) <= kept; at += sizeof(rec)) {
			memcpy(&rec, buf + at, sizeof(rec));
			each(arg, &rec);
		}
		memmove(buf, buf + at, kept - at);
		kept -= at;
	}
	free(buf);
	return got < 0 ? -errno : 0;
}

static int iterate(struct bpf_program *prog, rxaqm_socket_fn each, void *arg)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int fd, err;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	err = fd < 0 ? -errno : read_all(fd, each, arg);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return err;
}

int rxaqm_sockets_by_bpf(struct sockets **kept, rxaqm_socket_fn each, void *arg)
{
	int err;

	if (!*kept)
		*kept = sockets__open_and_load();
	if (!*kept)
		return -errno;
	err = iterate((*kept)->progs.sockets_tcp, each, arg);
	if (!err)
		err = iterate((*kept)->progs.sockets_udp, each, arg);
	return err;
}

void rxaqm_sockets_unload(struct sockets *kept)
{
	sockets__destroy(kept);
}
