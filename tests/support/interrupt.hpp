/* SPDX-License-Identifier: GPL-2.0-only */
/* Kill a program at an exact place: before the n-th system call that changes something. */
#ifndef RXAQM_TESTS_INTERRUPT_HPP
#define RXAQM_TESTS_INTERRUPT_HPP

#include "process.hpp"

/* Run @args and kill it (SIGKILL) before its @nth system call (from 0) that pins, attaches,
 * detaches, unlinks, configures devices, locks or prints. False: it made fewer, and ended by
 * itself. If @from is given, count from the first call that pins or unlinks a path with @from in
 * it. Throws if it cannot be traced.
 */
bool run_until_change(const Args &args, const RunOptions &options, unsigned nth,
		      const std::string &from = "");

/* Run @args and kill it @after its start. False: it ended by itself before that. */
bool run_for(const Args &args, const RunOptions &options, std::chrono::microseconds after);

#endif /* RXAQM_TESTS_INTERRUPT_HPP */
