/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/check.h"

#include <errno.h>
#include <linux/if_link.h>
#include <stdarg.h>
#include <string.h>

#include "base/out.h"
#include "base/parse.h"
#include "base/procfs.h"
#include "nic/nic.h"

static const struct {
	const char *name;
	int badness; /* UNKNOWN is not worse than CRITICAL */
	enum rxaqm_paint paint;
} levels[] = {
	[RXAQM_CHECK_OK] = { "OK", 0, RXAQM_GREEN },
	[RXAQM_CHECK_WARNING] = { "WARNING", 2, RXAQM_YELLOW },
	[RXAQM_CHECK_CRITICAL] = { "CRITICAL", 3, RXAQM_RED },
	[RXAQM_CHECK_UNKNOWN] = { "UNKNOWN", 1, RXAQM_YELLOW },
};

__s64 rxaqm_check_ring_drops(const char *ifname)
{
	struct rtnl_link_stats64 stats;
	int err = rxaqm_link_stats(ifname, &stats);

	if (err)
		return err;
	return (__u32)(stats.rx_missed_errors + stats.rx_over_errors + stats.rx_fifo_errors);
}

__s64 rxaqm_check_overflow(const struct rxaqm_iface *iface, const char *here)
{
	if (iface->flags & RXAQM_IFACE_BY_CPU)
		return rxaqm_backlog_drops(RXAQM_SOFTNET_STAT);
	return here ? rxaqm_check_ring_drops(here) : -ENODEV;
}

/* A label of performance data must not have quotes, "=" or "|", which the name of an interface may.
 */
static const char *label_of(const char *name, char label[RXAQM_IFNAMSIZ])
{
	char *at = label;

	strcpy(label, name);
	while ((at = strpbrk(at, "'=|\"")))
		*at = '_';
	return label;
}

void rxaqm_check_find(struct rxaqm_check_sum *sum, enum rxaqm_check_level level,
		      const struct rxaqm_check_iface *iface, const char *fmt, ...)
{
	char label[RXAQM_IFNAMSIZ];
	size_t len = 0;
	va_list args;

	sum->nr_findings++;
	if (levels[level].badness <= levels[sum->level].badness)
		return;
	sum->level = level;
	if (iface)
		len = (size_t)snprintf(sum->text, sizeof(sum->text), "%s ",
				       label_of(iface->name, label));
	if (len >= sizeof(sum->text))
		return;
	va_start(args, fmt);
	vsnprintf(sum->text + len, sizeof(sum->text) - len, fmt, args);
	va_end(args);
}

/* Report a queue that stands over its target. */
static void find_standing(struct rxaqm_check_sum *sum, const struct rxaqm_check_iface *iface,
			  const struct rxaqm_check_queue *queue)
{
	const struct rxaqm_overload_look *look = &queue->look;
	char exempt[RXAQM_EXEMPT_WORDS + 80] = "";
	enum rxaqm_check_level level;

	if (!look->enforced && look->stood_ns >= sum->crit_ns)
		level = RXAQM_CHECK_CRITICAL;
	else if (look->stood_ns >= sum->warn_ns)
		level = RXAQM_CHECK_WARNING;
	else
		return;
	if (look->exempt_percent)
		snprintf(exempt, sizeof(exempt),
			 "; exempt traffic holds it (%u %%), law=codel cannot help; exempt: %s",
			 look->exempt_percent, look->exempt);
	rxaqm_check_find(sum, level, iface, "queue %u has %s for %s: sojourn %s, target %s, %s%s",
			 queue->queue, look->waiting ? "waited for its application" : "stood",
			 rxaqm_duration(look->stood_ns), rxaqm_duration(look->sojourn_ns),
			 rxaqm_duration(look->target_ns),
			 look->enforced ? "although enforced" : "not enforced", exempt);
}

void rxaqm_check_add_queue(struct rxaqm_check_sum *sum, struct rxaqm_check_iface *iface,
			   const struct rxaqm_check_queue *queue)
{
	const struct rxaqm_overload_look *look = &queue->look;

	iface->nr_queues++;
	if (look->stands) {
		iface->nr_standing++;
		if (look->sojourn_ns > iface->worst_ns)
			iface->worst_ns = look->sojourn_ns;
		if (look->stood_ns > iface->stood_ns)
			iface->stood_ns = look->stood_ns;
	}
	if (look->over)
		find_standing(sum, iface, queue);
	if (queue->distrust)
		rxaqm_check_find(sum, RXAQM_CHECK_WARNING, iface,
				 "queue %u: stamps not believed: %s", queue->queue,
				 queue->distrust);
	else if (queue->unstamped)
		rxaqm_check_find(sum, RXAQM_CHECK_WARNING, iface,
				 "queue %u: packets come without stamps; signal=busy needs none",
				 queue->queue);
}

/* Seconds, as plugins print times. */
#define SECONDS "%llu.%06llu"
#define SECONDS_OF(ns) (ns) / RXAQM_NSEC_PER_SEC, (ns) % RXAQM_NSEC_PER_SEC / RXAQM_NSEC_PER_USEC

/* 'LABEL'=VALUE[UNIT];WARN;CRIT;MIN;MAX */
static void print_perfdata(const struct rxaqm_check_sum *sum, const struct rxaqm_check_iface *iface,
			   FILE *file)
{
	char label[RXAQM_IFNAMSIZ];

	label_of(iface->name, label);
	fprintf(file, " '%s_standing'=%u;;;0;%u", label, iface->nr_standing, iface->nr_queues);
	fprintf(file, " '%s_sojourn'=" SECONDS "s;;;0", label, SECONDS_OF(iface->worst_ns));
	fprintf(file, " '%s_stood'=" SECONDS "s;" SECONDS ";" SECONDS ";0", label,
		SECONDS_OF(iface->stood_ns), SECONDS_OF(sum->warn_ns), SECONDS_OF(sum->crit_ns));
	if (iface->overflow_known)
		fprintf(file, " '%s_overflow'=%llu;;0;0", label, iface->overflow);
}

void rxaqm_check_add_iface(struct rxaqm_check_sum *sum, const struct rxaqm_check_iface *iface)
{
	sum->nr_queues += iface->nr_queues;
	if (iface->unseen)
		rxaqm_check_find(sum, RXAQM_CHECK_CRITICAL, iface,
				 "received %llu packets, of which the XDP program saw none: the "
				 "driver has lost it; detach, then attach again",
				 iface->unseen);
	sum->nr_standing += iface->nr_standing;
	if (iface->overflow_known && iface->overflow)
		rxaqm_check_find(sum, RXAQM_CHECK_CRITICAL, iface,
				 "overflows: %llu packets lost during the check", iface->overflow);
	if (sum->nr_ifaces < RXAQM_MAX_IFACES)
		sum->iface[sum->nr_ifaces++] = *iface;
}

static void add_json(const struct rxaqm_check_sum *sum, const char *text, struct rxaqm_out *out)
{
	unsigned int i;

	rxaqm_out_str(out, "level", NULL, levels[sum->level].name);
	rxaqm_out_str(out, "text", NULL, text);
	rxaqm_out_u64(out, "nr_findings", NULL, sum->nr_findings);
	rxaqm_out_array(out, "interfaces");
	for (i = 0; i < sum->nr_ifaces; i++) {
		const struct rxaqm_check_iface *iface = &sum->iface[i];

		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "interface", NULL, iface->name);
		rxaqm_out_u64(out, "nr_queues", NULL, iface->nr_queues);
		rxaqm_out_u64(out, "nr_standing", NULL, iface->nr_standing);
		rxaqm_out_u64(out, "sojourn_ns", NULL, iface->worst_ns);
		rxaqm_out_u64(out, "stood_ns", NULL, iface->stood_ns);
		if (iface->overflow_known)
			rxaqm_out_u64(out, "overflow", NULL, iface->overflow);
		rxaqm_out_end(out);
	}
	rxaqm_out_end(out);
}

static void print_line(const struct rxaqm_check_sum *sum, const char *text, FILE *file)
{
	unsigned int i;

	fputs("RXAQM ", file);
	rxaqm_paint(file, levels[sum->level].paint);
	fputs(levels[sum->level].name, file);
	rxaqm_paint(file, RXAQM_PLAIN);
	fprintf(file, " - %s", text);
	if (sum->nr_findings > 1)
		fprintf(file, " (and %u more)", sum->nr_findings - 1);
	/* Text ends at "|", where the figures begin. */
	if (sum->nr_ifaces)
		fputs(" |", file);
	for (i = 0; i < sum->nr_ifaces; i++)
		print_perfdata(sum, &sum->iface[i], file);
	fputc('\n', file);
}

int rxaqm_check_print(const struct rxaqm_check_sum *sum, FILE *file, bool json)
{
	char text[RXAQM_CHECK_TEXT];
	struct rxaqm_out out;

	snprintf(text, sizeof(text), "%s", sum->text);
	if (sum->level == RXAQM_CHECK_OK)
		snprintf(text, sizeof(text),
			 "%llu %s%s, %llu %s%s, %u of them standing, none over its target for long",
			 RXAQM_COUNTED(sum->nr_ifaces, "interface"),
			 RXAQM_COUNTED(sum->nr_queues, "queue"), sum->nr_standing);
	rxaqm_out_open(&out, file, json);
	if (json) {
		rxaqm_out_head(&out, "check");
		add_json(sum, text, &out);
	} else {
		print_line(sum, text, file);
	}
	return rxaqm_out_close(&out, false) ? RXAQM_CHECK_UNKNOWN : (int)sum->level;
}
