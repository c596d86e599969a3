// SPDX-License-Identifier: GPL-2.0-only
#include "random_nic.hpp"

#include <random>
#include <sstream>

namespace
{

class Draw
{
    public:
	explicit Draw(unsigned seed)
		: random_(seed)
	{
	}
	bool one_in(unsigned n)
	{
		return random_() % n == 0;
	}
	unsigned from(unsigned least, unsigned most)
	{
		return least + unsigned(random_() % (most - least + 1));
	}

    private:
	std::mt19937 random_;
};

} // namespace

bool RandomNic::has(const std::string &row) const
{
	return ("," + rows + ",").find("," + row + ",") != std::string::npos;
}

RandomNic::RandomNic(unsigned seed)
	: seed(seed)
{
	static const char *const groups[] = { "Q1", "Q2",  "Q3,Q4", "Q7", "Q8",
					      "Q9", "Q16", "Q13",   "Q18" };
	Draw draw(seed);
	const unsigned always = draw.from(0, 8);

	for (unsigned i = 0; i < 9; i++) {
		if (i == always || draw.one_in(3))
			rows += (rows.empty() ? "" : ",") + std::string(groups[i]);
	}
	shared = draw.one_in(2);
	if (draw.one_in(3))
		coverage = draw.one_in(2) ? "ptp" : "none";
	if (draw.one_in(3))
		stamp_one_in = draw.from(2, 10);
	if (draw.one_in(3))
		repeat_one_in = draw.from(2, 40);
	else if (draw.one_in(3))
		late_us = draw.one_in(2) ? draw.from(100, 1000) : draw.from(1000, 15000);
	else
		at_poll = draw.one_in(3);
	if (draw.one_in(2))
		drift_ppb = int(draw.from(0, 400000)) - 200000;
	if (draw.one_in(4))
		step_us = draw.from(2000, 10000);
	if (draw.one_in(2))
		usecs = draw.from(1000, 9500);
	if (draw.one_in(2))
		ring = draw.from(64, 1500);
	if (draw.one_in(3))
		cost_us = draw.from(100, 250);
	if (draw.one_in(2))
		missed_one_in = draw.one_in(4) ? 0 : draw.from(3, 50);
	if (draw.one_in(2))
		reset_ms = draw.from(50, 3000);
	for (unsigned i = draw.from(1, 4); i; i--)
		weights.push_back(draw.from(1, 4));
	steered = weights.size() > 1 && draw.one_in(4);
	/* Drawn last, so that a seed still gives the same NIC as before these rows existed. */
	for (const char *row : { "Q10", "Q11", "Q12", "Q14", "Q15", "Q17" }) {
		if (draw.one_in(3))
			rows += std::string(",") + row;
	}
}

void RandomNic::apply(Lab &lab) const
{
	const std::string &name = lab.name();
	std::string weight;

	for (unsigned each : weights)
		weight += " " + std::to_string(each);
	lab.shell("ethtool -L " + name + " combined " + std::to_string(weights.size()) +
		  " || [ $? = 1 ]; ethtool -X " + name + " weight" + weight);
	lab.shell("ethtool --set-priv-flags " + name + " shared-cq " + (shared ? "on" : "off"));
	lab.shell("ethtool -C " + name + " rx-usecs " + std::to_string(usecs));
	lab.shell("ethtool -G " + name + " rx " + std::to_string(ring) + " || [ $? = 1 ]");
	if (steered)
		lab.set("rx_queue", int64_t(weights.size()) - 1);
	lab.set("stamp_coverage", coverage);
	lab.set("stamp_one_in", stamp_one_in);
	lab.set("stamp_repeat_one_in", repeat_one_in);
	lab.set("stamp_late_ns", int64_t(late_us) * 1000);
	lab.set("stamp_at_poll", at_poll);
	lab.set("phc_drift_ppb", drift_ppb);
	lab.set("xdp_cost_ns", int64_t(cost_us) * 1000);
	lab.set("missed_one_in", missed_one_in);
	lab.set("reset_ms", reset_ms);
	if (has("Q18"))
		lab.without_addresses();
}

std::string RandomNic::text() const
{
	std::ostringstream text;

	text << "RXAQM_SEED=" << seed << " RXAQM_CONFIGS=1: rows " << rows << "; shared " << shared
	     << ", coverage " << coverage << ", one in " << stamp_one_in << ", repeated one in "
	     << repeat_one_in << ", late " << late_us << " us, at poll " << at_poll << ", drift "
	     << drift_ppb << " ppb, steps " << step_us << " us, usecs " << usecs << ", ring "
	     << ring << ", cost " << cost_us << " us, missed one in " << missed_one_in << ", reset "
	     << reset_ms << " ms, weights";
	for (unsigned each : weights)
		text << " " << each;
	text << (steered ? ", steered" : "");
	return text.str();
}
