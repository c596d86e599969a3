/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics: over HTTP, and as a file. */
#include <string.h>

#include "base/now.h"
#include "daemon/run.h"

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

static int on_http(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct rxaqm_run_metrics *metrics = arg;

	(void)source;
	(void)fd;
	(void)events;
	rxaqm_metrics_http_dispatch(metrics->http);
	return 0;
}

/* Listen on @address, then leave the old one: if it fails nothing has changed. */
static int listen_on(struct rxaqm_run *run, const char *address, struct rxaqm_error *error)
{
	struct rxaqm_run_metrics *metrics = &run->metrics;
	struct rxaqm_metrics_http *http = NULL;
	sd_event_source *source = NULL;
	int err;

	if (!strcmp(address, metrics->listen))
		return 0;
	if (*address) {
		http = rxaqm_metrics_http_start(address, &metrics->metrics, error);
		if (!http)
			return -EADDRINUSE;
		err = sd_event_add_io(run->event, &source, rxaqm_metrics_http_fd(http), EPOLLIN,
				      on_http, metrics);
		if (err < 0) {
			rxaqm_metrics_http_stop(http);
			return rxaqm_failed(error, -err, "listen=%s: cannot wait for requests: %s",
					    address, strerror(-err));
		}
	}
	sd_event_source_disable_unref(metrics->source);
	rxaqm_metrics_http_stop(metrics->http);
	metrics->http = http;
	metrics->source = source;
	strcpy(metrics->listen, address);
	if (http)
		rxaqm_run_log(LOG_INFO, "metrics are at http://%s/metrics (port %u)", address,
			      rxaqm_metrics_http_port(http));
	return 0;
}

int rxaqm_run_metrics_start(struct rxaqm_run *run, const struct rxaqm_config *config,
			    struct rxaqm_error *error)
{
	struct rxaqm_run_metrics *metrics = &run->metrics;
	int err;

	metrics->metrics.state = &run->state;
	metrics->metrics.more = more;
	metrics->metrics.more_arg = run;
	err = listen_on(run, config->metrics_listen, error);
	if (err)
		return err;
	metrics->metrics.by_interface = config->metrics_per == RXAQM_METRICS_PER_INTERFACE;
	metrics->file_due_ns = 0;
	metrics->file_failed = false;
	return 0;
}

void rxaqm_run_metrics(struct rxaqm_run *run)
{
	struct rxaqm_run_metrics *metrics = &run->metrics;
	const struct rxaqm_config *config = &run->config;
	__u64 now_ns = rxaqm_now_ns();
	struct rxaqm_error error = {};
	int err;

	/* Connections that time out. */
	if (metrics->http)
		rxaqm_metrics_http_dispatch(metrics->http);
	if (!config->metrics_textfile[0] || rxaqm_ns_after(metrics->file_due_ns, now_ns))
		return;
	metrics->file_due_ns = now_ns + config->metrics_textfile_interval_ns;
	err = rxaqm_metrics_write_file(&metrics->metrics, config->metrics_textfile, &error);
	if (err && !metrics->file_failed)
		rxaqm_run_log(LOG_ERR, "%s", error.text);
	metrics->file_failed = err != 0;
}
