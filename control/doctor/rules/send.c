/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs here send, and the buffers of it. */
#include "doctor/rules/sockets.h"

static double by_send_wait(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	return socket->acked && socket->seen_before ?
		       (double)socket->not_sent * doctor_window_s(snap) * 1e6 /
			       (double)socket->acked :
		       0;
}

static enum doctor_verdict judge_not_sent(const struct doctor_snapshot *snap,
					  struct doctor_finding *finding)
{
	const struct doctor_socket *worst = doctor_most(snap, by_send_wait);
	double wait = worst ? by_send_wait(snap, worst) : 0;

	if (!*snap->sockets.source)
		return doctor_blind(finding, "no pass over the sockets was possible");
	doctor_note(finding, "waits_to_be_sent", wait, DOCTOR_US, SOCKETS);
	if (!worst || wait < 1e6 || worst->not_sent < 1 << 20)
		return DOCTOR_CLEAR;
	doctor_say_owner(snap, finding, worst);
	doctor_say_socket(finding, worst);
	doctor_note(finding, "not_sent", worst->not_sent, DOCTOR_BYTES, SOCKETS);
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_send(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	static const char *const errors[] = { "Udp.SndbufErrors", "Udp6.SndbufErrors", NULL };
	__u64 value;

	if (!doctor_counters(snap, errors, &value))
		return doctor_blind(finding,
				    "/proc/net/snmp has no UDP counters, or they were reset");
	doctor_note_rise(finding, "errors", (double)value, DOCTOR_COUNT, "Udp.SndbufErrors");
	doctor_note(finding, "wmem_default",
		    (double)doctor_sysctl(snap, "net.core.wmem_default", 0, 0), DOCTOR_BYTES,
		    "net.core.wmem_default");
	return doctor_found_if_often(snap, (double)value);
}

const struct doctor_check doctor_checks_send[] = {
	{
		.id = "tcp-not-sent",
		.place = DOCTOR_TX,
		.kind = DOCTOR_ARRIVAL,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads = "socket table: bytes written and not sent, bytes acknowledged",
		.rule = "1 MB or more waits in a socket to be sent, for 1 s or more",
		.cause =
			"What ${program} writes waits ${waits_to_be_sent} in its socket before it is sent.",
		.because =
			"On ${socket}, ${not_sent} are written and not sent: the send buffer is larger than the path.",
		.clear = "written data waits ${waits_to_be_sent} at most to be sent",
		.remedy = { .now = "sysctl -w net.ipv4.tcp_notsent_lowat=131072",
			    .keep = "echo net.ipv4.tcp_notsent_lowat=131072 >>" SYSCTL_FILE,
			    .undo = "sysctl -w net.ipv4.tcp_notsent_lowat=4294967295, and remove the line",
			    .expect = "128 kB wait instead of ${not_sent}",
			    .risk = "programs that only write when told to wake more often" },
		.after = READERS
		" cq-shared rx-queue-standing rx-queues-few rx-cpu-busy rx-cpus-busy",
		.reference = "tcp_notsent_lowat in ip-sysctl.rst",
		.judge = judge_not_sent,
	},
	{
		.id = "udp-send-buffer",
		.place = DOCTOR_TX,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads = "Udp.SndbufErrors, wmem_default, txqueuelen",
		.rule = "SndbufErrors rises by 1/s or more",
		.cause = "${errors} datagrams of programs here did not fit into what sends them.",
		.because =
			"With a send buffer (${wmem_default}) larger than the device's queue can hold, packets are "
			"dropped below the socket instead of making the program wait.",
		.clear = "${errors} datagrams did not fit into a send buffer or queue",
		.remedy = { .now = "sysctl -w net.core.wmem_default=212992, or a larger txqueuelen",
			    .keep = "in " SYSCTL_FILE,
			    .undo = "remove the line and set the old value",
			    .expect = "errors from ${errors} to 0: the program waits instead",
			    .risk = "a program that may not wait sends less" },
		.reference = "net/ipv4/udp.c:udp_sendmsg; Google, benchmarking UDP bulk flows",
		.judge = judge_send,
	},
	{}
};
