/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGHUP: the new configuration as a whole, or the old one as it was. */
#include <stdlib.h>
#include <string.h>

#include "daemon/run.h"

/* Does the policy hold together with the profile of each interface that is here? */
static int check_here(const struct rxaqm_run *run, const struct rxaqm_config *config,
		      struct rxaqm_error *error)
{
	struct rxaqm_plan *plan = calloc(1, sizeof(*plan));
	const struct rxaqm_link *link;
	struct rxaqm_error reason = {};
	int err = 0;

	if (!plan)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOMEM, "out of memory");
	for (link = run->links; link && !err; link = link->next) {
		const struct rxaqm_config_iface *section = rxaqm_config_find(config, link->name);

		if (!section || !section->enable)
			continue;
		err = rxaqm_run_plan(section, link->name, plan, &reason);
		/* What only the machine stands in the way of may come right. */
		if (err && reason.exit_code != RXAQM_EXIT_USAGE)
			err = 0;
		if (err)
			rxaqm_error_set(error, reason.exit_code, -err, "%s: [Interface %s]: %.400s",
					link->name, section->match, reason.text);
	}
	free(plan);
	return err;
}

void rxaqm_run_reload(struct rxaqm_run *run)
{
	struct rxaqm_config config = {}, old;
	struct rxaqm_error error = {};

	rxaqm_run_notify_reloading(run);
	if (rxaqm_config_read(run->config_path, &config, &error) ||
	    check_here(run, &config, &error) || rxaqm_run_metrics_start(run, &config, &error)) {
		rxaqm_config_free(&config);
		run->reloads_failed++;
		run->reload_failed = true;
		snprintf(run->reload_text, sizeof(run->reload_text), "%.250s", error.text);
		rxaqm_run_log(LOG_ERR, "%s; the configuration stays as it was", error.text);
		rxaqm_run_notify_ready(run);
		return;
	}
	run->reloads_ok++;
	run->reload_failed = false;
	rxaqm_run_log(LOG_NOTICE, "configuration read again");
	if (strcmp(config.status_file, run->config.status_file))
		rxaqm_run_status_remove(&run->config);
	old = run->config;
	run->config = config;
	run->status_due_ns = 0;
	run->status_failed = false;
	rxaqm_run_links_reconfigure(run, &old);
	rxaqm_run_sync(run);
}
