/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/dispatcher.h"
#include "state/state.h"
#include "policy/target_explain.h"

#include <bpf/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int rxaqm_state_map_info(const char *name, struct bpf_map_info *info)
{
	memset(info, 0, sizeof(*info));
	return rxaqm_bpf_info(bpf_obj_get(rxaqm_state_path(name)), info, sizeof(*info));
}

#define OPEN_TRIES 10 /* a try fails only if somebody detaches the last interface meanwhile */

static int open_failed(int err, struct rxaqm_error *error)
{
	if (err == -EPERM || err == -EACCES)
		return rxaqm_failed(error, -err, "no permission to read \"%s\"; run as root",
				    rxaqm_state_dir());
	return rxaqm_failed(error, -err,
			    "cannot read the state in \"%s\": %s; \"rxaqm detach --all\" makes it "
			    "anew",
			    rxaqm_state_dir(), strerror(-err));
}

/* There is no state: nothing is attached, or it cannot be seen from here. */
static int not_there(struct rxaqm_error *error)
{
	struct rxaqm_error reason = {};

	return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
			       "not attached to any interface%s%s",
			       rxaqm_state_check_bpffs(&reason) ? " that could be seen: " :
								  "; see \"rxaqm attach --help\"",
			       reason.text);
}

/* The pins that are mapped. meta_map is the first: it decides about the others. */
static const struct map {
	const char *name;
	size_t offset; /* of the pointer, in struct rxaqm_state */
	size_t bytes;
} maps[] = {
#define MAP(name, field, nr)                         \
	{ name, offsetof(struct rxaqm_state, field), \
	  (nr) * sizeof(*((struct rxaqm_state *)0)->field) }
	MAP("meta_map", meta, 1),
	MAP("iface_map", iface, RXAQM_MAX_IFACES),
	MAP("policy_map", policy, 2 * RXAQM_MAX_QUEUES),
	MAP("queue_map", queue, RXAQM_MAX_QUEUES),
	MAP("clock_est_map", clock, RXAQM_MAX_IFACES),
	MAP("clock_phc_map", clock_phc, RXAQM_MAX_IFACES),
	MAP("wait_map", wait, RXAQM_MAX_QUEUES),
	MAP("flow_name_map", name, RXAQM_FLOW_NAMES),
#undef MAP
};
#define NR_MAPS (sizeof(maps) / sizeof(maps[0]))

static void **pointer(struct rxaqm_state *state, const struct map *map)
{
	return (void **)((char *)state + map->offset);
}

static int map_pin(struct rxaqm_state *state, const struct map *map, bool writable)
{
	return rxaqm_bpf_map_pin(rxaqm_state_path(map->name), map->bytes, writable,
				 pointer(state, map));
}

void rxaqm_state_unmap(struct rxaqm_state *state)
{
	size_t i;

	for (i = 0; i < NR_MAPS; i++) {
		void **data = pointer(state, &maps[i]);

		if (*data)
			munmap(*data, maps[i].bytes);
		*data = NULL;
	}
}

static int open_once(struct rxaqm_state *state, bool writable, struct rxaqm_error *error)
{
	size_t i;
	int err;

	rxaqm_state_unmap(state);
	err = map_pin(state, &maps[0], writable);
	if (err == -ENOENT)
		return not_there(error);
	if (err)
		return open_failed(err, error);
	if (!state->meta->abi_version)
		return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
				       "not attached to any interface (an attach was interrupted; the "
				       "next attach cleans up)");
	if (state->meta->abi_version != RXAQM_ABI_VERSION)
		return rxaqm_failed(
			error, EPROTO,
			"the state in \"%s\" is of ABI version %u, this rxaqm speaks %u; run "
			"\"detach --all\" with the rxaqm that attached, then attach with this one",
			rxaqm_state_dir(), state->meta->abi_version, RXAQM_ABI_VERSION);
	for (i = 1; !err && i < NR_MAPS; i++)
		err = map_pin(state, &maps[i], writable);
	if (!err && access(rxaqm_state_path("xsk_map"), F_OK))
		err = -errno;
	for (i = 0; !err && i < RXAQM_MAX_IFACES; i++)
		if (RXAQM_READ_ONCE(state->iface[i].state) && !rxaqm_iface_valid(&state->iface[i]))
			return rxaqm_failed(error, EIO,
					    "the state in \"%s\" is damaged: entry %zu of iface_map "
					    "has values that nothing of rxaqm writes; \"rxaqm detach "
					    "--all\" makes it anew",
					    rxaqm_state_dir(), i);
	if (!err)
		return 0;
	open_failed(err, error);
	return err == -ENOENT ? -EIO : err; /* there is a state, but damaged */
}

int rxaqm_state_open(struct rxaqm_state *state, bool writable, struct rxaqm_error *error)
{
	int tries = OPEN_TRIES, err = rxaqm_state_check_dir(error);

	if (err)
		return err;
	/* If the state was complete at first and is not any more, a command has removed it
	 * meanwhile.
	 */
	do
		err = open_once(state, writable, error);
	while ((!err || err == -EIO) && state->meta && !RXAQM_READ_ONCE(state->meta->abi_version) &&
	       --tries);
	if (!err && error)
		error->text[0] = '\0';
	return err;
}

int rxaqm_state_complete(struct rxaqm_state *state, struct rxaqm_error *error)
{
	int err;

	rxaqm_state_unmap(state);
	err = map_pin(state, &maps[0], true);
	if (err)
		return open_failed(err, error);
	__atomic_store_n(&state->meta->abi_version, RXAQM_ABI_VERSION, __ATOMIC_RELEASE);
	return rxaqm_state_open(state, true, error);
}

void rxaqm_state_close(struct rxaqm_state *state)
{
	rxaqm_state_unmap(state);
	rxaqm_state_unlock(state);
}

bool rxaqm_iface_valid(const struct rxaqm_iface *iface)
{
	return iface->state <= RXAQM_IFACE_DETACHING && iface->nr_queues <= RXAQM_MAX_QUEUES &&
	       iface->queue_base <= RXAQM_MAX_QUEUES - iface->nr_queues &&
	       iface->stamp <= RXAQM_STAMP_TSTAMP && iface->target_rule <= RXAQM_RULE_OWN_CPU &&
	       memchr(iface->name, '\0', sizeof(iface->name)) &&
	       memchr(iface->profile, '\0', sizeof(iface->profile));
}

void rxaqm_state_repair(struct rxaqm_state *state)
{
	struct rxaqm_iface *iface;

	for (iface = state->iface; iface < state->iface + RXAQM_MAX_IFACES; iface++) {
		if (rxaqm_iface_valid(iface))
			continue;
		iface->state = RXAQM_IFACE_DETACHING;
		iface->queue_base = iface->nr_queues = iface->stamp = iface->target_rule = 0;
		iface->name[RXAQM_IFNAMSIZ - 1] = iface->profile[RXAQM_PROFILE_NAME_LEN - 1] = '\0';
	}
}

struct rxaqm_iface *rxaqm_iface_next(const struct rxaqm_state *state,
				     const struct rxaqm_iface *last)
{
	struct rxaqm_iface *iface = last ? state->iface + (last - state->iface) + 1 : state->iface;

	for (; iface && iface < state->iface + RXAQM_MAX_IFACES; iface++)
		if (RXAQM_READ_ONCE(iface->state) != RXAQM_IFACE_FREE && rxaqm_iface_valid(iface))
			return iface;
	return NULL;
}

static struct rxaqm_policy *bank(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
				 __u32 gen)
{
	return &state->policy[(gen & 1) * RXAQM_MAX_QUEUES + iface->queue_base];
}

const struct rxaqm_policy *rxaqm_state_policy(const struct rxaqm_state *state,
					      const struct rxaqm_iface *iface, unsigned int queue)
{
	return bank(state, iface, iface->policy_gen) + queue;
}

struct rxaqm_policy *rxaqm_state_draft(struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	return memcpy(bank(state, iface, iface->policy_gen + 1),
		      bank(state, iface, iface->policy_gen),
		      iface->nr_queues * sizeof(struct rxaqm_policy));
}

void rxaqm_state_use_draft(struct rxaqm_iface *iface)
{
	__atomic_store_n(&iface->policy_gen, iface->policy_gen + 1, __ATOMIC_RELEASE);
}

void rxaqm_state_clear_sockets(const struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	int fd = bpf_obj_get(rxaqm_state_path("xsk_map"));
	__u32 i, index;

	for (i = 0; i < iface->nr_queues; i++) {
		index = iface->queue_base + i;
		if (fd >= 0)
			bpf_map_delete_elem(fd, &index); /* the slot may be empty */
		if (state->wait)
			memset(&state->wait[index], 0, sizeof(state->wait[index]));
	}
	if (fd >= 0)
		close(fd);
}

/* First run of @nr_queues queue entries that no interface uses. -1: there is none. */
static int free_queues(const struct rxaqm_state *state, unsigned int nr_queues)
{
	const struct rxaqm_iface *iface = NULL;
	unsigned int base = 0;

	while ((iface = rxaqm_iface_next(state, iface))) {
		if (iface->queue_base >= base + nr_queues ||
		    iface->queue_base + iface->nr_queues <= base)
			continue;
		base = iface->queue_base + iface->nr_queues;
		iface = NULL; /* again: earlier ones may overlap now */
	}
	return base + nr_queues <= RXAQM_MAX_QUEUES ? (int)base : -1;
}

/* RXAQM_MAX_IFACES: there is none. */
static int free_slot(const struct rxaqm_state *state)
{
	int slot = 0;

	while (slot < RXAQM_MAX_IFACES && state->iface[slot].state != RXAQM_IFACE_FREE)
		slot++;
	return slot;
}

bool rxaqm_state_room(const struct rxaqm_state *state, unsigned int nr_queues)
{
	return free_slot(state) < RXAQM_MAX_IFACES && free_queues(state, nr_queues) >= 0;
}

struct rxaqm_iface *rxaqm_state_alloc(struct rxaqm_state *state, unsigned int nr_queues,
				      struct rxaqm_error *error)
{
	int base = free_queues(state, nr_queues), slot = free_slot(state);
	struct rxaqm_iface *iface;

	if (slot == RXAQM_MAX_IFACES || base < 0) {
		rxaqm_failed(error, EUSERS,
			     "no room for %u more queues: rxaqm serves %d interfaces and %d queues "
			     "in all; detach one that needs it less",
			     nr_queues, RXAQM_MAX_IFACES, RXAQM_MAX_QUEUES);
		return NULL;
	}
	iface = &state->iface[slot];
	memset(iface, 0, sizeof(*iface));
	memset(&state->clock[slot], 0, sizeof(state->clock[slot]));
	memset(&state->clock_phc[slot], 0, sizeof(state->clock_phc[slot]));
	memset(&state->queue[base], 0, nr_queues * sizeof(state->queue[0]));
	iface->queue_base = (__u32)base;
	iface->nr_queues = nr_queues;
	rxaqm_state_clear_sockets(state, iface);
	return iface;
}
