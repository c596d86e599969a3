/* SPDX-License-Identifier: GPL-2.0-only */
/* A program killed at an exact place: before the n-th system call that changes something. */
#ifndef RXAQM_TESTS_INTERRUPT_HPP
#define RXAQM_TESTS_INTERRUPT_HPP

#include "process.hpp"

/* Run @args and kill it (SIGKILL) before its @nth system call, from 0 on, of those that pin,
 * attach, detach, unlink, configure devices, lock or print. False if it made fewer and so ended by
 * itself. Counts from the first that pins or unlinks a path with @from in it, if that is given.
 * Throws if it cannot be traced.
 */
bool run_until_change(const Args &args, const RunOptions &options, unsigned nth,
		      const std::string &from = "");

/* Run @args and kill it @after its start. False if it ended by itself before. */
bool run_for(const Args &args, const RunOptions &options, std::chrono::microseconds after);

#endif /* RXAQM_TESTS_INTERRUPT_HPP */
