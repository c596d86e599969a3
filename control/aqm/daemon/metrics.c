/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics as files: one in the daemon's own directory, which rxaqm-exporter serves, and one for
 * node_exporter, if the configuration names it. Nothing of root's listens.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_file.h"
#include "base/now.h"
#include "daemon/clock.h"
#include "daemon/diagnose.h"
#include "daemon/files.h"
#include "daemon/log.h"
#include "daemon/overload.h"
#include "report/metrics.h"

static void more(struct rxaqm_metrics_text *text, void *arg)
{
	const struct rxaqm_run *run = arg;

	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_config_reloads_total",
			     "Attempts to read the configuration again");
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("result", "ok"), run->reloads_ok);
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("result", "failed"), run->reloads_failed);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_config_last_reload_successful",
			     "0 while the configuration file is not what is in effect");
	rxaqm_metrics_u64(text, RXAQM_METRICS_NO_LABELS, !run->reload_failed);
	rxaqm_run_clock_metrics(text, run);
	rxaqm_run_overload_metrics(text, run);
	rxaqm_run_diagnosis_metrics(text, run);
}

/* Write @page to @path, whose readers are other users. What fails is logged once. */
static void write_file(const char *path, const char *page, bool *failed)
{
	const struct rxaqm_own_file file = { rxaqm_file_put, page, 0644, (gid_t)-1, false };
	int err = rxaqm_file_own(path, &file);

	if (err && !*failed)
		rxaqm_run_log(LOG_ERR,
			      "cannot write metrics file \"%s\": %s; see that its directory "
			      "exists, may be written to and has room",
			      path, strerror(-err));
	*failed = err != 0;
}

void rxaqm_run_metrics(struct rxaqm_run *run)
{
	const struct rxaqm_config *config = &run->config;
	const struct rxaqm_metrics metrics = {
		.state = &run->state,
		.by_interface = config->metrics_per == RXAQM_METRICS_PER_INTERFACE,
		.more = more,
		.more_arg = run,
	};
	char own[RXAQM_CONFIG_PATH_LEN];
	__u64 now_ns = rxaqm_now_ns();
	size_t bytes;
	char *page;

	if (rxaqm_ns_after(run->metrics.due_ns, now_ns))
		return;
	run->metrics.due_ns = now_ns + config->metrics_interval_ns;
	page = rxaqm_metrics_render(&metrics, &bytes);
	if (!page)
		return;
	rxaqm_runtime_path(RXAQM_METRICS_FILE, own, sizeof(own));
	write_file(own, page, &run->metrics.own_failed);
	if (config->metrics_textfile[0])
		write_file(config->metrics_textfile, page, &run->metrics.text_failed);
	free(page);
}

void rxaqm_run_metrics_remove(void)
{
	char own[RXAQM_CONFIG_PATH_LEN];

	unlink(rxaqm_runtime_path(RXAQM_METRICS_FILE, own, sizeof(own)));
}
