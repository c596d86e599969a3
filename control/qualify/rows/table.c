/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/row.h"

#define PROBE (QUALIFY_NEEDS_PEER | QUALIFY_NEEDS_PROBE)
#define XDP_FREE (QUALIFY_NEEDS_PEER | QUALIFY_NEEDS_XDP_FREE)
#define STAMPS QUALIFY_NEEDS_STAMPS
#define ALL_STAMPS QUALIFY_NEEDS_ALL_STAMPS
#define PHC QUALIFY_NEEDS_PHC
#define QUIET QUALIFY_NEEDS_QUIET

/* Rows that others need come first; rows that may leave the device disturbed come last. */
const struct qualify_row_def qualify_row_defs[] = {
	{ "Q5", "where are stamps taken, and of which packets?", 0, 1, qualify_row_stamp_source },
	{ "Q6", "what does reading its clock cost?", PHC | QUIET, 2, qualify_row_phc_read },
	{ "Q7", "how far does its clock drift, does it step?", PHC | QUIET, 6,
	  qualify_row_phc_stability },
	{ "Q2", "which packets get a stamp?", PROBE, 4, qualify_row_coverage },
	{ "Q3", "are the stamps unique, and can they be believed?", PROBE | STAMPS | ALL_STAMPS, 2,
	  qualify_row_stamps },
	{ "Q4", "how long from the wire to XDP?", PROBE | ALL_STAMPS | PHC | QUIET, 3,
	  qualify_row_to_xdp },
	{ "Q8", "how long does an interrupt wait?", PROBE | QUIET, 6, qualify_row_moderation },
	{ "Q9", "how many packets does the ring hold, how fast is it drained?", PROBE | QUIET, 6,
	  qualify_row_ring },
	{ "Q10", "how long a burst is received without loss?", PROBE | QUIET, 10,
	  qualify_row_burst },
	{ "Q1", "do Tx completions stand behind received packets?", PROBE | QUIET, 9,
	  qualify_row_design },
	{ "Q12", "how late are Tx completions under load?", PROBE | QUIET, 4, qualify_row_tx },
	{ "Q16", "do the counters tell what was lost?", PROBE | QUIET, 6, qualify_row_counters },
	{ "Q13", "are flows spread over queues as the hash says?", PROBE | QUIET, 7,
	  qualify_row_rss },
	{ "Q15", "are segments merged?", XDP_FREE | QUIET, 2, qualify_row_gro },
	{ "Q17", "how much memory does a packet take?", PROBE, 2, qualify_row_truesize },
	{ "Q14", "does XDP do what is advertised?", XDP_FREE | QUIET, 4, qualify_row_xdp },
	{ "Q11", "how long do packets stand under overload, without and with rxaqm?", PROBE | QUIET,
	  14, qualify_row_standing },
	{ "Q18", "does it survive a link flap and a reset?", PROBE | QUIET, 9, qualify_row_reset },
	{ "Q19", "does its NIC profile say the same?", 0, 1, qualify_row_profile },
	{},
};
