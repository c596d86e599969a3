/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGHUP: the new configuration as a whole, or the old one as it was. */
#include <string.h>

#include "daemon/run.h"

static int check_here(const struct rxaqm_run *run, const struct rxaqm_config *config,
		      struct rxaqm_error *error)
{
	const struct rxaqm_link *link;
	int err = 0;

	for (link = run->links; link && !err; link = link->next)
		err = rxaqm_run_check(rxaqm_config_find(config, link->name), link->name, error);
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
