/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status_notes.h"

#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/now.h"
#include "attach/plan.h"
#include "nic/nic.h"
#include "attach/xdp.h"
#include "figures/figures.h"
#include "overload/overload.h"
#include "base/parse.h"
#include "attach/sockets.h"
#include "attach/stamps.h"
#include "state/trial.h"

/* Add a note that is true of @queues, if there are any, or (NULL) of the interface. */
static void __attribute__((format(printf, 3, 4)))
add(struct rxaqm_out *out, const struct rxaqm_note_queues *queues, const char *fmt, ...)
{
	char text[400];
	int len = 0;
	va_list args;

	if (queues && !queues->nr)
		return;
	if (queues)
		len = snprintf(text, sizeof(text),
			       queues->nr > 1 ? "queue %u, and %u more: " : "queue %u: ",
			       queues->first, queues->nr - 1);
	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - (size_t)len, fmt, args);
	va_end(args);
	rxaqm_out_str(out, NULL, "  note: %s\n", text);
}

/* What happens to packets without stamps. */
static const char *consequence(const struct rxaqm_note_facts *facts)
{
	if (!facts->strict)
		return "acting on busy";
	return facts->lenient ?
		       "queues with signal=auto act on busy, the others let everything pass" :
		       "everything passes";
}

/* There were no stamps from the start. */
static void why_none(const struct rxaqm_note_facts *facts, struct rxaqm_out *out)
{
	const char *ifname = facts->ifname;

	if (facts->coverage == RXAQM_COVERAGE_ALL)
		add(out, NULL,
		    "no stamps: \"%s\" can stamp all packets, but profile \"%s\" has no "
		    "TimestampField, which says where to find them; %s",
		    ifname, facts->iface.profile, consequence(facts));
	else if (facts->coverage > RXAQM_COVERAGE_NONE)
		add(out, NULL,
		    "no stamps: \"%s\" can stamp some packets (PTP, see \"ethtool -T %s\"), "
		    "but not all; %s",
		    ifname, ifname, consequence(facts));
	else if (facts->strict)
		add(out, NULL, "no stamps: \"%s\" has no Rx timestamps; %s", ifname,
		    consequence(facts));
}

/* Someone else has changed the timestamp configuration. */
static void who_changed(const struct rxaqm_note_facts *facts, const char *missing,
			struct rxaqm_out *out)
{
	const char *signal = facts->lenient			   ? "auto" :
			     facts->iface.flags & RXAQM_IFACE_HINT ? "hint" :
								     "stamp";

	if (facts->config.rx_filter == HWTSTAMP_FILTER_NONE)
		add(out, NULL,
		    "%s: hardware timestamping of \"%s\" is off, turned off by someone else; %s; "
		    "\"rxaqm policy set %s signal=%s\" turns it on again",
		    missing, facts->ifname, consequence(facts), facts->ifname, signal);
	else
		add(out, NULL,
		    "%s: hardware timestamping of \"%s\" was changed by someone else, to stamps of "
		    "%s (rx_filter %d); %s; \"rxaqm policy set %s signal=%s\" has all packets "
		    "stamped again",
		    missing, facts->ifname, rxaqm_stamps_words(facts->config.rx_filter),
		    facts->config.rx_filter, consequence(facts), facts->ifname, signal);
}

static void why_missing(const struct rxaqm_note_facts *facts, struct rxaqm_out *out)
{
	char missing[64] = "stamps missing";
	bool hardware = facts->iface.stamp == RXAQM_STAMP_HWTSTAMP;
	__s32 filter = rxaqm_stamps_filter(&facts->iface);

	if (facts->missing_ns)
		snprintf(missing, sizeof(missing), "stamps missing for %s",
			 rxaqm_duration(facts->missing_ns));
	if (hardware && facts->coverage != RXAQM_COVERAGE_ALL)
		add(out, NULL,
		    "\"%s\" does not say that it stamps all packets (\"ethtool -T %s\"); without "
		    "a stamp: %s",
		    facts->ifname, facts->ifname, consequence(facts));
	else if (hardware && facts->config.rx_filter >= 0 && facts->config.rx_filter != filter)
		who_changed(facts, missing, out);
	else if (hardware && facts->config.rx_filter >= 0 && filter != HWTSTAMP_FILTER_ALL)
		add(out, NULL,
		    "stamps of all packets of \"%s\" were asked for, but the driver granted rx_filter "
		    "%d; without a stamp: %s",
		    facts->ifname, filter, consequence(facts));
	else if (facts->missing)
		add(out, NULL, "%s%s%s%s; %s", missing,
		    hardware ? ", although hardware timestamping of \"" : "",
		    hardware ? facts->ifname : "", hardware ? "\" is on" : "", consequence(facts));
}

/* Stamps come, but they are too inexact. */
static void why_inexact(const struct rxaqm_note_facts *facts, struct rxaqm_out *out)
{
	add(out, &facts->inexact,
	    "the NIC clock's error of %s is over half the target of %s; %s; "
	    "\"rxaqm run\" reads the clock itself, where the NIC has one (\"rxaqm status %s\")",
	    rxaqm_duration(facts->inexact_ns / 1000 * 1000),
	    rxaqm_duration(facts->inexact_target_ns),
	    !facts->strict ?
		    "acting on busy" :
	    facts->lenient ?
		    "acting on busy with signal=auto, else on the sojourn less that error" :
		    "acting on the sojourn less that error",
	    facts->ifname);
}

/* Queues that sockets serve. */
static void about_sockets(const struct rxaqm_note_facts *facts, struct rxaqm_out *out)
{
	add(out, &facts->strict_sockets,
	    "packets go to a socket, where signal=stamp sees none of them; it uses the consumer's "
	    "wait alone; signal=auto uses busy, too");
	if (facts->no_sockets)
		add(out, NULL,
		    "this kernel has no AF_XDP (CONFIG_XDP_SOCKETS): no queue can go to a socket; "
		    "all else works");
	if (facts->sockets && facts->iface.flags & RXAQM_IFACE_BARE)
		add(out, NULL,
		    "no metadata in front of packets for sockets: this kernel does not run a program "
		    "that puts it there under the dispatcher of the installed libxdp; detach, then "
		    "attach with libxdp 1.5.5 or newer, or with LIBXDP_SKIP_DISPATCHER=1 in the "
		    "environment, so that no other program can be beside it");
}

/* Features that this kernel lacks. */
static void about_kernel(const struct rxaqm_note_facts *facts, struct rxaqm_out *out)
{
	if (facts->no_stamps)
		add(out, NULL,
		    "this kernel is older than 5.13, so its BPF lacks timestamps, generic mode "
		    "and sharing the interface by libxdp's dispatcher; and all but plain frames "
		    "(VLAN tags, IP options, extension headers) pass as exempt");
	else if (facts->no_fragments)
		add(out, NULL,
		    "this kernel is older than 5.18, and gives XDP no frames in fragments: the "
		    "driver refuses or drops frames that do not fit a page; all else works");
}

void rxaqm_notes_write(const struct rxaqm_note_facts *facts, struct rxaqm_out *out)
{
	if (facts->unseen)
		add(out, NULL,
		    "received %llu packets, of which the XDP program saw none: the driver has lost "
		    "it; detach, then attach again",
		    facts->unseen);
	if (facts->lost[0])
		add(out, NULL, "%s", facts->lost);
	if (facts->outgrown)
		add(out, NULL,
		    "%s, but rxaqm uses what was there at attach; \"rxaqm detach %s\", then "
		    "\"rxaqm attach %s%s\", with its settings, uses what is there now",
		    facts->outgrown, facts->ifname,
		    facts->iface.flags & RXAQM_IFACE_GENERIC ? "--mode generic " : "",
		    facts->ifname);
	if (facts->before_rps)
		add(out, NULL,
		    "RPS is on: packets that wait may stand in the CPUs' backlogs, behind native mode, "
		    "which does not see them; \"rxaqm detach %s\", then \"rxaqm attach --mode generic "
		    "--key cpu %s\", makes those the queues",
		    facts->ifname, facts->ifname);
	if (facts->iface.flags & RXAQM_IFACE_HINT)
		add(out, NULL,
		    "the XDP program is bound to \"%s\", so that no other can run beside it; "
		    "\"rxaqm detach %s\", then \"rxaqm attach %s signal=stamp\", shares by libxdp's "
		    "dispatcher",
		    facts->ifname, facts->ifname, facts->ifname);
	add(out, &facts->exempt,
	    "exempt traffic holds it over target (%u %% of its packets), and law=codel cannot help; "
	    "exempt are %s",
	    facts->exempt_percent, facts->exempt_words);
	add(out, &facts->acks, "%u %% of the packets over target are pure ACKs%s",
	    facts->ack_percent,
	    facts->ack_kept ? ", of which the redundant ones pass, too; law=auto with ack=thin "
			      "drops those first" :
			      "; ack=thin drops the redundant ones");
	about_sockets(facts, out);
	about_kernel(facts, out);
	if (facts->iface.flags & RXAQM_IFACE_GENERIC)
		add(out, NULL,
		    "generic mode: the kernel does no GRO for packets of \"%s\" while a program is "
		    "there, which costs TCP that is received here throughput (README, Limits); "
		    "native mode does not",
		    facts->ifname);
	if (facts->way_out[0])
		add(out, NULL, "merge=on does nothing, so GRO merges less: %s", facts->way_out);
	/* Other programs, such as doctor, know more about why a queue stands. */
	add(out, &facts->standing,
	    "stands, and is only observed; \"rxaqm doctor %s\" looks for the cause", facts->ifname);
	if ((!facts->lenient && !facts->strict) || facts->no_stamps)
		return;
	why_inexact(facts, out);
	if (facts->iface.stamp == RXAQM_STAMP_NONE)
		why_none(facts, out);
	else
		why_missing(facts, out);
}

/* Count a queue. Returns whether it is the first. */
static bool count_first(struct rxaqm_note_queues *queues, unsigned int number)
{
	if (!queues->nr)
		queues->first = number;
	return !queues->nr++;
}

static void look_for_stamps(struct rxaqm_note_facts *facts, const struct rxaqm_figures *figures)
{
	const struct rxaqm_policy *policy = &figures->policy;
	const struct rxaqm_queue *q = &figures->queue;
	__u64 age_ns = rxaqm_ns_since(figures->now_ns, q->sample_ns);

	if (policy->mode == RXAQM_MODE_OFF || policy->signal == RXAQM_SIGNAL_BUSY)
		return;
	if (!rxaqm_socket_lets_stamps_be(&facts->iface, q)) {
		if (!rxaqm_policy_by_polls(policy))
			count_first(&facts->strict_sockets, figures->number);
		return;
	}
	if (rxaqm_policy_by_polls(policy))
		facts->lenient = true;
	else
		facts->strict = true;
	if (figures->sampled && q->sample_err_ns > q->target_ns / 2 &&
	    count_first(&facts->inexact, figures->number)) {
		facts->inexact_ns = q->sample_err_ns;
		facts->inexact_target_ns = q->target_ns;
	}
	if (!figures->unstamped)
		return;
	facts->missing = true;
	/* The shortest time is true of all of them. */
	if (q->sample_ns && (!facts->missing_ns || age_ns < facts->missing_ns))
		facts->missing_ns = age_ns;
}

/* Counters are since attach: fewer packets than this say little. */
#define ACK_PACKETS_MIN 1000

static void look_for_acks(struct rxaqm_note_facts *facts, const struct rxaqm_figures *figures)
{
	const struct rxaqm_policy *policy = &figures->policy;
	const struct rxaqm_queue *q = &figures->queue;
	__u64 acks = q->stat[RXAQM_STAT_OVER_ACK];
	__u64 over = acks + q->stat[RXAQM_STAT_OVER_EXEMPT] + q->stat[RXAQM_STAT_OVER_CE] +
		     q->stat[RXAQM_STAT_OVER_ECT0] + q->stat[RXAQM_STAT_OVER_ECT1] +
		     q->stat[RXAQM_STAT_OVER_NOT_ECT];

	if (!figures->standing || over < ACK_PACKETS_MIN || acks <= over / 2 ||
	    !count_first(&facts->acks, figures->number))
		return;
	facts->ack_percent = (unsigned int)(acks * 100 / over);
	facts->ack_kept = policy->ack == RXAQM_ACK_KEEP || policy->law != RXAQM_LAW_AUTO;
}

static void look_for_exempt(struct rxaqm_note_facts *facts, const struct rxaqm_figures *figures)
{
	unsigned int percent = rxaqm_overload_exempt_percent(&figures->queue, figures->now_ns);

	if (!percent || !count_first(&facts->exempt, figures->number))
		return;
	facts->exempt_percent = percent;
	rxaqm_exempt_words(&figures->queue.policy, facts->exempt_words);
}

void rxaqm_notes_look(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      const char *ifname, struct rxaqm_note_facts *facts)
{
	struct rxaqm_figures figures;
	bool merges = false;
	unsigned int i;

	*facts = (struct rxaqm_note_facts){
		.ifname = ifname,
		.iface = *iface,
		.no_sockets = !rxaqm_afxdp_pinned(),
		.no_fragments = !rxaqm_kernel_has_fragments(),
		.no_stamps = !rxaqm_kernel_is_whole(),
		.before_rps = !(iface->flags & RXAQM_IFACE_GENERIC) && rxaqm_nic_has_rps(ifname),
		.outgrown = rxaqm_entry_outgrown(iface, ifname),
	};
	for (i = 0; i < iface->nr_queues; i++) {
		rxaqm_figures_take(state, iface, i, rxaqm_now_ns(), &figures);
		facts->sockets |= rxaqm_socket_serves(&figures.queue);
		look_for_stamps(facts, &figures);
		look_for_acks(facts, &figures);
		look_for_exempt(facts, &figures);
		if (figures.queue.policy.mode == RXAQM_MODE_OBSERVE && figures.standing)
			count_first(&facts->standing, i);
		merges |= figures.policy.merge && figures.policy.law == RXAQM_LAW_AUTO &&
			  figures.policy.mode == RXAQM_MODE_ENFORCE;
	}
	if (merges && iface->flags & RXAQM_IFACE_LEAVES && !(iface->flags & RXAQM_IFACE_GENERIC))
		rxaqm_way_out(ifname, facts->way_out);
	rxaqm_fragments_lost(iface, ifname, facts->lost);
	if ((!facts->lenient && !facts->strict) || iface->stamp == RXAQM_STAMP_TSTAMP)
		return;
	facts->coverage = rxaqm_nic_coverage(ifname);
	if (rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &facts->config))
		facts->config.rx_filter = -1;
}

static void about_trial(const struct rxaqm_iface *iface, const char *ifname, struct rxaqm_out *out)
{
	struct rxaqm_trial_note trial;
	__u64 now_ns = rxaqm_now_ns();

	if (!rxaqm_trial_look(iface, &trial))
		return;
	if (trial.going_on)
		add(out, NULL,
		    "a trial switches its policy (\"rxaqm trial\", process %d), for another %s; "
		    "\"kill -INT %d\" ends it, and puts back what was there",
		    trial.pid,
		    rxaqm_duration(
			    rxaqm_ns_after(trial.until_ns, now_ns) ? trial.until_ns - now_ns : 0),
		    trial.pid);
	else
		add(out, NULL,
		    "a trial that was killed has left its policy; \"rxaqm trial --restore %s\" puts "
		    "back what was there",
		    ifname);
}

void rxaqm_notes_out(struct rxaqm_out *out, const struct rxaqm_iface *iface, const char *ifname,
		     const struct rxaqm_note_facts *facts)
{
	rxaqm_out_array(out, "notes");
	about_trial(iface, ifname, out);
	if (facts)
		rxaqm_notes_write(facts, out);
	rxaqm_out_end(out);
}
