/* SPDX-License-Identifier: GPL-2.0-only */
/* Raise a thread above all other load of the machine: what it does is the test itself. */
#ifndef RXAQM_TESTS_AHEAD_HPP
#define RXAQM_TESTS_AHEAD_HPP

#include <sched.h>

/* For the calling thread, while this object exists; children of fork() do not inherit it. The
 * thread must sleep often, because it keeps others from its CPU.
 */
class Ahead
{
    public:
	Ahead()
	{
		set(SCHED_RR | SCHED_RESET_ON_FORK, 1);
	}
	~Ahead()
	{
		set(SCHED_OTHER, 0);
	}
	Ahead(const Ahead &) = delete;
	Ahead &operator=(const Ahead &) = delete;

    private:
	static void set(int policy, int priority)
	{
		struct sched_param param = {};

		param.sched_priority = priority;
		sched_setscheduler(0, policy, &param);
	}
};

#endif /* RXAQM_TESTS_AHEAD_HPP */
