/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps of the test's own, and the page that metrics make of them. */
#ifndef RXAQM_TESTS_METRICS_MAPS_HPP
#define RXAQM_TESTS_METRICS_MAPS_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "exposition.hpp"

extern "C" {
#include "figures/figures.h"
#include "report/metrics_rows.h"
#include "policy/settings.h"
}

class Maps
{
    public:
	Maps()
		: ifaces_(RXAQM_MAX_IFACES)
		, policies_(2 * RXAQM_MAX_QUEUES)
		, queues_(RXAQM_MAX_QUEUES)
		, clocks_(RXAQM_MAX_IFACES)
		, phcs_(RXAQM_MAX_IFACES)
		, waits_(RXAQM_MAX_QUEUES)
	{
		meta_.abi_version = RXAQM_ABI_VERSION;
		state_.meta = &meta_;
		state_.iface = ifaces_.data();
		state_.policy = policies_.data();
		state_.queue = queues_.data();
		state_.clock = clocks_.data();
		state_.clock_phc = phcs_.data();
		state_.wait = waits_.data();
		view_ = std::make_unique<rxaqm_metrics_view>();
		memset(view_.get(), 0, sizeof(*view_));
		view_->state = &state_;
		view_->now_ns = 1000 * RXAQM_NSEC_PER_SEC;
	}

	/* Attach @nr_queues queues, all polled, with the default policy. Returns the slot. */
	unsigned attach(const std::string &name, unsigned nr_queues)
	{
		unsigned slot = nr_ifaces_++;
		rxaqm_iface &iface = ifaces_[slot];

		iface.state = RXAQM_IFACE_ATTACHED;
		iface.queue_base = nr_queues_;
		iface.nr_queues = nr_queues;
		iface.attached_ns = view_->now_ns - 5 * RXAQM_NSEC_PER_SEC;
		snprintf(iface.profile, sizeof(iface.profile), "veth");
		snprintf(view_->iface[slot].label, RXAQM_METRICS_LABEL_LEN, "%s", name.c_str());
		for (unsigned i = 0; i < nr_queues; i++) {
			queue(slot, i).flags |= RXAQM_QUEUE_POLLED;
			rxaqm_policy_init(&policy(slot, i));
		}
		nr_queues_ += nr_queues;
		return slot;
	}

	rxaqm_iface &iface(unsigned slot)
	{
		return ifaces_[slot];
	}
	rxaqm_queue &queue(unsigned slot, unsigned i)
	{
		return queues_[ifaces_[slot].queue_base + i];
	}
	rxaqm_policy &policy(unsigned slot, unsigned i)
	{
		return policies_[ifaces_[slot].queue_base + i];
	}
	rxaqm_wait &wait(unsigned slot, unsigned i)
	{
		return waits_[ifaces_[slot].queue_base + i];
	}
	rxaqm_clock_phc &phc(unsigned slot)
	{
		return phcs_[slot];
	}
	rxaqm_clock_entry &clock(unsigned slot)
	{
		return clocks_[slot];
	}
	rxaqm_metrics_view &view()
	{
		return *view_;
	}
	rxaqm_state &state()
	{
		return state_;
	}

	std::string text() const
	{
		rxaqm_metrics_text text = {};
		char *page = nullptr;
		size_t bytes = 0;

		text.file = open_memstream(&page, &bytes);
		rxaqm_metrics_print(&text, view_.get());
		fclose(text.file);
		std::string copy(page, bytes);
		free(page);
		return copy;
	}
	Exposition page() const
	{
		return Exposition(text());
	}

    private:
	rxaqm_meta_info meta_ = {};
	std::vector<rxaqm_iface> ifaces_;
	std::vector<rxaqm_policy> policies_;
	std::vector<rxaqm_queue> queues_;
	std::vector<rxaqm_clock_entry> clocks_;
	std::vector<rxaqm_clock_phc> phcs_;
	std::vector<rxaqm_wait> waits_;
	rxaqm_state state_ = {};
	std::unique_ptr<rxaqm_metrics_view> view_;
	unsigned nr_ifaces_ = 0, nr_queues_ = 0;
};

#endif /* RXAQM_TESTS_METRICS_MAPS_HPP */
