/* SPDX-License-Identifier: GPL-2.0-only */
/* The limits, by the names that rows give their figures. Not every figure has a limit. */
#include <math.h>

#include "qualify/judge/judge.h"

#define ALL (QUALIFY_AQM | QUALIFY_AF_XDP)
#define AQM QUALIFY_AQM
#define XSK QUALIFY_AF_XDP
#define NEVER NAN
#define US 1e3
#define MS 1e6
#define S 1e9

#define ROW(r, f, c) .row = (r), .figure = (f), .classes = (c)
#define P99 .statistic = QUALIFY_P99
#define NEEDED .needed = true
#define LEAST(n) .least = (n)
#define AT_MOST(w, f, u) .warn = (w), .fail = (f), .unit = (u)
#define AT_LEAST(w, f, u) .at_least = true, AT_MOST(w, f, u)
#define OF(f) .relative_to = (f)
#define BAD_WORDS(w, f) .statistic = QUALIFY_WORDS, .warn_words = (w), .fail_words = (f)

/* Sources that several limits share. */
#define LAW "docs/law.md"
#define FLOOR "docs/design.md: no target holds below the floor"
#define OURS "rxaqm"

const struct qualify_limit qualify_limits[] = {
	{ ROW("Q1", "design", ALL), NEEDED, BAD_WORDS("shared", NULL),
	  .why = "Tx completions that wait behind received packets turn a standing Rx queue "
		 "into a Tx problem",
	  .source = "docs/design.md" },
	{ ROW("Q1", "rings_per_napi", AQM), AT_MOST(1, NEVER, "count"),
	  .why = "rings of one NAPI share its budget and CPU: one that stands holds up the others",
	  .source = OURS },

	{ ROW("Q2", "stamped", AQM), LEAST(100), NEEDED, AT_LEAST(0.999, NEVER, "share"),
	  .why = "without a stamp on each packet there is only the busy signal",
	  .source = "docs/design.md" },
	{ ROW("Q2", "stamped", XSK), LEAST(100), NEEDED, AT_LEAST(0.999, 0.5, "share"),
	  .why = "without a stamp a consumer cannot tell the age of a packet", .source = OURS },
	{ ROW("Q2", "stamped_*", ALL), LEAST(20), AT_LEAST(0.999, NEVER, "share"),
	  .why = "the law cannot see the delay of a kind of packet without stamps",
	  .source = OURS },

	{ ROW("Q3", "duplicates", ALL), LEAST(100), NEEDED, AT_MOST(0, 0.01, "share"),
	  .why = "a stamp that was given twice is the time of another packet",
	  .source = "mlx5: CQE compression" },
	{ ROW("Q3", "backward", ALL), NEEDED, AT_MOST(0, 0, "count"),
	  .why = "packets of one queue arrive in order, so their stamps must be in order",
	  .source = OURS },
	{ ROW("Q3", "resolution", ALL), AT_MOST(1 * US, 100 * US, "ns"),
	  .why = "the law needs a resolution of a tenth of the shortest target", .source = LAW },
	{ ROW("Q3", "wrap_errors", ALL), AT_MOST(0, 0, "count"),
	  .why = "a stamp of few bits was extended with the wrong upper half", .source = OURS },

	{ ROW("Q4", "stamp_to_xdp_idle", AQM), LEAST(100), NEEDED, P99,
	  AT_MOST(250 * US, 2 * MS, "ns"),
	  .why = "the delay without a queue is the floor of every target", .source = FLOOR },
	{ ROW("Q4", "stamp_to_xdp_idle", XSK), LEAST(100), NEEDED, P99,
	  AT_MOST(50 * US, 500 * US, "ns"),
	  .why = "the delay without a queue is what an idle consumer gets", .source = OURS },
	{ ROW("Q4", "clock_error", AQM), AT_MOST(10 * US, 100 * US, "ns"),
	  .why = "signal=auto does not use a clock whose error is over half the target",
	  .source = LAW },
	{ ROW("Q4", "stamp_point", ALL), BAD_WORDS(NULL, "later"),
	  .why = "such stamps do not show how long packets wait in the ring", .source = OURS },
	{ ROW("Q4", "after_xdp", ALL), LEAST(20), AT_MOST(0, 0.01, "share"),
	  .why = "a stamp that is later than its packet is not the time of arrival",
	  .source = OURS },
	{ ROW("Q4", "before_sent", ALL), AT_MOST(0.01, 0.5, "share"),
	  .why = "a stamp from before its packet was sent belongs to another packet",
	  .source = OURS },
	{ ROW("Q4", "stamp_late", ALL), AT_MOST(1 * MS, NEVER, "ns"),
	  .why = "stamps may be late by up to that much", .source = OURS },

	{ ROW("Q5", "qualifier", ALL), BAD_WORDS(NULL, "approx"),
	  .why = "approximate stamps are not taken where the packet is",
	  .source = "ethtool tsinfo, hwtstamp qualifier" },
	{ ROW("Q5", "source", ALL), NEEDED, BAD_WORDS("none", NULL),
	  .why = "the place where stamps are taken tells which delay they miss",
	  .source = "ethtool tsinfo" },

	{ ROW("Q6", "read_best", ALL), LEAST(25), NEEDED, AT_MOST(10 * US, 100 * US, "ns"),
	  .why = "half the width of a reading is the clock's error", .source = LAW },
	{ ROW("Q6", "read_failures", ALL), AT_MOST(0, 0.01, "share"),
	  .why = "rxaqm cannot follow a clock that it cannot read", .source = OURS },
	{ ROW("Q6", "reads_per_second", ALL), AT_LEAST(80, 5, "count"),
	  .why = "rxaqm takes 1 to 16 readings a second, of 5 reads each",
	  .source = "control/core/clock/phc_fit.h" },

	{ ROW("Q7", "drift", ALL), NEEDED, AT_MOST(100, 1000, "ppm"),
	  .why = "an Ethernet clock is within 100 ppm; rxaqm does not follow one over 1000",
	  .source = "IEEE 802.3; control/core/clock/phc_fit.h" },
	{ ROW("Q7", "adev_1s", ALL), AT_MOST(5e-7, 2e-5, ""),
	  .why = "the rate may wander by 0.5 ppm between readings, at most by 20",
	  .source = "control/core/clock/phc_fit.h" },
	{ ROW("Q7", "steps", ALL), NEEDED, AT_MOST(0, 0, "count"),
	  .why = "a step makes all delays wrong until it is found", .source = OURS },

	{ ROW("Q8", "floor", AQM), LEAST(30), NEEDED, AT_MOST(250 * US, 1 * MS, "ns"),
	  .why = "moderation is a delay that no law can take away", .source = FLOOR },
	{ ROW("Q8", "floor", XSK), LEAST(30), NEEDED, AT_MOST(50 * US, 500 * US, "ns"),
	  .why = "moderation delays every packet that comes alone", .source = OURS },

	{ ROW("Q9", "depth", AQM), NEEDED, AT_LEAST(512, 128, "packets"),
	  .why = "a ring of less than 8 NAPI budgets has no room between floor and ceiling",
	  .source = FLOOR },
	{ ROW("Q9", "depth", ALL), AT_LEAST(0.9, 0.5, ""), OF("ring_entries"),
	  .why = "the ring must hold what ethtool -g says", .source = "ethtool -g" },
	{ ROW("Q9", "gap_*", ALL), AT_MOST(1 * S, 10 * S, "ns"),
	  .why = "a setting that stops traffic cannot be changed in service", .source = OURS },
	{ ROW("Q9", "xdp_after_changes", ALL), BAD_WORDS(NULL, "no"),
	  .why = "an attached program must stay in effect when rings are recreated",
	  .source = OURS },

	{ ROW("Q10", "burst_queue", ALL), NEEDED, AT_LEAST(0.9, 0.5, ""), OF("ring_entries"),
	  .why = "a burst that the ring could hold must not be lost before the ring",
	  .source = "RFC 9004, back-to-back frames" },
	{ ROW("Q10", "buffer_all", ALL), AT_LEAST(0.9, 0.5, ""), OF("buffer_queue"),
	  .why = "all queues together must not hold less than one queue does", .source = OURS },

	{ ROW("Q11", "standing_on_150", AQM), LEAST(100), NEEDED, P99, AT_MOST(4, 20, ""),
	  OF("target"),
	  .why = "in an overload by half packets must not stand much longer than the target",
	  .source = LAW },
	{ ROW("Q11", "standing_on_*", AQM), LEAST(20), AT_MOST(10, NEVER, ""), OF("target"),
	  .why = "the median delay must be near the target", .source = LAW },

	{ ROW("Q12", "tx_load", ALL), LEAST(5), NEEDED, P99, AT_MOST(NEVER, 10 * MS, "ns"),
	  .why = "late Tx completions starve TSQ and BQL, and ptp4l waits 10 ms for a stamp",
	  .source = "net/ipv4/tcp_output.c:tcp_tsq_handler; linuxptp, tx_timestamp_timeout" },
	{ ROW("Q12", "tx_load_polls", ALL), LEAST(5), P99, AT_MOST(3, NEVER, "count"),
	  .why = "completions that take that many polls wait for received packets",
	  .source = OURS },

	{ ROW("Q13", "known_answer", ALL), BAD_WORDS(NULL, "mismatch"),
	  .why = "flows cannot be steered by a hash that is not Toeplitz of the key",
	  .source = "drivers/net/hw/toeplitz.py" },
	{ ROW("Q13", "table_size", ALL), NEEDED, AT_LEAST(4, 1, ""), OF("queues"),
	  .why = "4 entries a queue leave about 16 % of imbalance",
	  .source = "Documentation/networking/scaling.rst" },
	{ ROW("Q13", "spread", ALL), LEAST(100), AT_MOST(1.5, 3, ""),
	  .why = "the busiest queue overloads before the host does", .source = OURS },
	{ ROW("Q13", "hash_*", ALL), BAD_WORDS("none", NULL),
	  .why = "all packets of tunnels go to one queue", .source = OURS },

	{ ROW("Q14", "missing", ALL), NEEDED, AT_MOST(0, 0, "count"),
	  .why = "what xdp-features advertises must work",
	  .source = "Documentation/netlink/specs/netdev.yaml" },
	{ ROW("Q14", "zero_copy", XSK), NEEDED, BAD_WORDS(NULL, "copy|none"),
	  .why = "the kernel copies each packet", .source = "Documentation/networking/af_xdp.rst" },
	{ ROW("Q14", "gap_attach", ALL), AT_MOST(100 * MS, 5 * S, "ns"),
	  .why = "attaching XDP must not stop traffic", .source = OURS },

	{ ROW("Q15", "merged_gro", AQM), NEEDED, AT_LEAST(2, NEVER, "packets"),
	  .why = "one packet at a time through the stack halves what a CPU can take",
	  .source = OURS },
	{ ROW("Q15", "merged_stamps", AQM), BAD_WORDS("none", NULL),
	  .why = "merged frames have no stamp", .source = "bnxt: TPA" },

	{ ROW("Q16", "lost_counted", ALL), NEEDED, AT_LEAST(0.999, 0.5, "share"),
	  .why = "loss that no counter shows makes people look elsewhere",
	  .source = "Documentation/networking/statistics.rst" },
	{ ROW("Q16", "received_counted", ALL), AT_LEAST(0.999, 0.9, "share"),
	  .why = "packets that XDP takes must count as received",
	  .source = "Documentation/networking/statistics.rst" },
	{ ROW("Q16", "overcounted", ALL), AT_MOST(0.001, 0.1, "share"),
	  .why = "a counter that counts losses that never happened is no evidence",
	  .source = "Documentation/networking/statistics.rst" },

	{ ROW("Q17", "truesize_1500", ALL), LEAST(8), NEEDED, AT_MOST(3.2, 6, ""),
	  .why = "TCP's window is the buffer divided by this: a page a packet leaves a third",
	  .source = "net/ipv4/tcp_input.c:tcp_measure_rcv_mss" },

	{ ROW("Q18", "after_*", ALL), NEEDED, BAD_WORDS(NULL, "no"),
	  .why = "the interface must carry traffic again by itself", .source = OURS },
	{ ROW("Q18", "stats_kept", ALL), BAD_WORDS("no", NULL), .why = "counters must not go back",
	  .source = "drivers/net/stats.py" },
	{ ROW("Q18", "gap_*", ALL), AT_MOST(5 * S, 30 * S, "ns"),
	  .why = "a reset is an outage that long", .source = OURS },

	{ ROW("Q19", "*", ALL), NEEDED, BAD_WORDS(NULL, "contradicts"),
	  .why = "rxaqm uses a profile that is wrong here", .source = "nic-profiles/README.md" },

	{},
};

#define KIND(i, t) .id = (i), .title = (t)

const struct qualify_row_kind qualify_row_kinds[] = {
	{ KIND("Q1", "Completion design") },
	{ KIND("Q2", "Stamp coverage") },
	{ KIND("Q3", "Stamp uniqueness and order") },
	{ KIND("Q4", "From stamp to XDP"), .limit_of = "stamp_to_xdp_idle" },
	{ KIND("Q5", "Where stamps are taken") },
	{ KIND("Q6", "Reading the PHC"), .limit_of = "read_best" },
	{ KIND("Q7", "PHC stability"), .limit_of = "adev_1s" },
	{ KIND("Q8", "Interrupt moderation"), .limit_of = "floor" },
	{ KIND("Q9", "Rx ring: depth and drain rate") },
	{ KIND("Q10", "Burst tolerance"), .limit_of = "burst_queue" },
	{ KIND("Q11", "Standing delay in overload"), .limit_of = "standing_on_150" },
	{ KIND("Q12", "Tx completion under Rx load"), .limit_of = "tx_load" },
	{ KIND("Q13", "RSS spread"), .limit_of = "spread" },
	{ KIND("Q14", "XDP and AF_XDP") },
	{ KIND("Q15", "GRO, LRO, HW-GRO") },
	{ KIND("Q16", "Counters") },
	{ KIND("Q17", "Truesize") },
	{ KIND("Q18", "Reset and link flap") },
	{ KIND("Q19", "NIC profile against what was measured") },
	{ KIND(NULL, "") },
};
