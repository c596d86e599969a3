/* SPDX-License-Identifier: GPL-2.0-only */
/* A trial for people. */
#pragma once

#include <stdio.h>

#include "trial/record.h"

void trial_print(const struct trial_record *record);

/* Each of @nr records in a line, and what they come to, @combined. */
void trial_print_many(const struct trial_record *records, unsigned int nr,
		      const struct trial_record *combined);

/* "It helps" */
const char *trial_verdict_words(const char *verdict);

/* Of a struct trial_record: one HTML file that needs nothing else. */
void trial_print_html(FILE *file, const void *record);

void trial_print_outcomes(bool json);
