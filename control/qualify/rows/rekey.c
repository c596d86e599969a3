/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "qualify/rows/rss.h"

#define FLOWS 64U
#define MS 1200
#define BEFORE_MS 400

/* Another one; no key is as good as any. */
static void other_key(const char *key, char other[QUALIFY_SETTING_LEN])
{
	unsigned int byte, i;

	for (i = 0; sscanf(key + 2 * (size_t)i, "%2x", &byte) == 1; i++)
		sprintf(other + 2 * (size_t)i, "%02x", (byte ^ ((i + 1) * 0x9d)) & 0xff);
}

struct rekeyed {
	__u64 sent, came, reordered, moved;
};

/* Of frames from seq @first on: did each flow's come in order, by which queue first and last? */
static void follow(struct qualify_run *run, __u32 first, struct rekeyed *rekeyed)
{
	__u32 flow, i;

	for (flow = 0; flow < FLOWS; flow++) {
		const struct qualify_seen *begin = NULL, *last = NULL;

		for (i = flow; i < rekeyed->sent && !*run->stop; i += FLOWS) {
			const struct qualify_seen *seen = qualify_probe_seen(&run->probe,
									     first + i);

			if (!seen || !seen->xdp_ns)
				continue;
			rekeyed->came++;
			rekeyed->reordered += last && seen->xdp_ns < last->xdp_ns;
			begin = begin ? begin : seen;
			last = seen;
		}
		rekeyed->moved += last && last->queue != begin->queue;
	}
}

/* -errno of setting the key, or with @error. */
static int rekey(struct qualify_run *run, const char *key, __u32 pps, struct rekeyed *rekeyed,
		 struct rxaqm_error *error)
{
	struct qualify_send send = QUALIFY_SEND(.count = pps * MS / 1000, .flows = FLOWS,
						.pps = pps, .max_ms = 2 * MS);
	char other[QUALIFY_SETTING_LEN] = "";
	struct qualify_sent sent;
	int err, refused;

	other_key(key, other);
	qualify_probe_clear(&run->probe);
	qualify_probe_orders(&run->probe)->drop = 1;
	err = qualify_begin(run, &send, error);
	if (err)
		return err;
	qualify_sleep_ms(run, BEFORE_MS);
	refused = qualify_setting_change(&run->journal, QUALIFY_RSS_KEY, "", other);
	err = qualify_finish(run, NULL, &sent, error);
	if (!refused)
		qualify_setting_change(&run->journal, QUALIFY_RSS_KEY, "", key);
	*rekeyed = (struct rekeyed){ .sent = sent.count };
	if (!err)
		follow(run, send.first, rekeyed);
	return err ? err : refused;
}

int qualify_put_rekey(struct qualify_run *run, struct qualify_row *row, __u32 pps,
		      struct rxaqm_error *error)
{
	static const char method[] = "another RSS key while %u frames a second of %u flows came";
	int err, unreadable;
	char key[QUALIFY_SETTING_LEN];
	struct rekeyed rekeyed = {};

	unreadable = qualify_setting_get(run->ifname, QUALIFY_RSS_KEY, "", key);
	error->err = 0;
	err = unreadable ? 0 : rekey(run, key, pps, &rekeyed, error);
	if (err && error->err)
		return err;
	if (unreadable || err) {
		qualify_figure_words(qualify_figure_add(row, "rekey_lost", "packets", method, pps,
							FLOWS),
				     "unknown: the driver %s: %s",
				     unreadable ? "tells no key" : "takes no other key",
				     strerror(unreadable ? -unreadable : -err));
		return 0;
	}
	qualify_put_number(row, "rekey_lost", "packets", (double)(rekeyed.sent - rekeyed.came),
			   rekeyed.sent, 0, method, pps, FLOWS);
	qualify_put_number(row, "rekey_reordered", "packets", (double)rekeyed.reordered,
			   rekeyed.came, 0, "that XDP saw after a later one of their flow");
	qualify_put_number(row, "rekey_moved", "share", (double)rekeyed.moved / FLOWS, FLOWS, 0,
			   "of these flows that came by another queue then");
	return 0;
}
