/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "adopt.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "attached.h"
#include "foreign.h"
#include "progress.h"
#include "report.h"
#include "attach/state.h"
#include "base/now.h"

#define LOOK_NS (500 * RXAQM_NSEC_PER_USEC)
/* A process that has taken nothing for so long hangs: then nothing is known. */
#define HANGS_NS (100 * RXAQM_NSEC_PER_MSEC)

struct adopted {
	struct rxaqm_attached at;
	int fd; /* our copy of the socket; -1: none */
	struct foreign_ring ring;
	bool inserted; /* into xsk_map */
	struct rxaqm_progress progress;
	__u64 looked_ns; /* the last look */
	__u64 taken_ns; /* the last that found that packets were taken */
	__u64 wait_ns; /* of the newest of those */
	__u32 consumer; /* at the last look */
	struct report *report;
};

static struct adopted adopted[MAX_SOCKETS];
static unsigned int nr_adopted;
static int pidfd = -1; /* the process that has them */

static int __attribute__((format(printf, 2, 3))) fail(int err, const char *fmt, ...)
{
	va_list args;

	fputs("rxaqm-xsk: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return err;
}

int adopt_begin(const struct args *args, unsigned int queue, struct report *report)
{
	struct adopted *a = &adopted[nr_adopted];
	int err;

	if (pidfd < 0)
		pidfd = pidfd_open(args->adopt, 0);
	if (pidfd < 0)
		return fail(-EINVAL, "there is no process %d: %s", args->adopt, strerror(errno));
	nr_adopted++;
	a->report = report;
	a->fd = -1;
	err = rxaqm_attached_open(&a->at, args->ifname, queue);
	if (err)
		return fail(err, "cannot open queue %u of \"%s\": %s", queue, args->ifname,
			    rxaqm_xsk_strerror(err));
	a->fd = foreign_socket(pidfd, args->adopt, a->at.ifindex, queue);
	if (a->fd == -ENOENT)
		return fail(-EINVAL,
			    "process %d has no AF_XDP socket on queue %u of \"%s\"; start it "
			    "first",
			    args->adopt, queue, args->ifname);
	if (a->fd < 0)
		return fail(a->fd, "cannot copy the sockets of process %d: %s; run as root",
			    args->adopt, strerror(-a->fd));
	err = foreign_ring_map(&a->ring, a->fd);
	if (err)
		return fail(err, "cannot map the Rx ring of process %d on queue %u: %s",
			    args->adopt, queue, strerror(-err));
	err = rxaqm_attached_insert(&a->at, a->fd);
	if (err)
		return fail(err, "cannot use queue %u of \"%s\": %s", queue, args->ifname,
			    rxaqm_xsk_strerror(err));
	a->inserted = true;
	rxaqm_attached_describe(&a->at, a->ring.entries, (__u32)args->adopt);
	a->consumer = __atomic_load_n(a->ring.consumer, __ATOMIC_ACQUIRE);
	return 0;
}

/* The packets that were taken since the last look were still there at that time: so it is what
 * they had waited by then that is certain.
 */
static void look(struct adopted *a, __u64 now_ns)
{
	__u32 consumer = __atomic_load_n(a->ring.consumer, __ATOMIC_ACQUIRE);
	__u32 producer = __atomic_load_n(a->ring.producer, __ATOMIC_ACQUIRE);
	__u32 taken = consumer - a->consumer;

	rxaqm_progress_look(&a->progress, now_ns, producer);
	if (taken)
		a->wait_ns = rxaqm_progress_wait_ns(&a->progress, a->looked_ns, consumer);
	if (consumer == producer)
		a->wait_ns = 0;
	if (taken || consumer == producer)
		a->taken_ns = now_ns;
	if (now_ns - a->taken_ns < HANGS_NS)
		rxaqm_attached_publish(&a->at, now_ns, a->wait_ns);
	a->report->packets += taken;
	a->report->wait[rxaqm_hist_bucket(a->wait_ns)] += taken;
	a->report->wait_ns = a->wait_ns;
	a->consumer = consumer;
	a->looked_ns = now_ns;
}

int adopt_look(void)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	struct pollfd process = { pidfd, POLLIN, 0 };
	unsigned int i;

	if (ppoll(&process, 1, &pause, NULL) > 0)
		return 1;
	for (i = 0; i < nr_adopted; i++)
		look(&adopted[i], rxaqm_now_ns());
	return 0;
}

int adopt_check(unsigned int i)
{
	struct adopted *a = &adopted[i];
	struct xdp_statistics stats = {};
	socklen_t size = sizeof(stats);

	if (!rxaqm_attached_still(&a->at))
		return -ESTALE;
	if (getsockopt(a->fd, SOL_XDP, XDP_STATISTICS, &stats, &size))
		return 0;
	/* With as many frames as ring entries, DPDK's way, it is frames that run out. */
	a->report->ring_full = stats.rx_ring_full + stats.rx_dropped;
	rxaqm_attached_ring_full(&a->at, a->report->ring_full);
	return 0;
}

void adopt_end(void)
{
	unsigned int i;

	for (i = 0; i < nr_adopted; i++) {
		struct adopted *a = &adopted[i];

		if (a->inserted)
			rxaqm_attached_leave(&a->at);
		foreign_ring_unmap(&a->ring);
		if (a->fd >= 0)
			close(a->fd);
		rxaqm_attached_close(&a->at);
	}
	if (pidfd >= 0)
		close(pidfd);
}
