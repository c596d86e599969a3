/* SPDX-License-Identifier: GPL-2.0-only */
/* Look at printed text. */
#ifndef RXAQM_TESTS_TEXT_HPP
#define RXAQM_TESTS_TEXT_HPP

#include <string>

inline bool has(const std::string &text, const std::string &what)
{
	return text.find(what) != std::string::npos;
}

#endif /* RXAQM_TESTS_TEXT_HPP */
