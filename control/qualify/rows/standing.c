/* SPDX-License-Identifier: GPL-2.0-only */
/* Q11: the standing queue, without rxaqm and with it. */
#include <math.h>
#include <stdio.h>

#include "state/locate.h"
#include "base/now.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"
#include "figures/figures.h"

#define MS 1500
#define SETTLED 0.5 /* share of the time; count only what comes later */
#define IDLE_FRAMES 100

static const struct {
	const char *name;
	double load;
} loads[] = { { "120", 1.2 }, { "150", 1.5 }, { "300", 3 } };

struct stood {
	struct qualify_samples ns;
	double lost, error_ns;
};

/* The time of a frame from sender to stack without a queue. From another host it also has the
 * offset of that clock; on this host it is 0, as the path is known.
 */
struct idle {
	double sent_ns, least_ns, typical_ns;
};

static int find_idle(struct qualify_run *run, struct idle *idle)
{
	struct qualify_send send = QUALIFY_SEND(.count = IDLE_FRAMES, .pps = 1000);
	struct qualify_samples took = {};
	const struct qualify_seen *seen;
	struct qualify_sent sent;
	__u32 i;
	int err;

	*idle = (struct idle){};
	if (run->peer.same_host)
		return 0;
	err = qualify_traffic(run, &send, NULL, &sent);
	qualify_each_seen(i, seen, run, send.first, err ? 0 : IDLE_FRAMES)
	{
		if (!seen->stack_ns)
			continue;
		idle->sent_ns = (double)seen->sent_ns;
		qualify_samples_add(&took, (double)(__s64)(seen->stack_ns - seen->sent_ns));
	}
	qualify_samples_sort(&took);
	idle->least_ns = qualify_samples_quantile(&took, 0);
	idle->typical_ns = qualify_samples_quantile(&took, 0.5) - idle->least_ns;
	if (!err && !took.nr)
		err = qualify_failed(run, ENODATA, "nothing came on an idle queue");
	qualify_samples_free(&took);
	return err;
}

/* The delay of frame @seen; the sender's clock may have another rate. */
static double took_ns(const struct qualify_seen *seen, const struct idle *from,
		      const struct idle *to)
{
	double span = to->sent_ns - from->sent_ns;
	double part = span > 0 ? ((double)seen->sent_ns - from->sent_ns) / span : 0;

	return (double)(__s64)(seen->stack_ns - seen->sent_ns) - from->least_ns -
	       part * (to->least_ns - from->least_ns);
}

/* By the time the stack sees a frame: here XDP belongs to rxaqm. */
static void take_stood(struct qualify_run *run, const struct qualify_send *send, __u32 sent,
		       const struct idle *from, const struct idle *to, struct stood *stood)
{
	__u32 i, n = (__u32)((double)sent * (1 - SETTLED));
	const struct qualify_seen *seen;

	n = n > QUALIFY_SEEN / 2 ? QUALIFY_SEEN / 2 : n;
	qualify_each_seen(i, seen, run, send->first + sent - n, n)
	{
		if (seen->stack_ns)
			qualify_samples_add(&stood->ns, took_ns(seen, from, to));
	}
	stood->lost = n ? 1 - (double)stood->ns.nr / n : NAN;
	stood->error_ns = fmax(1000, fmax(from->typical_ns, to->typical_ns));
}

static int overload(struct qualify_run *run, double load, double capacity_pps, __u32 cost_ns,
		    struct stood *stood)
{
	double pps = load * capacity_pps;
	struct qualify_send send = QUALIFY_SEND(.max_ms = MS, .burst = 16);
	struct idle from, to;
	struct qualify_sent sent;
	int err = find_idle(run, &from);

	send.pps = load < 2.9 ? (__u32)pps : 0;
	send.count = (__u32)((send.pps ? pps : run->peer_pps) * MS / 1000);
	qualify_probe_clear(&run->probe);
	run->probe.orders->cost_ns = cost_ns;
	if (!err)
		err = qualify_traffic(run, &send, NULL, &sent);
	run->probe.orders->cost_ns = 0;
	if (!err)
		err = find_idle(run, &to);
	if (!err)
		take_stood(run, &send, (__u32)sent.count, &from, &to, stood);
	return err;
}

static int all_loads(struct qualify_run *run, struct qualify_row *row, bool on, double capacity_pps,
		     __u32 cost_ns)
{
	struct qualify_figure *figure;
	char name[32];
	int err = 0;
	size_t i;

	for (i = 0; !err && i < 3; i++) {
		struct stood stood = {};

		err = overload(run, loads[i].load, capacity_pps, cost_ns, &stood);
		if (!err && !stood.ns.nr)
			err = qualify_failed(run, ENODATA,
					     "nothing came at %.1f times of the capacity",
					     loads[i].load);
		if (!err) {
			snprintf(name, sizeof(name), "standing_%s_%s", on ? "on" : "off",
				 loads[i].name);
			figure = qualify_figure_add(
				row, name, "ns",
				"from the sender to the stack%s, %.1f times of %.0f packets/s, UDP, "
				"%s",
				run->peer.same_host ? "" : ", less the least of idle frames",
				loads[i].load, capacity_pps,
				on ? "rxaqm enforcing" : "without rxaqm");
			qualify_figure_samples(figure, &stood.ns, stood.error_ns);
			snprintf(name, sizeof(name), "%.1f times, %s", loads[i].load,
				 on ? "with rxaqm" : "without");
			qualify_curve_cdf(figure, name, &stood.ns);
			snprintf(name, sizeof(name), "lost_%s_%s", on ? "on" : "off",
				 loads[i].name);
			qualify_put_number(row, name, "share", stood.lost, stood.ns.nr, NAN,
					   "the same; of the second half");
		}
		qualify_samples_free(&stood.ns);
	}
	return err;
}

/* The target and signal that rxaqm had at the end. */
static void put_target(struct qualify_run *run, struct qualify_row *row)
{
	struct rxaqm_state state = RXAQM_STATE_NONE;
	const struct rxaqm_iface *iface = NULL;
	struct rxaqm_figures figures;

	if (!rxaqm_state_open(&state, false, NULL))
		iface = rxaqm_iface_find(&state, run->ifname, NULL);
	if (iface && run->rx_queue < iface->nr_queues) {
		rxaqm_figures_take(&state, iface, run->rx_queue, rxaqm_now_ns(), &figures);
		qualify_put_number(row, "target", "ns", (double)figures.target_ns, 1, 0,
				   "rxaqm status, after the last load");
		qualify_put_words(row, "signal", "rxaqm status", "%s",
				  rxaqm_signal_now_names[figures.signal]);
	}
	rxaqm_state_close(&state);
}

int qualify_row_standing(struct qualify_run *run, struct qualify_row *row)
{
	const char *settings = run->probe.native ? "mode=enforce" : "--mode=generic mode=enforce";
	double capacity_pps;
	__u32 cost_ns;
	int err, attached;

	err = qualify_slow_down(run, &cost_ns, &capacity_pps) ?:
		      all_loads(run, row, false, capacity_pps, cost_ns);
	qualify_probe_clear(&run->probe);
	if (err)
		return err;
	qualify_probe_xdp_off(&run->probe);
	attached = qualify_setting_change(&run->journal, QUALIFY_ATTACHED, "", settings);
	if (attached)
		return qualify_unknown(row, "\"rxaqm attach %s %s\" fails here; try it",
				       run->ifname, settings);
	qualify_part_veth(run);
	err = all_loads(run, row, true, capacity_pps, cost_ns);
	qualify_probe_clear(&run->probe);
	put_target(run, row);
	qualify_receivers_note(&run->probe.gone, "/proc");
	qualify_setting_change(&run->journal, QUALIFY_ATTACHED, "", "no");
	return err;
}
