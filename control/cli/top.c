/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/top.h"

#include <string.h>

#include "base/now.h"
#include "report/law_figures.h"
#include "report/status_target.h"

static struct rxaqm_top_row *row_for(struct rxaqm_top *top, const char *interface,
				     unsigned int queue, unsigned int at)
{
	struct rxaqm_top_row *row = &top->row[at];
	unsigned int i;

	/* Rows keep their place unless interfaces come and go. */
	if (row->now_ns && row->queue == queue && !strcmp(row->interface, interface))
		return row;
	for (i = at; i < top->nr_rows; i++) {
		struct rxaqm_top_row other = top->row[i];

		if (other.queue != queue || strcmp(other.interface, interface))
			continue;
		top->row[i] = *row;
		*row = other;
		return row;
	}
	memset(row, 0, sizeof(*row));
	row->first = true;
	return row;
}

static void take_row(struct rxaqm_top *top, const struct rxaqm_iface *iface, const char *interface,
		     unsigned int queue, unsigned int at)
{
	struct rxaqm_top_row *row = row_for(top, interface, queue, at);
	__u64 now_ns = rxaqm_now_ns();

	snprintf(row->interface, sizeof(row->interface), "%s", interface);
	row->queue = queue;
	row->before = row->now;
	row->now = *rxaqm_state_queue(top->state, iface, queue);
	row->policy = *rxaqm_state_policy(top->state, iface, queue);
	rxaqm_socket_look(iface, &row->now, rxaqm_state_wait(top->state, iface, queue), NULL,
			  now_ns, &row->socket);
	if (row->first)
		row->before = row->now;
	row->first = false;
	row->seconds = row->now_ns ? (double)(now_ns - row->now_ns) / 1e9 : 0;
	row->now_ns = now_ns;
}

struct taking {
	struct rxaqm_top *top;
	unsigned int nr;
};

static int take_iface(const struct rxaqm_state *state, const struct rxaqm_iface *iface, void *arg)
{
	struct taking *taking = arg;
	char interface[RXAQM_IFNAMSIZ];
	unsigned int i;
	bool here;

	rxaqm_iface_name(iface, interface, &here);
	for (i = 0; i < iface->nr_queues; i++) {
		if (!rxaqm_queue_shows(iface, rxaqm_state_queue(state, iface, i)))
			continue;
		if (taking->nr == RXAQM_TOP_ROWS) {
			taking->top->rows_left_out = true;
			return 1;
		}
		take_row(taking->top, iface, interface, i, taking->nr++);
	}
	return 0;
}

void rxaqm_top_take(struct rxaqm_top *top)
{
	struct taking taking = { .top = top };

	top->rows_left_out = false;
	rxaqm_view_each(top->state, top->ifname, take_iface, &taking);
	top->nr_rows = taking.nr;
	top->taken_ns = rxaqm_now_ns();
}

static double rate(const struct rxaqm_top_row *row, enum rxaqm_stat stat)
{
	__u64 more = row->now.stat[stat] - row->before.stat[stat];

	return row->seconds > 0 ? (double)more / row->seconds : 0;
}

/* A counter and its shadow in observe mode; only one of the two moves at a time. */
#define rate_or_would(row, stat) (rate(row, RXAQM_STAT_##stat) + rate(row, RXAQM_STAT_WOULD_##stat))

void rxaqm_top_figures(const struct rxaqm_top_row *row, struct rxaqm_top_figures *f)
{
	struct rxaqm_law_figures law;

	f->pps = rate(row, RXAQM_STAT_PACKETS);
	f->ack_drop = rate_or_would(row, ACK_DROP);
	f->drop = rate_or_would(row, DROP) + f->ack_drop;
	f->mark = rate_or_would(row, ECN_MARK) + rate_or_would(row, CE_MARK);
	f->exempt = rate(row, RXAQM_STAT_OVER_EXEMPT);
	f->polls_drained = rate(row, RXAQM_STAT_POLLS_DRAINED);
	f->polls_busy = rate(row, RXAQM_STAT_POLLS_BUSY);
	f->ack = rate(row, RXAQM_STAT_OVER_ACK);
	f->ce = rate(row, RXAQM_STAT_OVER_CE) + rate(row, RXAQM_STAT_OVER_ECT0) +
		rate(row, RXAQM_STAT_OVER_ECT1);
	f->nect = rate(row, RXAQM_STAT_OVER_NECT);
	/* Packets are counted at the end of their poll, so they may lag behind by one. */
	f->low = f->pps - f->exempt - f->ack - f->ce - f->nect;
	if (f->low < 0)
		f->low = 0;
	rxaqm_law_figures(&row->now, 0, row->now_ns, &law);
	f->p = (double)law.p / RXAQM_LAW_ONE;
	f->p50_ns = rxaqm_hist_quantile_ns(row->now.hist, row->before.hist, 500);
	f->p99_ns = rxaqm_hist_quantile_ns(row->now.hist, row->before.hist, 990);
}

const char *rxaqm_top_header(void)
{
	return "interface        Q CPU     pps   drop   mark   expt      lo  NAPI   busy   q(ms) "
	       "p99(ms)     ACK      CE    nECT signal  target(ms)   p(%) mode";
}

const char *rxaqm_top_mode(const struct rxaqm_top_row *row, char buf[RXAQM_TOP_MODE])
{
	const char *mode = rxaqm_mode_name(&row->policy, row->now_ns);

	if (!rxaqm_socket_serves(&row->now))
		snprintf(buf, RXAQM_TOP_MODE, "%s", mode);
	else if (row->socket.wait_state != RXAQM_WAIT_VALID)
		snprintf(buf, RXAQM_TOP_MODE, "%s, xsk -", mode);
	else
		snprintf(buf, RXAQM_TOP_MODE, "%s, xsk %.2f ms", mode,
			 (double)row->socket.wait_ns / 1e6);
	return buf;
}

const char *rxaqm_top_line(const struct rxaqm_top_row *row, char buf[RXAQM_TOP_LINE])
{
	char mode[RXAQM_TOP_MODE];
	struct rxaqm_top_figures f;

	rxaqm_top_figures(row, &f);
	snprintf(buf, RXAQM_TOP_LINE,
		 "%-15s %2u %3u %7.0f %6.0f %6.0f %6.0f %7.0f %5.0f %6.0f %7.2f %7.2f %7.0f %7.0f "
		 "%7.0f %-6s %11.2f %6.1f %s",
		 row->interface, row->queue, row->now.cpu, f.pps, f.drop, f.mark, f.exempt, f.low,
		 f.polls_drained, f.polls_busy, (double)f.p50_ns / 1e6, (double)f.p99_ns / 1e6,
		 f.ack, f.ce, f.nect, rxaqm_queue_signal(&row->now, row->now_ns),
		 (double)rxaqm_status_target_ns(&row->now, &row->policy) / 1e6, f.p * 100,
		 rxaqm_top_mode(row, mode));
	return buf;
}
