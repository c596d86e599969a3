/* SPDX-License-Identifier: GPL-2.0-only */
/* Print a trial for people. */
#pragma once

#include <stdio.h>

#include "base/terminal.h"
#include "trial/record.h"

/* Print @record, after a line for each of the @nr @records that it combines; 0: a single trial. */
void trial_print(const struct trial_record *record, const struct trial_record *records,
		 unsigned int nr);

/* Print a struct trial_record as one self-contained HTML file. */
void trial_print_html(FILE *file, const void *record);

struct trial_verdict_words {
	const char *words; /* "It helps" */
	enum rxaqm_paint paint;
	unsigned int class; /* in a page: 1 is good, 2 mixed, 3 bad */
};
extern const struct trial_verdict_words trial_verdict_words[]; /* by enum trial_verdict_kind */
