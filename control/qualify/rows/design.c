/* SPDX-License-Identifier: GPL-2.0-only */
/* Q1: do Tx completions wait behind received packets? */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "profile/profile.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"
#include "qualify/rows/tx.h"

#define TIMEOUT_NS (5 * RXAQM_NSEC_PER_SEC)
/* The share of packets waiting in the ring when a frame is sent that are taken before its
 * completion: all if completions are shared, up to one poll's if they are split. Use the round with
 * the second smallest share: when this process waits for its CPU, the share only grows.
 */
#define ROUNDS 9
#define ROUNDS_LEAST 5
#define EARLY (2.0 / ROUNDS)
#define SHARED_FROM 0.8
#define SPLIT_TO 0.5
#define RING_LEAST 256U /* entries: a poll takes 64 */
#define DRAIN_NS (100 * RXAQM_NSEC_PER_MSEC)

/* Hold the receiving CPU until packets fill the ring, send one frame, let go. *ret_share: the share
 * of those packets that was taken before the frame was given back. -ETIMEDOUT: a round failed.
 */
static int behind_held(struct qualify_run *run, struct qualify_sender *sender,
		       struct qualify_tx *tx, double *ret_share)
{
	struct qualify_send send = QUALIFY_SEND(.count = run->ring > QUALIFY_RING_WANTED ?
								 run->ring :
								 QUALIFY_RING_WANTED),
			    one = QUALIFY_SEND(.count = 1, .max_ms = 100);
	struct qualify_orders *orders = run->probe.orders;
	struct qualify_backlog backlog;
	struct qualify_sent sent;
	__u64 start_ns, back_ns;
	const struct qualify_seen *seen;
	__u32 i, before = 0, taken = 0;
	bool held;
	int err;

	qualify_probe_clear(&run->probe);
	orders->cost_ns = (__u32)(DRAIN_NS / send.count);
	memcpy(one.to, run->peer.mac, ETH_ALEN);
	err = qualify_hold(run, &send) ?:
		      qualify_sender_send(sender, &one, run->stop, &sent, &run->error);
	start_ns = rxaqm_now_ns();
	held = qualify_let_go(run);
	do {
		tx->pended |= qualify_sender_pending(sender) > 0;
		usleep(100);
		back_ns = rxaqm_now_ns();
	} while (!err && !*run->stop && qualify_sender_pending(sender) > 0 &&
		 rxaqm_ns_since(back_ns, start_ns) < TIMEOUT_NS);
	if (!err)
		err = qualify_held(run, &send, held, &backlog);
	if (!err && qualify_sender_pending(sender) > 0)
		err = qualify_failed(run, ETIMEDOUT, "a frame was not given back for 5 s");
	if (err)
		return err;
	qualify_each_seen(i, seen, run, send.first, backlog.held)
	{
		taken += seen->stack_ns != 0;
		before += seen->stack_ns && !rxaqm_ns_reached(seen->stack_ns, back_ns);
	}
	if (taken < backlog.held)
		return qualify_failed(run, ETIMEDOUT,
				      "of %llu packets that waited only %u reached the stack",
				      backlog.held, taken);
	qualify_samples_add(&tx->ns, (double)backlog.held);
	*ret_share = backlog.held ? (double)before / (double)backlog.held : NAN;
	return 0;
}

/* What the kernel says about it. */
static void put_said(struct qualify_run *run, struct qualify_row *row)
{
	char polls[96] = "";
	unsigned int i;

	rxaqm_nic_facts_napi(&run->facts);
	qualify_put_words(row, "napi", "list of NAPIs, by BPF", "%s",
			  rxaqm_napi_names[run->facts.napi]);
	for (i = 0; i < run->facts.nr_polls && i < RXAQM_NIC_POLLS_MAX; i++)
		snprintf(polls + strlen(polls), sizeof(polls) - strlen(polls), "%s%.40s",
			 i ? " " : "", run->facts.napi_poll[i]);
	if (*polls)
		qualify_put_words(row, "poll", "symbol of the NAPI", "%s", polls);
}

/* In a longer ring, one poll is a smaller part of what waits. */
static void set_ring(struct qualify_run *run, unsigned int entries)
{
	char value[16];

	if (!run->facts.ring || run->facts.ring >= QUALIFY_RING_WANTED ||
	    run->facts.ring_max < QUALIFY_RING_WANTED)
		return;
	snprintf(value, sizeof(value), "%u", entries);
	qualify_setting_change(&run->journal, QUALIFY_RING, "", value);
}

void qualify_put_design(struct qualify_row *row, bool completes, struct qualify_samples *held,
			struct qualify_samples *shares)
{
	double share = qualify_samples_quantile(shares, EARLY), stood;
	struct qualify_figure *figure = qualify_figure_add(
		row, "design", "",
		"part of the waiting packets taken before a frame sent behind them was given "
		"back: shared from %.1f on, split up to %.1f; of the round with the second "
		"smallest part",
		SHARED_FROM, SPLIT_TO);

	qualify_samples_sort(held);
	stood = qualify_samples_quantile(held, 0.5);
	/* On an idle CPU the frame may be back before that, whatever the design. */
	if (shares->nr < ROUNDS_LEAST)
		qualify_figure_detail(figure, "unknown", "%zu of %d rounds succeeded", shares->nr,
				      ROUNDS);
	else if (!completes)
		qualify_figure_detail(figure, "none",
				      "frames were given back before send() returned");
	else if (stood < RING_LEAST)
		qualify_figure_detail(figure, "unknown",
				      "the %.0f packets that the ring holds may be one poll",
				      stood);
	else
		qualify_figure_words(figure, "%s",
				     share >= SHARED_FROM ? "shared" :
				     share <= SPLIT_TO	  ? "split" :
							    "unknown");
	qualify_figure_samples(qualify_figure_add(row, "rx_held", "packets",
						  "packets in the ring when the frame was sent"),
			       held, NAN);
	qualify_figure_samples(
		qualify_figure_add(row, "rx_before_tx", "share",
				   "part of rx_held that was taken before the frame was given back"),
		shares, NAN);
}

#define RINGS_FLOWS 512

/* The most queues, of @nr, that share one NAPI; 0: no NAPI is known. *ret_known: queues whose NAPI
 * is known.
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

/* Which NAPI brings the packets of each queue. */
static int put_rings(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_send send = QUALIFY_SEND(.count = RINGS_FLOWS, .flows = RINGS_FLOWS,
						.pps = 10000);
	unsigned int queues = run->facts.nr_rx + run->facts.nr_combined, most, known;
	unsigned int napi_id[QUALIFY_QUEUES];
	struct qualify_figure *figure;
	struct qualify_sent sent;
	int err;

	queues = queues > QUALIFY_QUEUES ? QUALIFY_QUEUES : queues;
	if (queues < 2)
		return 0; /* no two queues that could share one */
	qualify_probe_clear(&run->probe);
	err = qualify_traffic(run, &send, NULL, &sent);
	if (err)
		return err;
	memcpy(napi_id, (const void *)run->probe.progress->napi_id, queues * sizeof(*napi_id));
	most = most_of_one(napi_id, queues, &known);
	figure = qualify_figure_add(
		row, "rings_per_napi", "count",
		"most Rx queues of one NAPI, of %u queues; skb->napi_id of packets of %u flows",
		known, RINGS_FLOWS);
	if (known >= 2)
		qualify_figure_number(figure, most, known, 0);
	else
		qualify_figure_detail(
			figure, "unknown",
			"packets of two or more queues must come, by a driver that uses GRO");
	return 0;
}

static int measure_design(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_samples shares = {};
	struct qualify_tx idle = {}, held = {};
	struct qualify_sender sender;
	double share = NAN;
	int err, i;

	qualify_await_link(run); /* setting the ring may have reset it */
	err = qualify_completions(run, false, &idle);
	qualify_tx_queue(run);
	if (!err)
		err = qualify_sender_open(&sender, run->ifname, &run->error);
	if (err)
		goto out;
	for (i = 0; i < ROUNDS && !*run->stop && (!err || err == -ETIMEDOUT); i++) {
		err = behind_held(run, &sender, &held, &share);
		if (!err)
			qualify_samples_add(&shares, share);
	}
	qualify_sender_close(&sender);
	if (err == -ETIMEDOUT)
		err = 0;
	if (!err) {
		qualify_samples_sort(&shares);
		/* A device on a bus has completions, though they may come before send() returns. */
		qualify_put_design(row, held.pended || idle.pended || *run->record->bus, &held.ns,
				   &shares);
		qualify_put_tx(row, "tx_idle", "idle", &idle);
		put_said(run, row);
		err = put_rings(run, row);
	}
out:
	qualify_samples_free(&shares);
	qualify_samples_free(&idle.ns);
	qualify_samples_free(&idle.polls);
	qualify_samples_free(&held.ns);
	return err;
}

int qualify_row_design(struct qualify_run *run, struct qualify_row *row)
{
	int err;

	set_ring(run, QUALIFY_RING_WANTED);
	err = measure_design(run, row);
	set_ring(run, run->facts.ring);
	return err;
}
