/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For loops of many thousands of checks. An assertion of Catch2 takes a microsecond, and CAPTURE
 * several, even if nothing fails. HOLDS is an if; only a failure calls Catch2.
 */
#pragma once

#include <catch2/catch_test_macros.hpp>

#define HOLDS(...)                          \
	do {                                \
		if (!(__VA_ARGS__))         \
			FAIL(#__VA_ARGS__); \
	} while (0)
