/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of law=auto. */
#include "report/metrics_rows.h"

#define BILLION 1000000000U

/* A share is printed as a time is: with nine digits behind the point. */
static void print_share(struct rxaqm_metrics_text *text, const char *const *labels, __u32 share)
{
	rxaqm_metrics_ns(text, labels, (__s64)rxaqm_law_parts(share, BILLION));
}

void rxaqm_metrics_print_law(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_rows *rows)
{
	unsigned int i, s;

	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_rx_probability",
			     "law=auto: the probability that its controller has come to");
	for (i = 0; i < rows->nr; i++)
		print_share(text,
			    RXAQM_METRICS_LABELS("interface", rows->row[i].interface, "queue",
						 rows->row[i].queue),
			    rows->row[i].p);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_rx_share",
			     "law=auto: share of a class that is marked, dropped or, of redundant ACKs, "
			     "thinned");
	for (i = 0; i < rows->nr; i++)
		for (s = 0; s < RXAQM_NR_SHARES; s++)
			print_share(text,
				    RXAQM_METRICS_LABELS("interface", rows->row[i].interface,
							 "queue", rows->row[i].queue, "action",
							 rxaqm_law_share_names[s].action, "class",
							 rxaqm_law_share_names[s].packets),
				    rows->row[i].share[s]);
}
