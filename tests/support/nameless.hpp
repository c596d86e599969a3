/* SPDX-License-Identifier: GPL-2.0-only */
/* Network namespaces like those of containers: only a process keeps them, they have no name. */
#ifndef RXAQM_TESTS_NAMELESS_HPP
#define RXAQM_TESTS_NAMELESS_HPP

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <optional>
#include <stdexcept>

#include "netns.hpp"
#include "process.hpp"

class Nameless
{
    public:
	Nameless()
	{
		const std::string named = "/run/netns/" + netns.name();
		RunOptions options;

		options.timeout = std::chrono::hours(1);
		options.prepare = [named] {
			return setns(open(named.c_str(), O_RDONLY | O_CLOEXEC), CLONE_NEWNET);
		};
		process_.emplace(Args{ "sleep", "3600" }, options);
		path_ = "/proc/" + std::to_string(process_->pid()) + "/ns/net";
		if (!eventually([&] { return same(named, path_); }))
			throw std::runtime_error("no process comes into " + named);
	}
	void take(const Netns &from, const std::string &ifname) const
	{
		from.ip("link set " + ifname + " netns " + std::to_string(process_->pid()));
	}
	void take_from(const Nameless &from, const std::string &ifname) const
	{
		must({ "nsenter", "--net=" + from.path_, "ip", "link", "set", ifname, "netns",
		       std::to_string(process_->pid()) });
	}
	const std::string &path() const
	{
		return path_;
	}
	void end()
	{
		process_.reset();
	}

	Netns netns; /* creates it; remove() removes its name */

    private:
	static bool same(const std::string &one, const std::string &other)
	{
		struct stat a, b;

		return !stat(one.c_str(), &a) && !stat(other.c_str(), &b) && a.st_ino == b.st_ino;
	}

	std::string path_;
	std::optional<Child> process_;
};

#endif /* RXAQM_TESTS_NAMELESS_HPP */
