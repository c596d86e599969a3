// SPDX-License-Identifier: GPL-2.0-only
#include "daemon.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

std::string preload_library(const std::string &dir, const std::string &name)
{
#ifdef __SANITIZE_ADDRESS__
	SKIP("nothing may be loaded before the sanitizer's library");
#endif
	std::string library = dir + "/" + name + ".so";

	must({ "gcc", "-D_GNU_SOURCE", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library,
	       source_path("tests/system/" + name + ".c") });
	return library;
}

Service::Service(const Host &host, const Netns &netns)
	: host_(host)
	, netns_(netns)
{
	struct sockaddr_un address = {};

	dir_ = host.bpffs() + "-run";
	std::filesystem::create_directory(dir_);
	address.sun_family = AF_UNIX;
	strcpy(address.sun_path, (dir_ + "/notify").c_str());
	socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr *>(&address), sizeof(address)))
		throw std::runtime_error("cannot make " + dir_ + "/notify");
	configure("");
}

Service::~Service()
{
	child_.reset();
	close(socket_);
	std::filesystem::remove_all(dir_);
}

void Service::configure(const std::string &text)
{
	std::ofstream file(config_path());

	if (text.find("[Daemon]") == std::string::npos)
		file << "[Daemon]\nsettle=100ms\nstatus_interval=1s\n";
	file << text;
}

RunOptions Service::options(const Args &environment) const
{
	RunOptions options;
	std::string log = dir_ + "/log";

	options.timeout = std::chrono::minutes(2);
	options.environment = { "RUNTIME_DIRECTORY=" + dir_, "NOTIFY_SOCKET=" + dir_ + "/notify" };
	options.environment.insert(options.environment.end(), environment.begin(),
				   environment.end());
	/* A pipe that nobody reads would be full some day. */
	options.prepare = [log, prepare = prepare_] {
		int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);

		return fd < 0 || dup2(fd, 2) < 0 || (prepare && prepare());
	};
	return host_.with_environment(options);
}

Args Service::command(const Args &args) const
{
	Args all = { "run", "--config", config_path() };

	all.insert(all.end(), args.begin(), args.end());
	return host_.command(netns_, all);
}

void Service::launch(const Args &environment)
{
	notifications();
	forget();
	child_ = std::make_unique<Child>(command({}), options(environment));
}

void Service::start(const Args &environment)
{
	launch(environment);
	/* It may have 64 interfaces to attach. */
	if (!notified("READY=1", std::chrono::minutes(2)))
		throw std::runtime_error("the daemon is not ready: " + log());
}

Result Service::start_fails(const Args &args)
{
	RunOptions with = options({});

	with.prepare = nullptr;
	return run(command(args), with);
}

void Service::reload()
{
	notifications();
	forget();
	child_->kill(SIGHUP);
	if (!notified("READY=1"))
		throw std::runtime_error("the daemon does not reload: " + log());
}

Result Service::stop(int signal)
{
	child_->kill(signal);
	Result result = child_->wait();
	result.err = log();
	return result;
}

void Service::kill()
{
	child_.reset();
}

const std::string &Service::notifications()
{
	char buf[4096];
	ssize_t n;

	while ((n = recv(socket_, buf, sizeof(buf), 0)) >= 0)
		notifications_.append(buf, size_t(n)).append("\n");
	return notifications_;
}

bool Service::notified(const std::string &line, std::chrono::milliseconds timeout)
{
	return eventually(
		[&] { return ("\n" + notifications()).find("\n" + line) != std::string::npos; },
		timeout);
}

std::string Service::log() const
{
	std::ostringstream text;

	text << std::ifstream(dir_ + "/log").rdbuf();
	return text.str();
}

bool Service::logged(const std::string &text, std::chrono::milliseconds timeout) const
{
	return eventually([&] { return log().find(text) != std::string::npos; }, timeout);
}
