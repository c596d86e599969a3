/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To be preloaded: calls that fail, or never return, as long as a file of that name is in the
 * directory that FAULTS names. In it is the errno.
 *   prog_load  an XDP program is loaded
 *   slow       an XDP program is loaded: verifies it again and again, until a signal comes
 *   send       a netlink request is sent, after as many as the number that follows the errno
 *   by_id      a BPF program, map or link is asked for by its id, the same
 *   release    the kernel is asked for its release: it says what is in the file instead
 *   recv       netlink messages are read
 *   read       8 bytes are read, as of a timer
 *   getgrnam   the group database is asked: never returns
 *   obj_get    a pinned map is asked for, whose name follows the errno there: waits until the file
 *              is gone, and tells by one called "waits"
 * And counts, in a file of that name that is there, by its length:
 *   flock      a lock is asked for
 *   loads      an XDP program is loaded, in vain
 *   failed     one of send and by_id was made to fail
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

static void count(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", getenv("FAULTS"), name);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, ".", 1) != 1)
		abort();
	close(fd);
}

/* Does this call, of which @calls were made before, fail? Then errno is set. */
static int fails_now(const char *name, int *calls)
{
	int err = 0, after = 0;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", getenv("FAULTS"), name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d %d", &err, &after) != 2)
		abort();
	fclose(file);
	if ((*calls)++ != after)
		return 0;
	count("failed");
	errno = err;
	return 1;
}

static void wait_at(const char *pin)
{
	char path[256], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/obj_get", getenv("FAULTS"));
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%*d %63s", name) != 1)
		name[0] = '\0';
	fclose(file);
	pin = strrchr(pin, '/');
	if (!pin || strcmp(pin + 1, name))
		return;
	snprintf(path, sizeof(path), "%s/waits", getenv("FAULTS"));
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (fault("obj_get"))
		usleep(1000);
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
			if (attr->insn_cnt > 1000) /* not a probe of libbpf or libxdp */
				count("loads");
			errno = err;
			return -1;
		}
	}
	if (number == SYS_bpf &&
	    (arg[0] == BPF_PROG_GET_FD_BY_ID || arg[0] == BPF_MAP_GET_FD_BY_ID ||
	     arg[0] == BPF_LINK_GET_FD_BY_ID)) {
		static int calls;

		if (fails_now("by_id", &calls))
			return -1;
	}
	if (!real)
		*(void **)&real = next("syscall");
	while (number == SYS_bpf && arg[0] == BPF_PROG_LOAD &&
	       attr->prog_type == BPF_PROG_TYPE_XDP && attr->insn_cnt > 1000 && fault("slow")) {
		long fd = real(number, arg[0], arg[1], arg[2], 0, 0, 0);

		if (fd < 0)
			return fd;
		close((int)fd);
	}
	if (number == SYS_bpf && arg[0] == BPF_OBJ_GET)
		wait_at((const char *)(unsigned long)attr->pathname);
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

int flock(int fd, int operation)
{
	static int (*real)(int, int);

	count("flock");
	if (!real)
		*(void **)&real = next("flock");
	return real(fd, operation);
}

ssize_t send(int fd, const void *buf, size_t size, int flags)
{
	static ssize_t (*real)(int, const void *, size_t, int);
	static int calls;

	if (fails_now("send", &calls))
		return -1;
	if (!real)
		*(void **)&real = next("send");
	return real(fd, buf, size, flags);
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

ssize_t read(int fd, void *buf, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	int err = size == 8 ? fault("read") : 0;

	if (err) {
		errno = err;
		return -1;
	}
	if (!real)
		*(void **)&real = next("read");
	return real(fd, buf, size);
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
