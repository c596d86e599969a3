/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "doctor/collect/collect.h"
#include "doctor/snapshot/get.h"
#include "doctor/sockets/sockets.h"

/* The interval of looks at qdisc backlogs; with many interfaces only every fifth one. */
#define LOOK_NS (100 * RXAQM_NSEC_PER_MSEC)
#define MANY_IFACES 32

/* Print the time left: ten silent seconds look like a hang. */
static void count_down(__u64 left_ns)
{
	static __u64 shown;
	__u64 left_s = (left_ns + RXAQM_NSEC_PER_SEC - 1) / RXAQM_NSEC_PER_SEC;

	if (left_s == shown || !isatty(STDERR_FILENO) || !isatty(STDOUT_FILENO))
		return;
	shown = left_s;
	if (left_s)
		fprintf(stderr, "\rlooking for %llu s more ", left_s);
	else
		fputs("\r\033[K", stderr);
}

/* -ENODEV: there is no @interface. */
static int take_sample(struct doctor_snapshot *snap, struct doctor_sample *sample,
		       const char *interface, int sysfs_fd)
{
	bool last = sample == &snap->after;
	struct doctor_iface *iface;
	int err;

	if (last)
		doctor_threads_again(snap);
	/* The counters below are compared with each other: read them close together. */
	sample->at_ns = rxaqm_now_ns();
	doctor_collect_cpus(snap, sample);
	doctor_collect_counters(snap, sample);
	err = doctor_collect_links(snap, sample, interface);
	if (err)
		return err;
	rxaqm_list_each(iface, &sample->ifaces) {
		/* The second sample copies what does not change. */
		doctor_collect_ethtool(iface, last ? doctor_iface_before(snap, iface) : NULL);
		if (last) {
			doctor_collect_settings(iface);
			doctor_collect_device(iface, sysfs_fd);
		}
		if (last || !iface->is_virtual)
			doctor_collect_queues(iface, sysfs_fd);
	}
	doctor_collect_qdiscs(snap, sample);
	doctor_collect_netdev(snap, sample);
	doctor_collect_irqs(sample);
	return 0;
}

static void wait_window(struct doctor_snapshot *snap, const struct doctor_request *request)
{
	__u64 until = snap->before.at_ns + request->window_ns, now;
	unsigned int step = snap->before.ifaces.nr > MANY_IFACES ? 5 : 1, looks;

	for (looks = 0; (now = rxaqm_now_ns()) < until && !(request->stop && *request->stop);
	     looks++) {
		count_down(until - now);
		if (looks % step == 0)
			doctor_collect_qdiscs(snap, NULL);
		doctor_look_at_threads(snap);
		rxaqm_sleep_until(until - now < LOOK_NS ? until : now + LOOK_NS);
	}
	count_down(0);
}

int doctor_collect(struct doctor_snapshot *snap, const struct doctor_request *request,
		   struct rxaqm_error *error)
{
	int sysfs_fd = doctor_sysfs_open(snap), err;
	struct doctor_attached_before *attached;
	struct doctor_socket_passes *passes;
	struct doctor_programs *programs;

	if (request->interface)
		snprintf(snap->interface, sizeof(snap->interface), "%.31s", request->interface);
	doctor_collect_host(snap);
	passes = doctor_sockets_open(snap);
	if (passes)
		doctor_sockets_first(passes);
	attached = doctor_attached_first();
	programs = doctor_programs_first(snap);
	err = take_sample(snap, &snap->before, request->interface, sysfs_fd);
	if (!err) {
		wait_window(snap, request);
		err = take_sample(snap, &snap->after, request->interface, sysfs_fd);
	}
	doctor_programs_second(snap, programs);
	doctor_attached_second(snap, attached);
	if (!err && passes)
		doctor_sockets_second(passes);
	doctor_sockets_close(passes);
	snap->time_s = (__u64)time(NULL);
	if (sysfs_fd >= 0)
		close(sysfs_fd);
	if (err == -ENODEV)
		return rxaqm_failed(error, ENODEV, "no interface \"%s\"; see \"ip link\"",
				    request->interface);
	if (err)
		return rxaqm_failed(error, -err, "cannot read the interfaces: %s", strerror(-err));
	return 0;
}
