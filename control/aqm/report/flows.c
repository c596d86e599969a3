/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/flows.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/now.h"
#include "figures/figures.h"

void rxaqm_flows_ask(struct rxaqm_state *state, __u64 for_ns)
{
	state->meta->names_until_ns = rxaqm_now_ns() + for_ns;
}

static int by_level(const void *a, const void *b)
{
	const struct rxaqm_flow_name *x = a, *y = b;

	return (x->level < y->level) - (x->level > y->level);
}

/* Copy the flows of the queue at @index that were noted lately to @flows, the largest first. */
static unsigned int collect(const struct rxaqm_state *state, __u32 index,
			    struct rxaqm_flow_name flows[RXAQM_FLOW_NAMES])
{
	__u64 now_ns = rxaqm_now_ns();
	unsigned int nr = 0, i;

	for (i = 0; i < RXAQM_FLOW_NAMES; i++) {
		struct rxaqm_flow_name flow = state->name[i];

		if (flow.seen_ns && flow.index == index &&
		    (flow.version == 4 || flow.version == 6) &&
		    rxaqm_ns_since(now_ns, flow.seen_ns) < RXAQM_FLOWS_AGE_NS)
			flows[nr++] = flow;
	}
	qsort(flows, nr, sizeof(flows[0]), by_level);
	return nr;
}

/* The part of a level over the limit is what is dropped or marked. */
static __u32 excess(const struct rxaqm_flow_name *flow)
{
	return flow->level > flow->limit ? flow->level - flow->limit : 0;
}

/* Print "ADDRESS:PORT" of the source or (@end 1) the destination; without a port if there is none.
 */
static void end_out(struct rxaqm_out *out, const struct rxaqm_flow_name *flow, unsigned int end)
{
	static const char *const address_keys[] = { "source", "destination" };
	static const char *const port_keys[] = { "source_port", "destination_port" };
	bool ports = flow->protocol == IPPROTO_TCP || flow->protocol == IPPROTO_UDP;
	int family = flow->version == 4 ? AF_INET : AF_INET6;
	char address[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, flow->addresses + end * (family == AF_INET ? 4 : 16), address,
		  sizeof(address));
	rxaqm_out_text(out, end ? " > " : "      ");
	rxaqm_out_str(out, address_keys[end], family == AF_INET6 && ports ? "[%s]" : "%s", address);
	if (ports)
		rxaqm_out_u64(out, port_keys[end], ":%llu", ntohs(flow->ports[end]));
}

static void flow_out(struct rxaqm_out *out, const struct rxaqm_flow_name *flow,
		     const struct rxaqm_queue *q, __u64 all_excess)
{
	struct protoent *known = getprotobynumber(flow->protocol);
	char number[16];
	__u64 permille = all_excess ? 1000ULL * excess(flow) / all_excess : 0;

	snprintf(number, sizeof(number), "protocol %u", flow->protocol);
	rxaqm_out_object(out, NULL);
	end_out(out, flow, 0);
	end_out(out, flow, 1);
	rxaqm_out_str(out, "protocol", " %s", known ? known->p_name : number);
	rxaqm_out_u64(out, "pps", ": %llu/s", rxaqm_level_pps(&q->law, flow->level));
	rxaqm_out_u64(out, "limit_pps", NULL, rxaqm_level_pps(&q->law, flow->limit));
	rxaqm_out_u64(out, "drop_share_permille", NULL, permille);
	if (permille)
		rxaqm_out_text(out, ", %llu.%llu%% of what is over the limit", permille / 10,
			       permille % 10);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

void rxaqm_flows_out(struct rxaqm_out *out, const struct rxaqm_state *state, unsigned int index,
		     const struct rxaqm_queue *q)
{
	struct rxaqm_flow_name flows[RXAQM_FLOW_NAMES] = {};
	__u64 all_excess = 0;
	unsigned int nr = collect(state, index, flows), i;

	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		all_excess += excess(&flows[i]);
	rxaqm_out_array(out, "flows");
	for (i = 0; i < nr && i < RXAQM_FLOWS_SHOWN; i++)
		flow_out(out, &flows[i], q, all_excess);
	rxaqm_out_end(out);
}
