/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock/phc_keep.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/now.h"
#include "base/parse.h"

#define READINGS 4 /* the narrowest counts */
#define TRIES 20 /* while the device is busy, 10 ms each */
#define LITTLE_NS RXAQM_NSEC_PER_SEC
#define SINCE_ZERO_NS (60 * RXAQM_NSEC_PER_SEC)

struct rxaqm_phc_lost rxaqm_phc_lost_since(const struct rxaqm_phc_sample before[2],
					   const struct rxaqm_phc_sample *after)
{
	const double most = (double)RXAQM_PHC_DRIFT_MAX_Q32 / RXAQM_Q32_ONE;
	/* Never 0: it is a divisor. */
	double span_ns = (double)(before[1].host_ns - before[0].host_ns) ?: 1;
	double gap_ns = (double)(after->host_ns - before[1].host_ns);
	double gained_ns = (double)(before[1].phc_ns - before[0].phc_ns) - span_ns;
	double unsure_ns = (double)(before[0].err_ns + before[1].err_ns);
	double low = (gained_ns - unsure_ns) / span_ns, high = (gained_ns + unsure_ns) / span_ns;
	__s64 went_ns = (__s64)(after->phc_ns - before[1].phc_ns);
	struct rxaqm_phc_lost lost;

	if (low <= most && high >= -most) {
		low = low < -most ? -most : low;
		high = high > most ? most : high;
	}
	lost.ns = (__s64)(gap_ns + gap_ns * (low + high) / 2) - went_ns;
	lost.err_ns = before[1].err_ns + after->err_ns + (__u64)(gap_ns * (high - low) / 2) +
		      RXAQM_PHC_ERR_MIN_NS;
	return lost;
}

bool rxaqm_phc_was_reset(const struct rxaqm_phc_lost *lost, __u64 phc_ns, __u64 realtime_ns)
{
	return rxaqm_abs_ns(lost->ns) <= LITTLE_NS || phc_ns <= SINCE_ZERO_NS ||
	       rxaqm_abs_ns((__s64)(phc_ns - realtime_ns)) <= LITTLE_NS;
}

static void pause_ns(__u64 ns)
{
	struct timespec pause = rxaqm_timespec(ns);

	nanosleep(&pause, NULL);
}

/* Take some readings and return the narrowest. 0, or -errno with @error. */
static int read_well(struct rxaqm_phc *phc, struct rxaqm_phc_sample *best,
		     struct rxaqm_error *error)
{
	struct rxaqm_phc_sample sample;
	int got = 0, tries, err = 0;

	for (tries = 0; got < READINGS && tries < TRIES; tries++) {
		err = rxaqm_phc_read(phc, &sample, error);
		if (err == -EAGAIN) {
			pause_ns(10 * RXAQM_NSEC_PER_MSEC);
			continue;
		}
		if (err)
			return err;
		if (!got++ || sample.err_ns < best->err_ns)
			*best = sample;
	}
	return got ? 0 :
		     rxaqm_failed(error, EAGAIN, "the clock \"/dev/ptp%d\" is busy", phc->index);
}

/* Read the clock that is open as @fd (modes 0), or set it as @tx says. 0 or -errno. */
static int adjust(int fd, struct timex *tx)
{
	/* FD_TO_CLOCKID of the kernel's documentation. */
	clockid_t clock = (clockid_t)((~(unsigned int)fd << 3) | 3);

	if (fd < 0)
		return fd;
	return clock_adjtime(clock, tx) < 0 ? -errno : 0;
}

static long freq_of(int fd)
{
	struct timex tx = {};

	return adjust(fd, &tx) ? 0 : tx.freq;
}

static int shift(int fd, __s64 ns)
{
	struct timex tx = { .modes = ADJ_SETOFFSET | ADJ_NANO };

	tx.time.tv_sec = ns / (__s64)RXAQM_NSEC_PER_SEC;
	tx.time.tv_usec = ns % (__s64)RXAQM_NSEC_PER_SEC; /* ns, for ADJ_NANO */
	if (tx.time.tv_usec < 0) {
		tx.time.tv_sec--;
		tx.time.tv_usec += (__s64)RXAQM_NSEC_PER_SEC;
	}
	return adjust(fd, &tx);
}

/* The driver may have reset the rate, though the kernel still remembers it: set it again. */
static void set_rate_again(const struct rxaqm_phc_keep *keep)
{
	struct timex tx = { .modes = ADJ_FREQUENCY };

	tx.freq = freq_of(keep->adjust_fd) ?: keep->freq;
	if (tx.freq)
		adjust(keep->adjust_fd, &tx);
}

void rxaqm_phc_keep_begin(struct rxaqm_phc_keep *keep, const char *ifname)
{
	*keep = (struct rxaqm_phc_keep){ .phc = RXAQM_PHC_CLOSED, .adjust_fd = -EBADF };
	if (!ifname)
		return;
	snprintf(keep->ifname, sizeof(keep->ifname), "%s", ifname);
	/* No clock: nothing to keep. */
	if (rxaqm_phc_open(&keep->phc, ifname, &keep->why) && keep->phc.index < 0)
		keep->why.text[0] = '\0';
	keep->began_ns = rxaqm_now_ns();
	if (keep->phc.fd >= 0 && read_well(&keep->phc, &keep->before[0], &keep->why))
		rxaqm_phc_close(&keep->phc);
}

void rxaqm_phc_keep_arm(struct rxaqm_phc_keep *keep)
{
	__u64 since_ns = rxaqm_ns_since(rxaqm_now_ns(), keep->began_ns);
	char path[32];

	if (keep->armed || keep->phc.fd < 0)
		return;
	if (since_ns < RXAQM_PHC_KEEP_SPAN_NS)
		pause_ns(RXAQM_PHC_KEEP_SPAN_NS - since_ns);
	snprintf(path, sizeof(path), "/dev/ptp%d", keep->phc.index);
	keep->adjust_fd = open(path, O_RDWR | O_CLOEXEC);
	if (keep->adjust_fd < 0)
		keep->adjust_fd = -errno;
	keep->freq = freq_of(keep->adjust_fd);
	if (read_well(&keep->phc, &keep->before[1], &keep->why))
		rxaqm_phc_close(&keep->phc);
	else
		keep->armed = true;
}

/* Read the clock now and find what it lacks. If somebody changed the rate meanwhile, the error
 * covers it.
 */
static int look(struct rxaqm_phc_keep *keep, struct rxaqm_phc_lost *lost,
		struct rxaqm_phc_sample *now)
{
	double changed = (double)labs(freq_of(keep->adjust_fd) - keep->freq) / 65536e6;
	int err = read_well(&keep->phc, now, &keep->why);

	if (err)
		return err;
	*lost = rxaqm_phc_lost_since(keep->before, now);
	lost->err_ns += (__u64)(changed *
				(double)rxaqm_ns_since(now->host_ns, keep->before[1].host_ns));
	return 0;
}

static bool is_off(const struct rxaqm_phc_lost *lost)
{
	return rxaqm_abs_ns(lost->ns) > lost->err_ns;
}

/* "-37.000000123": what must be added to the clock, in seconds. */
static const char *seconds(__s64 ns, char buf[32])
{
	__u64 size_ns = rxaqm_abs_ns(ns);

	snprintf(buf, 32, "%s%llu.%09llu", ns < 0 ? "-" : "", size_ns / RXAQM_NSEC_PER_SEC,
		 size_ns % RXAQM_NSEC_PER_SEC);
	return buf;
}

/* @ns rounded up to whole microseconds. */
static __u64 microseconds(__u64 ns)
{
	return (ns + RXAQM_NSEC_PER_USEC - 1) / RXAQM_NSEC_PER_USEC * RXAQM_NSEC_PER_USEC;
}

/* Add what is @lost to the clock, and report how well that went. -errno if that is not known. */
static int give_back(struct rxaqm_phc_keep *keep, const struct rxaqm_phc_lost *lost,
		     struct rxaqm_error *error)
{
	char text[32];
	struct rxaqm_phc_lost left;
	struct rxaqm_phc_sample now;
	int err = shift(keep->adjust_fd, lost->ns);

	seconds(lost->ns, text);
	if (err) {
		rxaqm_error_add(error,
				"the driver of \"%s\" has reset its clock, /dev/ptp%d, which now "
				"lacks %s s, and cannot be set: %s; \"phc_ctl /dev/ptp%d -- adj "
				"%s\" (linuxptp) does that",
				keep->ifname, keep->phc.index, text, strerror(-err),
				keep->phc.index, text);
		return 0;
	}
	err = look(keep, &left, &now);
	if (!err)
		rxaqm_error_add(error,
				"the driver of \"%s\" has reset its clock, /dev/ptp%d, which lacked %s s; "
				"that is put back, to within %s",
				keep->ifname, keep->phc.index, text,
				rxaqm_duration(microseconds(rxaqm_abs_ns(left.ns) + left.err_ns)));
	return err;
}

static void set_right(struct rxaqm_phc_keep *keep, bool resets, struct rxaqm_error *error)
{
	struct rxaqm_phc_sample now = {};
	struct rxaqm_phc_lost lost = {};
	char text[32];
	int err = look(keep, &lost, &now);

	if (!err && (is_off(&lost) || resets) &&
	    rxaqm_phc_was_reset(&lost, now.phc_ns, rxaqm_clock_ns(CLOCK_REALTIME))) {
		set_rate_again(keep);
		err = look(keep, &lost, &now);
		if (!err && is_off(&lost))
			err = give_back(keep, &lost, error);
	} else if (!err && is_off(&lost)) {
		rxaqm_error_add(error,
				"the clock of \"%s\", /dev/ptp%d, was changed by %s s meanwhile, "
				"but not by its driver; that is left as it is",
				keep->ifname, keep->phc.index, seconds(-lost.ns, text));
	}
	if (err)
		rxaqm_error_add(error,
				"it is not known whether the clock of \"%s\" goes on as before: %s",
				keep->ifname, keep->why.text);
}

void rxaqm_phc_keep_end(struct rxaqm_phc_keep *keep, bool resets, struct rxaqm_error *error)
{
	if (keep->armed)
		set_right(keep, resets, error);
	else if (resets && keep->why.text[0])
		rxaqm_error_add(error,
				"the driver of \"%s\" resets its clock for XDP, and its time "
				"could not be kept: %s",
				keep->ifname, keep->why.text);
	keep->armed = false;
	rxaqm_phc_close(&keep->phc);
	if (keep->adjust_fd >= 0)
		close(keep->adjust_fd);
	keep->adjust_fd = -EBADF;
}
