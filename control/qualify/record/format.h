/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of a record as people write them. */
#ifndef RXAQM_QUALIFY_FORMAT_H
#define RXAQM_QUALIFY_FORMAT_H

#include "base/out.h"
#include "qualify/record/record.h"

#define QUALIFY_NUMBER_LEN 48

/* "1.25 us", "98.7 %", "1.2 Mpps", "-"; three digits that count. */
const char *qualify_format(double value, const char *unit, char buf[QUALIFY_NUMBER_LEN]);

/* What @figure is in short: its words, or its median with the unit. */
const char *qualify_format_figure(const struct qualify_figure *figure,
				  char buf[QUALIFY_NUMBER_LEN * 2]);

const char *qualify_verdict_name(unsigned int verdict); /* "unknown", "pass", "warn", "fail" */

/* What was measured on what, in words; a value that is not known is "". */
#define QUALIFY_FACTS 14
struct qualify_fact {
	const char *name;
	char value[256];
};
void qualify_facts(const struct qualify_record *record, struct qualify_fact facts[QUALIFY_FACTS]);

/* When and where this is: UTC, RFC 3339. */
void qualify_now(char time_words[32], char host[64]);

/* What each JSON document begins with: what it is, of when, from where. */
void qualify_json_head(struct rxaqm_out *out, const char *format);

#endif /* RXAQM_QUALIFY_FORMAT_H */
