/* SPDX-License-Identifier: GPL-2.0-only */
/* Q13: how flows are spread over queues. */
#include <linux/ethtool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/rows/rss.h"

#define FLOWS 1024
#define ENOUGH (FLOWS / 100 * 98)
#define PPS_LEAST 100
#define MAX_QUEUES 1024

struct rss {
	__u8 key[64];
	__u32 *table; /* NULL: the driver tells none */
	__u32 table_size, key_size;
	bool told,
		ports; /* of UDP over IPv4 are hashed, by what the driver tells, or by the result */
	bool toeplitz;
	struct ethtool_rxfh *read; /* has the table */
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

static void put_spread(struct qualify_row *row, const __u32 *count, unsigned int queues,
		       unsigned int came)
{
	double mean = (double)came / queues, squares = 0, most = 0;
	struct qualify_figure *figure;
	struct qualify_curve *curve;
	unsigned int i;

	figure = qualify_figure_add(row, "spread", "",
				    "largest share of a queue over the mean, %u flows of UDP",
				    came);
	curve = qualify_curve_add(figure, "flows by queue", "queue", "share");
	for (i = 0; i < queues; i++) {
		squares += ((double)count[i] - mean) * ((double)count[i] - mean);
		most = count[i] > most ? count[i] : most;
		qualify_curve_point(curve, i, (double)count[i] / came);
	}
	qualify_figure_number(figure, most / mean, came, NAN);
	qualify_figure_of(figure, FLOWS);
	if (figure)
		figure->cv = sqrt(squares / queues) / mean;
}

/* One frame of each flow. */
struct flows {
	__u32 count[MAX_QUEUES]; /* that came, by queue */
	unsigned int came, right[2]; /* by the expected one, without and with ports */
};

static int count_flows(struct qualify_run *run, struct qualify_send *send, const struct rss *rss,
		       unsigned int queues, struct flows *flows, struct rxaqm_error *error)
{
	struct qualify_sent sent;
	unsigned int i, ports;
	int err;

	*flows = (struct flows){};
	qualify_probe_clear(&run->probe);
	qualify_probe_orders(&run->probe)->drop = 1;
	err = qualify_traffic(run, send, NULL, &sent, error);
	for (i = 0; !err && i < FLOWS; i++) {
		const struct qualify_seen *seen = qualify_probe_seen(&run->probe, send->first + i);

		if (!seen || !seen->xdp_ns || seen->queue >= queues)
			continue;
		flows->came++;
		flows->count[seen->queue]++;
		for (ports = 0; ports < 2 && rss->table && rss->toeplitz; ports++)
			flows->right[ports] += expected(rss, ports, i) == seen->queue;
	}
	return err;
}

/* Drivers may not tell whether ports count. */
static void put_known_answer(struct qualify_row *row, struct rss *rss, const struct flows *flows)
{
	unsigned int right;

	if (!rss->told)
		rss->ports = flows->right[1] > flows->right[0];
	right = flows->right[rss->ports];
	qualify_figure_words(qualify_figure_add(row, "known_answer", "",
						"queue of %u flows by key, table and Toeplitz over "
						"addresses%s%s",
						flows->came, rss->ports ? " and ports" : "",
						rss->told ? "" :
							    ", which the driver does not tell"),
			     "%s: %u of %u", right * 100 >= flows->came * 99 ? "match" : "mismatch",
			     right, flows->came);
}

int qualify_row_rss(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error)
{
	struct qualify_send send = QUALIFY_SEND(.count = FLOWS, .flows = FLOWS, .pps = 10000,
						.max_ms = 10000);
	unsigned int queues = run->facts.nr_rx + run->facts.nr_combined;
	static struct flows flows;
	struct rss rss = {};
	int err;

	if (!run->facts.channels_known || !queues)
		return qualify_unknown(row, "needs several Rx queues; the driver tells of none "
					    "(ethtool -l)");
	if (queues < 2 || queues > MAX_QUEUES)
		return qualify_unknown(row,
				       "the interface has %u Rx queue(s): give it more by "
				       "ethtool -L, if it can",
				       queues);
	read_rss(run->ifname, &rss);
	/* What a slow or a short queue loses would make it look less in use. */
	do {
		err = count_flows(run, &send, &rss, queues, &flows, error);
		send.pps /= 8;
	} while (!err && !*run->stop && flows.came < ENOUGH && send.pps >= PPS_LEAST);
	if (!err && flows.came < ENOUGH)
		qualify_unknown(row, "%u of %u frames came, though %u a second were sent",
				flows.came, FLOWS, send.pps * 8);
	if (!err && flows.came >= ENOUGH) {
		qualify_put_number(row, "queues", "count", queues, 1, 0, "ethtool -l");
		if (rss.table)
			qualify_put_number(row, "table_size", "count", rss.table_size, 1, 0,
					   "ethtool -x");
		else
			qualify_unknown(row, "the driver tells no table (ethtool -x)");
		if (rss.table && rss.toeplitz)
			put_known_answer(row, &rss, &flows);
		put_spread(row, flows.count, queues, flows.came);
		err = qualify_put_rss_kinds(run, row, queues, send.pps * 8, error);
		if (!err)
			err = qualify_put_rekey(run, row, send.pps * 4, error);
	}
	free(rss.read);
	return err;
}
