/* SPDX-License-Identifier: GPL-2.0-only */
/* Q4, Q8: is a packet stamped when it arrives, or when it is taken out of the ring? */
#include <linux/net_tstamp.h>
#include <stdio.h>

#include "base/now.h"
#include "qualify/rows/latency.h"

#define FRAMES 256U
#define STAMPS_LEAST 8
/* Between the last frame sent and the first taken: a stamp is not found late by less. */
#define STAND_MS 20

struct point {
	__u32 stamps, later; /* than when the ring was let go */
	double most_ns; /* by how much */
	bool stepped; /* the clock was, or drifts too far: they say nothing */
};

static void count_later(const struct qualify_receiver *receiver, const struct qualify_send *send,
			const struct qualify_phc_line *line, __u64 free_ns, struct point *point)
{
	double until_ns = (double)(__s64)(free_ns - line->from.host_ns) + qualify_phc_error(line);
	const struct qualify_received *received;
	double over_ns;

	point->stepped = qualify_phc_stepped(line);
	rxaqm_list_each(received, &receiver->seen) {
		if (!received->hw_ns || received->seq - send->first >= send->count)
			continue;
		point->stamps++;
		over_ns = qualify_phc_to_host(line, received->hw_ns) - until_ns;
		point->later += over_ns > 0;
		if (over_ns > point->most_ns)
			point->most_ns = over_ns;
	}
}

/* Packets stand in the ring while the receiving CPU is held. -ETIMEDOUT: it could not be held. */
static int try_point(struct qualify_run *run, struct qualify_receiver *receiver,
		     struct point *point)
{
	__u32 ring = run->ring ? run->ring : FRAMES;
	struct qualify_send send = QUALIFY_SEND(.count = ring / 2 < FRAMES ? ring / 2 : FRAMES);
	struct qualify_backlog backlog;
	struct qualify_phc_line line;
	__u64 free_ns;
	bool held;
	int err = qualify_phc_now(run, &line.from);

	if (err)
		return err;
	*point = (struct point){};
	qualify_probe_clear(&run->probe);
	qualify_receiver_clear(receiver);
	err = qualify_hold(run, &send);
	qualify_sleep_ms(run, STAND_MS);
	free_ns = rxaqm_now_ns();
	held = qualify_let_go(run);
	if (!err)
		err = qualify_held(run, &send, held, &backlog);
	if (!err)
		err = qualify_phc_now(run, &line.to);
	qualify_receiver_take(receiver);
	if (!err)
		count_later(receiver, &send, &line, free_ns, point);
	return err;
}

static int measure(struct qualify_run *run, struct point *point)
{
	struct qualify_receiver receiver = QUALIFY_RECEIVER_CLOSED;
	int err = qualify_receiver_open(&receiver, run->ifname, 1, &run->error), i;

	if (err)
		return err;
	err = -ETIMEDOUT;
	for (i = 0; err == -ETIMEDOUT && i < QUALIFY_BACKLOG_TRIES && !*run->stop; i++)
		err = try_point(run, &receiver, point);
	qualify_receiver_close(&receiver);
	qualify_probe_clear(&run->probe);
	return err;
}

static void say(struct qualify_run *run, int err, const struct point *point)
{
	char *words = run->stamp_point.words;
	size_t size = sizeof(run->stamp_point.words);

	if (err)
		snprintf(words, size, "unknown: %.80s", run->error.text);
	else if (point->stepped)
		snprintf(words, size, "unknown: the clock was stepped meanwhile");
	else if (point->stamps < STAMPS_LEAST)
		snprintf(words, size, "unknown: %u packets had a stamp", point->stamps);
	else if (point->later)
		snprintf(words, size, "later: %u of %u, by %.1f ms and more", point->later,
			 point->stamps, STAND_MS + point->most_ns / 1e6);
	else
		snprintf(words, size, "arrival");
	run->stamp_point.later = !err && !point->stepped && point->later;
}

void qualify_find_stamp_point(struct qualify_run *run)
{
	struct point point = {};

	if (run->rx_filter == HWTSTAMP_FILTER_ALL && !*run->stamp_point.words)
		say(run, measure(run, &point), &point);
}

void qualify_put_stamp_point(struct qualify_run *run, struct qualify_row *row)
{
	qualify_find_stamp_point(run);
	qualify_figure_words(qualify_figure_add(row, "stamp_point", "",
						"stamps of packets that stood in the ring for %d ms "
						"and more, because XDP held the CPU, against when it "
						"let go",
						STAND_MS),
			     "%s", run->stamp_point.words);
}
