/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated NIC and what it knows for certain: tests/simnic/README.md. */
#ifndef RXAQM_TESTS_SIMNIC_HPP
#define RXAQM_TESTS_SIMNIC_HPP

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "guest.hpp"

/* Truly stood in the ring, of all queues, since the last reset. */
struct Truth {
	std::map<int64_t, std::pair<int64_t, int64_t>> buckets; /* floor: end, packets */
	int64_t packets = 0;

	/* The middle of its bucket, right to 3 %. */
	double quantile_ns(double share) const;
};

/* A wire between two of them, all settings as after loading, but for a shorter ring. The
 * receiving end is polled on CPU 1.
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
	/* Attach, with @words, to the receiving end. */
	void attach(Args words) const;
	Result rxaqm(Args args) const;
	/* Of "rxaqm COMMAND sim1", at "/interfaces/0" + @at. */
	Json json(const std::string &command) const;
	std::string signal() const;
	/* All notes that status has, in one string. */
	std::string notes() const;
	int64_t stat(const std::string &counter) const;
	/* What ethtool -S shows: all of one instant, and one counter. */
	std::map<std::string, int64_t> nic_stats() const;
	int64_t nic_stat(const std::string &counter) const;
	void set(const std::string &knob, int64_t value) const;
	void set(const std::string &knob, const std::string &value) const;
	int64_t get(const std::string &knob) const;
	Truth truth() const;

	/* Packets that find the queue empty, for as long: the clock is learnt. */
	void trickle(std::chrono::milliseconds duration) const;
	/* A packet costs the receiver as much from now on. */
	void overload() const;
	/* By how much the estimate errs that is in use in the kernel, and what it says that it
	 * errs at most.
	 */
	struct ClockError {
		int64_t error_ns = 0, bound_ns = 0;
		uint32_t resets = 0;
		bool published = false;
	};
	ClockError kernel_clock_error() const;
	/* Of queue 0, as it is at this instant: a command would take a second. */
	std::vector<uint64_t> histogram() const;
};

/* A setting of one of the two by name; throws if it is refused. */
void write_knob(const std::string &device, const std::string &knob, const std::string &value);

/* UDP to a socket that nobody reads, from CPU 0, where everything else goes first. */
class Flow
{
    public:
	/* @pps packets a second; 0: as fast as it goes. */
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

/* What rxaqm has measured, and the truth, of the very same time. */
class Window
{
    public:
	explicit Window(const SimNic &nic);
	void end();

	Truth truth;
	int64_t packets = 0; /* in the histogram */

	/* The histogram's bucket of this quantile, with @more buckets on either side. */
	std::pair<double, double> bucket_ns(unsigned permille, unsigned more) const;
	/* Is the true quantile in it, or off by no more than 10 % and 50 us? */
	bool agrees(unsigned permille, unsigned more) const;
	std::string text() const;

    private:
	const SimNic &nic_;
	std::vector<uint64_t> histogram_; /* of queue 0 */
};

/* A window of four seconds, once a flow of @pps has stood for @settle. */
Window loaded(const SimNic &nic, unsigned pps, std::chrono::milliseconds settle);

#endif /* RXAQM_TESTS_SIMNIC_HPP */
