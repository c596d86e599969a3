/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated NIC, and what it knows for certain: see tests/simnic/README.md. */
#ifndef RXAQM_TESTS_SIMNIC_HPP
#define RXAQM_TESTS_SIMNIC_HPP

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "guest.hpp"

/* The true time in the ring, over all queues, since the last reset. */
struct Truth {
	std::map<int64_t, std::pair<int64_t, int64_t>> buckets; /* floor: end, number of packets */
	int64_t packets = 0;

	/* The middle of the quantile's bucket, accurate to 3 %. */
	double quantile_ns(double share) const;
};

/* A wire between two simulated NICs. All settings are as after loading, except for a shorter ring.
 * CPU 1 polls the receiving end.
 */
struct SimNic {
	Host host;
	std::unique_ptr<Wire> wire;

	static constexpr unsigned RING = 256, BUDGET = 64;

	SimNic();
	~SimNic();

	const Netns &rx() const
	{
		return wire->rx;
	}
	const std::string &name() const
	{
		return wire->rx_if;
	}
	/* Attach to the receiving end with @words. */
	void attach(Args words) const;
	Result rxaqm(Args args) const;
	/* Part "/interfaces/0" + @at of the output of "rxaqm COMMAND sim1". */
	Json json(const std::string &command) const;
	std::string signal() const;
	/* All notes of status, in one string. */
	std::string notes() const;
	int64_t stat(const std::string &counter) const;
	/* ethtool -S: all counters of one instant, or one of them. */
	std::map<std::string, int64_t> nic_stats() const;
	int64_t nic_stat(const std::string &counter) const;
	void set(const std::string &knob, int64_t value) const;
	void set(const std::string &knob, const std::string &value) const;
	int64_t get(const std::string &knob) const;
	Truth truth() const;

	/* Send packets that find the queue empty, for @duration: so the clock is learnt. */
	void trickle(std::chrono::milliseconds duration) const;
	/* From now on each packet costs the receiver 200 us. */
	void overload() const;
	/* The error of the estimate that the kernel uses, and the bound that it states. */
	struct ClockError {
		int64_t error_ns = 0, bound_ns = 0;
		uint32_t resets = 0;
		bool published = false;
	};
	ClockError kernel_clock_error() const;
	/* Of queue 0 at this instant: a command would take a second. */
	std::vector<uint64_t> histogram() const;
};

/* Set a knob of one of the two devices; throws if that is refused. */
void write_knob(const std::string &device, const std::string &knob, const std::string &value);

/* UDP to a socket that nobody reads, from CPU 0, at the lowest priority. */
class Flow
{
    public:
	/* @pps packets a second; 0: as fast as possible. */
	Flow(const SimNic &nic, unsigned pps, unsigned tos = 0);
	~Flow();
	Flow(const Flow &) = delete;
	Flow &operator=(const Flow &) = delete;

    private:
	void send_all(unsigned pps);

	int tx_, rx_;
	std::atomic<bool> stop_{ false };
	std::thread sender_;
};

/* What rxaqm measured in a window, and the truth of the same time. */
class Window
{
    public:
	explicit Window(const SimNic &nic);
	void end();

	Truth truth;
	int64_t packets = 0; /* in the histogram */

	/* The histogram's bucket of this quantile, extended by @more buckets on either side. */
	std::pair<double, double> bucket_ns(unsigned permille, unsigned more) const;
	/* Is the true quantile in that bucket, or off by at most 10 % and 50 us? */
	bool agrees(unsigned permille, unsigned more) const;
	std::string text() const;

    private:
	const SimNic &nic_;
	std::vector<uint64_t> histogram_; /* of queue 0 */
};

/* A window of four seconds, after a flow of @pps has run for @settle. */
Window loaded(const SimNic &nic, unsigned pps, std::chrono::milliseconds settle);

#endif /* RXAQM_TESTS_SIMNIC_HPP */
