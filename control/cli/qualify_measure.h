/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify IFACE": from words to a run, and what is said meanwhile. */
#ifndef RXAQM_QUALIFY_MEASURE_H
#define RXAQM_QUALIFY_MEASURE_H

#include "qualify/qualify.h"

struct qualify_measure {
	struct qualify_request request;
	const char *rows, *resume;
	bool restore;
};

/* Are the options of one another? Exits with a message if not. */
void qualify_measure_check(struct qualify_measure *measure);

/* Measure into @record, which is zeroed, and has in any case what was measured. -errno with @error.
 */
int qualify_measure_run(struct qualify_measure *measure, struct qualify_record *record,
			struct rxaqm_error *error);

/* Print the table of rows. */
void qualify_measure_list(FILE *file);

#endif /* RXAQM_QUALIFY_MEASURE_H */
