/* SPDX-License-Identifier: GPL-2.0-only */
/* What does not change within a window: the kernel and its settings. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/version.h"
#include "doctor/collect/collect.h"
#include "doctor/snapshot/get.h"

/* All sysctls that checks read. One that the kernel lacks is left out; its absence also tells
 * something.
 */
static const char sysctls[] =
	"net.core.default_qdisc|net.core.netdev_budget_usecs|"
	"net.core.netdev_max_backlog|net.core.rmem_max|net.core.somaxconn|"
	"net.core.wmem_default|"
	"net.ipv4.tcp_max_syn_backlog|net.ipv4.tcp_mem|"
	"net.ipv4.tcp_min_tso_segs|net.ipv4.tcp_moderate_rcvbuf|net.ipv4.tcp_notsent_lowat|"
	"net.ipv4.tcp_rmem|net.ipv4.tcp_sack|"
	"net.ipv4.tcp_shrink_window|net.ipv4.tcp_timestamps|"
	"net.ipv4.tcp_window_scaling|net.ipv4.tcp_wmem|vm.min_free_kbytes";

static void collect_sysctl(struct doctor_snapshot *snap, const char *name)
{
	char path[128], *at, *text;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	for (at = path + strlen("/proc/sys/"); *at; at++)
		*at = *at == '.' ? '/' : *at;
	text = doctor_read(AT_FDCWD, path);
	for (at = text; at && *at; at++)
		*at = *at == '\t' ? ' ' : *at == '\n' ? '\0' : *at;
	if (text)
		doctor_map_set_words(&snap->sysctl, name, text);
	free(text);
}

void doctor_collect_host(struct doctor_snapshot *snap)
{
	const char *names = sysctls;
	struct utsname host;
	char name[64];

	if (!uname(&host)) {
		snprintf(snap->kernel, sizeof(snap->kernel), "%.63s", host.release);
		snprintf(snap->hostname, sizeof(snap->hostname), "%.63s", host.nodename);
	}
	snprintf(snap->rxaqm, sizeof(snap->rxaqm), "%s", rxaqm_version());
	snap->ticks_per_s = (__u32)sysconf(_SC_CLK_TCK);
	snap->page_size = (__u32)sysconf(_SC_PAGESIZE);
	snap->memory_bytes = (__u64)sysconf(_SC_PHYS_PAGES) * snap->page_size;
	while (doctor_next_name(&names, name))
		collect_sysctl(snap, name);
}
