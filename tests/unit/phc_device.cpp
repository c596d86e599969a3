// SPDX-License-Identifier: GPL-2.0-only
#include "phc_device.hpp"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>

static PhcDevice *device;

PhcDevice::PhcDevice()
{
	device = this;
}

PhcDevice::~PhcDevice()
{
	device = nullptr;
}

__u64 PhcDevice::look(clockid_t clock)
{
	now_ns += tick_ns;
	if (clock != CLOCK_REALTIME)
		return now_ns;
	if (step_after >= 0 && step_after-- == 0)
		realtime_ns += __u64(step_ns);
	return now_ns + realtime_ns;
}

__u64 PhcDevice::look_at_phc()
{
	now_ns += tick_ns;
	return now_ns + phc_ns;
}

int PhcDevice::open_device()
{
	if (gone || shut) {
		errno = shut ? EPERM : ENOENT;
		return -1;
	}
	int fd = int(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0));

	fds.insert(fd);
	return fd;
}

static struct ptp_clock_time ptp_time(__u64 ns)
{
	struct ptp_clock_time t = {};

	t.sec = __s64(ns / 1000000000);
	t.nsec = __u32(ns % 1000000000);
	return t;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

/* struct ptp_sys_offset_extended has clockid where older headers have rsv[0]. */
static clockid_t clock_of(const struct ptp_sys_offset_extended &extended)
{
	__s32 clockid;

	memcpy(&clockid, reinterpret_cast<const char *>(&extended) + sizeof(__u32),
	       sizeof(clockid));
	return clockid;
}

int PhcDevice::adjust(struct timex *tx)
{
	if (gone)
		return fail(ENODEV);
	if (!tx->modes) {
		tx->freq = freq;
		return 0;
	}
	if (refuses)
		return fail(refuses);
	if (tx->modes == ADJ_FREQUENCY) {
		freq = tx->freq;
		freq_set++;
		return 0;
	}
	if (tx->modes != (ADJ_SETOFFSET | ADJ_NANO) || tx->time.tv_usec < 0 ||
	    tx->time.tv_usec >= 1000000000)
		return fail(EINVAL);
	phc_ns += __u64(tx->time.tv_sec * 1000000000LL + tx->time.tv_usec);
	return 0;
}

int PhcDevice::device_ioctl(unsigned long request, void *data)
{
	if (gone)
		return fail(ENODEV);
	if (request == PTP_SYS_OFFSET_PRECISE && precise) {
		auto *p = static_cast<ptp_sys_offset_precise *>(data);

		p->sys_realtime = ptp_time(look(CLOCK_REALTIME));
		p->device = ptp_time(now_ns + phc_ns);
		return 0;
	}
	if (request == PTP_SYS_OFFSET_EXTENDED && extended) {
		auto *e = static_cast<ptp_sys_offset_extended *>(data);
		clockid_t clock = clock_of(*e);

		if (clock != CLOCK_REALTIME && !extended_monotonic)
			return fail(EINVAL);
		for (unsigned i = 0; i < e->n_samples; i++) {
			e->ts[i][0] = ptp_time(look(clock));
			e->ts[i][1] = ptp_time(look_at_phc());
			e->ts[i][2] = ptp_time(look(clock));
		}
		return 0;
	}
	if (request == PTP_SYS_OFFSET) {
		auto *o = static_cast<ptp_sys_offset *>(data);

		for (unsigned i = 0; i < o->n_samples; i++) {
			o->ts[2 * i] = ptp_time(look(CLOCK_REALTIME));
			o->ts[2 * i + 1] = ptp_time(look_at_phc());
		}
		o->ts[2 * o->n_samples] = ptp_time(look(CLOCK_REALTIME));
		return 0;
	}
	return fail(EOPNOTSUPP);
}

/* The interface tells which PHC it has. */
static int ethtool_ioctl(struct ifreq *ifr)
{
	auto *info = reinterpret_cast<struct ethtool_ts_info *>(ifr->ifr_data);

	if (info->cmd != ETHTOOL_GET_TS_INFO)
		return fail(EOPNOTSUPP);
	info->phc_index = device->gone ? -1 : PhcDevice::INDEX;
	info->so_timestamping = SOF_TIMESTAMPING_RX_HARDWARE;
	info->tx_types = 1U << HWTSTAMP_TX_OFF | 1U << HWTSTAMP_TX_ONESTEP_SYNC;
	info->rx_filters = 1U << HWTSTAMP_FILTER_ALL;
	return 0;
}

/* SIOCGHWTSTAMP or SIOCSHWTSTAMP. */
static int stamps_ioctl(unsigned long request, struct ifreq *ifr)
{
	auto *config = reinterpret_cast<struct hwtstamp_config *>(ifr->ifr_data);

	if (request == SIOCSHWTSTAMP && device->stamps_refused)
		return fail(device->stamps_refused);
	if (request == SIOCSHWTSTAMP) {
		device->stamps_set++;
		if (device->stamps_reset_clock)
			device->phc_ns = device->realtime_ns;
		device->stamps = *config;
		if (config->rx_filter == HWTSTAMP_FILTER_ALL && device->grants >= 0)
			device->stamps.rx_filter = device->grants;
	}
	*config = device->stamps;
	return 0;
}

extern "C" {

int clock_gettime(clockid_t clock, struct timespec *ts) noexcept
{
	__u64 ns;

	if (!device || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
		return int(syscall(SYS_clock_gettime, clock, ts));
	ns = device->look(clock);
	ts->tv_sec = time_t(ns / 1000000000);
	ts->tv_nsec = long(ns % 1000000000);
	return 0;
}

int clock_adjtime(clockid_t clock, struct timex *tx) noexcept
{
	/* CLOCKFD of the kernel: ~fd << 3 | 3. */
	if (device && (clock & 7) == 3 &&
	    device->fds.count(int(~(unsigned(clock) >> 3) & 0x1fffffff)))
		return device->adjust(tx);
	return int(syscall(SYS_clock_adjtime, clock, tx));
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (!device)
		return int(syscall(SYS_nanosleep, time, left));
	device->now_ns += __u64(time->tv_sec) * 1000000000 + __u64(time->tv_nsec);
	if (device->tx_meanwhile >= 0)
		device->stamps.tx_type = device->tx_meanwhile;
	return 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	if (device && !strcmp(path, "/dev/ptp90"))
		return device->open_device();
	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int ioctl(int fd, unsigned long request, ...) noexcept
{
	va_list args;
	void *data;

	va_start(args, request);
	data = va_arg(args, void *);
	va_end(args);
	if (device &&
	    (request == SIOCETHTOOL || request == SIOCGHWTSTAMP || request == SIOCSHWTSTAMP) &&
	    !strcmp(static_cast<struct ifreq *>(data)->ifr_name, PhcDevice::IFNAME))
		return request == SIOCETHTOOL ?
			       ethtool_ioctl(static_cast<struct ifreq *>(data)) :
			       stamps_ioctl(request, static_cast<struct ifreq *>(data));
	if (device && device->fds.count(fd) && _IOC_TYPE(request) == PTP_CLK_MAGIC)
		return device->device_ioctl(request, data);
	return int(syscall(SYS_ioctl, fd, request, data));
}

} /* extern "C" */
