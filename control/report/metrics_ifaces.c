/* SPDX-License-Identifier: GPL-2.0-only */
/* The families of interfaces and of the host. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/hooks.h"
#include "report/metrics_rows.h"
#include "profile/profile.h"

/* Each interface in turn: for (i = next(view, 0); i < MAX; i = next(view, i + 1)). */
static unsigned int next(const struct rxaqm_metrics_view *view, unsigned int i)
{
	if (!rxaqm_metrics_any(view))
		return RXAQM_MAX_IFACES;
	while (i < RXAQM_MAX_IFACES && view->state->iface[i].state == RXAQM_IFACE_FREE)
		i++;
	return i;
}

#define for_each_iface(view, i) \
	for ((i) = next(view, 0); (i) < RXAQM_MAX_IFACES; (i) = next(view, (i) + 1))

/* A whole number of each interface, or none where it is 0. */
static void print_number(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view,
			 size_t offset)
{
	unsigned int i;

	for_each_iface(view, i)
	{
		const char *iface = (const char *)&view->state->iface[i];
		__u32 value = *(const __u32 *)(iface + offset);

		if (value)
			rxaqm_metrics_u64(text,
					  RXAQM_METRICS_LABELS("interface", view->iface[i].label),
					  value);
	}
}

static void print_state(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view,
			unsigned int i)
{
	static const char *const names[RXAQM_METRICS_NR_IFACE_STATES] = {
		[RXAQM_METRICS_IFACE_ATTACHED] = "attached",
		[RXAQM_METRICS_IFACE_ELSEWHERE] = "elsewhere",
		[RXAQM_METRICS_IFACE_INTERRUPTED] = "interrupted",
		[RXAQM_METRICS_IFACE_LOST] = "lost",
	};
	unsigned int s;

	for (s = 0; s < RXAQM_METRICS_NR_IFACE_STATES; s++)
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("interface", view->iface[i].label, "state",
						       names[s]),
				  view->iface[i].state == s);
}

static void print_attachment(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view)
{
	unsigned int i;

	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_info",
			     "How the interface is attached");
	for_each_iface(view, i)
	{
		const struct rxaqm_iface *iface = &view->state->iface[i];

		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("interface", view->iface[i].label, "xdp",
						       iface->flags & RXAQM_IFACE_GENERIC ?
							       "generic" :
							       "native",
						       "dispatcher",
						       iface->flags & RXAQM_IFACE_DISPATCHER ?
							       "yes" :
							       "no",
						       "queue_is",
						       iface->flags & RXAQM_IFACE_BY_CPU ?
							       "backlog" :
							       "ring",
						       "profile", iface->profile, "stamp",
						       rxaqm_stamp_name(iface->stamp)),
				  1);
	}
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_state",
			     "1 for the state it is in: attached, elsewhere (another network namespace), "
			     "interrupted (a command died), lost (its XDP program was taken off)");
	for_each_iface(view, i) print_state(text, view, i);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_queues",
			     "Queues served, in use or not");
	print_number(text, view, offsetof(struct rxaqm_iface, nr_queues));
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_ring_entries",
			     "Packets that fit in a queue; absent where that is not known");
	print_number(text, view, offsetof(struct rxaqm_iface, ring_entries));
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interface_attached_seconds",
			     "Time since attach");
	for_each_iface(view, i)
		rxaqm_metrics_ns(text, RXAQM_METRICS_LABELS("interface", view->iface[i].label),
				 (__s64)rxaqm_ns_since(view->now_ns,
						       view->state->iface[i].attached_ns));
}

#define Q32_ONE 4294967296.0

enum clock_value {
	CLOCK_OFFSET,
	CLOCK_ERROR,
	CLOCK_AGE,
	CLOCK_DRIFT,
	CLOCK_ERROR_GROWTH,
	NR_CLOCK_VALUES
};

static void print_clock_value(struct rxaqm_metrics_text *text, const char *const *labels,
			      enum clock_value value, const struct rxaqm_clock *clock, __u64 now_ns)
{
	switch (value) {
	case CLOCK_OFFSET:
		rxaqm_metrics_ns(text, labels, (__s64)(clock->host_ref_ns - clock->hw_ref_ns));
		break;
	case CLOCK_ERROR:
		rxaqm_metrics_ns(text, labels, (__s64)rxaqm_clock_err(clock, now_ns));
		break;
	case CLOCK_AGE:
		rxaqm_metrics_ns(text, labels, (__s64)rxaqm_ns_since(now_ns, clock->host_ref_ns));
		break;
	case CLOCK_DRIFT:
		rxaqm_metrics_double(text, labels, (double)clock->rate_q32 / Q32_ONE);
		break;
	default:
		rxaqm_metrics_double(text, labels, (double)clock->drift_err_q32 / Q32_ONE);
	}
}

static void print_clocks(struct rxaqm_metrics_text *text, const struct rxaqm_metrics_view *view)
{
	static const struct {
		const char *family, *help;
	} values[NR_CLOCK_VALUES] = {
		[CLOCK_OFFSET] = { "rxaqm_clock_offset_seconds",
				   "Host clock (CLOCK_MONOTONIC) less NIC clock" },
		[CLOCK_ERROR] = { "rxaqm_clock_error_seconds",
				  "Bound of the error of a conversion now" },
		[CLOCK_AGE] = { "rxaqm_clock_age_seconds", "Time since the mapping was learnt" },
		[CLOCK_DRIFT] = { "rxaqm_clock_drift_ratio",
				  "Seconds that the host gains on the NIC in a second" },
		[CLOCK_ERROR_GROWTH] = { "rxaqm_clock_error_growth_ratio",
					 "Seconds by which the error bound grows in a second" },
	};
	unsigned int v, i;

	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_clock_valid",
			     "1 if NIC time, learnt from packets, can be converted to host time now");
	for_each_iface(view, i)
	{
		const struct rxaqm_clock_entry *entry = &view->state->clock[i];
		const struct rxaqm_clock clock = entry->clock[entry->published & 1];

		if (view->state->iface[i].stamp != RXAQM_STAMP_NONE)
			rxaqm_metrics_u64(text,
					  RXAQM_METRICS_LABELS("interface", view->iface[i].label),
					  entry->published && !rxaqm_ns_reached(view->now_ns,
										clock.expires_ns));
	}
	for (v = 0; v < NR_CLOCK_VALUES; v++) {
		rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, values[v].family, values[v].help);
		for_each_iface(view, i)
		{
			const struct rxaqm_clock_entry *entry = &view->state->clock[i];
			const struct rxaqm_clock clock = entry->clock[entry->published & 1];

			if (entry->published)
				print_clock_value(text,
						  RXAQM_METRICS_LABELS("interface",
								       view->iface[i].label),
						  (enum clock_value)v, &clock, view->now_ns);
		}
	}
}

void rxaqm_metrics_print_ifaces(struct rxaqm_metrics_text *text,
				const struct rxaqm_metrics_view *view)
{
	print_attachment(text, view);
	print_clocks(text, view);
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

void rxaqm_metrics_print_host(struct rxaqm_metrics_text *text,
			      const struct rxaqm_metrics_view *view)
{
	unsigned int i, attached = 0;
	char abi[12];

	snprintf(abi, sizeof(abi), "%d", RXAQM_ABI_VERSION);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_build_info",
			     "Version of rxaqm and of the layout of its maps");
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("version", RXAQM_VERSION, "abi", abi), 1);
	for_each_iface(view, i) attached++;
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_interfaces",
			     "Interfaces in the registry");
	rxaqm_metrics_u64(text, RXAQM_METRICS_NO_LABELS, attached);
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_hook_info",
			     "What watches the receive path for stamps");
	if (rxaqm_metrics_any(view))
		rxaqm_metrics_u64(text,
				  RXAQM_METRICS_LABELS("hook",
						       rxaqm_hook_in_use(view->state->meta)),
				  1);
	print_process(text);
}
