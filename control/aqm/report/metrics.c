/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the host, and the order of all families. */
#include "report/metrics.h"

#include <stdlib.h>
#include <unistd.h>

#include "attach/hooks.h"
#include "base/now.h"
#include "base/version.h"
#include "profile/profile.h"
#include "report/metrics_rows.h"

static void print_info(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_row *row)
{
	const struct rxaqm_iface *iface = row->iface;
	const char *xdp = iface->flags & RXAQM_IFACE_GENERIC ? "generic" : "native";
	const char *dispatcher = iface->flags & RXAQM_IFACE_DISPATCHER ? "yes" : "no";

	rxaqm_metrics_u64(text,
			  RXAQM_METRICS_LABELS("interface", row->interface, "xdp", xdp,
					       "dispatcher", dispatcher, "key",
					       rxaqm_iface_key(iface), "profile", iface->profile,
					       "stamp", rxaqm_stamp_names[iface->stamp]),
			  1);
}

static void print_one(struct rxaqm_metrics_text *text, const char *family, const char *help,
		      const char *const *labels, __u64 value)
{
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, family, help);
	rxaqm_metrics_u64(text, labels, value);
}

/* Names of their own, since process_* are node_exporter's if it reads the text file. */
static void print_process(struct rxaqm_metrics_text *text)
{
	unsigned long long size, resident = 0;
	FILE *file;

	file = fopen("/proc/self/statm", "re");
	if (file) {
		if (fscanf(file, "%llu %llu", &size, &resident) != 2)
			resident = 0;
		fclose(file);
	}
	print_one(text, "rxaqm_daemon_resident_bytes", "Memory of the program that renders this",
		  RXAQM_METRICS_NO_LABELS, resident * (unsigned long long)sysconf(_SC_PAGESIZE));
	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_daemon_cpu_seconds_total",
			     "CPU time of the program that renders this");
	rxaqm_metrics_ns(text, RXAQM_METRICS_NO_LABELS,
			 (__s64)rxaqm_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

static void print_host(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view)
{
	char abi[12];

	snprintf(abi, sizeof(abi), "%d", RXAQM_ABI_VERSION);
	print_one(text, "rxaqm_build_info",
		  "Version of rxaqm, its commit, and the layout of its maps",
		  RXAQM_METRICS_LABELS("version", RXAQM_VERSION, "revision", rxaqm_commit, "abi",
				       abi),
		  1);
	print_one(text, "rxaqm_interfaces", "Interfaces in the registry", RXAQM_METRICS_NO_LABELS,
		  view->ifaces.nr);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_hook_info",
			     "What watches the receive path for stamps");
	if (rxaqm_metrics_any(view))
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("hook",
						       rxaqm_hook_in_use(view->state->meta)),
				  1);
	print_process(text);
}

void rxaqm_metrics_print(struct rxaqm_metrics_text *text, struct rxaqm_metrics_view *view)
{
	unsigned int i;

	rxaqm_metrics_rows_take(view);
	print_host(text, view);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_info",
			     "How the interface is attached");
	for (i = 0; i < view->ifaces.nr; i++)
		print_info(text, &view->ifaces.row[i]);
	rxaqm_metrics_print_ifaces(text, &view->ifaces);
	rxaqm_metrics_print_queues(text, &view->queues);
}

char *rxaqm_metrics_render(const struct rxaqm_metrics *metrics, size_t *ret_bytes)
{
	struct rxaqm_metrics_view *view = calloc(1, sizeof(*view));
	struct rxaqm_metrics_text text = {};
	char *page = NULL;
	bool failed = true;

	text.file = view ? open_memstream(&page, ret_bytes) : NULL;
	if (text.file) {
		rxaqm_metrics_look(view, metrics);
		rxaqm_metrics_print(&text, view);
		if (metrics->more)
			metrics->more(&text, metrics->more_arg);
		failed = ferror(text.file);
		failed |= fclose(text.file) != 0;
	}
	free(view);
	if (!failed)
		return page;
	free(page);
	return NULL;
}
