/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what tests/corpus/packets.py has made; it documents the lines. */
#ifndef RXAQM_TESTS_CORPUS_HPP
#define RXAQM_TESTS_CORPUS_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "policy.h"

struct CorpusFrame {
	std::string name;
	int kind = -1; /* enum rxaqm_kind */
	int ecn = -1; /* -1: not IP */
	unsigned ip_off = 0;
	size_t whole = 0; /* bytes of the whole frame, if this one is cut */
	rxaqm_policy policy = {};
	std::vector<uint8_t> bytes;
};

struct CorpusSegment {
	enum What {
		BEGIN,
		ASKED,
		UNASKED,
		DATA
	} what = BEGIN;
	std::string name;
	std::string expect; /* keep, drop, any */
	unsigned us = 0; /* after the previous one */
	std::vector<uint8_t> bytes;
};

/* Call @use with each frame in turn. Skips the test, with the reason, if the corpus was not made.
 */
void corpus_frames(const std::function<void(const CorpusFrame &)> &use);
void corpus_segments(const std::function<void(const CorpusSegment &)> &use);

#endif /* RXAQM_TESTS_CORPUS_HPP */
