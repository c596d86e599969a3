/* SPDX-License-Identifier: GPL-2.0-only */
/* How fast CPUs run, and which share a core or memory. */
#include <fcntl.h>
#include <string.h>

#include "base/parse.h"
#include "doctor/collect/collect.h"

#define CPU "/sys/devices/system/cpu/cpu%u/"
#define MAX_CPUS 8192
#define MAX_NODES 1024

/* "0,4" or "0-1": the first that is not @cpu itself. */
static __u32 sibling_of(__u32 cpu)
{
	static unsigned char set[MAX_CPUS];
	char line[256];
	__u32 i;

	memset(set, 0, sizeof(set));
	if (!doctor_read_line(AT_FDCWD, line, sizeof(line), CPU "topology/thread_siblings_list",
			      cpu) ||
	    rxaqm_parse_queues(line, MAX_CPUS, set))
		return ~0U;
	for (i = 0; i < MAX_CPUS; i++) {
		if (set[i] && i != cpu)
			return i;
	}
	return ~0U;
}

static void collect_nodes(struct doctor_sample *sample)
{
	static unsigned char set[MAX_CPUS];
	char line[4096];
	struct doctor_cpu *cpu;
	unsigned int node;

	for (node = 0; node < MAX_NODES; node++) {
		memset(set, 0, sizeof(set));
		if (!doctor_read_line(AT_FDCWD, line, sizeof(line),
				      "/sys/devices/system/node/node%u/cpulist", node))
			break;
		if (rxaqm_parse_queues(line, MAX_CPUS, set))
			continue;
		rxaqm_list_each(cpu, &sample->cpus) {
			if (cpu->id < MAX_CPUS && set[cpu->id])
				cpu->numa_node = node;
		}
	}
}

void doctor_collect_clocks(struct doctor_sample *sample)
{
	struct doctor_cpu *cpu;

	rxaqm_list_each(cpu, &sample->cpus) {
		cpu->khz = doctor_read_u64(AT_FDCWD, 0, CPU "cpufreq/scaling_cur_freq", cpu->id);
		cpu->base_khz = doctor_read_u64(AT_FDCWD, ~0ULL, CPU "cpufreq/base_frequency",
						cpu->id);
		cpu->max_khz = doctor_read_u64(AT_FDCWD, ~0ULL, CPU "cpufreq/cpuinfo_max_freq",
					       cpu->id);
		cpu->throttles = doctor_read_u64(AT_FDCWD, ~0ULL,
						 CPU "thermal_throttle/core_throttle_count",
						 cpu->id);
		cpu->sibling = sibling_of(cpu->id);
	}
	collect_nodes(sample);
}
