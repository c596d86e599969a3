/* SPDX-License-Identifier: GPL-2.0-only */
/* How much the counters of losses rose, and where. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/snapshot/loss_counters.h"

/* The counters of all queues or priorities are one loss: their numbers become "#". */
struct loss {
	char name[64];
	__u64 sum;
};

struct losses {
	RXAQM_LIST(struct loss);
	__u64 most;
	const char *name; /* of the counter that rose most */
};

static void add_loss(struct losses *losses, enum doctor_loss_in in, const char *name, __u64 rise)
{
	struct loss one = { .name[0] = in == DOCTOR_IN_STATS ? 'k' : 'd', .sum = rise }, *known;
	size_t at;

	for (at = 1; *name && at < sizeof(one.name) - 1; at++) {
		one.name[at] = *name >= '0' && *name <= '9' ? '#' : *name;
		name += one.name[at] == '#' ? strspn(name, "0123456789") : 1;
	}
	known = rxaqm_list_find(known, losses, !strcmp(known->name, one.name));
	if (known)
		known->sum += rise;
	else
		rxaqm_list_put(losses, one);
}

static void add_losses(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       enum doctor_loss_in in, const char *id, struct losses *losses)
{
	doctor_map map = in == DOCTOR_IN_STATS ? iface->stats : iface->ethtool;
	__u64 rise;

	if (!map)
		return;
	json_object_object_foreach(map, name, entry) {
		/* Most are always 0. */
		if (!json_object_get_uint64(entry) ||
		    !doctor_iface_rise(snap, iface, in == DOCTOR_IN_ETHTOOL, name, &rise) ||
		    !rise || !doctor_loss_sums_up(doctor_loss_of(in, name, iface->driver), id))
			continue;
		add_loss(losses, in, name, rise);
		if (rise < losses->most)
			continue;
		losses->most = rise;
		losses->name = name;
	}
}

__u64 doctor_loss_by(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const char *id, const char **ret_name)
{
	struct losses losses = { .name = "" };
	const struct loss *loss;
	__u64 most = 0;

	add_losses(snap, iface, DOCTOR_IN_STATS, id, &losses);
	add_losses(snap, iface, DOCTOR_IN_ETHTOOL, id, &losses);
	if (ret_name)
		*ret_name = losses.name;
	rxaqm_list_each(loss, &losses)
		most = loss->sum > most ? loss->sum : most;
	free(losses.at);
	return most;
}

struct walk {
	const struct doctor_snapshot *snap;
	void (*each)(void *arg, const struct doctor_risen *risen);
	void *arg;
};

static void look_at(const struct walk *walk, const struct doctor_iface *iface,
		    enum doctor_loss_in in, const char *name, __u64 rise)
{
	const struct doctor_loss *loss = rise ? doctor_loss_of(in, name,
							       iface ? iface->driver : "") :
						NULL;
	double window = doctor_window_s(walk->snap);
	__u64 all = 0, value;

	if (!loss || !loss->what || (double)rise < (loss->per_s ?: 1) * window)
		return;
	if (!iface)
		all = doctor_passes(walk->snap, name);
	else if (doctor_iface_stat(walk->snap, iface, "rx_packets", &all) &&
		 doctor_iface_stat(walk->snap, iface, "tx_packets", &value))
		all += value;
	/* Below 1 of 10,000 it slows nothing. */
	if (rise * 1000 >= all * loss->permille && rise * 10000 >= all)
		walk->each(walk->arg, &(struct doctor_risen){ loss, name, iface, rise });
}

static void look_into(const struct walk *walk, const struct doctor_iface *iface,
		      enum doctor_loss_in in, doctor_map map)
{
	__u64 rise;

	if (!map)
		return;
	json_object_object_foreach(map, name, entry) {
		if (!json_object_get_uint64(entry))
			continue;
		if (iface ? doctor_iface_rise(walk->snap, iface, in == DOCTOR_IN_ETHTOOL, name,
					      &rise) :
			    doctor_counter(walk->snap, name, &rise))
			look_at(walk, iface, in, name, rise);
	}
}

void doctor_each_risen(const struct doctor_snapshot *snap,
		       void (*each)(void *arg, const struct doctor_risen *risen), void *arg)
{
	const struct walk walk = { snap, each, arg };
	const struct doctor_iface *iface;

	look_into(&walk, NULL, DOCTOR_IN_COUNTERS, snap->after.counters);
	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (doctor_is_sum(iface))
			continue;
		look_into(&walk, iface, DOCTOR_IN_STATS, iface->stats);
		look_into(&walk, iface, DOCTOR_IN_ETHTOOL, iface->ethtool);
	}
}
