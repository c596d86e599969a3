/* SPDX-License-Identifier: GPL-2.0-only */
/* Policy files: all or nothing, and what was read is written so that it reads the same. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/policy_file.h"

#define NR_QUEUES 16

static void init(struct rxaqm_policy *policies)
{
	unsigned int i;

	for (i = 0; i < NR_QUEUES; i++)
		rxaqm_policy_init(&policies[i]);
}

static void check_written(struct rxaqm_policy *policies)
{
	const struct rxaqm_policies all = { policies, NR_QUEUES, 1 };
	struct rxaqm_policy again[NR_QUEUES];
	struct rxaqm_error error;
	char *text = NULL;
	size_t size = 0;
	unsigned int i;
	FILE *file;

	file = open_memstream(&text, &size);
	rxaqm_policy_file_print(file, &all);
	fclose(file);
	init(again);
	file = fmemopen(text, size, "r");
	assert(!rxaqm_policy_file_parse(file, "p.conf", again, NR_QUEUES, 1, &error));
	fclose(file);
	for (i = 0; i < NR_QUEUES; i++) {
		/* A lease is written in whole ms. */
		again[i].lease_until_ns = policies[i].lease_until_ns;
		again[i].lease_ns = policies[i].lease_ns;
		assert(rxaqm_policy_same(&again[i], &policies[i]));
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rxaqm_policy policies[NR_QUEUES];
	struct rxaqm_error error = { 0 };
	FILE *file;
	int err;

	if (!size)
		return 0;
	init(policies);
	file = fmemopen((void *)data, size, "r");
	err = rxaqm_policy_file_parse(file, "p.conf", policies, NR_QUEUES, 1, &error);
	fclose(file);
	if (err) {
		assert(!strncmp(error.text, "p.conf:", 7));
		return 0;
	}
	check_written(policies);
	return 0;
}
