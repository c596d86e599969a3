/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policy files, as "policy save" writes and "policy load" reads them: ini, a section
 * [interface] for all queues and sections [queue 0-3,6] for some, applied in the order
 * of the file.
 */
#ifndef RXAQM_POLICY_FILE_H
#define RXAQM_POLICY_FILE_H

#include <stdio.h>

#include "config/settings.h"

/* Read @path ("-": standard input) over @policies[@nr_queues]. All or nothing: -errno
 * with @error ("FILE:LINE: ...") leaves them unchanged.
 */
int rxaqm_policy_file_read(const char *path, struct rxaqm_policy *policies, unsigned int nr_queues,
			   __u64 now_ns, struct rxaqm_error *error);

/* The same from an open @file, called @path in messages. */
int rxaqm_policy_file_parse(FILE *file, const char *path, struct rxaqm_policy *policies,
			    unsigned int nr_queues, __u64 now_ns, struct rxaqm_error *error);

/* The shortest file that gives @policies: queues that differ from the first one, in ranges. */
int rxaqm_policy_file_write(FILE *file, const struct rxaqm_policy *policies, unsigned int nr_queues,
			    __u64 now_ns);

#endif /* RXAQM_POLICY_FILE_H */
