/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text format of Prometheus (0.0.4). Begin a family, print all its samples, then begin the
 * next: the format does not allow to return to an earlier one.
 */
#pragma once

#include <linux/types.h>
#include <stdio.h>

/* Types of families. */
#define RXAQM_METRICS_COUNTER "counter" /* the name ends in "_total" */
#define RXAQM_METRICS_GAUGE "gauge" /* "_info": always 1, the information is in the labels */
#define RXAQM_METRICS_HISTOGRAM "histogram"

struct rxaqm_metrics_text {
	FILE *file;
	const char *family; /* begun last */
};

/* Begin @family: HELP and TYPE. @help: one sentence, without a full stop. */
void rxaqm_metrics_family(struct rxaqm_metrics_text *text, const char *type, const char *family,
			  const char *help);

/* Print one sample of it. @labels: pairs of name and value, up to a NULL name; values are escaped.
 *
 *   rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("interface", name, "queue", "0"), 5);
 */
#define RXAQM_METRICS_LABELS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define RXAQM_METRICS_NO_LABELS ((const char *const[]){ NULL })
void rxaqm_metrics_u64(struct rxaqm_metrics_text *text, const char *const *labels, __u64 value);
void rxaqm_metrics_double(struct rxaqm_metrics_text *text, const char *const *labels, double value);
/* Print @ns in seconds, exactly. */
void rxaqm_metrics_ns(struct rxaqm_metrics_text *text, const char *const *labels, __s64 ns);

/* Print name (followed by @end) and labels of a sample; the caller prints the value. */
void rxaqm_metrics_begin(struct rxaqm_metrics_text *text, const char *end,
			 const char *const *labels);
