/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel thread that polls an interface, and what else the benches have in common. */
#ifndef RXAQM_BENCH_NAPI_H
#define RXAQM_BENCH_NAPI_H

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define BENCH_SET_THREADED "echo %s >/sys/class/net/%s/threaded"

static inline int bench_fail(const char *what, int err)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(err < 0 ? -err : err));
	return -1;
}

static inline void bench_pin(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(pid, sizeof(cpus), &cpus);
}

static inline int bench_run_shell(const char *fmt, const char *a, const char *b, const char *c)
{
	char command[512];

	/* Surplus arguments are left over. */
	snprintf(command, sizeof(command), fmt, a, b, c);
	return system(command) ? bench_fail(command, EIO) : 0;
}

static inline unsigned long long bench_read_number(const char *path)
{
	unsigned long long value = 0;
	FILE *f = fopen(path, "r");

	if (f) {
		if (fscanf(f, "%llu", &value) != 1)
			value = 0;
		fclose(f);
	}
	return value;
}

/* The thread that polls the receiver; 0 if there is none. */
static inline pid_t bench_napi_thread(const char *ifname)
{
	char want[32], path[64], comm[64];
	struct dirent *entry;
	pid_t pid = 0;
	DIR *dir;
	FILE *f;

	snprintf(want, sizeof(want), "napi/%s-", ifname);
	dir = opendir("/proc");
	while (dir && !pid && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%.20s/comm", entry->d_name);
		f = atoi(entry->d_name) ? fopen(path, "r") : NULL;
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strncmp(comm, want, strlen(want)))
			pid = atoi(entry->d_name);
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return pid;
}

/* The NAPI comes and goes with the XDP program. */
static inline pid_t bench_make_thread(const char *ifname)
{
	pid_t pid = bench_napi_thread(ifname);

	if (pid)
		return pid;
	if (bench_run_shell(BENCH_SET_THREADED, "0", ifname, NULL) ||
	    bench_run_shell(BENCH_SET_THREADED, "1", ifname, NULL))
		return 0;
	return bench_napi_thread(ifname);
}

static inline unsigned long long bench_cpu_ns(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	return bench_read_number(path);
}

#endif /* RXAQM_BENCH_NAPI_H */
