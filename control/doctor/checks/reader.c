/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that do not read what the kernel has received for them. TCP; udp.c has UDP. */
#include <string.h>

#include "doctor/checks/load.h"
#include "doctor/checks/sockets.h"

/* Programs often leave less than this unread on purpose. */
#define LEAST_UNREAD 4096
/* A healthy reader does not leave data waiting that long. */
#define SLOW_US 500000
/* The same where the sender waits, too, or the reader wants to run and gets no CPU. */
#define LATE_US 50000

static bool is_listener(const struct doctor_socket *socket)
{
	return !strcmp(socket->state, "listen");
}

static bool is_tcp(const struct doctor_socket *socket)
{
	return !strcmp(socket->proto, "tcp") && !is_listener(socket);
}

/* The window is shut, or nearly: the sender waits for the reader. */
static bool is_shut(const struct doctor_socket *socket)
{
	return socket->rcv_wnd < 2 * (socket->rcv_mss ?: 536) ||
	       socket->rmem_alloc >= socket->rcvbuf;
}

static void note_socket(const struct doctor_snapshot *snap, struct doctor_finding *finding,
			const struct doctor_socket *socket)
{
	double window = doctor_window_s(snap);

	doctor_say_socket(snap, finding, socket);
	doctor_note(finding, "unread", socket->recv_queue, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "unread_before", socket->was_recv_queue, DOCTOR_BYTES, SOCKETS);
	doctor_note_rise(finding, "arrives", (double)socket->received / window, DOCTOR_BYTES_PER_S,
			 SOCKETS);
	doctor_note_rise(finding, "is_read", (double)socket->read / window, DOCTOR_BYTES_PER_S,
			 SOCKETS);
	doctor_note(finding, "memory_used", socket->rmem_alloc, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "memory_limit", socket->rcvbuf, DOCTOR_BYTES, SOCKETS);
}

/* Nothing came in the window either: among many, a user has probably paused it. */
static bool is_paused(const struct doctor_socket *socket)
{
	return is_tcp(socket) && !socket->read && !socket->received;
}

DOCTOR_JUDGE(judge_stopped)
{
	const struct doctor_socket *socket, *worst = NULL;
	size_t nr = 0;

	rxaqm_list_each(socket, &snap->sockets.notable) {
		if (!is_tcp(socket) || !socket->seen_before || socket->read ||
		    socket->recv_queue < LEAST_UNREAD || !socket->was_recv_queue ||
		    (!socket->received && !is_shut(socket)))
			continue;
		nr++;
		if (!worst || socket->recv_queue > worst->recv_queue)
			worst = socket;
	}
	doctor_note(finding, "sockets", (double)nr, DOCTOR_COUNT, SOCKETS);
	doctor_note(finding, "tcp_sockets", (double)snap->sockets.nr_tcp, DOCTOR_COUNT, SOCKETS);
	if (!worst)
		return DOCTOR_CLEAR;
	note_socket(snap, finding, worst);
	if (nr * 20 < snap->sockets.nr_tcp && is_paused(worst))
		finding->severity = DOCTOR_LOW;
	return DOCTOR_FOUND;
}

/* Softirqs take most of the CPU that its program runs on. */
static bool has_full_cpu(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	const struct doctor_owner *owner = doctor_owner_of(snap, socket);

	return owner && doctor_softirq_percent(snap, owner->cpu) >= 50;
}

/* The time in us to read what was waiting at both ends of the window. */
DOCTOR_SCORE(wait_us)
{
	__u32 waits = socket->was_recv_queue < socket->recv_queue ? socket->was_recv_queue :
								    socket->recv_queue;

	if (!socket->seen_before || !socket->read || waits < LEAST_UNREAD)
		return 0;
	return waits * (doctor_window_s(snap) * 1e6) / (double)socket->read;
}

/* The same, if it is long: however little comes, a program waits for it. */
DOCTOR_SCORE(slow_us)
{
	double us = wait_us(snap, socket);

	return us >= (is_shut(socket) ? LATE_US : SLOW_US) ? us : 0;
}

DOCTOR_JUDGE(judge_slow)
{
	const struct doctor_socket *worst = doctor_top_socket(snap, is_tcp, slow_us),
				   *most = worst ?: doctor_top_socket(snap, is_tcp, wait_us);

	doctor_note(finding, "waits", most ? wait_us(snap, most) : 0, DOCTOR_US, SOCKETS);
	if (!worst)
		return DOCTOR_CLEAR;
	note_socket(snap, finding, worst);
	if (has_full_cpu(snap, worst))
		finding->after = "reader-waits-for-cpu " CPU_FULL;
	if (!is_shut(worst))
		finding->severity = DOCTOR_MEDIUM;
	return DOCTOR_FOUND;
}

/* Data waits in the socket at both ends of the window, or the socket drops. A program under a quota
 * reads for a part of each 100 ms: for it one end is enough.
 */
static bool waits_in(const struct doctor_snapshot *snap, const struct doctor_socket *socket,
		     bool quota)
{
	if (!strcmp(socket->proto, "udp"))
		return socket->drops;
	if (!is_tcp(socket))
		return false;
	if (quota && socket->recv_queue >= LEAST_UNREAD)
		return true;
	return socket->was_recv_queue >= LEAST_UNREAD &&
	       (quota || wait_us(snap, socket) >= LATE_US || (!socket->read && is_shut(socket)));
}

DOCTOR_SCORE(by_cpu_wait)
{
	bool quota;
	double held_up_ns = doctor_held_up_ns(snap, doctor_owner_of(snap, socket), &quota);

	if (held_up_ns <= 0 || !waits_in(snap, socket, quota))
		return 0;
	/* Prefer a socket that matters to one that a user has paused. */
	return is_paused(socket) ? held_up_ns / 1e3 : held_up_ns;
}

DOCTOR_JUDGE(judge_cpu_wait)
{
	const struct doctor_socket *worst = doctor_top_socket(snap, NULL, by_cpu_wait);
	const struct doctor_owner *owner = worst ? doctor_owner_of(snap, worst) : NULL;
	bool quota;
	double waits = doctor_held_up_ns(snap, owner, &quota) / 1e7 / doctor_window_s(snap);

	/* Several threads may wait at once. */
	doctor_note_share(finding, "waits", waits > 100 ? 100 : waits,
			  "/proc/PID/schedstat, cpu.stat of its cgroups");
	if (!owner || (!strcmp(worst->proto, "udp") && !doctor_udp_waits(snap, worst)))
		return DOCTOR_CLEAR;
	note_socket(snap, finding, worst);
	doctor_note_count(finding, "drops", worst->drops, SOCKETS);
	if (is_paused(worst) && snap->sockets.nr_tcp > 20)
		finding->severity = DOCTOR_LOW;
	doctor_note(finding, "nice", owner->nice, DOCTOR_NUMBER, "/proc/PID/stat");
	if (owner->throttled_us != ~0ULL)
		doctor_say(finding, "quota",
			   "the quota of its cgroup (cpu.max) held it up for %.1f s",
			   (double)owner->throttled_us / 1e6);
	doctor_say(finding, "gets",
		   quota ? "its cgroup has used up its quota of the CPU" : "does not get a CPU");
	doctor_say_ours(
		finding, "more", "%s",
		quota ? "give its cgroup a larger quota, or none (of a container: --cpus, or its "
			"cpu limit). `systemctl set-property $(ps -o unit= -p ${pid}) CPUQuota=` of a "
			"service" :
			"`renice -n 0 -p $(ls /proc/${pid}/task)` or CPUWeight=1000 in its unit; or "
			"move the program that has the CPU. `taskset -acp ${free_cpus} ${pid}` moves "
			"this one");
	doctor_say_cpus(snap, finding, owner->cpu);
	doctor_say_hogs(snap, finding, owner->cpu);
	if (has_full_cpu(snap, worst))
		finding->after = "cpu-steal " CPU_FULL;
	return DOCTOR_FOUND;
}

/* Waiting connections over the limit, from half on: some may have been accepted since it was full.
 */
DOCTOR_SCORE(fullness)
{
	double full = socket->recv_queue / (socket->send_queue + 1.0);

	return full >= 0.5 ? full : 0;
}

DOCTOR_JUDGE(judge_listen)
{
	const struct doctor_socket *worst = doctor_top_socket(snap, is_listener, fullness);
	__u64 overflows;

	if (!doctor_counter(snap, "TcpExt.ListenOverflows", &overflows))
		return doctor_blind(finding,
				    "/proc/net/netstat has no ListenOverflows, or it was reset");
	doctor_note_count(finding, "overflows", overflows, "TcpExt.ListenOverflows");
	doctor_note_counter(snap, finding, "listen_drops", "TcpExt.ListenDrops");
	if (doctor_judge_lost(snap, finding, "TcpExt.ListenOverflows", overflows) != DOCTOR_FOUND)
		return DOCTOR_CLEAR;
	doctor_say(finding, "somaxconn", "%llu",
		   (unsigned long long)doctor_sysctl(snap, "net.core.somaxconn", 0, 4096));
	if (!worst)
		return DOCTOR_FOUND;
	doctor_say_socket(snap, finding, worst);
	doctor_note(finding, "waiting", worst->recv_queue, DOCTOR_COUNT, SOCKETS);
	doctor_say(finding, "limit", "%u", worst->send_queue);
	return DOCTOR_FOUND;
}

const struct doctor_check doctor_checks_reader[] = {
	{ SOCKET_CHECK("tcp-reader-stopped", PROGRAM, READER, HIGH, MEASURED),
	  .reads = "socket table twice: unread bytes, bytes received, window",
	  .rule = "0 bytes read in the window while 4 kB or more wait, and more arrives or the window is shut; low if "
		  "it is one of more than 20 sockets, and nothing arrives",
	  .cause = "${program} does not read its socket: ${unread} wait there, and it read nothing.",
	  .because = "On ${socket}, ${arrives} arrived and ${is_read} were read. The kernel keeps "
		     "what is unread, shuts the window when its limit is reached, and the sender "
		     "then waits: the network is idle, not slow.",
	  .clear = "0 of ${tcp_sockets} TCP sockets are unread for the whole window",
	  .now = "look at what the program does instead. `cat /proc/${pid}/stack` `gdb -p ${pid} -batch -ex 'thread apply all bt'`",
	  .keep = "fix the program: it must read, or close what it does not want to read",
	  .expect = "unread bytes from ${unread} to about 0, and the sender sends again",
	  .risk = "none: no network setting helps here, larger buffers only hide it",
	  .shown = "n12_tcp_mem_one_app",
	  .reference =
		  "tcp(7); Cloudflare 2022, receive buffers and window (a reader that never reads)",
	  .essential = true, .judge = judge_stopped },
	{ SOCKET_CHECK("tcp-reader-slow", PROGRAM, READER, HIGH, MEASURED),
	  .reads = "socket table twice: unread bytes, bytes received",
	  .rule = "the data that waits in a socket at both ends of the window takes 500 ms or more at the rate it is "
		  "read (medium), or 50 ms and the window is shut",
	  .cause = "${program} reads too slowly: data waits ${waits} in its socket.",
	  .because = "On ${socket}, ${unread} wait and ${is_read} are read (${arrives} arrive).",
	  .clear = "data waits ${waits} at most in a TCP socket",
	  .now = "see what the program waits for (CPU used: ${program_cpu|not known}, waiting for a CPU: ${program_waits_for_cpu|not known}). `perf top -p ${pid}`",
	  .keep = "read in larger pieces, or in more threads; or tell the sender to send less",
	  .expect = "the wait falls from ${waits} to below 50 ms",
	  .risk = "none: a larger receive buffer makes data wait longer, not faster",
	  .shown = "q5_cfs_quota",
	  .reference =
		  "tcp(7); Cloudflare 2022, receive buffers and window (a reader that reads 1 byte a ms)",
	  .essential = true, .after = "reader-waits-for-cpu", .judge = judge_slow },
	{ SOCKET_CHECK("reader-waits-for-cpu", PROGRAM, SHARED, HIGH, MEASURED),
	  .reads =
		  "socket table twice: unread bytes, drops; schedstat, nice and cgroup (cpu.stat) of the program",
	  .rule = "data waits in a socket, or the socket drops. Its program waits for a CPU for 20 % of the time, and "
		  "half as long as it runs; or the quota of its cgroup holds it up for 20 % of the time, and a fifth as "
		  "long as it runs",
	  .cause = "${program} wants to read and ${gets}: it waits ${waits} of the time.",
	  .because =
		  "It runs ${program_cpu|not known} of the time; ${unread} wait at ${socket}, and ${drops} packets were "
		  "dropped there. Its nice value is ${nice}; ${quota|the time that its cgroup's quota took is not known}. Programs that use its CPU: ${hogs}.",
	  .clear = "programs whose sockets fill wait for a CPU ${waits} of the time at most",
	  .now = "${more}",
	  .keep = "Nice=, CPUQuota=, CPUWeight= in the unit; limits in the container's definition",
	  .undo = "the old values", .expect = "waits from ${waits} to below 5 %",
	  .risk = "other programs get less of the CPU", .after = "cpu-steal rx-cpus-busy",
	  .shown = "c35_elastiflow_nice",
	  .reference = "sched-stats.rst; Documentation/admin-guide/cgroup-v2.rst, cpu.stat",
	  .essential = true, .judge = judge_cpu_wait },
	{ DOCTOR_CHECK("listen-overflow", PROGRAM, READER, HIGH, MEASURED),
	  .reads = "TcpExt.ListenOverflows, ListenDrops; listeners of the socket table",
	  .cause =
		  "${program|a program that is not known} does not accept connections fast enough: ${overflows} were turned away.",
	  .because =
		  "The queue of the listener at ${socket|one that is not known} was full. A client tries again after 1 s, then 3 s, and sees "
		  "a slow server.",
	  .clear = "${overflows} connections turned away for a full accept queue",
	  .now = "restart the program with a larger backlog (its limit is ${limit|not known}); the kernel cuts it to "
		 "net.core.somaxconn (${somaxconn})",
	  .keep = "the same in the program's configuration", .undo = "the smaller backlog",
	  .expect = "overflows from ${overflows} to 0",
	  .risk = "connections wait longer to be accepted if the program stays as slow",
	  .shown = "p01_backlog_511",
	  .reference = "listen(2); Documentation/networking/snmp_counter.rst, TcpExtListenOverflows",
	  .judge = judge_listen },
	{}
};
