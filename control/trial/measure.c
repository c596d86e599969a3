/* SPDX-License-Identifier: GPL-2.0-only */
/* What is counted in a block, and the command that is run at its end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/each.h"
#include "base/now.h"
#include "base/procfs.h"
#include "command/program.h"
#include "figures/figures.h"
#include "nic/nic.h"
#include "sockets/sockets.h"
#include "trial/run.h"

#define CPUS_MAX 4096
#define LINE_LEN 8192

struct cpu {
	__u64 softirq, all; /* ticks */
};

/* The values at both ends of a window. */
static struct counters {
	__u64 at_ns;
	__u64 stat[RXAQM_NR_STATS], hist[RXAQM_HIST_BUCKETS]; /* sums over all queues */
	__u64 packets[RXAQM_MAX_QUEUES]; /* by queue */
	__u32 cpu_of[RXAQM_MAX_QUEUES];
	struct rtnl_link_stats64 link;
	bool link_known;
	struct cpu cpu[CPUS_MAX];
	__u64 again, timeouts;
	__s64 backlog_drops; /* modulo 2^32 */
} begin, end;

static void count_cpus(struct counters *counters)
{
	struct rxaqm_ticks ticks;
	char line[LINE_LEN];
	unsigned int id;

	rxaqm_each_line(line, "/proc/stat") {
		if (rxaqm_ticks_read(line, &id, &ticks) && id < CPUS_MAX)
			counters->cpu[id] = (struct cpu){ ticks.irq + ticks.softirq,
							  rxaqm_ticks_all(&ticks) };
	}
}

/* Read the counter @name, which has a blank on either side. Its value is in the next line, after
 * the same number of blanks.
 */
static __u64 tcp_counter(const char *path, const char *name)
{
	char line[LINE_LEN];
	const char *at, *number = NULL;
	unsigned int blanks = 0;

	rxaqm_each_line(line, path) {
		if (blanks) {
			for (number = line; number && blanks; blanks--)
				number = strchr(number + 1, ' ');
			break;
		}
		for (at = strstr(line, name); at && at > line; at--)
			blanks += *at == ' ';
	}
	return number ? strtoull(number, NULL, 10) : 0;
}

static void count(struct counters *counters, const struct rxaqm_state *state,
		  const struct rxaqm_iface *iface, const char *ifname)
{
	unsigned int i, k;

	memset(counters, 0, sizeof(*counters));
	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_queue *q = rxaqm_state_queue(state, iface, i);

		counters->packets[i] = q->stat[RXAQM_STAT_PACKETS];
		counters->cpu_of[i] = q->cpu;
		for (k = 0; k < RXAQM_NR_STATS; k++)
			counters->stat[k] += q->stat[k];
		for (k = 0; k < RXAQM_HIST_BUCKETS; k++)
			counters->hist[k] += q->hist[k];
	}
	counters->link_known = !rxaqm_link_stats(ifname, &counters->link);
	count_cpus(counters);
	counters->again = tcp_counter("/proc/net/snmp", " RetransSegs ");
	counters->timeouts = tcp_counter("/proc/net/netstat", " TCPTimeouts ");
	counters->backlog_drops = rxaqm_backlog_drops(RXAQM_SOFTNET_STAT);
	counters->at_ns = rxaqm_now_ns();
}

static double seen(unsigned int stat)
{
	return (double)(end.stat[stat] - begin.stat[stat]);
}

static void set_rate(struct trial_block *block, unsigned int outcome, double count)
{
	block->outcome[outcome] = count / block->measured_s;
}

/* Rates of the interface, less what rxaqm dropped, whose bytes are taken to be as those of all. */
static void set_traffic(struct trial_block *block)
{
	const struct rtnl_link_stats64 *b = &begin.link, *e = &end.link;
	double dropped = seen(RXAQM_STAT_DROP) + seen(RXAQM_STAT_ACK_DROP);
	double packets = (double)(e->rx_packets - b->rx_packets);
	double kept = packets > dropped ? 1 - dropped / packets : 0;

	if (!begin.link_known || !end.link_known)
		return;
	set_rate(block, TRIAL_PACKETS_RECEIVED, packets * kept);
	set_rate(block, TRIAL_BYTES_RECEIVED, (double)(e->rx_bytes - b->rx_bytes) * kept);
	set_rate(block, TRIAL_PACKETS_SENT, (double)(e->tx_packets - b->tx_packets));
	/* ACKs have 66 to 118 bytes, most 66 or 86. Where GRO merges more fewer are no loss. */
	if (e->tx_bytes - b->tx_bytes > 100 * (e->tx_packets - b->tx_packets))
		set_rate(block, TRIAL_BYTES_SENT, (double)(e->tx_bytes - b->tx_bytes));
	set_rate(block, TRIAL_OVERFLOW,
		 (double)(e->rx_missed_errors - b->rx_missed_errors) +
			 (double)(e->rx_fifo_errors - b->rx_fifo_errors) +
			 (__u32)(end.backlog_drops - begin.backlog_drops));
}

/* For the CPU that took most packets. */
static void set_cpu(struct trial_block *block, unsigned int nr_queues)
{
	double softirq, all, packets = 0;
	unsigned int i, busiest = 0;

#define TAKEN(i) (end.packets[i] - begin.packets[i])
	for (i = 1; i < nr_queues; i++)
		if (TAKEN(i) > TAKEN(busiest))
			busiest = i;
	for (i = 0; i < nr_queues; i++)
		if (end.cpu_of[i] == end.cpu_of[busiest])
			packets += (double)TAKEN(i);
	i = end.cpu_of[busiest];
	if (packets <= 0 || i >= CPUS_MAX)
		return;
	softirq = (double)(end.cpu[i].softirq - begin.cpu[i].softirq);
	all = (double)(end.cpu[i].all - begin.cpu[i].all);
	/* A thread that polls runs in no softirq: then nothing is known. */
	if (softirq <= 0 || all <= 0)
		return;
	block->outcome[TRIAL_SOFTIRQ] = softirq / all;
	block->outcome[TRIAL_PACKET_CPU] = softirq / all * block->measured_s * 1e9 / packets;
}

void trial_window_begin(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			const char *ifname)
{
	count(&begin, state, iface, ifname);
}

void trial_window_end(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      const char *ifname, struct trial_block *block)
{
	double over = 0;
	unsigned int i;

	count(&end, state, iface, ifname);
	block->measured_s = (double)(end.at_ns - begin.at_ns) / 1e9;
	for (i = RXAQM_STAT_OVER_EXEMPT; i <= RXAQM_STAT_OVER_CE; i++)
		over += seen(i);
	block->over = over > 0 && over >= seen(RXAQM_STAT_PACKETS) / 100;
	if (rxaqm_hist_packets(end.hist, begin.hist)) {
		block->outcome[TRIAL_SOJOURN_P50] = (double)rxaqm_hist_quantile_ns(end.hist,
										   begin.hist, 500);
		block->outcome[TRIAL_SOJOURN_P99] = (double)rxaqm_hist_quantile_ns(end.hist,
										   begin.hist, 990);
	}
	set_traffic(block);
	set_cpu(block, iface->nr_queues);
	set_rate(block, TRIAL_SEGMENTS_AGAIN, (double)(end.again - begin.again));
	set_rate(block, TRIAL_TIMEOUTS, (double)(end.timeouts - begin.timeouts));
	set_rate(block, TRIAL_DROPPED, seen(RXAQM_STAT_DROP));
	set_rate(block, TRIAL_MARKED, seen(RXAQM_STAT_ECN_MARK) + seen(RXAQM_STAT_CE_MARK));
	set_rate(block, TRIAL_ACKS_THINNED, seen(RXAQM_STAT_ACK_DROP));
}

struct rtts {
	unsigned int ifindex;
	RXAQM_LIST(__u32) us;
};

/* sock_diag does not tell the receiving interface: then all sockets count. */
static void take_rtt(void *arg, const struct rxaqm_socket_rec *rec)
{
	struct rtts *rtts = arg;

	if (rec->proto == RXAQM_SOCKET_TCP && rec->state == 1 /* TCP_ESTABLISHED */ &&
	    rec->srtt_us && (!rec->rx_ifindex || rec->rx_ifindex == rtts->ifindex))
		rxaqm_list_put(&rtts->us, rec->srtt_us);
}

static int by_size(const void *a, const void *b)
{
	__u32 left = *(const __u32 *)a, right = *(const __u32 *)b;

	return (left > right) - (left < right);
}

double trial_rtt_ns(unsigned int ifindex)
{
	static struct sockets *programs;
	struct rtts rtts = { .ifindex = ifindex };
	double median = NAN;

	if (rxaqm_sockets_by_bpf(&programs, take_rtt, &rtts)) {
		rtts.us.nr = 0;
		rxaqm_sockets_by_diag(&programs, take_rtt, &rtts);
	}
	if (rtts.us.nr) {
		qsort(rtts.us.at, rtts.us.nr, sizeof(*rtts.us.at), by_size);
		median = rtts.us.at[rtts.us.nr / 2] * 1e3;
	}
	free(rtts.us.at);
	return median;
}

/* Run @command by sh in a new process group, so that all its processes can be killed; -1: failed.
 * *@ret_fd: its standard output.
 */
static pid_t start(const char *command, int *ret_fd)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		dup2(ends[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	close(ends[1]);
	/* A process that left the group may keep the pipe open: do not block on it. */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*ret_fd = ends[0];
	return pid;
}

/* False: it timed out, or the trial is to stop. */
static bool wait_for_end(pid_t pid)
{
	struct pollfd process = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int ready;

	do
		ready = poll(&process, 1, TRIAL_ASK_MS);
	while (ready < 0 && errno == EINTR && !rxaqm_stop);
	close(process.fd);
	return ready > 0;
}

double trial_ask(const char *command, char *why, size_t size)
{
	char text[64] = "";
	double number = NAN;
	int fd = -1, status = -1;
	pid_t pid = start(command, &fd);
	bool ended = pid > 0 && wait_for_end(pid);

	if (pid > 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	if (pid < 0)
		snprintf(why, size, "--metric: it cannot be started");
	else if (!ended)
		snprintf(why, size, "--metric: it had not ended after %d s", TRIAL_ASK_MS / 1000);
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		snprintf(why, size, "--metric: its exit status is %d",
			 WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	else if (sscanf(text, "%lf", &number) == 1 && number >= 0 && isfinite(number))
		return number;
	else
		snprintf(why, size, "--metric: it did not print a number of 0 or more");
	return NAN;
}
