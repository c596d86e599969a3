/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that are programs of their own: doctor and qualify, which have their own packages, and
 * trial
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "command/options.h"
#include "command/program.h"

int rxaqm_cmd_program(int argc, char **argv, struct rxaqm_call *call)
{
	char **words = calloc((size_t)argc + 6, sizeof(*words));
	char name[32];
	int nr = 0, i, err;

	if (!words)
		return rxaqm_no_memory(&call->error);
	snprintf(name, sizeof(name), "rxaqm-%s", argv[0]);
	words[nr++] = name;
	if (call->netns) {
		words[nr++] = "--netns";
		words[nr++] = (char *)call->netns;
	}
	if (call->color) {
		words[nr++] = "--color";
		words[nr++] = (char *)call->color;
	}
	if (rxaqm_json)
		words[nr++] = "-j";
	for (i = 1; i < argc; i++)
		words[nr++] = argv[i];
	err = rxaqm_program_exec(name, words);
	free(words);
	if (err == -ENOENT)
		return rxaqm_failed(&call->error, ENOENT,
				    "\"rxaqm %s\" is a program of its own, %s, which is not "
				    "installed; install the package %s",
				    argv[0], name, strcmp(argv[0], "trial") ? name : "rxaqm");
	return rxaqm_failed(&call->error, -err, "cannot run %s: %s", name, strerror(-err));
}
