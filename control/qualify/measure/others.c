/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/others.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/each.h"
#include "base/procfs.h"
#include "nic/nic.h"

/* Percent of a CPU: less than this shows in no median, and hardly in a p99. */
#define DISTURBED_FROM 10
/* Fewer ticks than this cannot be told apart from none. */
#define TICKS_LEAST 20

static void read_cpus(struct qualify_others *others, const char *proc)
{
	struct rxaqm_ticks ticks;
	char path[128], line[512];
	unsigned int cpu;

	snprintf(path, sizeof(path), "%s/stat", proc);
	rxaqm_each_line(line, path) {
		if (!rxaqm_ticks_read(line, &cpu, &ticks) || cpu >= QUALIFY_CPUS)
			continue;
		others->cpu[cpu] = (struct qualify_cpu_time){
			.programs = ticks.user + ticks.nice + ticks.system,
			.idle = ticks.idle + ticks.iowait,
			.stolen = ticks.steal,
			.all = rxaqm_ticks_all(&ticks),
		};
	}
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* proc_pid_stat(5): "TID (COMM) STATE PPID ..."; COMM may have blanks and parentheses. */
static void read_thread(struct qualify_others *others, const char *path, pid_t pid, pid_t self)
{
	struct qualify_thread_time thread = {};
	char line[1024], *open, *close;
	pid_t parent;
	int field;

	rxaqm_first_line(AT_FDCWD, path, line, sizeof(line));
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close || close < open)
		return;
	parent = atoi(rxaqm_stat_field(line, 4));
	for (field = 14; field <= (pid == self ? 17 : 15); field++) /* 16: ended children */
		thread.ticks += strtoull(rxaqm_stat_field(line, field), NULL, 10);
	thread.cpu = atoi(rxaqm_stat_field(line, 39));
	*close = '\0';
	thread.tid = atoi(line);
	snprintf(thread.comm, sizeof(thread.comm), "%s", open + 1);
	thread.receives = begins(thread.comm, "napi/") || begins(thread.comm, "irq/");
	thread.ours = pid == self || parent == self || thread.receives;
	/* /proc/stat counts its time as softirqs, not as programs. */
	if (begins(thread.comm, "ksoftirqd/"))
		return;
	rxaqm_list_put(&others->threads, thread);
}

static void read_process(struct qualify_others *others, const char *proc, pid_t pid, pid_t self)
{
	char path[128];

	snprintf(path, sizeof(path), "%.60s/%d/task", proc, pid);
	rxaqm_each_entry(thread, path) {
		snprintf(path, sizeof(path), "%.60s/%d/task/%.20s/stat", proc, pid, thread->d_name);
		if (thread->d_name[0] != '.')
			read_thread(others, path, pid, self);
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct qualify_thread_time *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void qualify_others_read(struct qualify_others *others, const char *proc, pid_t self)
{
	memset(others, 0, sizeof(*others));
	rxaqm_each_entry(process, proc) {
		if (atoi(process->d_name) > 0)
			read_process(others, proc, atoi(process->d_name), self);
	}
	read_cpus(others, proc);
	if (others->threads.nr)
		qsort(others->threads.at, others->threads.nr, sizeof(*others->threads.at), by_tid);
}

void qualify_others_free(struct qualify_others *others)
{
	free(others->threads.at);
	others->threads.at = NULL;
	others->threads.nr = 0;
}

void qualify_receivers_note(struct qualify_receivers *noted, const char *proc)
{
	static struct qualify_others now;
	const struct qualify_thread_time *thread;

	qualify_others_read(&now, proc, -1);
	rxaqm_list_each(thread, &now.threads) {
		if (thread->receives)
			rxaqm_list_put(&noted->threads, *thread);
	}
	qualify_others_free(&now);
}

void qualify_receivers_add(const struct qualify_receivers *noted, struct qualify_others *to)
{
	const struct qualify_thread_time *thread;
	size_t i;

	/* For each thread that has ended, its last note. */
	for (i = noted->threads.nr; i-- > 0;) {
		const struct qualify_thread_time *gone = &noted->threads.at[i];

		if (!rxaqm_list_find(thread, &to->threads, thread->tid == gone->tid))
			rxaqm_list_put(&to->threads, *gone);
	}
}

/* The ticks that @thread used since @from. */
static __u64 took(const struct qualify_others *from, const struct qualify_thread_time *thread)
{
	const struct qualify_thread_time *then = from->threads.nr ?
							 bsearch(thread, from->threads.at,
								 from->threads.nr, sizeof(*thread),
								 by_tid) :
							 NULL;

	return then && then->ticks <= thread->ticks ? thread->ticks - then->ticks : thread->ticks;
}

static struct qualify_cpu_time since(const struct qualify_others *from,
				     const struct qualify_others *to, unsigned int cpu)
{
	const struct qualify_cpu_time *a = &from->cpu[cpu], *b = &to->cpu[cpu];

	return (struct qualify_cpu_time){ b->programs - a->programs, b->idle - a->idle,
					  b->stolen - a->stolen, b->all - a->all };
}

/* Name the program that used most of @cpu; all others used @programs ticks. */
static void say_program(const struct qualify_others *from, const struct qualify_others *to, int cpu,
			__u64 programs, char who[80])
{
	const struct qualify_thread_time *thread;
	char comm[16] = "";
	__u64 most = 0;

	rxaqm_list_each(thread, &to->threads) {
		if (thread->ours || thread->cpu != cpu || took(from, thread) <= most)
			continue;
		most = took(from, thread);
		snprintf(comm, sizeof(comm), "%s", thread->comm);
	}
	rxaqm_clean(comm);
	if (most * 2 >= programs)
		snprintf(who, 80, "another program (%s)", comm);
	else if (most)
		snprintf(who, 80, "other programs (%s and more)", comm);
	else
		snprintf(who, 80, "other programs");
}

/* Did other programs, or the hypervisor, take too much of @time? Then say so in @words. */
static bool say_who(const struct qualify_others *from, const struct qualify_others *to, int cpu,
		    const struct qualify_cpu_time *time, char words[160])
{
	char who[80] = "the hypervisor";
	__u64 had = time->programs + time->stolen;

	if (time->all < TICKS_LEAST || had * 100 < time->all * DISTURBED_FROM)
		return false;
	if (time->programs >= time->stolen)
		say_program(from, to, cpu, time->programs, who);
	snprintf(words, 160,
		 "%s had CPU %d for %llu %% of the time: let nothing else run there, and "
		 "measure again",
		 who, cpu, had * 100 / time->all < 100 ? had * 100 / time->all : 100);
	return true;
}

/* Judge the receiving CPU that others used most. */
static bool receiving_disturbed(const struct qualify_others *from, const struct qualify_others *to,
				const __u8 *receives, char words[160])
{
	const struct qualify_thread_time *thread;
	struct qualify_cpu_time worst = {}, time;
	unsigned int cpu, at = 0;
	__u64 ours;

	for (cpu = 0; cpu < QUALIFY_CPUS; cpu++) {
		time = since(from, to, cpu);
		if (!receives[cpu] || !time.all)
			continue;
		ours = 0;
		rxaqm_list_each(thread, &to->threads)
			ours += thread->ours && thread->cpu == (int)cpu ? took(from, thread) : 0;
		time.programs = time.programs > ours ? time.programs - ours : 0;
		if (!worst.all || (time.programs + time.stolen) * worst.all >
					  (worst.programs + worst.stolen) * time.all) {
			worst = time;
			at = cpu;
		}
	}
	return say_who(from, to, (int)at, &worst, words);
}

/* One idle CPU is enough for this process and its peer: the scheduler finds it. */
static bool running_disturbed(const struct qualify_others *from, const struct qualify_others *to,
			      const __u8 *receives, const __u8 *runs, char words[160])
{
	const struct qualify_thread_time *thread;
	struct qualify_cpu_time sum = {}, time;
	unsigned int cpu, at = 0;
	__u64 ours = 0, most = 0;

	for (cpu = 0; cpu < QUALIFY_CPUS; cpu++) {
		time = since(from, to, cpu);
		if (receives[cpu] || !runs[cpu] || !time.all)
			continue;
		if (time.idle * 100 > time.all * (100 - DISTURBED_FROM))
			return false;
		sum.programs += time.programs;
		sum.stolen += time.stolen;
		sum.all += time.all;
		if (time.programs + time.stolen >= most) {
			most = time.programs + time.stolen;
			at = cpu;
		}
	}
	rxaqm_list_each(thread, &to->threads)
		ours += thread->ours && !thread->receives ? took(from, thread) : 0;
	sum.programs = sum.programs > ours ? sum.programs - ours : 0;
	return say_who(from, to, (int)at, &sum, words);
}

bool qualify_others_disturbed(const struct qualify_others *from, const struct qualify_others *to,
			      const __u8 *receives, const __u8 *runs, char words[160])
{
	return receiving_disturbed(from, to, receives, words) ||
	       running_disturbed(from, to, receives, runs, words);
}
