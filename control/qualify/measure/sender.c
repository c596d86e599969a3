/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/sender.h"

#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/now.h"
#include "nic/ethtool.h"

#define BATCH 32
#define SEND_BUFFER (8 << 20)
/* For shorter waits poll the clock instead of sleeping. */
#define SPIN_NS (60 * RXAQM_NSEC_PER_USEC)
#define FULL_WAIT_NS (20 * RXAQM_NSEC_PER_USEC)
/* How often to check whether the sending is still wanted. */
#define LOOK_NS (10 * RXAQM_NSEC_PER_MSEC)

int qualify_sender_open(struct qualify_sender *sender, const char *ifname,
			struct rxaqm_error *error)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_ifindex = (int)if_nametoindex(ifname) };
	int one = 1, room = SEND_BUFFER, err;
	struct ifreq ifr = {};
	char driver[32] = "";

	rxaqm_nic_driver(ifname, driver, sizeof(driver));
	sender->watch_fd = -1;
	sender->loses = !strcmp(driver, "veth");
	sender->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	err = rxaqm_nic_ioctl(ifname, SIOCGIFHWADDR, &ifr);
	memcpy(sender->mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	if (!err && sender->fd >= 0 &&
	    !bind(sender->fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !setsockopt(sender->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) &&
	    !setsockopt(sender->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		return 0;
	err = err ? -err : errno;
	rxaqm_failed(error, err, "cannot send from \"%s\": %s; is it there, is this root?", ifname,
		     strerror(err));
	qualify_sender_close(sender);
	return -error->err;
}

void qualify_sender_close(struct qualify_sender *sender)
{
	if (sender->fd >= 0)
		close(sender->fd);
	sender->fd = -1;
}

int qualify_sender_pending(const struct qualify_sender *sender)
{
	int bytes;

	return ioctl(sender->fd, SIOCOUTQ, &bytes) ? -errno : bytes;
}

/* When a sending must end. */
struct term {
	const struct qualify_sender *sender;
	const volatile int *stop;
	__u64 until_ns, look_ns;
	bool over;
};

static bool is_over(struct term *term)
{
	struct pollfd watched = { .fd = term->sender->watch_fd, .events = POLLRDHUP };
	__u64 now_ns = rxaqm_now_ns();

	if (!term->over && rxaqm_ns_reached(now_ns, term->look_ns)) {
		term->look_ns = now_ns + LOOK_NS;
		term->over = poll(&watched, 1, 0) > 0;
	}
	return term->over || *term->stop || rxaqm_ns_reached(now_ns, term->until_ns);
}

/* Wait until @at_ns, or until @term ends. */
static void wait_until(struct term *term, __u64 at_ns)
{
	__u64 now_ns = rxaqm_now_ns(), wake_ns;

	while (rxaqm_ns_after(at_ns, now_ns + SPIN_NS) && !is_over(term)) {
		wake_ns = at_ns - SPIN_NS;
		if (rxaqm_ns_after(wake_ns, now_ns + LOOK_NS))
			wake_ns = now_ns + LOOK_NS;
		rxaqm_sleep_until(wake_ns);
		now_ns = rxaqm_now_ns();
	}
	while (!rxaqm_ns_reached(rxaqm_now_ns(), at_ns) && !is_over(term))
		;
}

struct batch {
	unsigned char buf[BATCH][QUALIFY_FRAME_MAX];
	struct iovec iov[BATCH];
	struct mmsghdr msg[BATCH];
};

/* Hand over @nr frames. Return how many the device took, or -errno if the socket failed. */
static int send_batch(struct term *term, struct batch *batch, unsigned int nr)
{
	unsigned int done = 0;
	int got;

	while (done < nr && !is_over(term)) {
		got = sendmmsg(term->sender->fd, batch->msg + done, nr - done, MSG_DONTWAIT);
		if (got > 0) {
			done += (unsigned int)got;
		} else if (errno == ENOBUFS && term->sender->loses) {
			done++;
		} else if (errno == ENOBUFS || errno == EAGAIN || errno == EINTR ||
			   errno == ENETDOWN) {
			/* The device's ring is full, or its link is down for a moment. */
			wait_until(term, rxaqm_now_ns() + FULL_WAIT_NS);
		} else {
			return -errno;
		}
	}
	return (int)done;
}

static void build(struct batch *batch, const struct qualify_send *send,
		  const struct qualify_sender *sender, __u64 at, unsigned int nr)
{
	struct qualify_frame frame = { .kind = send->kind, .size = send->size };
	unsigned int i;

	memcpy(frame.to, send->to, ETH_ALEN);
	memcpy(frame.from, sender->mac, ETH_ALEN);
	for (i = 0; i < nr; i++) {
		frame.flow = (__u32)((at + i) % (send->flows ? send->flows : 1));
		batch->iov[i] = (struct iovec){ batch->buf[i],
						qualify_frame_build(batch->buf[i], &frame,
								    send->first + (__u32)(at + i),
								    rxaqm_now_ns()) };
		batch->msg[i].msg_hdr = (struct msghdr){ .msg_iov = &batch->iov[i],
							 .msg_iovlen = 1 };
	}
}

int qualify_sender_send(struct qualify_sender *sender, const struct qualify_send *send,
			const volatile int *stop, struct qualify_sent *sent,
			struct rxaqm_error *error)
{
	__u64 start_ns = rxaqm_now_ns();
	struct term term = { sender, stop, start_ns + send->max_ms * RXAQM_NSEC_PER_MSEC, start_ns,
			     false };
	unsigned int burst = send->burst ? send->burst : 1, nr;
	static struct batch batch;
	int got;

	*sent = (struct qualify_sent){};
	while (sent->count < send->count && !is_over(&term)) {
		/* Up to the end of the burst; without a pace all is one burst. */
		__u64 left = send->pps ? burst - sent->count % burst : BATCH;

		if (send->pps && left == burst)
			wait_until(&term,
				   start_ns + (__u64)((double)sent->count * 1e9 / send->pps));
		left = left < send->count - sent->count ? left : send->count - sent->count;
		nr = left < BATCH ? (unsigned int)left : BATCH;
		build(&batch, send, sender, sent->count, nr);
		got = send_batch(&term, &batch, nr);
		if (got < 0)
			return rxaqm_failed(error, -got, "cannot send: %s", strerror(-got));
		sent->count += (__u64)got;
	}
	sent->took_ns = rxaqm_now_ns() - start_ns;
	return 0;
}
