/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To be preloaded: the kernel as it is without CONFIG_XDP_SOCKETS, which does not know maps of
 * sockets, nor sockets. libbpf makes its system calls by this function.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <dlfcn.h>

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	const union bpf_attr *attr;
	long arg[6];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	attr = (const union bpf_attr *)arg[1];
	if (number == SYS_bpf && arg[0] == BPF_MAP_CREATE &&
	    attr->map_type == BPF_MAP_TYPE_XSKMAP) {
		errno = EINVAL;
		return -1;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

int socket(int domain, int type, int protocol)
{
	if (domain == AF_XDP) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	return (int)syscall(SYS_socket, (long)domain, (long)type, (long)protocol);
}
