/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a snapshot. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/snapshot/get.h"

static bool get(doctor_map map, const char *name, __u64 *ret_value)
{
	struct json_object *value;

	if (!map || !json_object_object_get_ex(map, name, &value))
		return false;
	*ret_value = json_object_get_uint64(value);
	return true;
}

bool doctor_map_get(doctor_map map, const char *name, __u64 *ret_value)
{
	return get(map, name, ret_value);
}

__u64 doctor_sysctl(const struct doctor_snapshot *snap, const char *name, unsigned int index,
		    __u64 otherwise)
{
	struct json_object *words;
	const char *at;

	if (!snap->sysctl || !json_object_object_get_ex(snap->sysctl, name, &words))
		return otherwise;
	for (at = json_object_get_string(words); at && index; index--) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	if (!at || *at < '0' || *at > '9')
		return otherwise;
	return strtoull(at, NULL, 10);
}

const char *doctor_sysctl_words(const struct doctor_snapshot *snap, const char *name)
{
	struct json_object *words;

	if (!snap->sysctl || !json_object_object_get_ex(snap->sysctl, name, &words))
		return NULL;
	return json_object_get_string(words);
}

double doctor_window_s(const struct doctor_snapshot *snap)
{
	return (double)(snap->after.at_ns - snap->before.at_ns) / 1e9;
}

/* A counter that went back was reset in between: its difference says nothing. */
static bool difference(doctor_map before, doctor_map after, const char *name, __u64 *ret_value)
{
	__u64 was, is;

	if (!get(before, name, &was) || !get(after, name, &is) || is < was)
		return false;
	*ret_value = is - was;
	return true;
}

bool doctor_counter(const struct doctor_snapshot *snap, const char *name, __u64 *ret_value)
{
	return difference(snap->before.counters, snap->after.counters, name, ret_value);
}

bool doctor_counters(const struct doctor_snapshot *snap, const char *const *names, __u64 *ret_sum)
{
	bool any = false;
	__u64 value;

	*ret_sum = 0;
	for (; *names; names++) {
		if (!doctor_counter(snap, *names, &value))
			continue;
		*ret_sum += value;
		any = true;
	}
	return any;
}

const struct doctor_iface *doctor_iface_before(const struct doctor_snapshot *snap,
					       const struct doctor_iface *iface)
{
	size_t i;

	for (i = 0; i < snap->before.ifaces.nr; i++) {
		if (snap->before.ifaces.at[i].ifindex == iface->ifindex &&
		    !strcmp(snap->before.ifaces.at[i].name, iface->name))
			return &snap->before.ifaces.at[i];
	}
	return NULL;
}

const struct doctor_iface *doctor_iface_at(const struct doctor_snapshot *snap, __u32 ifindex)
{
	size_t i;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		if (snap->after.ifaces.at[i].ifindex == ifindex)
			return &snap->after.ifaces.at[i];
	}
	return NULL;
}

bool doctor_iface_stat(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       const char *name, __u64 *ret_value)
{
	const struct doctor_iface *was = doctor_iface_before(snap, iface);

	return was && difference(was->stats, iface->stats, name, ret_value);
}

bool doctor_ethtool_stat(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			 const char *name, __u64 *ret_value)
{
	const struct doctor_iface *was = doctor_iface_before(snap, iface);

	return was && difference(was->ethtool, iface->ethtool, name, ret_value);
}

static bool names_part(const char *name)
{
	return strpbrk(name, "0123456789");
}

static bool names_time(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && (!strcmp(name + len - 3, "_ns") || !strcmp(name + len - 3, "_us"));
}

__u64 doctor_ethtool_sum(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			 const char *const *parts, char *ret_name, size_t size)
{
	__u64 sum[2] = {}, most = 0, value;
	size_t i;

	if (!iface->ethtool)
		return 0;
	json_object_object_foreach(iface->ethtool, key, entry) {
		(void)entry;
		for (i = 0; parts[i] && !strcasestr(key, parts[i]); i++)
			;
		if (!parts[i] || names_time(key) || !doctor_ethtool_stat(snap, iface, key, &value))
			continue;
		sum[names_part(key)] += value;
		if (value <= most || !ret_name)
			continue;
		most = value;
		snprintf(ret_name, size, "%s", key);
	}
	return sum[0] > sum[1] ? sum[0] : sum[1];
}

const struct doctor_queue *doctor_queue_before(const struct doctor_snapshot *snap,
					       const struct doctor_iface *iface,
					       const struct doctor_queue *queue)
{
	const struct doctor_iface *was = doctor_iface_before(snap, iface);
	size_t i;

	for (i = 0; was && i < was->queues.nr; i++) {
		if (was->queues.at[i].id == queue->id && was->queues.at[i].tx == queue->tx)
			return &was->queues.at[i];
	}
	return NULL;
}

__u64 doctor_since(__u64 before, __u64 after)
{
	return before == ~0ULL || after == ~0ULL || after < before ? ~0ULL : after - before;
}

const struct doctor_owner *doctor_owner_of(const struct doctor_snapshot *snap,
					   const struct doctor_socket *socket)
{
	size_t i;

	for (i = 0; socket->owner && i < snap->owners.nr; i++) {
		if (snap->owners.at[i].pid == socket->owner)
			return &snap->owners.at[i];
	}
	return NULL;
}

struct doctor_past doctor_past_of(const struct doctor_snapshot *snap)
{
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100) / 1000;
	struct doctor_past past = {};
	__u64 value;
	size_t i, k;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		if (doctor_iface_stat(snap, &snap->after.ifaces.at[i], "rx_bytes", &value))
			past.rx_bytes_per_s += (__u64)((double)value / doctor_window_s(snap));
	}
	for (i = 0; i < snap->after.cpus.nr; i++) {
		__u64 rise = ~0ULL;

		for (k = 0; k < snap->before.cpus.nr; k++) {
			if (snap->before.cpus.at[k].id == snap->after.cpus.at[i].id)
				rise = doctor_since(snap->before.cpus.at[k].softirq,
						    snap->after.cpus.at[i].softirq);
		}
		if (rise != ~0ULL && (double)rise / ticks > past.busiest_permille)
			past.busiest_permille = (__u32)((double)rise / ticks);
	}
	for (i = 0; i < snap->attached.nr; i++)
		past.standing |= snap->attached.at[i].busy_polls &&
				 !snap->attached.at[i].drained_polls;
	return past;
}
