/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/stamps.h"

#include <linux/sockios.h>
#include <string.h>

#include "nic/ethtool.h"
#include "state/kernel.h"

enum rxaqm_stamp rxaqm_stamps_usable(enum rxaqm_stamp stamp, const char *ifname)
{
	struct hwtstamp_config config = {};

	if (!rxaqm_kernel_is_whole())
		return RXAQM_STAMP_NONE;
	if (stamp != RXAQM_STAMP_HWTSTAMP || rxaqm_nic_coverage(ifname) == RXAQM_COVERAGE_ALL)
		return stamp;
	rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config);
	return config.rx_filter == HWTSTAMP_FILTER_ALL ? stamp : RXAQM_STAMP_NONE;
}

__s32 rxaqm_stamps_filter(const struct rxaqm_iface *iface)
{
	return iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED ? iface->hwtstamp_granted :
							   HWTSTAMP_FILTER_ALL;
}

const char *rxaqm_stamps_words(__s32 rx_filter)
{
	switch (rx_filter) {
	case HWTSTAMP_FILTER_NONE:
		return "no packets";
	case HWTSTAMP_FILTER_ALL:
		return "all packets";
	case HWTSTAMP_FILTER_SOME:
		return "some packets";
	case HWTSTAMP_FILTER_NTP_ALL:
		return "only NTP packets";
	default:
		return "only PTP packets";
	}
}

static bool is_same(const struct hwtstamp_config *a, const struct hwtstamp_config *b)
{
	return a->flags == b->flags && a->tx_type == b->tx_type && a->rx_filter == b->rx_filter;
}

void rxaqm_stamps_restore(const struct rxaqm_iface *iface, const char *ifname,
			  struct rxaqm_phc_keep *keep, struct rxaqm_error *error)
{
	struct hwtstamp_config now = {}, before = {
		.flags = iface->hwtstamp_flags,
		.tx_type = iface->hwtstamp_tx_type,
		.rx_filter = iface->hwtstamp_rx_filter,
	};
	struct hwtstamp_config left = before;
	int err;

	if (!(iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED))
		return;
	left.rx_filter = rxaqm_stamps_filter(iface);
	if (is_same(&left, &before))
		return;
	rxaqm_phc_keep_arm(keep);
	err = rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &now);
	if (!err && is_same(&now, &left)) {
		err = rxaqm_hwtstamp(ifname, SIOCSHWTSTAMP, &before);
	} else if (!err && !is_same(&now, &before)) {
		rxaqm_error_add(error,
				"the timestamp configuration of \"%s\" was changed by someone "
				"else since attach: stamps of %s (rx_filter %d), %s of what is "
				"sent (tx_type %d); it stays so; \"hwstamp_ctl -i %s -t %d -r "
				"%d\" (linuxptp) restores what it was before attach",
				ifname, rxaqm_stamps_words(now.rx_filter), now.rx_filter,
				now.tx_type ? "and" : "none", now.tx_type, ifname, before.tx_type,
				before.rx_filter);
	}
	if (err)
		rxaqm_error_add(error,
				"the timestamp configuration of \"%s\" could not be put back: %s; "
				"\"hwstamp_ctl -i %s -t %d -r %d\" (linuxptp) does that",
				ifname, strerror(-err), ifname, before.tx_type, before.rx_filter);
}

/* A driver's refusal that will be the same next time. */
static bool is_refusal(int err)
{
	return err == -EOPNOTSUPP || err == -ERANGE || err == -EINVAL || err == -EPERM;
}

int rxaqm_stamps_enable(struct rxaqm_iface *iface, const char *ifname, enum rxaqm_signal signal,
			struct rxaqm_phc_keep *keep, struct rxaqm_error *error)
{
	struct hwtstamp_config config = {}, now = {};
	int err;

	if (signal == RXAQM_SIGNAL_BUSY || iface->stamp != RXAQM_STAMP_HWTSTAMP ||
	    rxaqm_nic_coverage(ifname) != RXAQM_COVERAGE_ALL)
		return 0;
	/* This takes a while, in which others may change the configuration read next. */
	rxaqm_phc_keep_arm(keep);
	err = rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config);
	if (err || config.rx_filter == HWTSTAMP_FILTER_ALL)
		return 0;
	iface->hwtstamp_flags = config.flags;
	iface->hwtstamp_tx_type = config.tx_type;
	iface->hwtstamp_rx_filter = config.rx_filter;
	/* The assumption until the answer, for a command that dies here. */
	iface->hwtstamp_granted = HWTSTAMP_FILTER_ALL;
	__atomic_or_fetch(&iface->flags, RXAQM_IFACE_HWTSTAMP_SAVED, __ATOMIC_RELEASE);
	config.rx_filter = HWTSTAMP_FILTER_ALL;
	err = rxaqm_hwtstamp(ifname, SIOCSHWTSTAMP, &config);
	/* Some drivers grant less without an error. */
	if (!rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &now))
		iface->hwtstamp_granted = now.rx_filter;
	if (!err)
		return 0;
	if (signal == RXAQM_SIGNAL_AUTO && is_refusal(err)) {
		/* rxaqm_hint has nothing to ask for either. */
		__atomic_and_fetch(&iface->flags, ~RXAQM_IFACE_HINT, __ATOMIC_RELEASE);
		rxaqm_error_add(error,
				"the driver of \"%s\" says that it can stamp all packets, but refuses "
				"to: %s; with signal=auto its queues use busy",
				ifname, strerror(-err));
		return 0;
	}
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
			       "cannot turn on Rx timestamps of \"%s\": %s; attach with "
			       "signal=busy to do without them",
			       ifname, strerror(-err));
}

int rxaqm_stamps_turn_on(struct rxaqm_iface *iface, const char *ifname, struct rxaqm_error *error)
{
	struct rxaqm_phc_keep keep;
	int err;

	rxaqm_phc_keep_begin(&keep, ifname);
	err = rxaqm_stamps_enable(iface, ifname, RXAQM_SIGNAL_STAMP, &keep, error);
	rxaqm_phc_keep_end(&keep, false, error);
	return err;
}
