/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of all classes through a queue that stands, each of them accounted for.
 *
 * The sender keeps a number of frames in flight that the ring can hold, so that none is lost
 * but by rxaqm, and yet the queue never drains. Frames carry a number; what the receiver
 * sees of them tells what became of each.
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

	/* In turn, one of each kind. */
	std::vector<FrameKind> mix = { NOT_ECT, ECT0, ECT1, PURE_ACK, ICMP_ECHO, ARP_REQUEST };
	unsigned in_flight = 200;
	/* Halve the number in flight when a frame is marked or lost, as TCP would. */
	bool responsive = false;
	bool ipv6 = false;

	/* Until @frames have come through the queue or were dropped in it, however long that takes,
	 * up to a minute. */
	void run(unsigned frames);
	void run(std::chrono::milliseconds duration);
	void run_until(const std::function<bool()> &enough);
	/* Slowly: the queue is empty in between. */
	void trickle(unsigned frames);

	std::array<FrameCounts, NR_FRAME_KINDS> counts;
	/* Frames of the last run that were seen behind the queue. */
	long received_last() const
	{
		return long(delays_.size());
	}
	/* From sent to seen behind the queue, of the frames of the last run. */
	uint64_t median_delay_ns() const;

    private:
	/* False if it was refused: the receiver's ring is full. */
	bool send_one(FrameKind kind);
	void send_next();
	void wait_for_room() const;
	void drain();
	/* Whether it, or one sent later, has arrived. */
	bool passed(uint32_t number) const;
	void receive_one(); /* within 2 ms */
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

/* Frames that go on while something else is looked at. */
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

/* A receiving CPU that takes @cost_us a frame: a queue stands as soon as more come. Returns false
 * if the machine has too few CPUs.
 */
bool make_slow(const Wire &wire, unsigned cost_us);
/* A simulated NIC clock stamps what is sent. */
void stamp_frames(const Wire &wire);

#endif /* RXAQM_TESTS_FRAMES_HPP */
