/* SPDX-License-Identifier: GPL-2.0-only */
/* Q13: how flows are spread over queues. */
#include <linux/ethtool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/rows/traffic.h"

#define FLOWS 1024
#define KIND_FLOWS 256
#define PPS_LEAST 100
#define MAX_QUEUES 1024

/* What became of one frame of each flow. */
struct flows {
	unsigned int queues, sent, enough;
	unsigned int came, most, used; /* frames; most of one queue; queues with some */
	unsigned int right[2]; /* on the expected queue, if ports are not hashed, and if they are */
	unsigned int count[MAX_QUEUES]; /* by queue */
};

struct rss {
	__u8 key[64];
	__u32 *table; /* NULL: the driver does not tell it */
	__u32 table_size, key_size;
	bool told,
		ports; /* are hashed for UDP over IPv4, as the driver tells or as the result shows */
	bool toeplitz;
	struct ethtool_rxfh *read; /* owns the table */
};

static void read_rss(const char *ifname, struct rss *rss)
{
	struct ethtool_rxnfc fields = { .cmd = ETHTOOL_GRXFH, .flow_type = UDP_V4_FLOW };

	rss->told = !rxaqm_ethtool(ifname, &fields);
	rss->ports = rss->told && fields.data & (RXH_L4_B_0_1 | RXH_L4_B_2_3);
	if (rxaqm_ethtool_rss(ifname, &rss->read))
		return;
	rss->table_size = rss->read->indir_size;
	rss->table = rss->table_size ? rss->read->rss_config : NULL;
	rss->key_size = rss->read->key_size;
	if (rss->key_size > sizeof(rss->key))
		rss->key_size = sizeof(rss->key);
	memcpy(rss->key, rss->read->rss_config + rss->table_size, rss->key_size);
	rss->toeplitz = rss->read->hfunc & 1 && rss->key_size >= 16; /* RSS_HASH_TOP */
}

static __u32 expected(const struct rss *rss, bool ports, unsigned int flow)
{
	__u8 tuple[12];
	size_t size = qualify_frame_tuple(flow, ports, tuple);

	return rss->table[qualify_toeplitz(rss->key, tuple, size) % rss->table_size];
}

/* Put the spread of the flows that came as figure @name. */
static struct qualify_figure *put_spread(struct qualify_row *row, const char *name,
					 const char *what, const struct flows *flows)
{
	struct qualify_figure *figure =
		qualify_figure_add(row, name, "",
				   "largest share of a queue over the mean, %u flows of %s",
				   flows->came, what);

	if (flows->came < flows->enough)
		qualify_figure_detail(figure, "unknown", "%u of %u frames came", flows->came,
				      flows->sent);
	else
		qualify_figure_number(figure, (double)flows->most * flows->queues / flows->came,
				      flows->came, NAN);
	qualify_figure_of(figure, flows->sent);
	return figure;
}

static void put_queues(struct qualify_figure *figure, const struct flows *flows)
{
	struct rxaqm_curve *curve = qualify_curve_add(figure, "flows by queue", "queue", "share");
	double mean = (double)flows->came / flows->queues, squares = 0;
	unsigned int i;

	for (i = 0; i < flows->queues; i++) {
		squares += (flows->count[i] - mean) * (flows->count[i] - mean);
		qualify_curve_point(curve, i, (double)flows->count[i] / flows->came);
	}
	if (figure)
		figure->cv = sqrt(squares / flows->queues) / mean;
}

/* One frame of each of @nr flows of @kind. */
static int count_flows(struct qualify_run *run, enum qualify_kind kind, unsigned int nr, __u32 pps,
		       const struct rss *rss, struct flows *flows)
{
	struct qualify_send send = QUALIFY_SEND(.kind = kind, .count = nr, .flows = nr, .pps = pps,
						.max_ms = 10000);
	const struct qualify_seen *seen;
	struct qualify_sent sent;
	unsigned int i, ports;
	int err;

	*flows = (struct flows){ .queues = flows->queues, .sent = nr, .enough = nr / 100 * 98 };
	qualify_probe_clear(&run->probe);
	run->probe.orders->drop = 1;
	err = qualify_traffic(run, &send, NULL, &sent);
	qualify_each_seen(i, seen, run, send.first, err ? 0 : nr)
	{
		if (!seen->xdp_ns || seen->queue >= flows->queues)
			continue;
		flows->came++;
		flows->used += !flows->count[seen->queue]++;
		if (flows->count[seen->queue] > flows->most)
			flows->most = flows->count[seen->queue];
		for (ports = 0; ports < 2 && rss && rss->table && rss->toeplitz; ports++)
			flows->right[ports] += expected(rss, ports, i) == seen->queue;
	}
	return err;
}

/* Drivers may not tell whether ports are hashed: try both. */
static void put_known_answer(struct qualify_row *row, struct rss *rss, const struct flows *flows)
{
	unsigned int right;

	if (!rss->told)
		rss->ports = flows->right[1] > flows->right[0];
	right = flows->right[rss->ports];
	qualify_figure_detail(qualify_figure_add(row, "known_answer", "",
						 "queue of %u flows by key, table and Toeplitz over "
						 "addresses%s%s",
						 flows->came, rss->ports ? " and ports" : "",
						 rss->told ? "" :
							     ", which the driver does not tell"),
			      right * 100 >= flows->came * 99 ? "match" : "mismatch", "%u of %u",
			      right, flows->came);
}

static int put_tunnels(struct qualify_run *run, struct qualify_row *row, __u32 pps,
		       struct flows *inner)
{
	static const struct {
		const char *figure;
		enum qualify_kind inner, outer;
	} tunnels[] = { { "hash_vxlan", QUALIFY_VXLAN, QUALIFY_VXLAN_OUTER },
			{ "hash_gre", QUALIFY_GRE, QUALIFY_GRE_OUTER },
			{ "hash_ipip", QUALIFY_IPIP, QUALIFY_IPIP_OUTER } };
	static struct flows outer;
	struct qualify_figure *figure;
	int err = 0;
	size_t i;

	outer.queues = inner->queues;
	for (i = 0; !err && i < sizeof(tunnels) / sizeof(tunnels[0]) && !*run->stop; i++) {
		err = count_flows(run, tunnels[i].inner, KIND_FLOWS, pps, NULL, inner) ?:
			      count_flows(run, tunnels[i].outer, KIND_FLOWS, pps, NULL, &outer);
		if (err)
			break;
		figure = qualify_figure_add(row, tunnels[i].figure, "",
					    "queues of %u flows that differ in the tunnel, and of as "
					    "many that differ in its own headers",
					    KIND_FLOWS);
		if (inner->came < inner->enough || outer.came < outer.enough)
			qualify_figure_detail(figure, "unknown", "%u and %u of %u frames came",
					      inner->came, outer.came, KIND_FLOWS);
		else
			qualify_figure_detail(figure,
					      inner->used > 1 && outer.used > 1 ? "both" :
					      inner->used > 1			? "inner" :
					      outer.used > 1			? "outer" :
										  "none",
					      "%u and %u queues", inner->used, outer.used);
	}
	return err;
}

/* How other kinds of packets are spread, and by which part of tunnelled ones. */
static int put_kinds(struct qualify_run *run, struct qualify_row *row, __u32 pps,
		     struct flows *flows)
{
	static const struct {
		const char *figure, *what;
		enum qualify_kind kind;
	} kinds[] = { { "spread_vlan", "tagged UDP", QUALIFY_VLAN },
		      { "spread_fragment", "later fragments, which have no ports",
			QUALIFY_FRAGMENT } };
	int err = 0;
	size_t i;

	for (i = 0; !err && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		err = count_flows(run, kinds[i].kind, KIND_FLOWS, pps, NULL, flows);
		if (!err)
			put_spread(row, kinds[i].figure, kinds[i].what, flows);
	}
	return err ?: put_tunnels(run, row, pps, flows);
}

static int put_rss(struct qualify_run *run, struct qualify_row *row, struct rss *rss,
		   struct flows *flows)
{
	__u32 pps = 10000;
	int err;

	/* Losses of a slow or short queue would look like less use of it: slow down. */
	for (;; pps /= 8) {
		err = count_flows(run, QUALIFY_UDP4, FLOWS, pps, rss, flows);
		if (err || *run->stop || flows->came >= flows->enough || pps / 8 < PPS_LEAST)
			break;
	}
	if (err)
		return err;
	if (flows->came < flows->enough)
		return qualify_unknown(row, "%u of %u frames came, though %u a second were sent",
				       flows->came, FLOWS, pps);
	qualify_put_number(row, "queues", "count", flows->queues, 1, 0, "ethtool -l");
	if (rss->table)
		qualify_put_number(row, "table_size", "count", rss->table_size, 1, 0, "ethtool -x");
	else
		qualify_unknown(row, "the driver tells no table (ethtool -x)");
	if (rss->table && rss->toeplitz)
		put_known_answer(row, rss, flows);
	put_queues(put_spread(row, "spread", "UDP", flows), flows);
	return put_kinds(run, row, pps, flows);
}

int qualify_row_rss(struct qualify_run *run, struct qualify_row *row)
{
	unsigned int queues = run->facts.nr_rx + run->facts.nr_combined;
	static struct flows flows;
	struct rss rss = {};
	int err;

	if (!run->facts.channels_known || !queues)
		return qualify_unknown(row, "needs several Rx queues; the driver tells of none "
					    "(ethtool -l)");
	if (queues < 2 || queues > MAX_QUEUES)
		return qualify_unknown(
			row,
			"needs several Rx queues, and %u is in use: add some with ethtool -L, if the "
			"driver can",
			queues);
	read_rss(run->ifname, &rss);
	flows.queues = queues;
	err = put_rss(run, row, &rss, &flows);
	free(rss.read);
	return err;
}
