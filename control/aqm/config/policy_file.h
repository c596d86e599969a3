/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policy files, as "policy save" writes and "policy load" reads them: ini, a section
 * [interface] for all queues and sections [queue 0-3,6] for some, applied in the order
 * of the file.
 */
#pragma once

#include <stdio.h>

#include "policy/settings.h"

/* Read @file, called @path in messages, over @policies[@nr_queues]. -errno with @error ("FILE:LINE:
 * ..."): the contents of @policies are undefined.
 */
int rxaqm_policy_file_parse(FILE *file, const char *path, struct rxaqm_policy *policies,
			    unsigned int nr_queues, __u64 now_ns, struct rxaqm_error *error);

/* Policies to print: at least one. Leases begin anew: a file has their whole length. */
struct rxaqm_policies {
	struct rxaqm_policy *policy;
	unsigned int nr_queues;
	__u64 now_ns;
};

/* Print @policies, a struct rxaqm_policies, as the shortest file: the policy of the first queue,
 * and sections for those that differ from it.
 */
void rxaqm_policy_file_print(FILE *file, const void *policies);
