// SPDX-License-Identifier: GPL-2.0-only
#include "interrupt.hpp"

#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace
{

bool changes_something(const struct __ptrace_syscall_info &info)
{
	switch (info.entry.nr) {
	case SYS_bpf:
		switch (info.entry.args[0]) {
		case BPF_OBJ_PIN:
		case BPF_LINK_CREATE:
		case BPF_RAW_TRACEPOINT_OPEN:
			return true;
		default:
			return false;
		}
	case SYS_sendto: /* netlink */
	case SYS_sendmsg:
	case SYS_ioctl:
	case SYS_unlinkat:
	case SYS_flock:
	case SYS_write: /* done, and about to report it */
#ifdef SYS_unlink
	case SYS_unlink:
	case SYS_rmdir:
#endif
		return true;
	default:
		return false;
	}
}

void trace(long request, pid_t pid, long data)
{
	if (ptrace(static_cast<__ptrace_request>(request), pid, nullptr, data))
		throw std::system_error(errno, std::generic_category(), "ptrace");
}

/* Is the stopped @pid about to make a system call that changes something? */
bool at_change(pid_t pid, struct __ptrace_syscall_info *info)
{
	*info = {};
	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(*info), info) < 0)
		throw std::system_error(errno, std::generic_category(), "ptrace");
	return info->op == PTRACE_SYSCALL_INFO_ENTRY && changes_something(*info);
}

/* The memory of @pid at @address; shorter if the mapping ends. */
std::string memory_at(pid_t pid, uint64_t address, size_t bytes)
{
	std::string data(bytes, '\0');
	int fd = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, data.data(), data.size(), off_t(address));

	if (fd >= 0)
		close(fd);
	data.resize(got < 0 ? 0 : size_t(got));
	return data;
}

/* The path that the system call pins or unlinks; empty: it does neither. */
std::string path_of(pid_t pid, const struct __ptrace_syscall_info &info)
{
	uint64_t address = 0;

	switch (info.entry.nr) {
	case SYS_bpf:
		if (info.entry.args[0] == BPF_OBJ_PIN) {
			std::string attr = memory_at(pid, info.entry.args[1], sizeof(address));

			attr.copy(reinterpret_cast<char *>(&address), sizeof(address));
		}
		break;
	case SYS_unlinkat:
		address = info.entry.args[1];
		break;
#ifdef SYS_unlink
	case SYS_unlink:
		address = info.entry.args[0];
		break;
#endif
	}
	return address ? memory_at(pid, address, 256).c_str() : "";
}

} // namespace

bool run_until_change(const Args &args, const RunOptions &options, unsigned nth,
		      const std::string &from)
{
	struct __ptrace_syscall_info info;
	RunOptions traced = options;
	bool counting = from.empty();
	int status;

	traced.prepare = [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) ? 1 : 0; };
	Child child(args, traced);
	pid_t pid = child.pid();

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		throw std::runtime_error("cannot be traced");
	trace(PTRACE_SETOPTIONS, pid, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (long signal = 0;;) {
		trace(PTRACE_SYSCALL, pid, signal);
		if (waitpid(pid, &status, __WALL) != pid)
			throw std::runtime_error("lost while tracing");
		if (!WIFSTOPPED(status)) {
			child.forget();
			return false;
		}
		signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (signal || !at_change(pid, &info))
			continue;
		counting = counting || path_of(pid, info).find(from) != std::string::npos;
		if (!counting)
			continue;
		if (!nth--)
			return true; /* Child will kill it */
	}
}

bool run_for(const Args &args, const RunOptions &options, std::chrono::microseconds after)
{
	Child child(args, options);

	std::this_thread::sleep_for(after);
	child.kill(SIGKILL);
	return child.wait().signal == SIGKILL;
}
