// SPDX-License-Identifier: GPL-2.0-only
/*
 * A slow consumer whose packets are not lost: it hands each on to the stack through a tap device,
 * so that TCP with its congestion control runs through the socket.
 *
 *   xskfwd NETNS IFACE TAP COST_US SECONDS SKIP_SECONDS
 *
 * Makes the tap in NETNS, with the address of IFACE. Prints one JSON object at the end: how many
 * packets, and how long they waited in NIC and ring. It is the cost of packets that is to make it
 * slow, and no AQM can do anything about a CPU that is taken away: so those of the first
 * SKIP_SECONDS do not count, nor those of a while after a round that took far longer than it
 * should.
 */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "figures/figures.h"
#include "base/now.h"
#include "nic/netns.h"
#include "rxaqm-xsk.h"
#include "state/state.h"

#define BATCH 8
#define LATE_NS (2 * RXAQM_NSEC_PER_MSEC)
#define RECOVER_NS (300 * RXAQM_NSEC_PER_MSEC)

struct forwarder {
	struct rxaqm_xsk *xsk;
	int tap;
	__u64 cost_ns;
	__u64 count_from_ns;
	__u64 packets, marked, disturbed; /* rounds that took too long */
	__u64 hist[RXAQM_HIST_BUCKETS];
};

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "xskfwd: %s: %s\n", what, why);
	return 1;
}

static int open_tap(const char *name, const char *like)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	struct ifreq address = {};
	int fd, inet;

	fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	inet = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || inet < 0)
		return -errno;
	snprintf(request.ifr_name, IFNAMSIZ, "%s", name);
	snprintf(address.ifr_name, IFNAMSIZ, "%s", like);
	if (ioctl(fd, TUNSETIFF, &request) || ioctl(inet, SIOCGIFHWADDR, &address))
		return -errno;
	snprintf(address.ifr_name, IFNAMSIZ, "%s", name);
	if (ioctl(inet, SIOCSIFHWADDR, &address))
		return -errno;
	address.ifr_flags = IFF_UP;
	if (ioctl(inet, SIOCSIFFLAGS, &address))
		return -errno;
	close(inet);
	return fd;
}

static void forward(struct forwarder *f, const struct rxaqm_xsk_packet *packet, __u64 taken_ns)
{
	const struct rxaqm_meta *meta = packet->meta;
	__u64 until_ns = rxaqm_now_ns() + f->cost_ns, total_ns;

	if (write(f->tap, packet->data, packet->len) < 0)
		perror("xskfwd: tap");
	f->packets++;
	if (meta && taken_ns > f->count_from_ns) {
		total_ns = taken_ns - meta->host_ns;
		if (meta->flags & (RXAQM_META_SOJOURN | RXAQM_META_SAMPLED))
			total_ns += meta->sojourn_ns;
		f->hist[rxaqm_hist_bucket(total_ns)]++;
		f->marked += !!(meta->flags & RXAQM_META_MARKED);
	}
	while (rxaqm_now_ns() < until_ns)
		;
}

/* A round of @nr packets that began at @began_ns is over: had it the CPU for itself? */
static void check_round(struct forwarder *f, __u64 began_ns, int nr)
{
	__u64 now_ns = rxaqm_now_ns();

	if (now_ns - began_ns < (__u64)nr * f->cost_ns * 2 + LATE_NS)
		return;
	f->disturbed++;
	if (now_ns + RECOVER_NS > f->count_from_ns)
		f->count_from_ns = now_ns + RECOVER_NS;
}

static int run(struct forwarder *f, __u64 end_ns)
{
	struct rxaqm_xsk_packet packets[BATCH];
	struct pollfd fd = { rxaqm_xsk_fd(f->xsk), POLLIN, 0 };
	__u64 taken_ns;
	int i, nr;

	while ((taken_ns = rxaqm_now_ns()) < end_ns) {
		nr = rxaqm_xsk_receive(f->xsk, packets, BATCH);
		if (nr < 0)
			return nr;
		for (i = 0; i < nr; i++)
			forward(f, &packets[i], taken_ns);
		rxaqm_xsk_release(f->xsk, packets, (unsigned int)nr);
		check_round(f, taken_ns, nr);
		if (!nr)
			poll(&fd, 1, 10);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct rxaqm_xsk_stats stats = { .size = sizeof(stats) };
	struct rxaqm_error error = {};
	struct forwarder f = {};
	__u64 now_ns = rxaqm_now_ns();
	int err;

	if (argc != 7)
		return fail("usage", "NETNS IFACE TAP COST_US SECONDS SKIP_SECONDS");
	if (rxaqm_netns_enter(argv[1], &error))
		return fail(argv[1], error.text);
	f.tap = open_tap(argv[3], argv[2]);
	if (f.tap < 0)
		return fail("tap", strerror(-f.tap));
	f.cost_ns = strtoull(argv[4], NULL, 10) * RXAQM_NSEC_PER_USEC;
	f.count_from_ns = now_ns + strtoull(argv[6], NULL, 10) * RXAQM_NSEC_PER_SEC;
	err = rxaqm_xsk_open(&f.xsk, argv[2], 0, NULL);
	if (err)
		return fail(argv[2], rxaqm_xsk_strerror(err));
	err = run(&f, now_ns + strtoull(argv[5], NULL, 10) * RXAQM_NSEC_PER_SEC);
	if (err)
		return fail(argv[2], rxaqm_xsk_strerror(err));
	rxaqm_xsk_get_stats(f.xsk, &stats);
	rxaqm_xsk_close(f.xsk);
	printf("{\"packets\": %llu, \"counted\": %llu, \"marked\": %llu, \"ring_full\": %llu, "
	       "\"disturbed\": %llu, \"p50_ns\": %llu, \"p99_ns\": %llu}\n",
	       f.packets, rxaqm_hist_packets(f.hist, NULL), f.marked,
	       (unsigned long long)stats.ring_full, f.disturbed,
	       rxaqm_hist_quantile_ns(f.hist, NULL, 500),
	       rxaqm_hist_quantile_ns(f.hist, NULL, 990));
	return 0;
}
