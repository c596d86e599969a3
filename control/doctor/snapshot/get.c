/* SPDX-License-Identifier: GPL-2.0-only */
/* Read values from a snapshot. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/snapshot/get.h"

bool doctor_map_get(doctor_map map, const char *name, __u64 *ret_value)
{
	struct json_object *value;

	if (!map || !json_object_object_get_ex(map, name, &value))
		return false;
	*ret_value = json_object_get_uint64(value);
	return true;
}

const char *doctor_sysctl_words(const struct doctor_snapshot *snap, const char *name)
{
	struct json_object *words;

	if (!snap->sysctl || !json_object_object_get_ex(snap->sysctl, name, &words))
		return NULL;
	return json_object_get_string(words);
}

__u64 doctor_sysctl(const struct doctor_snapshot *snap, const char *name, unsigned int index,
		    __u64 otherwise)
{
	const char *at = doctor_sysctl_words(snap, name);

	for (; at && index; index--) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	return at && *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : otherwise;
}

double doctor_window_s(const struct doctor_snapshot *snap)
{
	return (double)(snap->after.at_ns - snap->before.at_ns) / 1e9;
}

__u64 doctor_since(__u64 before, __u64 after)
{
	return before == ~0ULL || after == ~0ULL || after < before ? ~0ULL : after - before;
}

/* The difference of a counter. A counter that went back was reset: its difference is not known. */
static bool difference(doctor_map before, doctor_map after, const char *name, __u64 *ret_value)
{
	__u64 was, is;

	if (!doctor_map_get(before, name, &was) || !doctor_map_get(after, name, &is))
		return false;
	/* A 32-bit counter wraps only near its end; from a lower value it was reset. */
	if (is < was && was >= 0xf0000000 && was <= ~0U)
		is += 1ULL << 32;
	if (is < was)
		return false;
	*ret_value = is - was;
	return true;
}

bool doctor_counter(const struct doctor_snapshot *snap, const char *name, __u64 *ret_value)
{
	return difference(snap->before.counters, snap->after.counters, name, ret_value);
}

bool doctor_next_name(const char **at, char name[64])
{
	size_t len = strcspn(*at, "|");

	snprintf(name, 64, "%.*s", (int)len, *at);
	*at += len + ((*at)[len] == '|');
	return len;
}

bool doctor_counters(const struct doctor_snapshot *snap, const char *names, __u64 *ret_sum)
{
	char name[64], six[66];
	bool any = false;
	__u64 value;

	*ret_sum = 0;
	while (doctor_next_name(&names, name)) {
		size_t prefix = strcspn(name, ".");

		snprintf(six, sizeof(six), "%.*s6%s", (int)prefix, name, name + prefix);
		if (doctor_counter(snap, name, &value)) {
			*ret_sum += value;
			any = true;
		}
		if (doctor_counter(snap, six, &value)) {
			*ret_sum += value;
			any = true;
		}
	}
	return any;
}

const struct doctor_cpu *doctor_cpu_before(const struct doctor_snapshot *snap, __u32 id)
{
	const struct doctor_cpu *cpu;

	return rxaqm_list_find(cpu, &snap->before.cpus, cpu->id == id);
}

const struct doctor_iface *doctor_iface_before(const struct doctor_snapshot *snap,
					       const struct doctor_iface *iface)
{
	size_t at = (size_t)(iface - snap->after.ifaces.at);
	const struct doctor_iface *was;

	/* An interface nearly always has the same index in both samples. */
	if (at < snap->before.ifaces.nr && snap->before.ifaces.at[at].ifindex == iface->ifindex)
		return &snap->before.ifaces.at[at];
	return rxaqm_list_find(was, &snap->before.ifaces, was->ifindex == iface->ifindex);
}

const struct doctor_iface *doctor_iface_at(const struct doctor_snapshot *snap, __u32 ifindex)
{
	const struct doctor_iface *iface;

	return rxaqm_list_find(iface, &snap->after.ifaces, iface->ifindex == ifindex);
}

const char *doctor_iface_name(const struct doctor_snapshot *snap, __u32 ifindex)
{
	const struct doctor_iface *iface = doctor_iface_at(snap, ifindex);

	return iface ? iface->name : "an interface";
}

bool doctor_is_one_of(const char *word, const char *words)
{
	size_t len = strlen(word);
	const char *at = len ? strstr(words, word) : NULL;

	return at && (at == words || at[-1] == ' ') && (!at[len] || at[len] == ' ');
}

bool doctor_is_sum(const struct doctor_iface *iface)
{
	return iface->link_type == DOCTOR_LOOPBACK || !strcmp(iface->driver, "bonding") ||
	       !strcmp(iface->driver, "team");
}

bool doctor_iface_rise(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       bool ethtool, const char *name, __u64 *ret_value)
{
	const struct doctor_iface *was = doctor_iface_before(snap, iface);

	return was && difference(ethtool ? was->ethtool : was->stats,
				 ethtool ? iface->ethtool : iface->stats, name, ret_value);
}

bool doctor_iface_stat(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       const char *name, __u64 *ret_value)
{
	return doctor_iface_rise(snap, iface, false, name, ret_value);
}

__u64 doctor_iface_rose(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			const char *name)
{
	__u64 value;

	return doctor_iface_stat(snap, iface, name, &value) ? value : 0;
}

__u64 doctor_all_rose(const struct doctor_snapshot *snap, const char *name, bool sums)
{
	const struct doctor_iface *iface;
	__u64 sum = 0;

	rxaqm_list_each(iface, &snap->after.ifaces)
		sum += sums || !doctor_is_sum(iface) ? doctor_iface_rose(snap, iface, name) : 0;
	return sum;
}

__u64 doctor_queue_rise_at(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			   const struct doctor_queue *queue, size_t offset)
{
	const struct doctor_iface *before = doctor_iface_before(snap, iface);
	const struct doctor_queue *was;

	if (!before)
		return ~0ULL;
	was = rxaqm_list_find(was, &before->queues, was->id == queue->id && was->tx == queue->tx);
	return was ? doctor_since(*(const __u64 *)((const char *)was + offset),
				  *(const __u64 *)((const char *)queue + offset)) :
		     ~0ULL;
}

const struct doctor_owner *doctor_owner_of(const struct doctor_snapshot *snap,
					   const struct doctor_socket *socket)
{
	const struct doctor_owner *owner;

	return rxaqm_list_find(owner, &snap->owners, owner->pid == socket->owner && owner->pid);
}

struct doctor_past doctor_past_of(const struct doctor_snapshot *snap)
{
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100) / 1000;
	const struct doctor_attached *queue;
	const struct doctor_cpu *was, *is;
	struct doctor_past past = {};
	__u64 rise;

	past.rx_bytes_per_s = (__u64)((double)doctor_all_rose(snap, "rx_bytes", true) /
				      doctor_window_s(snap));
	rxaqm_list_each(is, &snap->after.cpus) {
		was = doctor_cpu_before(snap, is->id);
		rise = was ? doctor_since(was->softirq, is->softirq) : ~0ULL;
		if (rise != ~0ULL && (double)rise / ticks > past.busiest_permille)
			past.busiest_permille = (__u32)((double)rise / ticks);
	}
	rxaqm_list_each(queue, &snap->attached)
		past.standing |= queue->busy_polls && !queue->drained_polls;
	return past;
}
