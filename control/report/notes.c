/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/notes.h"

#include <linux/sockios.h>
#include <stdio.h>

#include "base/now.h"
#include "attach/xdp.h"
#include "report/figures.h"
#include "tune/overload.h"
#include "base/parse.h"
#include "attach/sockets.h"
#include "attach/stamps.h"

static void add(struct rxaqm_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct rxaqm_notes *notes, const char *fmt, ...)
{
	va_list args;

	if (notes->nr == RXAQM_NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(notes->text[notes->nr++], sizeof(notes->text[0]), fmt, args);
	va_end(args);
}

#define QUEUES_LEN 48

/* "queue 3, and 2 more" */
static const char *queues(unsigned int nr, unsigned int first, char buf[QUEUES_LEN])
{
	snprintf(buf, QUEUES_LEN, nr > 1 ? "queue %u, and %u more" : "queue %u", first, nr - 1);
	return buf;
}

/* What becomes of packets without stamps. */
static const char *consequence(const struct rxaqm_note_facts *facts)
{
	if (!facts->strict)
		return "acting on busy";
	return facts->lenient ?
		       "queues with signal=auto act on busy, the others let everything pass" :
		       "everything passes";
}

/* No stamps from the start. */
static void why_none(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	if (facts->stamps_all)
		add(notes,
		    "no stamps: \"%s\" can stamp all packets, but profile \"%s\" has no "
		    "TimestampField, which says where to find them; %s",
		    facts->ifname, facts->profile, consequence(facts));
	else if (facts->stamps_some)
		add(notes,
		    "no stamps: \"%s\" can stamp some packets (PTP, see \"ethtool -T %s\"), "
		    "but not all; %s",
		    facts->ifname, facts->ifname, consequence(facts));
	else if (facts->strict)
		add(notes, "no stamps: \"%s\" has no Rx timestamps; %s", facts->ifname,
		    consequence(facts));
}

/* "stamps missing", and for how long, if that is known. */
static void begin_missing(const struct rxaqm_note_facts *facts, char *buf, size_t size)
{
	char since[RXAQM_DURATION_LEN];

	if (!facts->missing || !facts->missed_ever) {
		snprintf(buf, size, "stamps missing");
		return;
	}
	rxaqm_format_duration(facts->missing_ns, since);
	snprintf(buf, size, "stamps missing for %s", since);
}

/* Someone else has changed the timestamp configuration. */
static void who_changed(const struct rxaqm_note_facts *facts, const char *missing,
			struct rxaqm_notes *notes)
{
	const char *signal = facts->lenient ? "auto" : facts->hint ? "hint" : "stamp";

	if (facts->config.rx_filter == HWTSTAMP_FILTER_NONE)
		add(notes,
		    "%s: hardware timestamping of \"%s\" is off, turned off by someone else; %s; "
		    "\"rxaqm policy set %s signal=%s\" turns it on again",
		    missing, facts->ifname, consequence(facts), facts->ifname, signal);
	else
		add(notes,
		    "%s: hardware timestamping of \"%s\" was changed by someone else, to rx_filter "
		    "%d; %s; \"rxaqm policy set %s signal=%s\" has all packets stamped again",
		    missing, facts->ifname, facts->config.rx_filter, consequence(facts),
		    facts->ifname, signal);
}

static void why_missing(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	bool hardware = facts->stamp == RXAQM_STAMP_HWTSTAMP;
	char missing[64];

	begin_missing(facts, missing, sizeof(missing));
	if (hardware && !facts->stamps_all)
		add(notes,
		    "\"%s\" does not say that it stamps all packets (\"ethtool -T %s\"); without "
		    "a stamp: %s",
		    facts->ifname, facts->ifname, consequence(facts));
	else if (hardware && facts->config.rx_filter >= 0 &&
		 facts->config.rx_filter != facts->filter)
		who_changed(facts, missing, notes);
	else if (hardware && facts->config.rx_filter >= 0 && facts->filter != HWTSTAMP_FILTER_ALL)
		add(notes,
		    "stamps of all packets of \"%s\" were asked for, but the driver granted rx_filter "
		    "%d; without a stamp: %s",
		    facts->ifname, facts->filter, consequence(facts));
	else if (facts->missing)
		add(notes, "%s%s%s%s; %s", missing,
		    hardware ? ", although hardware timestamping of \"" : "",
		    hardware ? facts->ifname : "", hardware ? "\" is on" : "", consequence(facts));
}

/* Stamps come, but what they say is too inexact. */
static void why_inexact(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	char error[RXAQM_DURATION_LEN], target[RXAQM_DURATION_LEN], which[QUEUES_LEN];

	rxaqm_format_duration(facts->inexact_ns / 1000 * 1000, error);
	rxaqm_format_duration(facts->inexact_target_ns, target);
	add(notes,
	    "%s: the NIC clock's error of %s is over half the target of %s; %s; "
	    "\"rxaqm run\" reads the clock itself, where the NIC has one (\"rxaqm clock %s\")",
	    queues(facts->inexact_queues, facts->inexact_queue, which), error, target,
	    !facts->strict ?
		    "acting on busy" :
	    facts->lenient ?
		    "acting on busy with signal=auto, else on the sojourn less that error" :
		    "acting on the sojourn less that error",
	    facts->ifname);
}

static void why_acks(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	char which[QUEUES_LEN];

	add(notes, "%s: %u %% of the packets over target are pure ACKs%s",
	    queues(facts->ack_queues, facts->ack_queue, which), facts->ack_percent,
	    facts->ack_kept ? ", of which the redundant ones pass, too; law=auto with ack=thin "
			      "drops those first" :
			      "; ack=thin drops the redundant ones");
}

/* Queues that no law can shorten. */
static void why_exempt(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	char which[QUEUES_LEN];

	add(notes,
	    "%s: exempt traffic holds it over target, %u %% of what stands there, and the law "
	    "cannot help; exempt are %s",
	    queues(facts->exempt_queues, facts->exempt_queue, which), facts->exempt_percent,
	    facts->exempt);
}

/* What makes a queue stand is not this program's alone to tell. */
static void why_standing(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	char which[QUEUES_LEN];

	add(notes, "%s: stands, and is only observed; \"rxaqm doctor %s\" looks for the cause",
	    queues(facts->standing_queues, facts->standing_queue, which), facts->ifname);
}

/* Queues that go to AF_XDP sockets. */
static void about_sockets(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	char which[QUEUES_LEN];

	if (facts->strict_queues)
		add(notes,
		    "%s: packets go to a socket, where signal=stamp sees none of them; it goes "
		    "by the consumer's wait alone; signal=auto goes by busy, too",
		    queues(facts->strict_queues, facts->strict_queue, which));
	if (facts->no_sockets)
		add(notes, "this kernel has no AF_XDP (CONFIG_XDP_SOCKETS): no queue can go to a "
			   "socket; all else works");
	if (facts->socket_queues && facts->bare)
		add(notes,
		    "no metadata in front of packets for sockets: this kernel lets no program that "
		    "puts some there run under the dispatcher of the libxdp that is installed; "
		    "detach, and attach with 1.5.5 or newer, or with LIBXDP_SKIP_DISPATCHER=1 in "
		    "the environment, which shares the interface with no other program");
}

void rxaqm_notes_write(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes)
{
	notes->nr = 0;
	if (facts->hint)
		add(notes,
		    "the XDP program is bound to \"%s\", so that no other can run beside it; "
		    "attach with signal=stamp to share by libxdp's dispatcher",
		    facts->ifname);
	if (facts->exempt_queues)
		why_exempt(facts, notes);
	if (facts->ack_queues)
		why_acks(facts, notes);
	about_sockets(facts, notes);
	if (facts->generic)
		add(notes,
		    "generic mode: the kernel does no GRO for packets of \"%s\" while a program is "
		    "there, which costs TCP that is received here throughput (README, Limits); "
		    "native mode does not",
		    facts->ifname);
	if (facts->standing_queues)
		why_standing(facts, notes);
	if (!facts->wanted)
		return;
	if (facts->inexact_queues)
		why_inexact(facts, notes);
	if (facts->stamp == RXAQM_STAMP_NONE)
		why_none(facts, notes);
	else
		why_missing(facts, notes);
}

static void look_at_queue(struct rxaqm_note_facts *facts, const struct rxaqm_iface *iface,
			  unsigned int number, const struct rxaqm_policy *policy,
			  const struct rxaqm_queue *q, __u64 now_ns)
{
	__u64 age_ns = rxaqm_ns_since(now_ns, q->sample_ns);

	facts->socket_queues += rxaqm_socket_serves(q);
	if (policy->mode == RXAQM_MODE_OFF || policy->signal == RXAQM_SIGNAL_BUSY)
		return;
	if (!rxaqm_socket_lets_stamps_be(iface, q)) {
		if (!rxaqm_policy_by_polls(policy) && !facts->strict_queues++)
			facts->strict_queue = number;
		return;
	}
	facts->wanted = true;
	if (rxaqm_policy_by_polls(policy))
		facts->lenient = true;
	else
		facts->strict = true;
	if ((q->flags & RXAQM_QUEUE_SAMPLED) && q->sample_err_ns > rxaqm_queue_target_ns(q) / 2 &&
	    !facts->inexact_queues++) {
		facts->inexact_queue = number;
		facts->inexact_ns = q->sample_err_ns;
		facts->inexact_target_ns = rxaqm_queue_target_ns(q);
	}
	if (!rxaqm_queue_unstamped(q))
		return;
	facts->missing = true;
	/* The shortest time is what is true of all of them. */
	if (q->sample_ns && (!facts->missed_ever || age_ns < facts->missing_ns)) {
		facts->missed_ever = true;
		facts->missing_ns = age_ns;
	}
}

/* Counters are those since attach: fewer packets than that say little. */
#define ACK_PACKETS_MIN 1000

static void look_for_acks(struct rxaqm_note_facts *facts, unsigned int number,
			  const struct rxaqm_policy *policy, const struct rxaqm_queue *q)
{
	__u64 acks = q->stat[RXAQM_STAT_OVER_ACK];
	__u64 over = acks + q->stat[RXAQM_STAT_OVER_EXEMPT] + q->stat[RXAQM_STAT_OVER_CE] +
		     q->stat[RXAQM_STAT_OVER_ECT0] + q->stat[RXAQM_STAT_OVER_ECT1] +
		     q->stat[RXAQM_STAT_OVER_NECT];

	if (!(q->flags & RXAQM_QUEUE_STANDING) || over < ACK_PACKETS_MIN || acks <= over / 2)
		return;
	if (facts->ack_queues++)
		return;
	facts->ack_queue = number;
	facts->ack_percent = (unsigned int)(acks * 100 / over);
	facts->ack_kept = policy->ack == RXAQM_ACK_KEEP || policy->law != RXAQM_LAW_AUTO;
}

static void look_for_exempt(struct rxaqm_note_facts *facts, unsigned int number,
			    const struct rxaqm_queue *q, __u64 now_ns)
{
	unsigned int percent = rxaqm_overload_exempt_percent(q, now_ns);

	if (!percent || facts->exempt_queues++)
		return;
	facts->exempt_queue = number;
	facts->exempt_percent = percent;
	rxaqm_exempt_words(&q->policy, facts->exempt);
}

/* The facts of @iface, which is called @ifname in the namespace entered. */
static void find_facts(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		       const char *ifname, struct rxaqm_note_facts *facts)
{
	__u64 now_ns = rxaqm_now_ns();
	unsigned int i;

	*facts = (struct rxaqm_note_facts){
		.ifname = ifname,
		.profile = iface->profile,
		.hint = iface->flags & RXAQM_IFACE_HINT,
		.stamp = iface->stamp,
		.filter = rxaqm_stamps_filter(iface),
		.generic = iface->flags & RXAQM_IFACE_GENERIC,
		.no_sockets = !rxaqm_afxdp_pinned(),
		.bare = iface->flags & RXAQM_IFACE_BARE,
	};
	for (i = 0; i < iface->nr_queues; i++) {
		/* A copy: the packet path goes on. */
		const struct rxaqm_queue q = *rxaqm_state_queue(state, iface, i);

		look_at_queue(facts, iface, i, rxaqm_state_policy(state, iface, i), &q, now_ns);
		look_for_acks(facts, i, rxaqm_state_policy(state, iface, i), &q);
		look_for_exempt(facts, i, &q, now_ns);
		if (q.policy.mode == RXAQM_MODE_OBSERVE && rxaqm_overload_standing(&q, now_ns) &&
		    !facts->standing_queues++)
			facts->standing_queue = i;
	}
	if (!facts->wanted || iface->stamp == RXAQM_STAMP_TSTAMP)
		return;
	facts->stamps_all = rxaqm_nic_coverage(ifname) == RXAQM_COVERAGE_ALL;
	facts->stamps_some = rxaqm_nic_coverage(ifname) > RXAQM_COVERAGE_NONE;
	if (rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &facts->config))
		facts->config.rx_filter = -1;
}

void rxaqm_notes_out(struct rxaqm_out *out, const struct rxaqm_state *state,
		     const struct rxaqm_iface *iface, const char *ifname, bool here)
{
	struct rxaqm_notes notes = {};
	struct rxaqm_note_facts facts;
	unsigned int i;

	if (here) {
		find_facts(state, iface, ifname, &facts);
		rxaqm_notes_write(&facts, &notes);
	}
	rxaqm_out_array(out, "notes");
	for (i = 0; i < notes.nr; i++)
		rxaqm_out_str(out, NULL, "  note: %s\n", notes.text[i]);
	rxaqm_out_end(out);
}
