/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/overview.h"

#include <stdio.h>

#include "base/parse.h"

void rxaqm_overview_iface(struct rxaqm_overview *overview, unsigned int nr_queues,
			  const char *troubled)
{
	overview->nr_ifaces++;
	overview->nr_queues += nr_queues;
	if (troubled && !overview->nr_troubled++)
		snprintf(overview->troubled, sizeof(overview->troubled), "%s", troubled);
}

void rxaqm_overview_standing(struct rxaqm_overview *overview, const char *ifname,
			     unsigned int queue, __u64 sojourn_ns, bool enforced)
{
	overview->nr_enforced += enforced;
	if (overview->nr_standing++ && sojourn_ns <= overview->sojourn_ns)
		return;
	snprintf(overview->ifname, sizeof(overview->ifname), "%s", ifname);
	overview->queue = queue;
	overview->sojourn_ns = sojourn_ns;
}

const char *rxaqm_overview_text(const struct rxaqm_overview *overview, char buf[RXAQM_OVERVIEW_LEN])
{
	unsigned int nr = overview->nr_standing, enforced = overview->nr_enforced;
	char some[32];
	int len;

	len = snprintf(buf, RXAQM_OVERVIEW_LEN,
		       "%llu %s%s, %llu %s%s: ", RXAQM_COUNTED(overview->nr_ifaces, "interface"),
		       RXAQM_COUNTED(overview->nr_queues, "queue"));
	snprintf(some, sizeof(some), "%u of them enforced", enforced);
	if (!nr)
		len += snprintf(buf + len, RXAQM_OVERVIEW_LEN - (size_t)len, "none stands");
	else
		len += snprintf(buf + len, RXAQM_OVERVIEW_LEN - (size_t)len,
				"%u stand%s (%s%s queue %u, %s), %s", nr, nr == 1 ? "s" : "",
				nr == 1 ? "" : "longest: ", overview->ifname, overview->queue,
				rxaqm_duration(overview->sojourn_ns),
				enforced == nr ? "enforced" :
				enforced       ? some :
						 "not enforced");
	if (overview->nr_troubled)
		snprintf(buf + len, RXAQM_OVERVIEW_LEN - (size_t)len, "; trouble: %s%s",
			 overview->troubled, overview->nr_troubled > 1 ? " and others" : "");
	return buf;
}

enum rxaqm_paint rxaqm_overview_paint(const struct rxaqm_overview *overview)
{
	if (overview->nr_troubled || overview->nr_standing > overview->nr_enforced)
		return RXAQM_RED;
	return overview->nr_standing ? RXAQM_GREEN : RXAQM_BOLD;
}
