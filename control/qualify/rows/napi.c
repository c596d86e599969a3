/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/napi.h"

#include <string.h>

#include "nic/netdev.h"

#define FLOWS 512
#define PPS 10000

/* Queues by the NAPI that most of them have, of @nr; 0: none has one that is known. *ret_known of
 * them have.
 */
static unsigned int most_of_one(const unsigned int *napi_id, unsigned int nr,
				unsigned int *ret_known)
{
	unsigned int most = 0, i, j, same;

	*ret_known = 0;
	for (i = 0; i < nr; i++) {
		*ret_known += napi_id[i] != 0;
		for (same = 0, j = 0; j < nr; j++)
			same += napi_id[i] && napi_id[j] == napi_id[i];
		most = same > most ? same : most;
	}
	return most;
}

/* What @napi_id of the queues says, as figure @name; false: nothing. */
static bool put(struct qualify_row *row, const char *name, const char *how,
		const unsigned int *napi_id, unsigned int queues)
{
	unsigned int known, most = most_of_one(napi_id, queues, &known);

	if (known < 2)
		return false;
	qualify_put_number(row, name, "count", most, known, 0,
			   "most Rx queues of one NAPI, of %u queues; %s", known, how);
	return true;
}

int qualify_put_rings(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error)
{
	struct qualify_send send = QUALIFY_SEND(.count = FLOWS, .flows = FLOWS, .pps = PPS);
	unsigned int queues = run->facts.nr_rx + run->facts.nr_combined, napi_id[QUALIFY_QUEUES];
	struct qualify_sent sent;
	int err;

	queues = queues > QUALIFY_QUEUES ? QUALIFY_QUEUES : queues;
	if (queues < 2)
		return 0; /* no two that could share one */
	if (rxaqm_netdev_rx_napis(run->probe.ifindex, queues, napi_id) > 0)
		put(row, "rings_per_napi_said", "netdev queue-get", napi_id, queues);
	qualify_probe_clear(&run->probe);
	err = qualify_traffic(run, &send, NULL, &sent, error);
	if (err)
		return err;
	memcpy(napi_id, (const void *)qualify_probe_progress(&run->probe)->napi_id,
	       queues * sizeof(*napi_id));
	if (!put(row, "rings_per_napi", "skb->napi_id of packets of many flows", napi_id, queues))
		qualify_figure_words(
			qualify_figure_add(row, "rings_per_napi", "count",
					   "skb->napi_id of packets of %u flows", FLOWS),
			"unknown: of two queues or more packets must come, by a driver that uses GRO");
	return 0;
}
