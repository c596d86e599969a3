/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPU serves the interrupt of each queue. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"

/* Find the queue of interrupt @irq by the kernel's NAPI, or by the driver's name for the interrupt
 * ("eth0-TxRx-3", "mlx5_comp3@pci:...") if that ends in a number.
 */
static struct doctor_queue *queue_of(struct doctor_iface *iface, __u32 irq, const char *name)
{
	size_t len = strlen(iface->name), end = strlen(name);
	struct doctor_queue *queue;

	/* irq 0 is the timer's, and stands for "not known". */
	queue = rxaqm_list_find(queue, &iface->queues, irq && queue->irq == irq && !queue->tx);
	if (queue)
		return queue;
	if (strncmp(name, iface->name, len) || (name[len] && !strchr("-.@", name[len])) || !end ||
	    !isdigit((unsigned char)name[end - 1]))
		return NULL;
	while (end > len && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end == len || strcasestr(name + len, "tx-"))
		return NULL;
	return doctor_queue_of(iface, false, (__u32)strtoul(name + end, NULL, 10));
}

/* The only CPU that @irq goes to; -1: several CPUs, or the kernel does not tell. */
static int target_cpu(__u32 irq)
{
	char line[64], *end;
	long cpu;

	if (!doctor_read_line(AT_FDCWD, line, sizeof(line), "/proc/irq/%u/effective_affinity_list",
			      irq))
		return -1;
	cpu = strtol(line, &end, 10);
	return end == line || *end ? -1 : (int)cpu;
}

/* "  24:  N N ...  chip  hwirq  action[, action]" with a count for each CPU of the header. */
static void take_line(struct doctor_sample *sample, char *line, const int *cpus, int nr_cpus)
{
	struct doctor_queue *queue;
	struct doctor_iface *iface;
	__u64 total = 0, most = 0;
	char *at, *name;
	int i, cpu = -1;
	__u32 irq;

	irq = (__u32)strtoul(line, &at, 10);
	if (at == line || *at++ != ':')
		return;
	for (i = 0; i < nr_cpus; i++) {
		__u64 count = strtoull(at, &at, 10);

		total += count;
		if (count > most) {
			most = count;
			cpu = cpus[i];
		}
	}
	name = strrchr(at, ' ');
	if (!name)
		return;
	rxaqm_list_each(iface, &sample->ifaces) {
		queue = queue_of(iface, irq, name + 1);
		if (!queue)
			continue;
		queue->irq = irq;
		queue->irq_count = total;
		queue->cpu = target_cpu(irq);
		/* Otherwise the CPU that served most of them since boot. */
		if (queue->cpu < 0)
			queue->cpu = cpu;
	}
}

void doctor_collect_irqs(struct doctor_sample *sample)
{
	char *text = doctor_read(AT_FDCWD, "/proc/interrupts"), *next = text, *line, *word;
	int cpus[4096] = {}, nr = 0;

	line = text ? strsep(&next, "\n") : NULL;
	while (line && nr < 4096 && (word = strsep(&line, " "))) {
		if (!strncmp(word, "CPU", 3))
			cpus[nr++] = atoi(word + 3);
	}
	while (nr && (line = strsep(&next, "\n")))
		take_line(sample, line, cpus, nr);
	free(text);
}
