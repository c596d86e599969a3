/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PTP device and the host's clocks, as the system calls show them. While a PhcDevice exists,
 * clock_gettime(), clock_adjtime(), nanosleep(), open() and ioctl() of this program ask it for the
 * interface "phc0" and for /dev/ptp90; all else goes to the kernel.
 */
#ifndef RXAQM_TESTS_PHC_DEVICE_HPP
#define RXAQM_TESTS_PHC_DEVICE_HPP

#include <linux/net_tstamp.h>
#include <linux/types.h>
#include <sys/timex.h>
#include <sys/types.h>

#include <ctime>
#include <set>

struct PhcDevice {
	/* Truth: CLOCK_MONOTONIC, and how far the others are from it. */
	__u64 now_ns = 5000000000000ULL;
	__u64 realtime_ns = 1700000000000000000ULL;
	__u64 phc_ns = 1700000037000000000ULL;
	__u64 tick_ns = 100; /* that a look at a clock takes */

	bool gone = false; /* the device, and what the interface tells of it */
	bool shut = false; /* the device may not be opened */
	bool precise = false, extended_monotonic = false, extended = true; /* ioctls it knows */

	/* CLOCK_REALTIME is stepped before it is looked at for the nth time from now; -1: never. */
	int step_after = -1;
	__s64 step_ns = 0;

	/* What clock_adjtime() has set, or the errno with which it refuses; what is dialed shows
	 * nowhere but here.
	 */
	long freq = 0;
	unsigned freq_set = 0;
	int refuses = 0;

	/* How the interface stamps packets; what is asked of it it may change into @grants. */
	struct hwtstamp_config stamps = {};
	int grants = -1;
	int stamps_refused = 0; /* the errno */
	int tx_meanwhile = -1; /* someone sets it while somebody sleeps */
	unsigned stamps_set = 0;
	bool stamps_reset_clock = false; /* to CLOCK_REALTIME */

	PhcDevice();
	~PhcDevice();
	PhcDevice(const PhcDevice &) = delete;
	PhcDevice &operator=(const PhcDevice &) = delete;

	__u64 look(clockid_t clock);
	__u64 look_at_phc();
	int open_device();
	int device_ioctl(unsigned long request, void *data);
	int adjust(struct timex *tx);

	static constexpr const char *IFNAME = "phc0";
	static constexpr int INDEX = 90;
	std::set<int> fds;
};

#endif /* RXAQM_TESTS_PHC_DEVICE_HPP */
