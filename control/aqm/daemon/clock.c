/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the PHC of each NIC, on its own schedule, and publish how to convert it. If a PHC cannot be
 * read, the data plane estimates the clock from packets.
 */
#include "daemon/clock.h"

#include "base/now.h"
#include "daemon/link.h"
#include "daemon/log.h"

#define RETRY_NS (60 * RXAQM_NSEC_PER_SEC)
#define SETTLE_NS RXAQM_NSEC_PER_SEC

static struct rxaqm_clock_phc *entry_of(const struct rxaqm_link *link)
{
	return &link->run->state.clock_phc[link->slot];
}

static void withdraw(struct rxaqm_clock_phc *entry)
{
	__atomic_store_n(&entry->published, 0, __ATOMIC_RELEASE);
}

/* Does the clock belong to the current attachment? */
static bool is_current(const struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	return iface && link->clock.attached_ns == iface->attached_ns;
}

void rxaqm_run_clock_free(struct rxaqm_link *link)
{
	if (link->clock.open && is_current(link, rxaqm_link_iface(link)))
		withdraw(entry_of(link));
	if (link->clock.open)
		rxaqm_phc_close(&link->clock.phc);
	link->clock = (struct rxaqm_run_clock){};
}

static void failed(struct rxaqm_link *link, int err, const struct rxaqm_error *error)
{
	struct rxaqm_run_clock *clock = &link->clock;

	clock->open = false;
	clock->next_ns = rxaqm_now_ns() + RETRY_NS;
	if (err == clock->complained)
		return;
	clock->complained = err;
	/* A NIC without PHC is no reason to warn. */
	rxaqm_link_log(link, err == -ENOENT ? LOG_INFO : LOG_WARNING,
		       "%s; its clock is estimated from packets", error->text);
}

static void open_clock(struct rxaqm_link *link)
{
	struct rxaqm_clock_phc *entry = entry_of(link);
	struct rxaqm_run_clock *clock = &link->clock;
	struct rxaqm_error error = {};
	int err = rxaqm_phc_open(&clock->phc, link->name, &error);

	if (err) {
		failed(link, err, &error);
		return;
	}
	clock->open = true;
	clock->complained = 0;
	rxaqm_phc_fit_init(&clock->fit);
	clock->resets_before = entry->resets;
	clock->outliers_before = entry->outliers;
	withdraw(entry);
	entry->index = (__u32)clock->phc.index;
	entry->method = clock->phc.method;
	rxaqm_link_log(link, LOG_INFO, "reading its clock, /dev/ptp%d (%s)", clock->phc.index,
		       rxaqm_phc_method_name(clock->phc.method));
}

/* Read it once, and publish the mapping or withdraw it. */
static void read_clock(struct rxaqm_link *link)
{
	struct rxaqm_clock_phc *entry = entry_of(link);
	struct rxaqm_run_clock *clock = &link->clock;
	struct rxaqm_phc_sample sample;
	struct rxaqm_error error = {};
	int err = rxaqm_phc_read(&clock->phc, &sample, &error);

	if (err && err != -EAGAIN) {
		withdraw(entry);
		rxaqm_phc_close(&clock->phc);
		failed(link, err, &error);
		return;
	}
	if (err)
		clock->fit.gap_ns = RXAQM_PHC_GAP_MIN_NS;
	else
		rxaqm_phc_fit_add(&clock->fit, &sample);
	entry->method = clock->phc.method;
	entry->outliers = clock->outliers_before + clock->fit.outliers;
	/* Publish the step before the mapping after it. */
	__atomic_store_n(&entry->resets, clock->resets_before + clock->fit.resets,
			 __ATOMIC_RELEASE);
	rxaqm_phc_publish(&clock->fit, entry);
	clock->next_ns = rxaqm_now_ns() + clock->fit.gap_ns;
}

static void run_clock(struct rxaqm_link *link, const struct rxaqm_iface *iface)
{
	struct rxaqm_run_clock *clock = &link->clock;

	/* Attaching may have reset the NIC: its clock is left alone for a moment. */
	if (!clock->attached_ns)
		clock->next_ns = rxaqm_now_ns() + SETTLE_NS;
	clock->attached_ns = iface->attached_ns;
	if (!rxaqm_ns_after(clock->next_ns, rxaqm_now_ns())) {
		if (!clock->open)
			open_clock(link);
		if (clock->open)
			read_clock(link);
	}
	rxaqm_run_sync_by(link->run, clock->next_ns);
}

static bool has_stamps(const struct rxaqm_iface *iface)
{
	return iface->stamp == RXAQM_STAMP_HWTSTAMP || (iface->flags & RXAQM_IFACE_HINT);
}

void rxaqm_run_clocks(struct rxaqm_run *run)
{
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		const struct rxaqm_iface *iface = rxaqm_link_iface(link);

		if (link->clock.attached_ns && !is_current(link, iface))
			rxaqm_run_clock_free(link);
		if (iface && has_stamps(iface))
			run_clock(link, iface);
	}
}
