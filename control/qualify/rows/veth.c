/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nic/nic.h"
#include "qualify/rows/traffic.h"

/* Pin kernel threads called @name to the last CPU, and have them go before what else runs there: an
 * interrupt would. They end with native XDP.
 */
static void pin_threads(const char *name)
{
	long last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	char path[64], comm[32];
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)last, &cpus);
	while (proc && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10);

		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		rxaqm_first_line(AT_FDCWD, path, comm, sizeof(comm));
		if (pid <= 0 || strncmp(comm, name, strlen(name)))
			continue;
		sched_setaffinity((pid_t)pid, sizeof(cpus), &cpus);
		setpriority(PRIO_PROCESS, (id_t)pid, -19);
	}
	if (proc)
		closedir(proc);
}

void qualify_part_veth(struct qualify_run *run)
{
	char name[32];

	if (strcmp(run->record->driver, "veth") || !run->probe.native ||
	    qualify_setting_change(&run->journal, QUALIFY_THREADED, "", "1"))
		return;
	snprintf(name, sizeof(name), "napi/%.9s", run->ifname);
	pin_threads(name);
}
