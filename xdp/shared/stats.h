/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What is counted for each queue, in struct rxaqm_queue. Packets unless said
 * otherwise; since attach; never reset. No counter ever alters a verdict.
 *
 * X(constant, name, meaning); the name is the key in JSON. OVER_NECT to OVER_CE are in the order of
 * the codepoints.
 */
#ifndef RXAQM_STATS_H
#define RXAQM_STATS_H

#define RXAQM_STATS(X)                                                                            \
	X(PACKETS, "packets", "packets seen")                                                     \
	X(POLLS_DRAINED, "polls_drained", "polls that drained the queue")                         \
	X(POLLS_BUSY, "polls_busy", "polls that left packets behind")                             \
	X(POLLS_LOST, "polls_lost", "polls whose end was never seen")                             \
	X(JUDGED, "judged", "judged, the queue or its socket's ring standing")                    \
	X(LOW, "low", "judged and at or under target")                                            \
	X(OVER_EXEMPT, "over_exempt", "over target: exempt")                                      \
	X(OVER_ACK, "over_ack", "over target: pure ACK")                                          \
	X(OVER_NECT, "over_nect", "over target: Not-ECT")                                         \
	X(OVER_ECT1, "over_ect1", "over target: ECT(1)")                                          \
	X(OVER_ECT0, "over_ect0", "over target: ECT(0)")                                          \
	X(OVER_CE, "over_ce", "over target: came with CE")                                        \
	X(ECN_MARK, "ecn_mark", "CE set by the law")                                              \
	X(CE_MARK, "ce_mark", "CE set over ce_threshold")                                         \
	X(DROP, "drop", "dropped, pure ACKs not counted")                                         \
	X(DROP_SYN, "drop_syn", "of these: SYN, FIN or RST")                                      \
	X(DROP_ECT, "drop_ect", "of these: ECN-capable")                                          \
	X(ACK_DROP, "ack_drop", "pure ACKs dropped")                                              \
	X(WOULD_ECN_MARK, "would_ecn_mark", "observe: ecn_mark under enforce")                    \
	X(WOULD_CE_MARK, "would_ce_mark", "observe: ce_mark under enforce")                       \
	X(WOULD_DROP, "would_drop", "observe: drop under enforce")                                \
	X(WOULD_DROP_SYN, "would_drop_syn", "observe: drop_syn under enforce")                    \
	X(WOULD_DROP_ECT, "would_drop_ect", "observe: drop_ect under enforce")                    \
	X(WOULD_ACK_DROP, "would_ack_drop", "observe: ack_drop under enforce")                    \
	X(PASS_NO_SIGNAL, "pass_no_signal", "passed unjudged: no signal has a sample yet")        \
	X(PASS_NO_CLOCK, "pass_no_clock", "passed unjudged: NIC clock unknown or expired")        \
	X(PASS_STALE, "pass_stale", "passed unjudged: newest sample too old")                     \
	X(PASS_IMPLAUSIBLE, "pass_implausible", "passed unjudged: stamps not believed")           \
	X(PASS_CAPPED, "pass_capped", "law=codel: drop due, but its class bears its part")        \
	X(SHED_FUTILE, "shed_futile", "times that drops were given up: the queue left no faster") \
	X(STAMP_MISSING, "stamp_missing", "samples without a stamp")                              \
	X(STAMP_NEGATIVE, "stamp_negative", "samples from the future")                            \
	X(STAMP_ABSURD, "stamp_absurd", "samples over 10 s, or older than the queue")             \
	X(CLOCK_RESETS, "clock_resets", "clock estimates begun anew after a step")                \
	X(REDIRECT, "redirect", "handed to the socket of the queue")                              \
	X(WAIT_STALE, "wait_stale", "what the consumer says of its wait is too old")              \
	X(WAIT_BAD, "wait_bad", "what the consumer says of its wait cannot be true")

#define RXAQM_STAT_ENUM(constant, name, meaning) RXAQM_STAT_##constant,
enum rxaqm_stat {
	RXAQM_STATS(RXAQM_STAT_ENUM) RXAQM_NR_STATS
};

#endif /* RXAQM_STATS_H */
