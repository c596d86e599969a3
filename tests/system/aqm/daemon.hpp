/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxaqm run as a service manager has it: with a directory and a notification socket of
 * its own.
 */
#ifndef RXAQM_TESTS_DAEMON_HPP
#define RXAQM_TESTS_DAEMON_HPP

#include <memory>
#include <string>

#include "host.hpp"

/* Build tests/system/NAME.c in @dir, to be preloaded. Returns its path; skips the test where
 * nothing can be.
 */
std::string preload_library(const std::string &dir, const std::string &name);

/* The directory, the configuration and the socket, which outlive a daemon. */
class Service
{
    public:
	Service(const Host &host, const Netns &netns);
	~Service();
	Service(const Service &) = delete;
	Service &operator=(const Service &) = delete;

	/* Replace the configuration. settle is short, unless @text says otherwise. */
	void configure(const std::string &text);
	/* Start it, and wait until it is ready. Throws, with what it said, if it ends instead. */
	void start(const Args &environment = {});
	/* Start it without waiting. */
	void launch(const Args &environment = {});
	/* To be run in the child before the program, from the next start on. */
	void prepare(const std::function<int()> &what)
	{
		prepare_ = what;
	}
	/* What a start that is to fail prints. */
	Result start_fails(const Args &args = {});
	/* SIGHUP; waits until it is ready again. */
	void reload();
	/* Send @signal and wait for the end. */
	Result stop(int signal = 15);
	void kill();

	/* Wait for a notification that has the line @line. */
	bool notified(const std::string &line,
		      std::chrono::milliseconds timeout = std::chrono::seconds(30));
	/* All notifications so far, a line each. */
	const std::string &notifications();
	void forget()
	{
		notifications_.clear();
	}
	pid_t pid() const
	{
		return child_->pid();
	}
	const std::string &dir() const
	{
		return dir_;
	}
	std::string config_path() const
	{
		return dir_ + "/rxaqm.conf";
	}
	/* What it has printed so far. */
	std::string log() const;
	bool logged(const std::string &text,
		    std::chrono::milliseconds timeout = std::chrono::seconds(30)) const;

    private:
	RunOptions options(const Args &environment) const;
	Args command(const Args &args) const;

	const Host &host_;
	const Netns &netns_;
	std::string dir_, notifications_;
	int socket_ = -1;
	std::function<int()> prepare_;
	std::unique_ptr<Child> child_;
};

/* A daemon for the receiving end of a wire. */
struct Run {
	Host host;
	Wire wire;
	Service service{ host, wire.rx };

	std::string section(const std::string &keys = "") const
	{
		return "[Interface " + wire.rx_if + "]\n" + keys;
	}
	int64_t target() const
	{
		return host.status_number(wire.rx, wire.rx_if, "/queues/0/target_ns");
	}
	std::string mode() const
	{
		return host.json(wire.rx, { "status", wire.rx_if })
			.text("/interfaces/0/queues/0/mode");
	}
};

#endif /* RXAQM_TESTS_DAEMON_HPP */
