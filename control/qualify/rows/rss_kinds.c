/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/rss.h"

#include <math.h>

#define FLOWS 256
#define ENOUGH (FLOWS / 100 * 98)
#define MAX_QUEUES 1024

struct kind_flows {
	unsigned int came, most, used; /* frames; of one queue; queues that had some */
};

static int count_kind(struct qualify_run *run, enum qualify_kind kind, unsigned int queues,
		      __u32 pps, struct kind_flows *flows, struct rxaqm_error *error)
{
	struct qualify_send send = QUALIFY_SEND(.kind = kind, .count = FLOWS, .flows = FLOWS,
						.pps = pps, .max_ms = 10000);
	unsigned int count[MAX_QUEUES] = {}, i;
	struct qualify_sent sent;
	int err;

	*flows = (struct kind_flows){};
	qualify_probe_clear(&run->probe);
	qualify_probe_orders(&run->probe)->drop = 1;
	err = qualify_traffic(run, &send, NULL, &sent, error);
	for (i = 0; !err && i < FLOWS; i++) {
		const struct qualify_seen *seen = qualify_probe_seen(&run->probe, send.first + i);

		if (!seen || !seen->xdp_ns || seen->queue >= queues)
			continue;
		flows->came++;
		flows->used += !count[seen->queue]++;
		if (count[seen->queue] > flows->most)
			flows->most = count[seen->queue];
	}
	return err;
}

static void put_spread(struct qualify_row *row, const char *name, const char *what,
		       unsigned int queues, const struct kind_flows *flows)
{
	struct qualify_figure *figure = qualify_figure_add(row, name, "",
							   "as spread, of %u flows of %s", FLOWS,
							   what);

	if (flows->came < ENOUGH)
		qualify_figure_words(figure, "unknown: %u of %u frames came", flows->came, FLOWS);
	else
		qualify_figure_number(figure, (double)flows->most * queues / flows->came,
				      flows->came, NAN);
}

static int put_tunnels(struct qualify_run *run, struct qualify_row *row, unsigned int queues,
		       __u32 pps, struct rxaqm_error *error)
{
	static const struct {
		const char *figure;
		enum qualify_kind inner, outer;
	} tunnels[] = { { "hash_vxlan", QUALIFY_VXLAN, QUALIFY_VXLAN_OUTER },
			{ "hash_gre", QUALIFY_GRE, QUALIFY_GRE_OUTER },
			{ "hash_ipip", QUALIFY_IPIP, QUALIFY_IPIP_OUTER } };
	struct kind_flows inner, outer;
	struct qualify_figure *figure;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < sizeof(tunnels) / sizeof(tunnels[0]) && !*run->stop; i++) {
		err = count_kind(run, tunnels[i].inner, queues, pps, &inner, error);
		if (!err)
			err = count_kind(run, tunnels[i].outer, queues, pps, &outer, error);
		if (err)
			break;
		if (!i)
			put_spread(row, "spread_tunnel", "UDP in one VXLAN tunnel", queues, &inner);
		figure = qualify_figure_add(row, tunnels[i].figure, "",
					    "queues of %u flows that differ in the tunnel, and of as "
					    "many that differ in its own headers",
					    FLOWS);
		if (inner.came < ENOUGH || outer.came < ENOUGH)
			qualify_figure_words(figure, "unknown: %u and %u of %u frames came",
					     inner.came, outer.came, FLOWS);
		else
			qualify_figure_words(figure, "%s: %u and %u queues",
					     inner.used > 1 && outer.used > 1 ? "both" :
					     inner.used > 1		      ? "inner" :
					     outer.used > 1		      ? "outer" :
										"none",
					     inner.used, outer.used);
	}
	return err;
}

int qualify_put_rss_kinds(struct qualify_run *run, struct qualify_row *row, unsigned int queues,
			  __u32 pps, struct rxaqm_error *error)
{
	struct kind_flows flows;
	int err = count_kind(run, QUALIFY_VLAN, queues, pps, &flows, error);

	if (!err)
		put_spread(row, "spread_vlan", "tagged UDP", queues, &flows);
	if (!err)
		err = count_kind(run, QUALIFY_FRAGMENT, queues, pps, &flows, error);
	if (!err)
		put_spread(row, "spread_fragment", "later fragments, which have no ports", queues,
			   &flows);
	return err ? err : put_tunnels(run, row, queues, pps, error);
}
