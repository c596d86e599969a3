/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue that really stands. */
#ifndef RXAQM_STANDING_HPP
#define RXAQM_STANDING_HPP

#include <catch2/catch_test_macros.hpp>

#include "frames.hpp"
#include "host.hpp"

/* A receiver of 20 us a packet behind a ring of 256: 200 packets in flight stand 4 ms. */
struct Standing {
	Host host;
	Wire wire;
	Frames frames{ wire };
	unsigned long long dropped_before = 0;

	explicit Standing(const std::string &signal, Args settings = {})
	{
		Args attach = { "attach", wire.rx_if, "target=1ms", "interval=20ms",
				"signal=" + signal };

		if (signal == "stamp") {
			attach.push_back("--profile=" +
					 source_path("tests/rig/veth-simclock.conf"));
			stamp_frames(wire);
		}
		attach.insert(attach.end(), settings.begin(), settings.end());
		Result result = host.rxaqm(wire.rx, attach);
		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		if (!make_slow(wire, 20))
			SKIP("needs two CPUs: one to send, one to receive");
		if (signal == "stamp")
			learn_clock();
		else
			frames.trickle(20);
		dropped_before = wire.tx_dropped();
	}
	/* Frames that did not reach the queue since. What the kernel itself sent while the link
	 * came up, or a program was attached, is none of it.
	 */
	unsigned long long overflowed() const
	{
		return wire.tx_dropped() - dropped_before;
	}
	/* Until the estimate's error stays under half the target for 10 s, though packets that
	 * stand teach it nothing. If it does not, the queue acts on the sojourn less that error.
	 */
	void learn_clock()
	{
		for (int i = 0; i < 20; i++) {
			frames.trickle(400);
			Json clock = host.json(wire.rx, { "status", wire.rx_if });
			if (clock.flag("/interfaces/0/clock/valid") &&
			    double(clock.number("/interfaces/0/clock/err_ns")) +
					    10000 * clock.real(
							    "/interfaces/0/clock/drift_err_ppm") <
				    500000)
				return;
		}
		SKIP("the machine is too busy: the NIC's clock is not known to half a millisecond");
	}
	/* True if @what comes true while the queue stands. */
	template<typename What> bool while_loaded(What what)
	{
		Load load(frames);

		return eventually(what);
	}
	/* @nr frames; more, five times at most, until @enough: where the sender shares its CPU, the
	 * queue stands for part of the time only, and CoDel hits few.
	 */
	template<typename Enough> void run_until(unsigned nr, Enough enough)
	{
		for (int i = 0; i < 5; i++) {
			frames.run(nr);
			if (enough())
				break;
		}
	}
	/* The median delay of @nr frames, or of the last of more, when it is @as_wanted. */
	template<typename Wanted> uint64_t median_after(unsigned nr, Wanted as_wanted)
	{
		run_until(nr, [&] { return as_wanted(frames.median_delay_ns()); });
		return frames.median_delay_ns();
	}
	int64_t stat(const std::string &name)
	{
		return host.stat(wire.rx, wire.rx_if, name);
	}
	void set(const std::string &setting)
	{
		REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, setting }).exit_code ==
			0);
	}
	unsigned lost(FrameKind kind) const
	{
		return frames.counts[kind].sent - frames.counts[kind].received;
	}
	unsigned marked(FrameKind kind) const
	{
		return frames.counts[kind].marked;
	}
};

#endif /* RXAQM_STANDING_HPP */
