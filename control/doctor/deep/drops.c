/* SPDX-License-Identifier: GPL-2.0-only */
/* Where and why the kernel drops packets (skb:kfree_skb tells the reason from Linux 5.17 on). */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/each.h"
#include "doctor/deep/deep.h"
#include "doctor_drops.skel.h"
#include "doctor_rec.h"
#include "nic/netns.h"

#define REASON "SKB_DROP_REASON_"

struct drop {
	struct rxaqm_doctor_drop key;
	__u64 drops, symbol; /* symbol: address of the function, 0: not found yet */
	char place[sizeof(((struct doctor_deep_drop *)0)->place)];
};

struct drops {
	RXAQM_LIST(struct drop);
};

static void read_map(struct drops *drops, int fd)
{
	struct rxaqm_doctor_drop *last = NULL;
	struct drop one = {};

	for (; !bpf_map_get_next_key(fd, last, &one.key); last = &one.key) {
		if (!bpf_map_lookup_elem(fd, &one.key, &one.drops))
			rxaqm_list_put(drops, one);
	}
}

/* Find the function of each address. Without CAP_SYSLOG all addresses are 0. */
static void find_places(struct drops *drops)
{
	unsigned long long address;
	struct drop *drop;
	char line[512], name[64];

	rxaqm_each_line(line, "/proc/kallsyms") {
		if (sscanf(line, "%llx %*[tTwW] %63s", &address, name) != 2)
			continue;
		rxaqm_list_each(drop, drops) {
			if (address <= drop->symbol || address > drop->key.location)
				continue;
			drop->symbol = address;
			memcpy(drop->place, name, sizeof(name));
		}
	}
}

/* Look the reason up in the running kernel's own enum, which lacks those of its subsystems. */
static void name_reason(const struct btf *btf, __s32 id, __u32 reason, char *buf, size_t size)
{
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	const struct btf_enum *one = type ? btf_enum(type) : NULL;
	const char *name;
	unsigned int i;

	snprintf(buf, size, "reason %u", reason);
	for (i = 0; one && i < btf_vlen(type); i++) {
		if ((__u32)one[i].val != reason)
			continue;
		name = btf__name_by_offset(btf, one[i].name_off);
		snprintf(buf, size, "%s",
			 strncmp(name, REASON, strlen(REASON)) ? name : name + strlen(REASON));
		return;
	}
}

/* Unix and netlink sockets free what they sent in this way: nothing was lost. */
static bool is_drop(const struct drop *drop, const char *reason)
{
	return strncmp(reason, "SKB_", 4) != 0 &&
	       (drop->key.has_device || strcmp(reason, "NOT_SPECIFIED") != 0);
}

/* One function may drop in several places: add them up. */
static void add(struct doctor_deep *deep, const struct drop *drop, const char *reason)
{
	struct doctor_deep_drop *to;

	to = rxaqm_list_find(to, &deep->snap->deep_drops, !strcmp(to->place, drop->place) && !strcmp(to->reason, reason)) ?:
		     rxaqm_list_add(&deep->snap->deep_drops);
	if (!to)
		return;
	to->drops += drop->drops;
	snprintf(to->place, sizeof(to->place), "%s", drop->place);
	snprintf(to->reason, sizeof(to->reason), "%s", reason);
}

static int most_first(const void *left, const void *right)
{
	const struct doctor_deep_drop *a = left, *b = right;

	return a->drops < b->drops ? 1 : a->drops > b->drops ? -1 : 0;
}

static void put(struct doctor_deep *deep, int fd)
{
	struct btf *btf = btf__load_vmlinux_btf();
	__s32 id = btf ? btf__find_by_name_kind(btf, "skb_drop_reason", BTF_KIND_ENUM) : 0;
	struct drops drops = {};
	struct drop *drop;
	char reason[48];

	read_map(&drops, fd);
	find_places(&drops);
	rxaqm_list_each(drop, &drops) {
		name_reason(btf, id, drop->key.reason, reason, sizeof(reason));
		if (!drop->symbol)
			snprintf(drop->place, sizeof(drop->place), "a place that is not known");
		if (is_drop(drop, reason))
			add(deep, drop, reason);
	}
	if (deep->snap->deep_drops.nr)
		qsort(deep->snap->deep_drops.at, deep->snap->deep_drops.nr,
		      sizeof(*deep->snap->deep_drops.at), most_first);
	free(drops.at);
	btf__free(btf);
}

void doctor_probe_drops(struct doctor_deep *deep)
{
	struct doctor_drops *skel = doctor_drops__open();

	if (skel)
		skel->rodata->netns_inum = (__u32)rxaqm_netns_ino();
	if (doctor_deep_look(deep, skel ? skel->skeleton : NULL, "drops",
			     "where packets are dropped"))
		put(deep, bpf_map__fd(skel->maps.drops_map));
	doctor_drops__destroy(skel);
}
