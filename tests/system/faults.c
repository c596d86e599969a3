/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To be preloaded: calls that fail, or never return, as long as a file of that name is in the
 * directory that FAULTS names. In it is the errno.
 *   prog_load  an XDP program is loaded
 *   release    the kernel is asked for its release: it says what is in the file instead
 *   recv       netlink messages are read
 *   getgrnam   the group database is asked: never returns
 */
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* 0: none */
static int fault(const char *name)
{
	char path[256];
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", getenv("FAULTS"), name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &err) != 1)
		err = EIO;
	fclose(file);
	return err;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	const union bpf_attr *attr;
	long arg[6];
	va_list args;
	int i, err;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	attr = (const union bpf_attr *)arg[1];
	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD && attr->prog_type == BPF_PROG_TYPE_XDP) {
		err = fault("prog_load");
		if (err) {
			errno = err;
			return -1;
		}
	}
	if (!real)
		*(void **)&real = next("syscall");
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

ssize_t recv(int fd, void *buf, size_t size, int flags)
{
	static ssize_t (*real)(int, void *, size_t, int);
	int err = flags & MSG_DONTWAIT ? fault("recv") : 0;

	if (err) {
		errno = err;
		return -1;
	}
	if (!real)
		*(void **)&real = next("recv");
	return real(fd, buf, size, flags);
}

struct group *getgrnam(const char *name)
{
	static struct group *(*real)(const char *);

	while (fault("getgrnam"))
		pause();
	if (!real)
		*(void **)&real = next("getgrnam");
	return real(name);
}

int uname(struct utsname *uts)
{
	long err = syscall(SYS_uname, uts);
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/release", getenv("FAULTS"));
	file = err ? NULL : fopen(path, "re");
	if (file) {
		if (fscanf(file, "%64s", uts->release) != 1)
			err = -1;
		fclose(file);
	}
	return (int)err;
}
