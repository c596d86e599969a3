/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: what an interface is like after it was taken down. Q19: what its profile says. */
#include <linux/ethtool.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "qualify/measure/counters.h"
#include "qualify/measure/netns_move.h"
#include "qualify/rows/reset.h"

static int flap(struct qualify_run *run, void *arg)
{
	int err;

	(void)arg;
	err = qualify_setting_change(&run->journal, QUALIFY_LINK, "", "0");
	qualify_sleep_ms(run, 50);
	return err ? err : qualify_setting_change(&run->journal, QUALIFY_LINK, "", "1");
}

static int reset(struct qualify_run *run, void *arg)
{
	/* ETH_RESET_DEDICATED would do more, to more than this interface. */
	struct ethtool_value value = { .cmd = ETHTOOL_RESET,
				       .data = ETH_RESET_MAC | ETH_RESET_DMA | ETH_RESET_FILTER |
					       ETH_RESET_OFFLOAD };

	(void)arg;
	return rxaqm_ethtool(run->ifname, &value);
}

int qualify_row_reset(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error)
{
	static const struct {
		const char *name, *pause, *how;
		int (*change)(struct qualify_run *run, void *arg);
	} events[] = { { "after_flap", "gap_flap", "link down for 50 ms, and up", flap },
		       { "after_reset", "gap_reset",
			 "ETHTOOL_RESET of MAC, DMA, filters and offloads", reset } };
	struct qualify_counters before, after;
	struct qualify_gap gap;
	struct qualify_recovery recovery = {};
	size_t i;
	int err;

	if (qualify_has_address(run->ifname))
		return qualify_unknown(row,
				       "\"%s\" has IP addresses, which are lost when it is taken "
				       "down: take them off",
				       run->ifname);
	err = qualify_alloc_failure(run, row, &recovery, error);
	if (err)
		return err;
	for (i = 0; i < 2; i++) {
		qualify_counters_read(run->ifname, &before);
		error->err = 0;
		err = qualify_gap(run, 3000, events[i].change, NULL, &gap, error);
		qualify_counters_read(run->ifname, &after);
		recovery.went_back |= qualify_went_back(&before, &after);
		qualify_counters_free(&before);
		qualify_counters_free(&after);
		if (err && error->err)
			return err;
		if (err == -EOPNOTSUPP)
			continue; /* the driver has no reset to ask for */
		qualify_figure_words(qualify_figure_add(row, events[i].name, "",
							"%s while 2000 frames a second came; %llu "
							"lost",
							events[i].how,
							(unsigned long long)gap.lost),
				     "%s%s",
				     err       ? "no: " :
				     gap.again ? "yes" :
						 "no",
				     err ? strerror(-err) : "");
		if (!err && gap.again)
			qualify_put_pause(row, events[i].pause, &gap, &recovery);
	}
	qualify_put_number(row, "recovery", "ns", recovery.longest_ns, 1, recovery.error_ns,
			   "longest pause of the above");
	qualify_put_words(row, "stats_kept", "rx_packets, rx_bytes and tx_packets of the link",
			  "%s", recovery.went_back ? "no" : "yes");
	return 0;
}

/* One fact of the profile against what was measured. */
static void put_fact(struct qualify_row *row, const char *key, const char *said,
		     const char *measured, bool agrees, const char *from)
{
	qualify_figure_words(qualify_figure_add(row, key, "", "profile against %s", from),
			     "%s: \"%s\" said, \"%s\" measured", agrees ? "agrees" : "contradicts",
			     said, measured);
}

static void compare_words(struct qualify_run *run, struct qualify_row *row, const char *key,
			  const char *said, const char *id, const char *figure_name)
{
	const struct qualify_figure *figure = qualify_figure(run->record, id, figure_name);
	char word[32];

	if (!figure || !*figure->words || !strcmp(said, "unknown"))
		return;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(figure->words, ": "), figure->words);
	if (!strcmp(word, "unknown"))
		return;
	/* By behaviour write-back is like split: nothing stands before a Tx completion. */
	put_fact(row, key, said, word,
		 !strcmp(said, word) || (!strcmp(said, "writeback") && !strcmp(word, "split")), id);
}

static void compare_ring(struct qualify_run *run, struct qualify_row *row,
			 const struct rxaqm_profile *profile)
{
	const struct qualify_figure *depth = qualify_figure(run->record, "Q9", "depth");
	char said[16], measured[16];

	if (!profile->ring_entries || !depth || isnan(depth->median))
		return;
	snprintf(said, sizeof(said), "%u", profile->ring_entries);
	snprintf(measured, sizeof(measured), "%.0f", depth->median);
	put_fact(row, "ring_entries", said, measured,
		 fabs(depth->median - profile->ring_entries) <= profile->ring_entries / 10.0, "Q9");
}

int qualify_row_profile(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error)
{
	static struct rxaqm_profile profile;
	int err = rxaqm_profile_for_nic(&run->facts, &profile, error);

	if (err)
		return err;
	compare_words(run, row, "completion", rxaqm_design_names[profile.design], "Q1", "design");
	compare_words(run, row, "napi", rxaqm_napi_names[profile.napi], "Q1", "napi");
	compare_words(run, row, "coverage", rxaqm_coverage_names[profile.coverage], "Q2",
		      "coverage");
	compare_ring(run, row, &profile);
	if (!row->figures.nr)
		qualify_unknown(row,
				"the profile %s and rows Q1, Q2 and Q9 have nothing in common: "
				"run these",
				profile.name);
	return 0;
}
