/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock/phc.h"

#include <fcntl.h>
#include <linux/ptp_clock.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/now.h"
#include "nic/ethtool.h"
#include "nic/nic.h"

#define BRIDGE_TRIES 4

/* struct ptp_sys_offset_extended as of Linux 6.12. Its clockid is the first of three reserved words
 * in older headers.
 */
struct sys_offset_extended {
	__u32 n_samples;
	__s32 clockid;
	__u32 rsv[2];
	struct ptp_clock_time ts[PTP_MAX_SAMPLES * 3]; /* host, PHC, host */
};
RXAQM_ASSERT_SIZE(struct sys_offset_extended, sizeof(struct ptp_sys_offset_extended));

const char *rxaqm_phc_method_name(__u32 method)
{
	static const char *const names[] = {
		[RXAQM_PHC_NONE] = "none",
		[RXAQM_PHC_PRECISE] = "precise",
		[RXAQM_PHC_EXTENDED_MONOTONIC] = "extended, monotonic",
		[RXAQM_PHC_EXTENDED] = "extended",
		[RXAQM_PHC_OFFSET] = "offset",
	};

	return method < sizeof(names) / sizeof(names[0]) ? names[method] : "?";
}

static __u64 ptp_ns(const struct ptp_clock_time *t)
{
	return (__u64)t->sec * RXAQM_NSEC_PER_SEC + t->nsec;
}

struct rxaqm_phc_bridge rxaqm_phc_bridge_make(__u64 before_ns, __u64 realtime_ns, __u64 after_ns)
{
	__u64 width_ns = rxaqm_ns_since(after_ns, before_ns);
	struct rxaqm_phc_bridge bridge = {
		.offset_ns = realtime_ns - (before_ns + width_ns / 2),
		.err_ns = width_ns / 2 + 1,
	};

	return bridge;
}

int rxaqm_phc_narrowest(const struct rxaqm_phc_window *window, unsigned int nr,
			struct rxaqm_phc_sample *sample)
{
	__u64 best_ns = ~0ULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct rxaqm_phc_window *w = &window[i];
		__u64 width_ns = w->after_ns - w->before_ns;

		/* CLOCK_REALTIME was set back meanwhile. */
		if (rxaqm_ns_after(w->before_ns, w->after_ns) || width_ns >= best_ns)
			continue;
		best_ns = width_ns;
		sample->host_ns = w->before_ns + width_ns / 2;
		sample->phc_ns = w->phc_ns;
		sample->err_ns = width_ns / 2 + 1;
	}
	return best_ns == ~0ULL ? -EAGAIN : 0;
}

int rxaqm_phc_to_monotonic(struct rxaqm_phc_sample *sample, const struct rxaqm_phc_bridge *before,
			   const struct rxaqm_phc_bridge *after)
{
	__s64 apart_ns = (__s64)(after->offset_ns - before->offset_ns);
	__u64 size_ns = rxaqm_abs_ns(apart_ns);

	if (size_ns > before->err_ns + after->err_ns)
		return -EAGAIN;
	/* A smaller step would not be noticed, so the error must cover both bridges. */
	sample->host_ns -= before->offset_ns + (__u64)(apart_ns / 2);
	sample->err_ns += size_ns / 2 + 1 +
			  (before->err_ns > after->err_ns ? before->err_ns : after->err_ns);
	return 0;
}

static struct rxaqm_phc_bridge read_bridge(void)
{
	struct rxaqm_phc_bridge best = { .err_ns = ~0ULL }, bridge;
	int i;

	for (i = 0; i < BRIDGE_TRIES; i++) {
		__u64 before_ns = rxaqm_now_ns(), realtime_ns = rxaqm_clock_ns(CLOCK_REALTIME);

		bridge = rxaqm_phc_bridge_make(before_ns, realtime_ns, rxaqm_now_ns());
		if (bridge.err_ns < best.err_ns)
			best = bridge;
	}
	return best;
}

/* -errno of an ioctl; -EAGAIN is reserved for spoilt readings. */
static int ptp_ioctl(int fd, unsigned long request, void *data)
{
	if (!ioctl(fd, request, data))
		return 0;
	return errno == EAGAIN ? -EBUSY : -errno;
}

static struct rxaqm_phc_window window_of(const struct ptp_clock_time *before,
					 const struct ptp_clock_time *phc,
					 const struct ptp_clock_time *after)
{
	return (struct rxaqm_phc_window){ ptp_ns(before), ptp_ns(phc), ptp_ns(after) };
}

/* Take readings by phc->method. Returns their number in @window, or -errno. */
static int read_windows(const struct rxaqm_phc *phc, struct rxaqm_phc_window *window)
{
	struct ptp_sys_offset_precise precise = {};
	struct sys_offset_extended extended = {
		.n_samples = phc->nr_readings,
		.clockid = phc->method == RXAQM_PHC_EXTENDED_MONOTONIC ? CLOCK_MONOTONIC :
									 CLOCK_REALTIME,
	};
	struct ptp_sys_offset offset = { .n_samples = phc->nr_readings };
	const struct ptp_clock_time *ts;
	unsigned int i, step;
	int err;

	switch (phc->method) {
	case RXAQM_PHC_PRECISE:
		err = ptp_ioctl(phc->fd, PTP_SYS_OFFSET_PRECISE, &precise);
		*window = window_of(&precise.sys_realtime, &precise.device, &precise.sys_realtime);
		return err ? err : 1;
	case RXAQM_PHC_EXTENDED_MONOTONIC:
	case RXAQM_PHC_EXTENDED:
		err = ptp_ioctl(phc->fd, PTP_SYS_OFFSET_EXTENDED, &extended);
		ts = extended.ts;
		step = 3;
		break;
	default:
		err = ptp_ioctl(phc->fd, PTP_SYS_OFFSET, &offset);
		ts = offset.ts;
		step = 2; /* host, PHC, host, PHC, ..., host */
	}
	for (i = 0; i < phc->nr_readings; i++, ts += step)
		window[i] = window_of(&ts[0], &ts[1], &ts[2]);
	return err ? err : (int)phc->nr_readings;
}

/* Take one reading by phc->method. -EAGAIN: the method works, but the reading is of no use. */
static int read_sample(const struct rxaqm_phc *phc, struct rxaqm_phc_sample *sample)
{
	struct rxaqm_phc_window window[PTP_MAX_SAMPLES];
	struct rxaqm_phc_bridge before, after;
	int nr, err;

	before = read_bridge();
	nr = read_windows(phc, window);
	after = read_bridge();
	if (nr < 0)
		return nr;
	err = rxaqm_phc_narrowest(window, (unsigned int)nr, sample);
	if (err || phc->method == RXAQM_PHC_EXTENDED_MONOTONIC)
		return err;
	return rxaqm_phc_to_monotonic(sample, &before, &after);
}

/* The device is busy, or was asked too often (ena: 125 a second). */
static bool is_passing(int err)
{
	return err == -EBUSY || err == -ETIMEDOUT || err == -EINTR || err == -EIO;
}

/* Find a method that works, the best first. 0, -EAGAIN, or the error of the last one. */
static int find_method(struct rxaqm_phc *phc, struct rxaqm_phc_sample *sample)
{
	int err = -EOPNOTSUPP;
	__u32 method;

	for (method = RXAQM_PHC_PRECISE; method <= RXAQM_PHC_OFFSET; method++) {
		phc->method = (enum rxaqm_phc_method)method;
		err = read_sample(phc, sample);
		if (is_passing(err) && method != RXAQM_PHC_PRECISE && phc->nr_readings > 1) {
			phc->nr_readings = 1;
			err = read_sample(phc, sample);
		}
		if (!err || err == -EAGAIN)
			return err;
	}
	phc->method = RXAQM_PHC_NONE;
	return err;
}

static int refused(const struct rxaqm_phc *phc, int err, struct rxaqm_error *error)
{
	bool refuses = err == -EOPNOTSUPP;

	return rxaqm_error_set(error, refuses ? RXAQM_EXIT_UNSUPPORTED : RXAQM_EXIT_FAILED, -err,
			       "cannot read the clock \"/dev/ptp%d\": %s%s", phc->index,
			       strerror(-err),
			       refuses ? "; its driver refuses, so it is estimated from packets" :
					 "");
}

static int open_device(struct rxaqm_phc *phc, const char *ifname, struct rxaqm_error *error)
{
	unsigned int ifindex;
	char path[32];
	int err;

	phc->index = rxaqm_nic_phc(ifname);
	if (phc->index == -ENODEV || phc->index == -EMFILE) {
		err = rxaqm_nic_index(ifname, &ifindex, error);
		if (!err)
			err = rxaqm_failed(error, -phc->index,
					   "cannot ask for the clock of \"%s\": %s", ifname,
					   strerror(-phc->index));
		return err;
	}
	if (phc->index < 0)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, ENOENT,
				       "\"%s\" has no PTP hardware clock, or its driver names none; see "
				       "\"ethtool -T %s\"",
				       ifname, ifname);
	snprintf(path, sizeof(path), "/dev/ptp%d", phc->index);
	phc->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (phc->fd >= 0)
		return 0;
	return rxaqm_failed(error, errno, "cannot open \"%s\", the clock of \"%s\": %s; %s", path,
			    ifname, strerror(errno),
			    errno == EACCES || errno == EPERM ?
				    "run as root" :
				    "is /dev that of this machine (devtmpfs)?");
}

int rxaqm_phc_open(struct rxaqm_phc *phc, const char *ifname, struct rxaqm_error *error)
{
	struct rxaqm_phc_sample sample;
	int err;

	*phc = (struct rxaqm_phc)RXAQM_PHC_CLOSED;
	phc->nr_readings = RXAQM_PHC_READINGS;
	err = open_device(phc, ifname, error);
	if (err)
		return err;
	err = find_method(phc, &sample);
	if (!err || err == -EAGAIN)
		return 0;
	refused(phc, err, error);
	rxaqm_phc_close(phc);
	return err;
}

int rxaqm_phc_read(struct rxaqm_phc *phc, struct rxaqm_phc_sample *sample,
		   struct rxaqm_error *error)
{
	int err = read_sample(phc, sample);

	if (!err || err == -EAGAIN)
		return err;
	if (is_passing(err)) {
		phc->nr_readings = 1;
		return -EAGAIN;
	}
	/* After a reset a driver may support another method. */
	err = find_method(phc, sample);
	return !err || err == -EAGAIN ? err : refused(phc, err, error);
}

void rxaqm_phc_close(struct rxaqm_phc *phc)
{
	if (phc->fd >= 0)
		close(phc->fd);
	phc->fd = -1;
}

void rxaqm_phc_publish(const struct rxaqm_phc_fit *fit, struct rxaqm_clock_phc *entry)
{
	__u32 next = entry->last + 1;

	entry->points = fit->nr_points;
	if (!fit->valid) {
		__atomic_store_n(&entry->published, 0, __ATOMIC_RELEASE);
		return;
	}
	/* A discarded reading changes nothing. */
	if (entry->published &&
	    entry->clock[entry->published & 1].host_ref_ns == fit->clock.host_ref_ns)
		return;
	if (!next)
		next = 2;
	entry->clock[next & 1] = fit->clock;
	entry->last = next;
	__atomic_store_n(&entry->published, next, __ATOMIC_RELEASE);
}
