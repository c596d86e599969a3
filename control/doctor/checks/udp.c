/* SPDX-License-Identifier: GPL-2.0-only */
/* UDP sockets. At most one of the causes below explains the drops of a socket. */
#include <string.h>

#include "doctor/checks/sockets.h"

#define UDP_SOCKETS "BPF iter/udp (or sock_diag)"
/* Why a socket dropped: ids of checks. */
#define STOPPED "udp-reader-stopped"
#define SHARES_CPU "udp-reader-shares-cpu"
#define SLOW "udp-reader-slow"
#define BURST "udp-burst"
#define WAITS "reader-waits-for-cpu"
#define NO_BUFFER "no buffer"
#define ALL_READERS STOPPED " " SHARES_CPU " " WAITS " " SLOW " " BURST
/* Percent of the window on a CPU. */
#define IDLE_PERCENT 1.0
#define BUSY_PERCENT 80.0
/* Percent of the window waiting for a CPU that others have. */
#define WAITS_PERCENT 20.0
/* Even a small datagram is charged a buffer of 2 kB and its header (SKB_TRUESIZE), and from this
 * host itself 727 bytes in the mean (16 bytes through loopback, Linux 6.18).
 */
#define LEAST_CHARGED 2304
#define LEAST_CHARGED_LOCALLY 727

static const char delivered[] = "Udp.InDatagrams";

static bool is_udp(const struct doctor_socket *socket)
{
	return !strcmp(socket->proto, "udp");
}

DOCTOR_SCORE(by_drops)
{
	double drops = (double)socket->drops;

	return drops >= doctor_window_s(snap) ? drops : 0;
}

/* Did full buffers cause most drops of @socket? The other causes are checksums and filters. */
static bool was_full(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	__u64 drops;

	return !doctor_counters(snap, "Udp.RcvbufErrors|Udp.MemErrors", &drops) ||
	       drops * 2 >= socket->drops;
}

/* The id of the check that explains the drops of @socket; "" if @socket is NULL. */
static const char *find_cause(const struct doctor_snapshot *snap,
			      const struct doctor_socket *socket, bool *ret_program_known)
{
	const struct doctor_owner *owner;
	double run_percent, wait_percent;
	bool full, stopped, quota;
	__u64 datagrams, busiest_ns;

	*ret_program_known = false;
	if (!socket)
		return "";
	if (!was_full(snap, socket))
		return NO_BUFFER;
	owner = doctor_owner_of(snap, socket);
	full = socket->rmem_alloc >= socket->rcvbuf / 2 &&
	       (!socket->seen_before || socket->was_rmem_alloc >= socket->rcvbuf / 2);
	/* The kernel counts a datagram as received when a program takes it (udp_recvmsg). */
	stopped = full && doctor_counters(snap, delivered, &datagrams) &&
		  datagrams * (socket->rmem_alloc == socket->was_rmem_alloc ? 10 : 100) <
			  socket->drops;
	if (!owner || owner->run_ns == ~0ULL)
		return stopped ? STOPPED : BURST;
	*ret_program_known = true;
	/* A reader starved by softirqs still takes a few datagrams, a stopped one none. */
	if (stopped && !datagrams)
		return STOPPED;
	run_percent = (double)owner->run_ns / 1e7 / doctor_window_s(snap);
	busiest_ns = owner->busiest_run_ns == ~0ULL ? owner->run_ns : owner->busiest_run_ns;
	wait_percent = (double)owner->wait_ns / 1e7 / doctor_window_s(snap);
	if (wait_percent >= WAITS_PERCENT && owner->cpu >= 0 &&
	    doctor_softirq_percent(snap, owner->cpu) >= WAITS_PERCENT)
		return SHARES_CPU;
	if (doctor_held_up_ns(snap, owner, &quota) > 0)
		return WAITS;
	if (stopped || (full && run_percent < IDLE_PERCENT && wait_percent < WAITS_PERCENT))
		return STOPPED;
	/* A thread with time left is not too slow, however busy other threads of the program are.
	 */
	if ((double)busiest_ns / 1e7 / doctor_window_s(snap) >= BUSY_PERCENT ||
	    (full && run_percent >= IDLE_PERCENT))
		return SLOW;
	return BURST;
}

bool doctor_udp_waits(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	bool program_known;

	return by_drops(snap, socket) > 0 &&
	       !strcmp(find_cause(snap, socket, &program_known), WAITS);
}

static double least_charged(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	const struct doctor_iface *iface = doctor_iface_at(snap, socket->ifindex);

	return iface && (iface->link_type == DOCTOR_LOOPBACK || !strcmp(iface->driver, "veth")) ?
		       LEAST_CHARGED_LOCALLY :
		       LEAST_CHARGED;
}

static void note_cause(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket)
{
	const struct doctor_owner *owner = doctor_owner_of(snap, socket);
	__u64 max = doctor_sysctl(snap, "net.core.rmem_max", 0, 212992);
	double window = doctor_window_s(snap), datagrams;
	__u64 taken;

	doctor_counters(snap, delivered, &taken);
	datagrams = (double)(taken + socket->drops);
	doctor_say_socket(snap, finding, socket);
	doctor_note_count(finding, "drops", socket->drops, UDP_SOCKETS);
	doctor_note(finding, "memory_used", socket->rmem_alloc, DOCTOR_BYTES, UDP_SOCKETS);
	doctor_note(finding, "memory_limit", socket->rcvbuf, DOCTOR_BYTES, UDP_SOCKETS);
	doctor_say(finding, "rmem_max", "%llu", (unsigned long long)max);
	doctor_say(finding, "larger", "%llu", max < 4194304 ? 8388608ULL : 2ULL * max);
	doctor_note_rise(finding, "datagrams", datagrams / window, DOCTOR_PER_S, delivered);
	if (datagrams > 0)
		doctor_note(finding, "covers",
			    socket->rcvbuf / least_charged(snap, socket) * window * 1e6 / datagrams,
			    DOCTOR_US, "buffer / what a datagram is charged at least / datagrams");
	if (socket->cpu >= 0)
		doctor_note(finding, "packet_cpu", socket->cpu, DOCTOR_NUMBER, UDP_SOCKETS);
	if (!owner)
		return;
	doctor_say_cpus(snap, finding, owner->cpu);
	doctor_note(finding, "program_cpu_number", owner->cpu, DOCTOR_NUMBER, "/proc/PID/stat");
	finding->cpu = owner->cpu;
	doctor_note_share(finding, "softirq_there", doctor_softirq_percent(snap, owner->cpu),
			  "/proc/stat");
}

DOCTOR_JUDGE(judge_reader)
{
	const struct doctor_socket *socket = doctor_top_socket(snap, is_udp, by_drops);
	bool program_known;
	bool explains = !strcmp(find_cause(snap, socket, &program_known), finding->check->id);

	/* Only drops that this cause explains. */
	doctor_note_count(finding, "drops", explains ? socket->drops : 0, UDP_SOCKETS);
	doctor_note(finding, "udp_sockets", (double)snap->sockets.nr_udp, DOCTOR_COUNT,
		    UDP_SOCKETS);
	if (!explains)
		return DOCTOR_CLEAR;
	note_cause(snap, finding, socket);
	/* Less than one of a thousand datagrams slows nothing; but a socket that stays full loses
	 * most of its own, even if they are few.
	 */
	if (socket->rmem_alloc < socket->rcvbuf / 2 &&
	    (double)socket->drops * 1000 <
		    doctor_noted(finding, "datagrams") * doctor_window_s(snap))
		finding->severity = DOCTOR_LOW;
	if (!program_known && strcmp(finding->check->id, STOPPED))
		finding->confidence = DOCTOR_INFERRED;
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_overflow)
{
	doctor_note_counter(snap, finding, "datagrams", delivered);
	return doctor_judge_rise(snap, finding);
}

DOCTOR_JUDGE(judge_memory)
{
	__u64 pages = 0;

	doctor_map_get(snap->after.counters, "sockstat.UDP.mem", &pages);
	doctor_note(finding, "udp_memory", (double)pages * snap->page_size, DOCTOR_BYTES,
		    "/proc/net/sockstat");
	return doctor_judge_rise(snap, finding);
}

const struct doctor_check doctor_checks_udp[] = {
	{ SOCKET_CHECK(STOPPED, PROGRAM, READER, HIGH, MEASURED),
	  .reads = "socket table twice: drops, memory; Udp.InDatagrams; schedstat of the program",
	  .rule = "a UDP socket drops 1/s or more and is half full at both ends of the window, and nobody reads UDP or "
		  "its program runs below 1 % of a CPU",
	  .cause = "${program} does not read its UDP socket: ${drops} datagrams were dropped there.",
	  .because =
		  "${socket} has ${memory_used} of ${memory_limit} in use all the time (CPU used by the program: "
		  "${program_cpu|not known}): no buffer is large enough for that.",
	  .clear =
		  "${drops} datagrams dropped because a program does not read (${udp_sockets} sockets)",
	  .now = "look at what the program does. `cat /proc/${pid}/stack`",
	  .keep = "fix the program, or close the socket", .expect = "drops from ${drops} to 0",
	  .shown = "p04_perl_1900", .reference = "udp(7), /proc/net/udp drops", .essential = true,
	  .judge = judge_reader },
	{ SOCKET_CHECK(SHARES_CPU, PROGRAM, SHARED, HIGH, MEASURED),
	  .reads =
		  "socket table: drops, CPU of the packets; CPU and schedstat of the program; /proc/stat",
	  .rule = "a UDP socket drops 1/s or more, and its program waits 20 % of the time for a CPU where softirqs "
		  "take 20 %",
	  .cause =
		  "${program} shares its CPU with the softirqs that bring its packets: ${drops} datagrams were dropped.",
	  .because =
		  "It runs on CPU ${program_cpu_number}, where softirqs take ${softirq_there}, and waits "
		  "${program_waits_for_cpu|not known} of the time for that CPU; while it waits, ${socket} fills.",
	  .clear = "${drops} datagrams dropped because a program shares its CPU with softirqs",
	  .now = "CPUs that take no interrupts of the NIC: `taskset -acp ${free_cpus} ${pid}` moves all its threads there",
	  .keep = "CPUAffinity= in the unit of the service",
	  .undo = "`taskset -acp ${all_cpus} ${pid}`",
	  .expect = "drops from ${drops} to 0; in a published case from 476,390 to 0",
	  .risk = "a CPU far from the NIC's memory costs some more per packet",
	  .shown = "Google: the reader on the interrupt's CPU",
	  .reference = "Google, benchmarking UDP bulk flows: the reader on the interrupt's CPU",
	  .essential = true, .judge = judge_reader },
	{ SOCKET_CHECK(SLOW, PROGRAM, READER, HIGH, MEASURED),
	  .reads = "socket table twice: drops, memory; schedstat of the program",
	  .rule = "a UDP socket drops 1/s or more, and is half full at both ends of the window or a thread of its "
		  "program uses 80 % of a CPU",
	  .cause =
		  "${program} reads UDP more slowly than it comes: ${drops} datagrams were dropped.",
	  .because =
		  "${socket} holds ${memory_used} of ${memory_limit}; the program uses ${program_cpu|not known} of a CPU at "
		  "${datagrams}. That lasts, so a larger buffer only delays the drops.",
	  .clear = "${drops} datagrams dropped because a program is too slow",
	  .now = "read with recvmmsg() or UDP_GRO, or in more threads with SO_REUSEPORT",
	  .keep = "the same; or tell the sender to send less",
	  .expect = "drops from ${drops} to 0 once it reads ${datagrams}", .shown = "q7_syslog",
	  .reference = "Google, benchmarking UDP bulk flows: sustained overrun", .essential = true,
	  .judge = judge_reader },
	{ SOCKET_CHECK(BURST, UDP, MEMORY, HIGH, MEASURED),
	  .reads = "socket table: drops, buffer; Udp.InDatagrams",
	  .rule = "a UDP socket drops 1/s or more, and none of the three above explains it",
	  .cause = "The UDP buffer of ${program} is too short for the time that it is held off: ${drops} datagrams were "
		   "dropped.",
	  .because =
		  "${socket} has ${memory_limit}. The kernel charges all of a packet's memory: at ${datagrams} that is "
		  "${covers} of traffic.",
	  .clear = "${drops} datagrams dropped because a buffer is short",
	  .now = SET(
		  "net.core.rmem_max=${larger}") " and a larger SO_RCVBUF in the program (often it has a setting for that); if it sets none, raise net.core.rmem_default, too, and restart it",
	  SYSCTL_KEPT("net.core.rmem_max", "${larger}", "${rmem_max}"),
	  .expect = "drops from ${drops} to 0 for longer bursts: 8 MB are 65 ms at 1 Gbit/s",
	  .risk = "that much memory for each socket, and data that waits longer",
	  .after = "udp-memory rx-queue-standing rx-starved cpu-steal " CPU_FULL,
	  .shown = "p05_relay_bursts",
	  .reference =
		  "udp(7); Google, benchmarking UDP bulk flows: none lost above 6.5 MB at 1 Gbit/s",
	  .essential = true, .judge = judge_reader },
	{ DOCTOR_CHECK("udp-overflow", UDP, MEMORY, HIGH, MEASURED),
	  .reads = "Udp.RcvbufErrors, Udp6.RcvbufErrors, InDatagrams",
	  .rule = "1/s or more; it and what explains it are low below 1 of 1000 datagrams, unless a socket stands full",
	  .cause = "${events} datagrams found a full receive buffer.",
	  .because = "${datagrams} were delivered meanwhile.",
	  .clear = "${events} of ${datagrams} datagrams found a full buffer",
	  .now = "`ss -uamp` shows the socket (d: drops)", .keep = "-",
	  .expect = "events from ${events} to 0", .after = ALL_READERS,
	  .shown = "c16_netflow_worker_dead",
	  .reference = "snmp_counter.rst; net/ipv4/udp.c:__udp_enqueue_schedule_skb",
	  .essential = true, .judge = judge_overflow },
	{ DOCTOR_CHECK("udp-memory", UDP, MEMORY, HIGH, MEASURED),
	  .reads = "Udp.MemErrors, Udp6.MemErrors",
	  .cause = "UDP as a whole is out of memory (udp_mem): ${events} datagrams were dropped.",
	  .because = "${udp_memory} are in use by all UDP sockets.",
	  .clear = "${events} datagrams dropped for udp_mem",
	  .now = "find who holds the memory: `ss -uamp` or raise net.ipv4.udp_mem[2]",
	  .keep = "the same in " SYSCTL_FILE, .undo = "remove the line and set the old values",
	  .expect = "events from ${events} to 0", .risk = "memory",
	  .after = "udp-reader-stopped udp-reader-slow", .shown = "s2_sc4s_memerrors",
	  .reference = "udp_mem in ip-sysctl.rst", .judge = judge_memory },
	{}
};
