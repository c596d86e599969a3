/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify IFACE": from words to a run, and what is said meanwhile. */
#ifndef RXAQM_QUALIFY_MEASURE_H
#define RXAQM_QUALIFY_MEASURE_H

#include <argp.h>

#include "qualify/qualify.h"

struct qualify_measure {
	struct qualify_request request;
	const char *rows, *resume;
	bool restore;
};

/* Rows of a command's table of options, and what takes them (else ARGP_ERR_UNKNOWN). */
enum {
	QUALIFY_KEY_YES = 0x200,
	QUALIFY_KEY_RESTORE
};
#define QUALIFY_MEASURE_OPTIONS                                                                   \
	{ "peer", 'p', "HOST[/IFACE]", 0, "measure: the other end, by ssh; rxaqm is there", 0 },  \
		{ "loopback",                                                                     \
		  'L',                                                                            \
		  "[NETNS/]IFACE",                                                                \
		  0,                                                                              \
		  "measure: the other end is this interface of this host",                        \
		  0 },                                                                            \
		{ "rows", 'r', "ROW,...", 0, "measure only these, as in Q1,Q4 (all)", 0 },        \
		{ "resume", 'R', "FILE", 0, "measure what this record lacks, and add it", 0 },    \
		{ "yes-disturb", QUALIFY_KEY_YES, NULL, 0, "though the interface is in use", 0 }, \
		{ "restore", QUALIFY_KEY_RESTORE, NULL, 0, "only put back what a killed run left", 0 }

error_t qualify_measure_option(int key, char *arg, const struct argp_state *state,
			       struct qualify_measure *measure);

/* Are the options of one another? Exits with a message if not. */
void qualify_measure_check(struct qualify_measure *measure, const struct argp_state *state);

/* Measure into @record, which is zeroed, and has in any case what was measured. -errno with @error.
 */
int qualify_measure_run(struct qualify_measure *measure, struct qualify_record *record,
			struct rxaqm_error *error);

/* Print the table of rows. */
void qualify_measure_list(FILE *file);

#endif /* RXAQM_QUALIFY_MEASURE_H */
