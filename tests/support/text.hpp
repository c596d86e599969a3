/* SPDX-License-Identifier: GPL-2.0-only */
/* Look at printed text. */
#ifndef RXAQM_TESTS_TEXT_HPP
#define RXAQM_TESTS_TEXT_HPP

#include <string>

inline bool has(const std::string &text, const std::string &what)
{
	return text.find(what) != std::string::npos;
}

/* How often @what is in @text. */
inline unsigned count_of(const std::string &text, const std::string &what)
{
	unsigned n = 0;

	for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at++)
		n++;
	return n;
}

#endif /* RXAQM_TESTS_TEXT_HPP */
