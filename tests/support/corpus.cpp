// SPDX-License-Identifier: GPL-2.0-only
#include "corpus.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "decide.h"

namespace
{

std::ifstream open_corpus()
{
	const char *build = getenv("RXAQM_BUILD");
	std::ifstream in(std::string(build ? build : "build") + "/corpus/packets");

	if (!in)
		SKIP("the corpus was not made when the tests were built: python3-scapy is missing");
	return in;
}

std::vector<uint8_t> bytes_of(const std::string &hex)
{
	std::vector<uint8_t> out(hex.size() / 2);
	auto digit = [](char c) { return uint8_t(c <= '9' ? c - '0' : c - 'a' + 10); };

	for (size_t i = 0; i < out.size(); i++)
		out[i] = uint8_t(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
	return out;
}

int kind_of(const std::string &word)
{
	const char *const names[] = { "tcp", "data", "ack", "syn", "exempt" };

	for (int kind = RXAQM_KIND_TCP; kind <= RXAQM_KIND_EXEMPT; kind++)
		if (word == names[kind])
			return kind;
	throw std::runtime_error("corpus: no class " + word);
}

CorpusFrame frame_of(std::istringstream &line)
{
	std::string kind, ecn, port, dscp, hex;
	CorpusFrame frame;

	line >> frame.name >> kind >> ecn >> frame.ip_off >> port >> dscp >> hex;
	frame.kind = kind_of(kind);
	frame.ecn = ecn == "-" ? -1 : std::stoi(ecn);
	frame.bytes = bytes_of(hex);
	frame.whole = frame.bytes.size();
	if (port != "-") {
		frame.policy.nr_exempt_ports = 1;
		frame.policy.exempt_port[0] = uint16_t(std::stoi(port));
	}
	if (dscp != "-")
		frame.policy.exempt_dscp = 1ULL << std::stoi(dscp);
	return frame;
}

} /* namespace */

void corpus_frames(const std::function<void(const CorpusFrame &)> &use)
{
	std::ifstream in = open_corpus();
	std::string text, what, kind;
	CorpusFrame whole;

	while (std::getline(in, text)) {
		std::istringstream line(text);

		line >> what;
		if (what == "P") {
			whole = frame_of(line);
			use(whole);
		} else if (what == "C") {
			CorpusFrame cut = whole;
			size_t size;

			line >> size >> kind;
			cut.kind = kind_of(kind);
			/* Allocate the exact size, so that a sanitizer sees any access beyond. */
			cut.bytes = { whole.bytes.begin(), whole.bytes.begin() + long(size) };
			use(cut);
		}
	}
}

void corpus_segments(const std::function<void(const CorpusSegment &)> &use)
{
	std::ifstream in = open_corpus();
	std::string text, what, hex, name;

	while (std::getline(in, text)) {
		std::istringstream line(text);
		CorpusSegment segment;

		line >> what;
		if (what == "S") {
			line >> name;
		} else if (what == "A") {
			segment.what = CorpusSegment::ASKED;
			line >> segment.us >> segment.expect >> hex;
		} else if (what == "U") {
			segment.what = CorpusSegment::UNASKED;
			line >> segment.us >> hex;
		} else if (what == "D") {
			segment.what = CorpusSegment::DATA;
			line >> hex;
		} else {
			continue;
		}
		segment.name = name;
		if (segment.what != CorpusSegment::BEGIN)
			segment.bytes = bytes_of(hex);
		use(segment);
	}
}
