/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "attach/dispatcher.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <unistd.h>

int rxaqm_bpf_info(int fd, void *info, __u32 len)
{
	int err;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return err;
}

/* Links of programs that trace the dispatcher, as xdpdump's does, are of the same type. */
static bool is_inside(const struct bpf_link_info *info, __u32 dispatcher_id)
{
	return info->type == BPF_LINK_TYPE_TRACING &&
	       info->tracing.target_obj_id == dispatcher_id &&
	       info->tracing.attach_type != BPF_TRACE_FENTRY &&
	       info->tracing.attach_type != BPF_TRACE_FEXIT;
}

bool rxaqm_dispatcher_next(__u32 dispatcher_id, __u32 *link_id, __u32 *ret_prog_id)
{
	while (!bpf_link_get_next_id(*link_id, link_id)) {
		struct bpf_link_info info = {};

		if (rxaqm_bpf_info(bpf_link_get_fd_by_id(*link_id), &info, sizeof(info)) ||
		    !is_inside(&info, dispatcher_id))
			continue;
		*ret_prog_id = info.prog_id;
		return true;
	}
	return false;
}

void rxaqm_dispatcher_begin(struct rxaqm_dispatcher_fds *fds)
{
	int fd;

	for (fd = 0; fd < RXAQM_DISPATCHER_FDS; fd++)
		fds->known[fd] = fcntl(fd, F_GETFD) >= 0;
}

void rxaqm_dispatcher_end(const struct rxaqm_dispatcher_fds *fds)
{
	int fd;

	for (fd = 0; fd < RXAQM_DISPATCHER_FDS; fd++) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		/* Fails for what is not BPF's. */
		if (!fds->known[fd] && !bpf_obj_get_info_by_fd(fd, &info, &len))
			close(fd);
	}
}
