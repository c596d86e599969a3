// SPDX-License-Identifier: GPL-2.0-only
#include "process.hpp"

#include <fcntl.h>
#include <sys/poll.h> /* <poll.h> is xdp/shared/poll.h here */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

using Clock = std::chrono::steady_clock;

namespace
{

/* Less than a pipe holds, so that it can be written before anybody reads. */
constexpr size_t INPUT_MAX = 32768;

void make_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC))
		throw std::system_error(errno, std::generic_category(), "pipe2");
}

/* Our environment with @changes; built before fork(), while memory can be allocated. */
std::vector<std::string> environment(const Args &changes)
{
	std::vector<std::string> all;

	for (char **var = environ; *var; var++) {
		size_t len = strcspn(*var, "=") + 1;

		if (std::none_of(changes.begin(), changes.end(), [&](const std::string &change) {
			    return !change.compare(0, len, *var, len);
		    }))
			all.push_back(*var);
	}
	all.insert(all.end(), changes.begin(), changes.end());
	return all;
}

std::vector<char *> pointers(std::vector<std::string> &strings)
{
	std::vector<char *> out;

	for (std::string &s : strings)
		out.push_back(s.data());
	out.push_back(nullptr);
	return out;
}

/* Append what can be read to @text. False: at the end. */
bool drain(int fd, std::string &text)
{
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		text.append(buf, size_t(n));
	return n > 0 || (n < 0 && errno == EINTR);
}

} // namespace

std::string Result::text() const
{
	std::string head = "$ " + command + "\n";

	if (timed_out)
		head += "(not done in time, killed)\n";
	else if (signal)
		head += "(killed by signal " + std::to_string(signal) + ")\n";
	else
		head += "(exit code " + std::to_string(exit_code) + ")\n";
	return head + "stdout: " + out + "\nstderr: " + err;
}

Patience::Patience(std::chrono::milliseconds limit)
	: last_(Clock::now())
	, left_s_(std::chrono::duration<double>(limit).count())
{
	/* In virtual time (tests/vm/groups) timers run on while a guest waits for the host's files.
	 */
	if (getenv("RXAQM_GUEST"))
		left_s_ *= 10;
}

double Patience::share(unsigned tasks, unsigned cpus)
{
	return cpus && tasks > cpus ? double(cpus) / tasks : 1;
}

bool Patience::ended()
{
	auto now = Clock::now();
	std::ifstream file("/proc/loadavg");
	std::string average;
	unsigned tasks = 0;

	/* 0.20 0.18 0.12 1/80 11206: one of 80 tasks can run, which is this one. */
	file >> average >> average >> average >> tasks;
	left_s_ -= std::chrono::duration<double>(now - last_).count() *
		   share(tasks, std::thread::hardware_concurrency());
	last_ = now;
	return left_s_ <= 0;
}

Child::Child(const Args &args, const RunOptions &options)
	: patience_(options.timeout)
{
	std::vector<std::string> argv_strings = args,
				 env_strings = environment(options.environment);
	std::vector<char *> argv = pointers(argv_strings), env = pointers(env_strings);
	int in[2], out[2], err[2];

	for (const std::string &arg : args)
		command_ += (command_.empty() ? "" : " ") + arg;
	if (options.input.size() > INPUT_MAX)
		throw std::length_error("input too long");
	make_pipe(in);
	make_pipe(out);
	make_pipe(err);
	pid_ = fork();
	if (pid_ < 0)
		throw std::system_error(errno, std::generic_category(), "fork");
	if (!pid_) {
		signal(SIGPIPE, SIG_DFL);
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
			_exit(125);
		if (options.prepare && options.prepare())
			_exit(125);
		execvpe(argv[0], argv.data(), env.data());
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	if (!options.input.empty() && write(in[1], options.input.data(), options.input.size()) < 0)
		kill(SIGKILL);
	close(in[1]);
	out_ = out[0];
	err_ = err[0];
}

Child::~Child()
{
	if (pid_ > 0) {
		kill(SIGKILL);
		waitpid(pid_, nullptr, 0);
	}
	for (int fd : { out_, err_ })
		if (fd >= 0)
			close(fd);
}

void Child::kill(int signal)
{
	if (pid_ > 0)
		::kill(pid_, signal);
}

void Child::collect(Result &result)
{
	struct pollfd fds[] = { { out_, POLLIN, 0 }, { err_, POLLIN, 0 } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (!poll(fds, 2, 100) && patience_.ended()) {
			result.timed_out = true;
			kill(SIGKILL);
			return;
		}
		if (fds[0].revents && !drain(out_, result.out))
			fds[0].fd = -1;
		if (fds[1].revents && !drain(err_, result.err))
			fds[1].fd = -1;
	}
}

/* It has closed its outputs or was killed: it will end soon. */
void Child::reap(Result &result)
{
	int status = 0;
	pid_t done;

	while (!(done = waitpid(pid_, &status, WNOHANG))) {
		if (!result.timed_out && patience_.ended()) {
			result.timed_out = true;
			kill(SIGKILL);
		}
		std::this_thread::sleep_for(std::chrono::microseconds(200));
	}
	pid_ = -1;
	if (done < 0)
		throw std::system_error(errno, std::generic_category(), "waitpid");
	if (WIFEXITED(status))
		result.exit_code = WEXITSTATUS(status);
	else
		result.signal = WTERMSIG(status);
}

Result Child::wait()
{
	Result result;

	result.command = command_;
	collect(result);
	reap(result);
	return result;
}

Result run(const Args &args, const RunOptions &options)
{
	return Child(args, options).wait();
}

std::string must(const Args &args)
{
	Result result = run(args);

	if (result.exit_code)
		throw std::runtime_error(result.text());
	return result.out;
}

bool eventually(const std::function<bool()> &condition, std::chrono::milliseconds timeout)
{
	Patience patience(timeout);

	while (!condition()) {
		if (patience.ended())
			return condition();
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
	}
	return true;
}
