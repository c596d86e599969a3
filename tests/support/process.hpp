/* SPDX-License-Identifier: GPL-2.0-only */
/* Run programs as a user does: arguments in; exit code, stdout and stderr out; with a timeout. */
#ifndef RXAQM_TESTS_PROCESS_HPP
#define RXAQM_TESTS_PROCESS_HPP

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

using Args = std::vector<std::string>;

struct Result {
	int exit_code = -1; /* -1: ended by a signal */
	int signal = 0;
	bool timed_out = false;
	std::string out, err;
	std::string command; /* for messages */

	std::string text() const; /* all of it, for CAPTURE */
};

/* A limit of time that the load of others does not reach: while more tasks want a CPU than there
 * are CPUs, time counts by the share that each of them gets.
 */
class Patience
{
    public:
	explicit Patience(std::chrono::milliseconds limit);
	bool ended();
	/* Of time in which @tasks can run on @cpus CPUs, the share that counts. */
	static double share(unsigned tasks, unsigned cpus);

    private:
	std::chrono::steady_clock::time_point last_;
	double left_s_;
};

struct RunOptions {
	std::chrono::milliseconds timeout{ 60000 };
	Args environment; /* "NAME=value", on top of ours */
	std::string input;
	/* Runs in the child before the program; it may use only system calls. Non-zero: exit status
	 * 125.
	 */
	std::function<int()> prepare;
};

/* A program that runs in the background. The destructor kills it if needed. */
class Child
{
    public:
	Child(const Args &args, const RunOptions &options = {});
	~Child();
	Child(const Child &) = delete;
	Child &operator=(const Child &) = delete;

	pid_t pid() const
	{
		return pid_;
	}
	void kill(int signal);
	/* Somebody else has waited for it. */
	void forget()
	{
		pid_ = -1;
	}
	/* Read all it prints until it ends; kill it at the timeout. */
	Result wait();

    private:
	void collect(Result &result);
	void reap(Result &result);

	pid_t pid_ = -1;
	int out_ = -1, err_ = -1;
	std::string command_;
	Patience patience_;
};

Result run(const Args &args, const RunOptions &options = {});

/* Run a command of the test's set-up; throws, with all its output, unless it exits with 0. */
std::string must(const Args &args);

/* Call @condition until it is true, for at most @timeout by Patience. */
bool eventually(const std::function<bool()> &condition,
		std::chrono::milliseconds timeout = std::chrono::seconds(30));

#endif /* RXAQM_TESTS_PROCESS_HPP */
