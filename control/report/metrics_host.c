/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of the host, and all in their order. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/hooks.h"
#include "report/metrics_rows.h"
#include "profile/profile.h"

static void print_info(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_row *row)
{
	const struct rxaqm_iface *iface = row->iface;

	rxaqm_metrics_u64(text,
			  RXAQM_METRICS_LABELS("interface", row->interface, "xdp",
					       iface->flags & RXAQM_IFACE_GENERIC ? "generic" :
										    "native",
					       "dispatcher",
					       iface->flags & RXAQM_IFACE_DISPATCHER ? "yes" : "no",
					       "queue_is",
					       iface->flags & RXAQM_IFACE_BY_CPU ? "backlog" :
										   "ring",
					       "profile", iface->profile, "stamp",
					       rxaqm_stamp_name(iface->stamp)),
			  1);
}

/* Under names of their own: process_* are node_exporter's where a text file is read by it. */
static void print_process(struct rxaqm_metrics_text *text)
{
	unsigned long long size, resident = 0;
	struct rusage usage = {};
	FILE *file;

	file = fopen("/proc/self/statm", "re");
	if (file) {
		if (fscanf(file, "%llu %llu", &size, &resident) != 2)
			resident = 0;
		fclose(file);
	}
	getrusage(RUSAGE_SELF, &usage);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_daemon_resident_bytes",
			     "Memory of the program that renders this");
	rxaqm_metrics_u64(text, RXAQM_METRICS_NO_LABELS,
			  resident * (unsigned long long)sysconf(_SC_PAGESIZE));
	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_daemon_cpu_seconds_total",
			     "CPU time of the program that renders this");
	rxaqm_metrics_ns(text, RXAQM_METRICS_NO_LABELS,
			 (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
					 (__s64)RXAQM_NSEC_PER_SEC +
				 (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
					 (__s64)RXAQM_NSEC_PER_USEC);
}

static void print_host(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view,
		       const struct rxaqm_metrics_rows *ifaces)
{
	char abi[12];

	snprintf(abi, sizeof(abi), "%d", RXAQM_ABI_VERSION);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_build_info",
			     "Version of rxaqm and of the layout of its maps");
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("version", RXAQM_VERSION, "abi", abi), 1);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interfaces",
			     "Interfaces in the registry");
	rxaqm_metrics_u64(text, RXAQM_METRICS_NO_LABELS, ifaces->nr);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_hook_info",
			     "What watches the receive path for stamps");
	if (rxaqm_metrics_any(view))
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("hook",
						       rxaqm_hook_in_use(view->state->meta)),
				  1);
	print_process(text);
}

void rxaqm_metrics_print(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view,
			 struct rxaqm_metrics_rows *rows)
{
	unsigned int i;

	rxaqm_metrics_iface_rows_take(rows, view);
	print_host(text, view, rows);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_info",
			     "How the interface is attached");
	for (i = 0; i < rows->nr; i++)
		print_info(text, &rows->row[i]);
	rxaqm_metrics_print_ifaces(text, rows);
	rxaqm_metrics_rows_take(rows, view);
	rxaqm_metrics_print_queues(text, rows);
}
