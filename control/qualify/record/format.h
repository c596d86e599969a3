/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of a record as people write them. */
#ifndef RXAQM_QUALIFY_FORMAT_H
#define RXAQM_QUALIFY_FORMAT_H

#include "qualify/record/record.h"

#define QUALIFY_NUMBER_LEN 48

/* "1.25 us", "98.7 %", "1.2 Mpps", "-"; three digits that count. */
const char *qualify_format(double value, const char *unit, char buf[QUALIFY_NUMBER_LEN]);

/* What @figure is in short: its words, or its median with the unit. */
const char *qualify_format_figure(const struct qualify_figure *figure,
				  char buf[QUALIFY_NUMBER_LEN * 2]);

const char *qualify_verdict_name(unsigned int verdict); /* "unknown", "pass", "warn", "fail" */

/* What was measured on what, in words: @each is called with name and value of all that is known. */
void qualify_facts_each(const struct qualify_record *record,
			void (*each)(const char *name, const char *value, void *arg), void *arg);

#endif /* RXAQM_QUALIFY_FORMAT_H */
