/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdicts that follow from the blocks of a trial, by pure functions, and their words. */
#pragma once

#include "base/number.h"
#include "base/terminal.h"
#include "trial/record.h"
#include "trial/stats.h"

/* The least change that a verdict rests on; smaller ones are only reported. With little noise even
 * a change that nobody would notice is significant.
 */
#define TRIAL_RELEVANT 0.02

/* Compute results and verdicts again. A round counts if none of its blocks is void and the queue
 * stood in one of them, under whichever policy: so no policy is preferred.
 */
void trial_judge(struct trial_record *record);

/* The least number of pairs with which a verdict on @record can rest on any outcome it may have. */
unsigned int trial_least(const struct trial_record *record);

/* Complete rounds, by whether the queue stood; and rounds with a void block. */
struct trial_rounds {
	unsigned int over, quiet, void_;
};
void trial_rounds_count(const struct trial_record *record, struct trial_rounds *rounds);

/* Fill in @pairs: @outcome of the first arm and of @arm in each complete round; if @only_over, in
 * rounds in which the queue stood.
 */
void trial_collect(const struct trial_record *record, unsigned int arm, unsigned int outcome,
		   bool only_over, struct trial_pairs *pairs);

/* Parse a guard like "bytes<-10%" or "segments_again>100%". -EINVAL with @error. */
int trial_guard_parse(struct trial_record *record, const char *text, struct rxaqm_error *error);

/* Call it after each round. True: a guard ends the trial, and @record says so. @looks: one for each
 * guard and arm, zeroed before the first call.
 */
bool trial_guards_look(struct trial_record *record,
		       struct trial_looks looks[TRIAL_GUARDS_MAX * TRIAL_ARMS_MAX]);

/* Judge the records of many hosts as one: each host is one pair, with its mean effect. With too few
 * hosts all pairs are used, divided by the mean of their host, and the result says nothing about
 * other hosts. @combined, zeroed before and freed after, gets results, verdicts, and what all
 * records share. -EINVAL with @error: the records have different arms.
 */
int trial_combine(const struct trial_record *records, unsigned int nr,
		  struct trial_record *combined, struct rxaqm_error *error);

/* Print @record, after a line for each of the @nr @records that it combines; 0: a single trial. */
void trial_print(const struct trial_record *record, const struct trial_record *records,
		 unsigned int nr);

/* @share in percent, with its sign; "?" if it is not finite. */
const char *trial_percent(double share, char buf[RXAQM_NUMBER_LEN]);

/* Print a struct trial_record as one self-contained HTML file. */
void trial_print_html(FILE *file, const void *record);

struct trial_verdict_words {
	const char *words; /* "It helps" */
	enum rxaqm_paint paint;
	unsigned int grade; /* in a page: 1 is good, 2 mixed, 3 bad */
};
extern const struct trial_verdict_words trial_verdict_words[]; /* by enum trial_verdict_kind */
