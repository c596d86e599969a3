/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon/phc_source.h"

#include "base/now.h"
#include "attach/state.h"

static void set_published(struct rxaqm_clock_phc *entry, __u32 number)
{
	__atomic_store_n(&entry->published, number, __ATOMIC_RELEASE);
}

void rxaqm_phc_publish(const struct rxaqm_phc_fit *fit, struct rxaqm_clock_phc *entry)
{
	__u32 next = entry->last + 1;

	entry->points = fit->nr_points;
	if (!fit->valid) {
		set_published(entry, 0);
		return;
	}
	/* A reading that was left out changes nothing. */
	if (entry->published &&
	    entry->clock[entry->published & 1].host_ref_ns == fit->clock.host_ref_ns)
		return;
	if (!next)
		next = 2;
	entry->clock[next & 1] = fit->clock;
	entry->last = next;
	set_published(entry, next);
}

int rxaqm_phc_source_open(struct rxaqm_phc_source *src, struct rxaqm_clock_phc *entry,
			  const char *ifname, struct rxaqm_error *error)
{
	int err = rxaqm_phc_open(&src->phc, ifname, error);

	if (err)
		return err;
	rxaqm_phc_fit_init(&src->fit);
	src->next_ns = rxaqm_now_ns();
	src->resets_before = entry->resets;
	src->outliers_before = entry->outliers;
	set_published(entry, 0);
	entry->index = (__u32)src->phc.index;
	entry->method = src->phc.method;
	return 0;
}

int rxaqm_phc_source_run(struct rxaqm_phc_source *src, struct rxaqm_clock_phc *entry,
			 struct rxaqm_error *error)
{
	struct rxaqm_phc_sample sample;
	int err;

	err = rxaqm_phc_read(&src->phc, &sample, error);
	if (err && err != -EAGAIN) {
		set_published(entry, 0);
		return err;
	}
	if (err)
		src->fit.gap_ns = RXAQM_PHC_GAP_MIN_NS;
	else
		rxaqm_phc_fit_add(&src->fit, &sample);
	entry->method = src->phc.method;
	entry->outliers = src->outliers_before + src->fit.outliers;
	/* The step is told before the mapping after it. */
	__atomic_store_n(&entry->resets, src->resets_before + src->fit.resets, __ATOMIC_RELEASE);
	rxaqm_phc_publish(&src->fit, entry);
	src->next_ns = rxaqm_now_ns() + src->fit.gap_ns;
	return 0;
}

void rxaqm_phc_source_close(struct rxaqm_phc_source *src, struct rxaqm_clock_phc *entry)
{
	if (entry)
		set_published(entry, 0);
	rxaqm_phc_close(&src->phc);
}
