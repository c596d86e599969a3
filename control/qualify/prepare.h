/* SPDX-License-Identifier: GPL-2.0-only */
/* What rows find ready: the peer, the programs, the stamps. */
#ifndef RXAQM_QUALIFY_PREPARE_H
#define RXAQM_QUALIFY_PREPARE_H

#include "qualify/qualify.h"

/* Fill in @run for @request; what it changes is noted in run->journal, to be restored in any case.
 * -errno with @error.
 */
int qualify_prepare(struct qualify_run *run, const struct qualify_request *request,
		    struct rxaqm_error *error);

/* What @row needs is there, and on; or why not, in words. */
const char *qualify_row_ready(struct qualify_run *run, const struct qualify_row_def *row,
			      struct rxaqm_error *error);

/* Close all. */
void qualify_unprepare(struct qualify_run *run);

#endif /* RXAQM_QUALIFY_PREPARE_H */
