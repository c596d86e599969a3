/* SPDX-License-Identifier: GPL-2.0-only */
/* Q19: compare the NIC's profile with what was measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "qualify/rows/row.h"

void qualify_put_fact(struct qualify_row *row, const char *key, const char *said,
		      const char *measured, const char *same, const char *id)
{
	struct qualify_figure *figure = qualify_figure_add(row, key, "", "profile against %s", id);

	if (!strcmp(said, measured))
		qualify_figure_detail(figure, "agrees", "\"%s\" said and measured", said);
	else if (same)
		qualify_figure_detail(figure, "agrees", "\"%s\" measured, \"%s\" said, %s",
				      measured, said, same);
	else
		qualify_figure_detail(figure, "contradicts", "\"%s\" said, \"%s\" measured", said,
				      measured);
}

static void compare_words(struct qualify_run *run, struct qualify_row *row, const char *key,
			  const char *said, const char *id, const char *figure_name)
{
	const struct qualify_figure *figure = qualify_figure(run->record, id, figure_name);
	const char *word = figure ? figure->words : "";

	if (!*word || !strcmp(said, "unknown") || !strcmp(word, "unknown"))
		return;
	/* In both cases nothing waits before a Tx completion. */
	qualify_put_fact(row, key, said, word,
			 !strcmp(said, "writeback") && !strcmp(word, "split") ?
				 "which behaves like that" :
				 NULL,
			 id);
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
	qualify_put_fact(row, "ring_entries", said, measured,
			 fabs(depth->median - profile->ring_entries) <=
					 profile->ring_entries / 10.0 ?
				 "a tenth off at most" :
				 NULL,
			 "Q9");
}

int qualify_row_profile(struct qualify_run *run, struct qualify_row *row)
{
	static struct rxaqm_profile profile;
	int err = rxaqm_profile_for_nic(&run->facts, &profile, &run->error);

	if (err)
		return err;
	compare_words(run, row, "completion", rxaqm_design_names[profile.design], "Q1", "design");
	compare_words(run, row, "napi", rxaqm_napi_names[profile.napi], "Q1", "napi");
	compare_ring(run, row, &profile);
	if (!row->figures.nr)
		qualify_unknown(row,
				"the profile %s and rows Q1 and Q9 have nothing in common: "
				"run these",
				profile.name);
	return 0;
}
