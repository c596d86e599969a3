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
	__u64 looked_ns,
		taken_ns; /* the last look; and the last that found that packets were taken */
	__u64 wait_ns; /* of the newest of those */
	__u32 consumer; /* at the last look */
	struct report report;
};

static struct adopted adopted[MAX_SOCKETS];
static unsigned int nr_adopted;

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

static int adopt_queue(struct adopted *a, const struct args *args, int pidfd, unsigned int queue)
{
	int err;

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
	a->report.queue = queue;
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
	a->report.packets += taken;
	a->report.wait[rxaqm_hist_bucket(a->wait_ns)] += taken;
	a->report.wait_ns = a->wait_ns;
	a->consumer = consumer;
	a->looked_ns = now_ns;
}

static void print(__u64 interval_ns, bool json)
{
	struct report reports[MAX_SOCKETS];
	unsigned int i;

	for (i = 0; i < nr_adopted; i++)
		reports[i] = adopted[i].report;
	report_print(reports, nr_adopted, interval_ns, json);
	for (i = 0; i < nr_adopted; i++)
		adopted[i].report = reports[i];
}

/* What changes seldom. */
static int check(struct adopted *a)
{
	struct xdp_statistics stats = {};
	socklen_t size = sizeof(stats);

	if (!rxaqm_attached_still(&a->at))
		return -ESTALE;
	if (getsockopt(a->fd, SOL_XDP, XDP_STATISTICS, &stats, &size))
		return 0;
	/* With as many frames as ring entries, DPDK's way, it is frames that run out. */
	a->report.ring_full = stats.rx_ring_full + stats.rx_dropped;
	rxaqm_attached_ring_full(&a->at, a->report.ring_full);
	return 0;
}

/* Until the process ends, or a signal, or the time is up. Returns 0 or -errno. */
static int watch(const struct args *args, int pidfd, const volatile sig_atomic_t *ended)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	struct pollfd process = { pidfd, POLLIN, 0 };
	__u64 now_ns = rxaqm_now_ns(), printed_ns = now_ns;
	__u64 end_ns = args->seconds ? now_ns + args->seconds * RXAQM_NSEC_PER_SEC : ~0ULL;
	unsigned int i;

	while (!*ended && now_ns < end_ns && ppoll(&process, 1, &pause, NULL) <= 0) {
		now_ns = rxaqm_now_ns();
		for (i = 0; i < nr_adopted; i++)
			look(&adopted[i], now_ns);
		if (now_ns - printed_ns < RXAQM_NSEC_PER_SEC && now_ns < end_ns)
			continue;
		for (i = 0; i < nr_adopted; i++)
			if (check(&adopted[i]))
				return fail(-ESTALE, "\"%s\": %s", args->ifname,
					    rxaqm_xsk_strerror(-ESTALE));
		print(now_ns - printed_ns, args->json);
		printed_ns = now_ns;
	}
	return 0;
}

int adopt(const struct args *args, const volatile sig_atomic_t *ended)
{
	unsigned int queue, i;
	int pidfd, err = 0;

	pidfd = pidfd_open(args->adopt, 0);
	if (pidfd < 0)
		return fail(-EINVAL, "there is no process %d: %s", args->adopt, strerror(errno));
	for (queue = 0; !err && queue < MAX_SOCKETS; queue++)
		if (args->queues[queue])
			err = adopt_queue(&adopted[nr_adopted++], args, pidfd, queue);
	if (!err)
		err = watch(args, pidfd, ended);
	for (i = 0; i < nr_adopted; i++) {
		struct adopted *a = &adopted[i];

		if (a->inserted)
			rxaqm_attached_leave(&a->at);
		foreign_ring_unmap(&a->ring);
		if (a->fd >= 0)
			close(a->fd);
		rxaqm_attached_close(&a->at);
	}
	close(pidfd);
	return err;
}
