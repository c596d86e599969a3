/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status file: JSON as "status -j" prints it, for users who may not ask the kernel. Written an
 * interface at a time, since a tree of all queues would take megabytes, and put in place by
 * rename, so nobody reads half of it.
 */
#include <json-c/json.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/json_file.h"
#include "base/now.h"
#include "daemon/files.h"
#include "daemon/log.h"
#include "report/status.h"

static void write_iface(FILE *file, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface)
{
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_array(&out, "interfaces");
	rxaqm_status_print_iface(&out, state, iface);
	rxaqm_clean_puts(file,
			 json_object_to_json_string_ext(json_object_array_get_idx(out.open[1], 0),
							JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(out.open[0]);
}

static void write_all(FILE *file, const void *state)
{
	const struct rxaqm_iface *iface = rxaqm_iface_next(state, NULL);
	const char *comma = "";

	fputs("{ \"interfaces\": [\n", file);
	for (; iface; iface = rxaqm_iface_next(state, iface)) {
		fputs(comma, file);
		write_iface(file, state, iface);
		comma = ",\n";
	}
	fputs("\n] }\n", file);
}

void rxaqm_run_status(struct rxaqm_run *run)
{
	const struct rxaqm_config *config = &run->config;
	const struct rxaqm_own_file file = { write_all, &run->state, config->status_mode,
					     config->status_gid, false };
	__u64 now_ns = rxaqm_now_ns();
	int err;

	if (!config->status_file[0] || rxaqm_ns_after(run->status_due_ns, now_ns))
		return;
	run->status_due_ns = now_ns + config->status_interval_ns;
	err = rxaqm_file_own(config->status_file, &file);
	if (err && !run->status_failed)
		rxaqm_run_log(LOG_ERR,
			      "cannot write status_file \"%s\": %s; make its directory, or set "
			      "status_file=off",
			      config->status_file, strerror(-err));
	run->status_failed = err != 0;
	malloc_trim(0);
}

void rxaqm_run_status_remove(const struct rxaqm_config *config)
{
	if (config->status_file[0])
		unlink(config->status_file);
}
