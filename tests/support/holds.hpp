/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For loops of many thousands. An assertion of Catch2's takes a microsecond each time, and CAPTURE
 * several, though nothing fails: HOLDS is an if, and only a failure is one of Catch2's.
 */
#pragma once

#include <catch2/catch_test_macros.hpp>

#define HOLDS(...)                          \
	do {                                \
		if (!(__VA_ARGS__))         \
			FAIL(#__VA_ARGS__); \
	} while (0)
