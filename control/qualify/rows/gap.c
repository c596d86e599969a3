/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/gap.h"

#include <linux/net_tstamp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/now.h"
#include "qualify/rows/traffic.h"

#define PPS 2000
#define ROUND_MS 500
#define LATE_MS 20
#define LAST (PPS / 10) /* frames: if one of these last ones came, traffic goes on */

/* The longest gap in frames @first to @next, by when either program saw each: XDP itself may be
 * what changes.
 */
static void find_gap(struct qualify_run *run, __u32 first, __u32 next, struct qualify_gap *gap)
{
	__u64 last_ns = 0, at_ns, longest_ns = 0, came = 0;
	const struct qualify_seen *seen;
	__u32 i;

	qualify_each_seen(i, seen, run, first, next - first)
	{
		came++;
		/* Frames may come out of order when rings are recreated. */
		at_ns = seen->xdp_ns ? seen->xdp_ns : seen->stack_ns;
		if (at_ns <= last_ns)
			continue;
		if (last_ns && at_ns - last_ns > longest_ns)
			longest_ns = at_ns - last_ns;
		last_ns = at_ns;
	}
	at_ns = rxaqm_now_ns();
	if (!gap->again && at_ns - last_ns > longest_ns)
		longest_ns = at_ns - last_ns;
	gap->gap_ns = (double)longest_ns;
	gap->lost = gap->sent - came;
}

/* Wait for the end of what the peer sends. */
static int end_round(struct qualify_run *run, __u32 first, struct qualify_gap *gap)
{
	const struct qualify_seen *seen;
	struct qualify_sent sent;
	__u32 i, late;
	int err = qualify_await_sent(run, NULL, &sent);

	if (err)
		return err;
	qualify_sleep_ms(run, LATE_MS);
	gap->sent += sent.count;
	late = sent.count > LAST ? (__u32)sent.count - LAST : 0;
	qualify_each_seen(i, seen, run, first + late, (__u32)sent.count - late) gap->again = true;
	return 0;
}

/* Send more until frames come again. The peer was done with earlier ones at @ended_ns: until the
 * next begin no frame is sent that could come, which is an error of the gap.
 */
static int more_rounds(struct qualify_run *run, __u64 ended_ns, struct qualify_gap *gap)
{
	__u64 until_ns = rxaqm_now_ns() + QUALIFY_AGAIN_S * RXAQM_NSEC_PER_SEC, begin_ns;
	int err = 0;

	while (!err && !gap->again && !*run->stop && !rxaqm_ns_reached(rxaqm_now_ns(), until_ns)) {
		struct qualify_send send = QUALIFY_SEND(.count = PPS * ROUND_MS / 1000, .pps = PPS,
							.max_ms = 2 * ROUND_MS);

		err = qualify_begin_at_once(run, &send);
		begin_ns = rxaqm_now_ns();
		gap->error_ns = fmax(gap->error_ns, (double)rxaqm_ns_since(begin_ns, ended_ns));
		ended_ns = begin_ns + ROUND_MS * RXAQM_NSEC_PER_MSEC;
		if (!err)
			err = end_round(run, send.first, gap);
	}
	return err;
}

int qualify_gap(struct qualify_run *run, unsigned int ms,
		int (*change)(struct qualify_run *run, void *arg), void *arg,
		struct qualify_gap *gap)
{
	struct qualify_send send = QUALIFY_SEND(.count = PPS * ms / 1000, .pps = PPS,
						.max_ms = ms + 2000);
	__u64 begin_ns;
	int err, refused;

	*gap = (struct qualify_gap){ .error_ns = 1e9 / PPS };
	qualify_await_link(run);
	qualify_probe_clear(&run->probe);
	err = qualify_begin(run, &send);
	begin_ns = rxaqm_now_ns();
	qualify_sleep_ms(run, ms / 3);
	refused = err ? 0 : change(run, arg);
	if (!err)
		err = end_round(run, send.first, gap);
	if (!err)
		err = more_rounds(run, begin_ns + ms * RXAQM_NSEC_PER_MSEC, gap);
	if (!err) {
		qualify_settle(run, NULL, gap->sent);
		find_gap(run, send.first, run->seq, gap);
	}
	return err ?: refused;
}

struct settings {
	enum qualify_setting setting;
	char value[QUALIFY_SETTING_LEN];
};

static int change_setting(struct qualify_run *run, void *arg)
{
	const struct settings *to = arg;

	return qualify_setting_change(&run->journal, to->setting, "", to->value);
}

/* Choose another value that the device may accept; false: there is none. */
static bool other_value(const struct qualify_run *run, struct settings *to)
{
	unsigned int rx, tx, combined;
	int flags, tx_type, filter;

	switch (to->setting) {
	case QUALIFY_RING:
		if (!run->facts.ring)
			return false;
		sprintf(to->value, "%u",
			run->facts.ring * 2 <= run->facts.ring_max ? run->facts.ring * 2 :
								     run->facts.ring / 2);
		return true;
	case QUALIFY_CHANNELS:
		if (sscanf(to->value, "%u %u %u", &rx, &tx, &combined) != 3 || rx || tx ||
		    !combined)
			return false;
		sprintf(to->value, "0 0 %u", combined > 1 ? combined - 1 : 2);
		return true;
	case QUALIFY_HWTSTAMP:
		if (sscanf(to->value, "%d %d %d", &flags, &tx_type, &filter) != 3 ||
		    filter == HWTSTAMP_FILTER_NONE)
			return false;
		sprintf(to->value, "%d %d %d", flags, tx_type, HWTSTAMP_FILTER_NONE);
		return true;
	default:
		return false;
	}
}

int qualify_put_gaps(struct qualify_run *run, struct qualify_row *row)
{
	static const struct {
		enum qualify_setting setting;
		const char *name, *how;
	} changes[] = {
		{ QUALIFY_RING, "gap_ring", "ethtool -G rx" },
		{ QUALIFY_CHANNELS, "gap_channels", "ethtool -L combined" },
		{ QUALIFY_HWTSTAMP, "gap_stamps", "SIOCSHWTSTAMP" },
	};
	struct qualify_figure *figure;
	const char *dead = NULL;
	struct qualify_gap gap;
	int err = 0, back = 0;
	size_t i;

	for (i = 0; back >= 0 && i < sizeof(changes) / sizeof(changes[0]) && !*run->stop; i++) {
		struct settings was = { .setting = changes[i].setting }, to;

		if (qualify_setting_get(run->ifname, was.setting, "", was.value))
			continue;
		to = was;
		if (!other_value(run, &to))
			continue;
		run->error.err = 0;
		err = qualify_gap(run, 900, change_setting, &to, &gap);
		if (err && run->error.err)
			return err;
		figure = qualify_figure_add(row, changes[i].name, "ns",
					    "longest pause of %d frames a second at %s from \"%s\" to "
					    "\"%s\"; %llu lost",
					    PPS, changes[i].how, was.value, to.value, gap.lost);
		if (err)
			qualify_figure_detail(figure, "refused", "%s", strerror(-err));
		else
			qualify_figure_number(figure, gap.gap_ns, 1, gap.error_ns);
		back = change_setting(run, &was);
		if (!err && !qualify_xdp_runs(run)) {
			dead = changes[i].how;
			qualify_probe_xdp_off(&run->probe);
			qualify_xdp_on(run);
		}
	}
	qualify_figure_detail(qualify_figure_add(row, "xdp_after_changes", "",
						 "frames after each of these, and after it was "
						 "undone"),
			      dead ? "no" : "yes", "%s%s", dead ? "not after " : "", dead ?: "");
	return 0;
}
