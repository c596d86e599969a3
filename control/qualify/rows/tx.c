/* SPDX-License-Identifier: GPL-2.0-only */
/* Q12: how late Tx completions come. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"
#include "qualify/rows/tx.h"

#define IDLE_FRAMES 200
#define TIMEOUT_NS (5 * RXAQM_NSEC_PER_SEC)
#define SPIN_NS (100 * RXAQM_NSEC_PER_USEC)
#define BUDGET 64 /* packets of a poll */
#define GAP_NS (2 * RXAQM_NSEC_PER_MSEC)
#define FULL_LOSES 0.4 /* at 3 times of what is taken two of three frames are lost */
#define OVERRUN_TRIES 5 /* if none is lost by then, there is no ring */

/* A mask of all CPUs, or of none, as /sys has them: words of 32, commas between. */
static void cpu_mask(char text[QUALIFY_SETTING_LEN], bool all)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF), i;
	size_t at = 0;

	*text = '\0';
	for (i = (nr + 31) / 32 - 1; i >= 0 && at < QUALIFY_SETTING_LEN; i--) {
		long cpus = nr - i * 32 < 32 ? nr - i * 32 : 32;

		at += (size_t)snprintf(text + at, QUALIFY_SETTING_LEN - at, "%s%x", at ? "," : "",
				       all ? (unsigned int)((1ULL << cpus) - 1) : 0);
	}
}

void qualify_tx_queue(struct qualify_run *run)
{
	char what[48], value[QUALIFY_SETTING_LEN];
	unsigned int i;

	for (i = 0; i < 256; i++) {
		snprintf(what, sizeof(what), "queues/tx-%u/xps_cpus", i);
		/* A single queue has no XPS. */
		if (qualify_setting_get(run->ifname, QUALIFY_SYSFS, what, value))
			return;
		cpu_mask(value, i == run->rx_queue);
		qualify_setting_change(&run->journal, QUALIFY_SYSFS, what, value);
	}
}

/* Send one frame and watch until the device gives it back. Look less often the longer it takes,
 * every thirtieth of that time: the peer may need this CPU to send.
 */
static int one_completion(struct qualify_run *run, struct qualify_sender *sender,
			  struct qualify_tx *tx)
{
	struct qualify_send send = QUALIFY_SEND(.count = 1, .max_ms = 100);
	__u64 start_ns, took_ns = 0, polls;
	struct qualify_sent sent;
	int err;

	memcpy(send.to, run->peer.mac, ETH_ALEN);
	polls = *run->probe.nr_polls;
	start_ns = rxaqm_now_ns();
	err = qualify_sender_send(sender, &send, run->stop, &sent, &run->error);
	if (err || !sent.count)
		return err; /* the link is down for a moment */
	while (qualify_sender_pending(sender) > 0 && !*run->stop && took_ns < TIMEOUT_NS) {
		tx->pended = true;
		if (took_ns > SPIN_NS)
			usleep((useconds_t)(took_ns / 30 / RXAQM_NSEC_PER_USEC));
		took_ns = rxaqm_now_ns() - start_ns;
	}
	qualify_samples_add(&tx->ns, (double)(rxaqm_now_ns() - start_ns));
	qualify_samples_add(&tx->polls, (double)(*run->probe.nr_polls - polls));
	return 0;
}

int qualify_completions(struct qualify_run *run, bool loaded, struct qualify_tx *tx)
{
	struct qualify_sender sender;
	int err = qualify_sender_open(&sender, run->ifname, &run->error);

	if (err)
		return err;
	while (!err && !*run->stop &&
	       (loaded ? !qualify_peer_done(&run->peer, 0) : tx->ns.nr < IDLE_FRAMES)) {
		__u64 next_ns = rxaqm_now_ns() + GAP_NS;

		err = one_completion(run, &sender, tx);
		while (!rxaqm_ns_reached(rxaqm_now_ns(), next_ns))
			usleep(200);
	}
	qualify_sender_close(&sender);
	return err;
}

/* The share of @nr frames from seq @first on that did not come, without those that came before
 * @from_ns.
 */
static double lost_since(const struct qualify_run *run, __u32 first, __u32 nr, __u64 from_ns)
{
	__u32 i, came = 0, begin = 0, end = 0, old = nr > QUALIFY_SEEN ? nr - QUALIFY_SEEN : 0;
	const struct qualify_seen *seen;

	qualify_each_seen(i, seen, run, first + old, nr - old)
	{
		if (!rxaqm_ns_reached(seen->xdp_ns, from_ns))
			continue;
		begin = came++ ? begin : i;
		end = i;
	}
	return came ? 1 - (double)came / (end - begin + 1) : 0;
}

/* Time Tx completions while the peer sends all it can; each frame costs the stack @cost_ns. */
static int under_load(struct qualify_run *run, __u32 cost_ns, double capacity_pps,
		      struct qualify_tx *tx)
{
	/* The time of a full ring, and how many of them to see. */
	unsigned int entries = run->ring > QUALIFY_RING_WANTED ? run->ring : QUALIFY_RING_WANTED;
	double full_ms = fmin(1e3 * entries / capacity_pps, 1000);
	unsigned int warm_ms = 200 + (unsigned int)(1.5 * full_ms);
	struct qualify_send send = QUALIFY_SEND(.max_ms = warm_ms + 600 +
							  (unsigned int)(6 * full_ms));
	struct qualify_sent sent = {};
	__u64 from_ns;
	int err;

	send.count = (__u32)(run->peer_pps * send.max_ms / 1e3);
	tx->ns.nr = tx->polls.nr = 0;
	qualify_probe_clear(&run->probe);
	run->probe.orders->cost_ns = cost_ns;
	err = qualify_begin(run, &send);
	qualify_sleep_ms(run, warm_ms); /* a queue stands by now */
	from_ns = rxaqm_now_ns();
	if (!err)
		err = qualify_completions(run, true, tx);
	if (!err)
		err = qualify_finish(run, NULL, &sent);
	tx->lost = lost_since(run, send.first, (__u32)sent.count, from_ns);
	qualify_probe_clear(&run->probe);
	return err;
}

/* Keep the ring full: a peer on this host sends less while this process looks. */
static int overrun(struct qualify_run *run, __u32 *cost_ns, double *capacity_pps,
		   struct qualify_tx *tx)
{
	int err = under_load(run, *cost_ns, *capacity_pps, tx), tries;

	for (tries = 1; !err && tx->lost < FULL_LOSES && tries < OVERRUN_TRIES &&
			*cost_ns <= QUALIFY_COST_MAX_NS / 2 && !*run->stop;
	     tries++) {
		*cost_ns *= 2;
		*capacity_pps /= 2;
		err = under_load(run, *cost_ns, *capacity_pps, tx);
	}
	return err;
}

void qualify_put_tx(struct qualify_row *row, const char *name, const char *load,
		    struct qualify_tx *tx)
{
	struct qualify_figure *figure;

	figure = qualify_figure_add(row, name, "ns",
				    "from send() of a datagram until its memory was given back "
				    "(SIOCOUTQ), %s",
				    load);
	qualify_figure_samples(figure, &tx->ns, 2000);
	qualify_curve_cdf(figure, load, &tx->ns);
}

/* In polls the figure depends on the NIC only: a slow peer makes polls longer. */
static void put_polls(struct qualify_run *run, struct qualify_row *row, struct qualify_tx *tx,
		      double capacity_pps)
{
	struct qualify_figure *figure;
	size_t i;

	figure = qualify_figure_add(
		row, "tx_load_polls", "count",
		"polls of the Rx queue's NAPI that ended during each of tx_load, %s",
		run->probe.polls ?
			"counted" :
			"computed by the time that 64 packets take, because they could not be counted "
			"(needs BTF, and packets by GRO)");
	for (i = 0; i < tx->ns.nr && !run->probe.polls; i++)
		tx->polls.at[i] = tx->ns.at[i] * capacity_pps / 1e9 / BUDGET;
	qualify_figure_samples(figure, &tx->polls, 1);
	/* Few polls acquit a NIC only if its ring was full. */
	if (tx->lost < FULL_LOSES)
		qualify_figure_detail(figure, "unknown",
				      "the peer did not keep the ring full (%.0f %% lost)",
				      100 * tx->lost);
}

int qualify_row_tx(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_tx tx = {};
	double capacity_pps;
	__u32 cost_ns;
	int err = qualify_slow_down(run, &cost_ns, &capacity_pps);

	qualify_tx_queue(run);
	qualify_probe_polls_on(&run->probe, run->rx_napi);
	if (!err)
		err = qualify_completions(run, false, &tx);
	if (!err) {
		qualify_put_tx(row, "tx_idle", "idle", &tx);
		err = overrun(run, &cost_ns, &capacity_pps, &tx);
	}
	if (!err) {
		qualify_put_tx(row, "tx_load", "3 times of what the stack was made to take", &tx);
		row->figures.at[row->figures.nr - 1].error = BUDGET * (double)cost_ns;
		put_polls(run, row, &tx, capacity_pps);
	}
	qualify_probe_polls_off(&run->probe);
	qualify_samples_free(&tx.ns);
	qualify_samples_free(&tx.polls);
	return err;
}
