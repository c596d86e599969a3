/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send frames of all classes through a standing queue, and account for each of them.
 *
 * The sender keeps as many frames in flight as the ring can hold: only rxaqm drops any, and the
 * queue never drains. Each frame has a number, so the receiver knows what became of it.
 */
#ifndef RXAQM_TESTS_FRAMES_HPP
#define RXAQM_TESTS_FRAMES_HPP

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "netns.hpp"

enum FrameKind {
	NOT_ECT,
	ECT0,
	ECT1,
	PURE_ACK,
	ICMP_ECHO,
	ARP_REQUEST,
	NR_FRAME_KINDS
};

struct FrameCounts {
	unsigned sent = 0, received = 0, marked = 0, spoilt = 0;
};

class Frames
{
    public:
	explicit Frames(const Wire &wire);
	~Frames();

	/* The kinds to send, in turn. */
	std::vector<FrameKind> mix = { NOT_ECT, ECT0, ECT1, PURE_ACK, ICMP_ECHO, ARP_REQUEST };
	unsigned in_flight = 200;
	/* Halve the number in flight when a frame is marked or lost, as TCP does. */
	bool responsive = false;
	bool ipv6 = false;

	/* Run until @frames have passed the queue or were dropped in it, for at most a minute. */
	void run(unsigned frames);
	void run(std::chrono::milliseconds duration);
	void run_until(const std::function<bool()> &enough);
	/* Send slowly: the queue is empty in between. */
	void trickle(unsigned frames);

	std::array<FrameCounts, NR_FRAME_KINDS> counts;
	/* Frames of the last run that arrived behind the queue. */
	long received_last() const
	{
		return long(delays_.size());
	}
	/* The median time from sending to arrival behind the queue, over the last run. */
	uint64_t median_delay_ns() const;

    private:
	/* False: refused, because the receiver's ring is full. */
	bool send_one(FrameKind kind);
	void send_next();
	void wait_for_room() const;
	void drain();
	/* Has this frame, or a later one, arrived? */
	bool passed(uint32_t number) const;
	void receive_one(); /* waits up to 2 ms */
	void take(const uint8_t *frame, size_t len);
	void tally(FrameKind kind, uint32_t number, bool ce, const std::vector<uint8_t> &frame);
	void adapt(bool congested);

	int tx_, rx_;
	uint32_t next_ = 1;
	unsigned window_ = 0;
	uint32_t adapted_at_ = 0;
	std::atomic<uint32_t> highest_{ 0 };
	std::atomic<bool> congested_{ false };
	std::vector<uint64_t> delays_;
	std::vector<std::atomic<uint64_t>> sent_ns_;
};

/* Frames that keep coming while the test looks at something else. */
class Load
{
    public:
	explicit Load(Frames &frames)
		: thread_([this, &frames] { frames.run_until([this] { return stop_.load(); }); })
	{
	}
	~Load()
	{
		stop_ = true;
		thread_.join();
	}

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

/* Let the receiving CPU spend @cost_us on each frame: a queue stands as soon as more arrive. False
 * if the machine has too few CPUs.
 */
bool make_slow(const Wire &wire, unsigned cost_us);
/* Stamp what is sent by a simulated NIC clock. */
void stamp_frames(const Wire &wire);

#endif /* RXAQM_TESTS_FRAMES_HPP */
