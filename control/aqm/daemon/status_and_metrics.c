/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status files, JSON like that of "status -j" and text like that of "status", for users who may
 * not ask the kernel. JSON is written one interface at a time, since a tree of all queues would
 * take megabytes. And the metrics: a file in the daemon's own directory, which rxaqm-exporter
 * serves, and one for node_exporter, if the configuration names it. Each file is renamed into
 * place, so nobody reads half of one.
 */
#include "daemon/status_and_metrics.h"

#include <json-c/json.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/now.h"
#include "daemon/diagnose.h"
#include "daemon/log.h"
#include "daemon/overload_watch.h"
#include "report/metrics.h"
#include "report/status.h"

/* Write @path. Of several failures in a row, log only the first: @what the file is, and the
 * @remedy.
 */
static void write_file(const char *path, const struct rxaqm_own_file *file, const char *what,
		       const char *remedy, bool *failed)
{
	int err = rxaqm_file_own(path, file);

	if (err && !*failed)
		rxaqm_run_log(LOG_ERR, "cannot write %s \"%s\": %s; %s", what, path, strerror(-err),
			      remedy);
	*failed = err != 0;
}

/* Of both forms of the status. */
struct forms {
	const struct rxaqm_state *state;
	struct rxaqm_overview overview;
	struct rxaqm_out text; /* to memory, as far as there is some, without the first line */
	char *memory;
};

static void write_iface(FILE *file, struct forms *forms, const struct rxaqm_iface *iface)
{
	struct rxaqm_status_view view;
	struct rxaqm_out out;

	rxaqm_status_look(&view, forms->state, iface, NULL);
	rxaqm_out_open(&out, file, true);
	rxaqm_out_array(&out, "interfaces");
	rxaqm_status_out(&out, &view, true, NULL);
	rxaqm_clean_puts(file,
			 json_object_to_json_string_ext(json_object_array_get_idx(out.open[1], 0),
							JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(out.open[0]);
	if (!forms->text.file)
		return;
	rxaqm_out_text(&forms->text, "\n");
	rxaqm_status_out(&forms->text, &view, false, &forms->overview);
}

static void write_json(FILE *file, const void *what)
{
	struct forms *forms = *(struct forms *const *)what;
	const struct rxaqm_iface *iface = rxaqm_iface_next(forms->state, NULL);
	const char *comma = "", *head;
	struct rxaqm_out out;

	/* Without the closing brace. */
	rxaqm_out_open(&out, file, true);
	rxaqm_out_head(&out, "status");
	head = json_object_to_json_string_ext(out.open[0], JSON_C_TO_STRING_PLAIN);
	fwrite(head, 1, strlen(head) - 1, file);
	json_object_put(out.open[0]);
	fputs(",\"interfaces\":[\n", file);
	for (; iface; iface = rxaqm_iface_next(forms->state, iface)) {
		fputs(comma, file);
		write_iface(file, forms, iface);
		comma = ",\n";
	}
	fputs("\n]}\n", file);
}

/* Nothing, if nothing is attached. */
static void write_text(FILE *file, const void *what)
{
	const struct forms *forms = what;
	char text[RXAQM_OVERVIEW_LEN];

	if (!forms->overview.nr_ifaces)
		return;
	rxaqm_clean_puts(file, rxaqm_overview_text(&forms->overview, text));
	fputc('\n', file);
	rxaqm_clean_puts(file, forms->memory);
}

/* Write the text beside the JSON, from which it was made at once. */
static void write_beside(struct rxaqm_run *run, struct forms *forms)
{
	const struct rxaqm_config *config = &run->config;
	const struct rxaqm_own_file file = { write_text, forms, config->status_mode,
					     config->status_gid, false };
	char path[RXAQM_CONFIG_PATH_LEN];

	if (!forms->text.file)
		return;
	rxaqm_status_next(&forms->text, &forms->overview);
	if (!fclose(forms->text.file) && !run->status_failed &&
	    rxaqm_config_status_text(strcpy(path, config->status_file))) {
		write_file(path, &file, "the text of status",
			   "remove what is there, or set status_file=off",
			   &run->status_text_failed);
		run->status_text_written |= !run->status_text_failed;
	}
	free(forms->memory);
}

void rxaqm_run_status(struct rxaqm_run *run)
{
	const struct rxaqm_config *config = &run->config;
	struct forms forms = { .state = &run->state };
	struct forms *both = &forms; /* what a file is written of is const */
	const struct rxaqm_own_file file = { write_json, &both, config->status_mode,
					     config->status_gid, false };
	__u64 now_ns = rxaqm_now_ns();
	size_t len;

	if (!config->status_file[0] || rxaqm_ns_after(run->status_due_ns, now_ns))
		return;
	run->status_due_ns = now_ns + config->status_interval_ns;
	rxaqm_out_open(&forms.text, open_memstream(&forms.memory, &len), false);
	write_file(config->status_file, &file, "status_file",
		   "make its directory, or set status_file=off", &run->status_failed);
	write_beside(run, &forms);
	malloc_trim(0);
}

void rxaqm_run_status_remove(struct rxaqm_run *run, const struct rxaqm_config *config)
{
	char path[RXAQM_CONFIG_PATH_LEN];

	if (config->status_file[0])
		unlink(config->status_file);
	if (run->status_text_written && rxaqm_config_status_text(strcpy(path, config->status_file)))
		unlink(path);
	run->status_text_written = false;
}

static void add_own_metrics(struct rxaqm_metrics_text *text, void *arg)
{
	const struct rxaqm_run *run = arg;

	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_config_reloads_total",
			     "Attempts to read the configuration again");
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("result", "ok"), run->reloads_ok);
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("result", "failed"), run->reloads_failed);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_config_last_reload_successful",
			     "0 while the configuration file is not in effect");
	rxaqm_metrics_u64(text, RXAQM_METRICS_NO_LABELS, !run->reload_failed);
	rxaqm_run_overload_metrics(text, run);
	rxaqm_run_diagnosis_metrics(text, run);
}

/* Readable by all users. */
static void write_page(const char *path, const char *page, bool *failed)
{
	const struct rxaqm_own_file file = { rxaqm_file_put, page, 0644, (gid_t)-1, false };

	write_file(path, &file, "metrics file",
		   "see that its directory exists, may be written to and has room", failed);
}

void rxaqm_run_metrics(struct rxaqm_run *run)
{
	const struct rxaqm_config *config = &run->config;
	const struct rxaqm_metrics metrics = {
		.state = &run->state,
		.by_interface = config->metrics_per == RXAQM_METRICS_PER_INTERFACE,
		.more = add_own_metrics,
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
	write_page(own, page, &run->metrics.own_failed);
	if (config->metrics_textfile[0])
		write_page(config->metrics_textfile, page, &run->metrics.text_failed);
	free(page);
}

void rxaqm_run_metrics_remove(void)
{
	char own[RXAQM_CONFIG_PATH_LEN];

	unlink(rxaqm_runtime_path(RXAQM_METRICS_FILE, own, sizeof(own)));
}
