/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/receiver.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "qualify/measure/frame.h"

#define BATCH 64
#define RECEIVE_BUFFER (64 << 20)
#define HEAD 128 /* bytes of a frame: enough for the mark */

static int filter(int fd, unsigned int one_in)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, QUALIFY_MARK_SHORT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, QUALIFY_MAGIC, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, QUALIFY_MARK_SHORT + 4),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, one_in - 1, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, ~0U),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (one_in <= 1)
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
}

int qualify_receiver_open(struct qualify_receiver *receiver, const char *ifname,
			  unsigned int one_in, struct rxaqm_error *error)
{
	int one = 1, room = RECEIVE_BUFFER, err,
	    stamps = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(ifname) };

	*receiver = (struct qualify_receiver)QUALIFY_RECEIVER_CLOSED;
	receiver->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (receiver->fd >= 0 && !filter(receiver->fd, one_in) &&
	    !setsockopt(receiver->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) &&
	    !setsockopt(receiver->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) &&
	    !setsockopt(receiver->fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof(stamps)) &&
	    !bind(receiver->fd, (struct sockaddr *)&address, sizeof(address)))
		return 0;
	err = errno;
	qualify_receiver_close(receiver);
	return rxaqm_failed(error, err, "cannot receive from \"%s\": %s", ifname, strerror(err));
}

void qualify_receiver_close(struct qualify_receiver *receiver)
{
	if (receiver->fd >= 0)
		close(receiver->fd);
	free(receiver->seen.at);
	*receiver = (struct qualify_receiver)QUALIFY_RECEIVER_CLOSED;
}

static __u64 hw_stamp(struct msghdr *msg)
{
	struct scm_timestamping stamps;
	struct cmsghdr *at;

	for (at = CMSG_FIRSTHDR(msg); at; at = CMSG_NXTHDR(msg, at)) {
		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SO_TIMESTAMPING)
			continue;
		memcpy(&stamps, CMSG_DATA(at), sizeof(stamps));
		return (__u64)stamps.ts[2].tv_sec * RXAQM_NSEC_PER_SEC +
		       (__u64)stamps.ts[2].tv_nsec;
	}
	return 0;
}

static void note(struct qualify_receiver *receiver, const unsigned char *head,
		 struct mmsghdr *message)
{
	size_t size = message->msg_len < HEAD ? message->msg_len : HEAD;
	struct qualify_mark mark;

	if (qualify_frame_mark(head, size, &mark))
		rxaqm_list_put(&receiver->seen,
			       (struct qualify_received){ mark.seq, message->msg_len,
							  hw_stamp(&message->msg_hdr) });
}

void qualify_receiver_take(struct qualify_receiver *receiver)
{
	unsigned char head[BATCH][HEAD];
	_Alignas(struct cmsghdr) char control[BATCH][256];
	struct mmsghdr message[BATCH];
	struct iovec iov[BATCH];
	int got, i;

	do {
		memset(message, 0, sizeof(message));
		for (i = 0; i < BATCH; i++) {
			iov[i] = (struct iovec){ head[i], HEAD };
			message[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i],
							      .msg_iovlen = 1,
							      .msg_control = control[i],
							      .msg_controllen = 256 };
		}
		got = recvmmsg(receiver->fd, message, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
		for (i = 0; i < got; i++)
			note(receiver, head[i], &message[i]);
	} while (got == BATCH);
}

void qualify_receiver_clear(struct qualify_receiver *receiver)
{
	qualify_receiver_take(receiver);
	receiver->seen.nr = 0;
}

long qualify_receiver_memory(const struct qualify_receiver *receiver)
{
	__u32 info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	if (getsockopt(receiver->fd, SOL_SOCKET, SO_MEMINFO, info, &size))
		return -errno;
	return info[SK_MEMINFO_RMEM_ALLOC];
}
