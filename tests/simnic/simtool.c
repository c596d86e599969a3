// SPDX-License-Identifier: GPL-2.0-only
/* What selftest.sh needs beside shell: traffic, timestamps, PTP clocks; simtool_bpf.c has BPF. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "simtool.h"

#define NS 1000000000LL

int complain(const char *what, const char *which)
{
	fprintf(stderr, "simtool: %s %s: %s\n", what, which, strerror(errno));
	return 1;
}

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	stop = signal;
}

void tell_ready(void)
{
	const char *path = getenv("SIMTOOL_READY");

	if (path)
		close(open(path, O_CREAT | O_WRONLY, 0600));
}

bool goes_on(double end)
{
	return !stop && seconds_now() < end;
}

void wait_until(double end)
{
	while (goes_on(end))
		usleep(10000);
}

static struct sockaddr_in udp_addr(const char *ip, const char *port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };

	inet_pton(AF_INET, ip, &addr.sin_addr);
	return addr;
}

/* send IP PORT SECONDS SIZE PPS: UDP; PPS 0 is as fast as it goes. */
int cmd_send(char **args)
{
	struct sockaddr_in addr = udp_addr(args[0], args[1]);
	double begin = seconds_now(), end = begin + atof(args[2]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = atoi(args[3]);
	double pps = atof(args[4]);
	static char data[65536];
	long sent = 0, tries = 0;

	if (fd < 0 || connect(fd, (void *)&addr, sizeof(addr)))
		return complain("cannot connect to", args[0]);
	while (seconds_now() < end) {
		if (pps > 0 && tries > (seconds_now() - begin) * pps) {
			usleep(200);
			continue;
		}
		tries++;
		sent += send(fd, data, size, 0) == size;
	}
	printf("sent %ld\n", sent);
	return 0;
}

/* Raw hardware stamp of a message, 0 if it has none. */
static int64_t stamp_of(struct msghdr *msg)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct timespec ts[3];

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING)
			continue;
		memcpy(ts, CMSG_DATA(c), sizeof(ts));
		return ts[2].tv_sec * NS + ts[2].tv_nsec;
	}
	return 0;
}

/*
 * receive PORT SECONDS OFFSET_NS: UDP, until SIGTERM at the latest; hardware stamps must be
 * MONOTONIC + OFFSET_NS, or are bad.
 */
int cmd_receive(char **args)
{
	int flags = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE, size = 8 << 20;
	struct timeval timeout = { .tv_usec = 100000 };
	struct sockaddr_in addr = udp_addr("0.0.0.0", args[0]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	double end = seconds_now() + atof(args[1]);
	int64_t offset_ns = atoll(args[2]);
	long received = 0, stamped = 0, bad = 0;

	if (fd < 0 || bind(fd, (void *)&addr, sizeof(addr)))
		return complain("cannot bind port", args[0]);
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	tell_ready();
	while (goes_on(end)) {
		char data[2048], control[256];
		struct iovec iov = { data, sizeof(data) };
		struct msghdr msg = { .msg_iov = &iov,
				      .msg_iovlen = 1,
				      .msg_control = control,
				      .msg_controllen = sizeof(control) };
		int64_t hw_ns, age_ns;

		if (recvmsg(fd, &msg, 0) < 0)
			continue;
		received++;
		hw_ns = stamp_of(&msg);
		age_ns = (int64_t)(seconds_now() * NS) + offset_ns - hw_ns;
		stamped += hw_ns != 0;
		bad += hw_ns && (age_ns < -1000 || age_ns > 10 * NS);
	}
	printf("received %ld\nstamped %ld\nbad %ld\n", received, stamped, bad);
	return 0;
}

/* frame IF COUNT: PTP event messages over Ethernet. */
int cmd_frame(char **args)
{
	int i, fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_1588));
	struct sockaddr_ll addr = { .sll_family = AF_PACKET,
				    .sll_ifindex = if_nametoindex(args[0]) };
	unsigned char frame[64] = { 0x01, 0x1b, 0x19, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0x88, 0xf7 };

	for (i = 0; i < atoi(args[1]); i++) {
		if (sendto(fd, frame, sizeof(frame), 0, (void *)&addr, sizeof(addr)) < 0)
			return complain("cannot send on", args[0]);
	}
	return 0;
}

/* hwtstamp IF [TX_TYPE RX_FILTER]: sets, or else gets; prints what is set. */
int cmd_hwtstamp(char **args)
{
	bool set = args[1] && args[2];
	struct hwtstamp_config cfg = {};
	struct ifreq ifr = {};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (set) {
		cfg.tx_type = atoi(args[1]);
		cfg.rx_filter = atoi(args[2]);
	}
	strncpy(ifr.ifr_name, args[0], IFNAMSIZ - 1);
	ifr.ifr_data = (void *)&cfg;
	if (ioctl(fd, set ? SIOCSHWTSTAMP : SIOCGHWTSTAMP, &ifr))
		return complain("timestamp configuration of", args[0]);
	printf("tx_type %d\nrx_filter %d\n", cfg.tx_type, cfg.rx_filter);
	return 0;
}

static int phc_index(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ifreq ifr = { .ifr_data = (void *)&info };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strncpy(ifr.ifr_name, ifname, IFNAMSIZ - 1);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -1 : info.phc_index;
}

static int64_t ptp_ns(struct ptp_clock_time t)
{
	return t.sec * NS + t.nsec;
}

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

/* REALTIME - MONOTONIC; clocks do not step here. */
static int64_t real_offset_ns(void)
{
	int64_t before_ns = clock_ns(CLOCK_MONOTONIC), real_ns = clock_ns(CLOCK_REALTIME);

	return real_ns - (before_ns + clock_ns(CLOCK_MONOTONIC)) / 2;
}

/* Whether the PHC of PTP_SYS_OFFSET_EXTENDED lies where the system times around it allow. */
static int check_extended(int fd, int64_t offset_ns, int64_t slack_ns)
{
	struct ptp_sys_offset_extended ext = { .n_samples = 5 };
	int i, bad = 0;

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &ext))
		return -1;
	for (i = 0; i < 5; i++) {
		int64_t device_ns = ptp_ns(ext.ts[i][1]) - offset_ns;

		bad += device_ns < ptp_ns(ext.ts[i][0]) - slack_ns ||
		       device_ns > ptp_ns(ext.ts[i][2]) + slack_ns;
	}
	return bad;
}

/*
 * phc IF [FREQ_PPM]: sets the frequency if given; prints PHC - MONOTONIC by a precise cross
 * timestamp, the rate against MONOTONIC_RAW within 1 s in ppb, and bad extended samples.
 */
int cmd_phc(char **args)
{
	struct ptp_sys_offset_precise first = {}, second = {};
	int64_t device_ns, raw_ns, offset_ns;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/ptp%d", phc_index(args[0]));
	fd = open(path, O_RDWR);
	if (fd < 0)
		return complain("cannot open", path);
	if (args[1]) {
		struct timex tx = { .modes = ADJ_FREQUENCY, .freq = atof(args[1]) * 65536 };

		if (clock_adjtime((~(clockid_t)fd << 3) | 3, &tx))
			return complain("cannot set the frequency of", path);
	}
	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &first))
		return complain("no precise offset from", path);
	offset_ns = ptp_ns(first.device) - ptp_ns(first.sys_realtime);
	printf("extended_bad %d\n", check_extended(fd, offset_ns, 200000));
	sleep(1);
	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &second))
		return complain("no precise offset from", path);
	device_ns = ptp_ns(second.device) - ptp_ns(first.device);
	raw_ns = ptp_ns(second.sys_monoraw) - ptp_ns(first.sys_monoraw);
	printf("mono_offset_ns %lld\n", (long long)(offset_ns + real_offset_ns()));
	printf("rate_ppb %lld\n", (long long)((device_ns - raw_ns) * NS / raw_ns));
	return 0;
}

static const struct {
	const char *name;
	int nr_args;
	int (*run)(char **args);
} commands[] = {
	{ "send", 5, cmd_send },	 { "receive", 3, cmd_receive }, { "frame", 2, cmd_frame },
	{ "hwtstamp", 1, cmd_hwtstamp }, { "phc", 1, cmd_phc },		{ "bpf", 4, cmd_bpf },
	{ "qstats", 3, cmd_qstats },	 { "flows", 2, cmd_flows },	{ "tuple", 5, cmd_tuple },
	{ "rxhash", 3, cmd_rxhash },
};

int main(int argc, char **argv)
{
	unsigned int i;

	signal(SIGTERM, on_signal);
	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		if (!strcmp(commands[i].name, argv[1]) && argc >= 2 + commands[i].nr_args)
			return commands[i].run(argv + 2);
	}
	fprintf(stderr,
		"usage: simtool send|receive|frame|hwtstamp|phc|bpf|qstats|flows|tuple|rxhash ARGUMENT..., "
		"see the sources\n");
	return 2;
}
