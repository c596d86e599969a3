/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that goes before what else the machine does: what it makes or measures is the test's. */
#ifndef RXAQM_TESTS_AHEAD_HPP
#define RXAQM_TESTS_AHEAD_HPP

#include <sched.h>

/* The calling thread, as long as this object lives; what it forks does not inherit it. The thread
 * must sleep often: where it runs, others do not.
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
