/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/state.h"

#include <bpf/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int map_pin(const char *name, size_t bytes, bool writable, void **ret_data)
{
	int prot = PROT_READ | (writable ? PROT_WRITE : 0);
	char path[RXAQM_PIN_PATH_LEN];
	void *data;
	int fd;

	fd = bpf_obj_get(rxaqm_state_path(name, path));
	if (fd < 0)
		return -errno;
	data = mmap(NULL, bytes, prot, MAP_SHARED, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return -errno;
	*ret_data = data;
	return 0;
}

int rxaqm_state_map_info(const char *name, struct bpf_map_info *info)
{
	char path[RXAQM_PIN_PATH_LEN];
	__u32 len = sizeof(*info);
	int fd, err;

	memset(info, 0, sizeof(*info));
	fd = bpf_obj_get(rxaqm_state_path(name, path));
	if (fd < 0)
		return -errno;
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return err;
}

static int open_failed(int err, struct rxaqm_error *error)
{
	if (err == -EPERM || err == -EACCES)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, -err,
				       "no permission to read \"%s\"; run as root",
				       rxaqm_state_dir());
	return rxaqm_error_set(
		error, RXAQM_EXIT_FAILED, -err,
		"cannot read the state in \"%s\": %s; \"rxaqm detach --all\" makes it anew",
		rxaqm_state_dir(), strerror(-err));
}

/* No state: nothing is attached, or it cannot be seen from here. */
static int not_there(struct rxaqm_error *error)
{
	struct rxaqm_error reason = {};

	if (rxaqm_state_check_bpffs(&reason))
		return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
				       "not attached to any interface that could be seen: %s",
				       reason.text);
	return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
			       "not attached to any interface; see \"rxaqm attach --help\"");
}

static void unmap(void *data, size_t bytes)
{
	if (data)
		munmap(data, bytes);
}

static void unmap_all(struct rxaqm_state *state)
{
	int lock_fd = state->lock_fd;

	unmap(state->meta, sizeof(*state->meta));
	unmap(state->iface, RXAQM_MAX_IFACES * sizeof(*state->iface));
	unmap(state->policy, 2 * RXAQM_MAX_QUEUES * sizeof(*state->policy));
	unmap(state->queue, RXAQM_MAX_QUEUES * sizeof(*state->queue));
	unmap(state->clock, RXAQM_MAX_IFACES * sizeof(*state->clock));
	unmap(state->clock_phc, RXAQM_MAX_IFACES * sizeof(*state->clock_phc));
	unmap(state->wait, RXAQM_MAX_QUEUES * sizeof(*state->wait));
	*state = (struct rxaqm_state)RXAQM_STATE_NONE;
	state->lock_fd = lock_fd;
}

int rxaqm_state_open(struct rxaqm_state *state, bool writable, struct rxaqm_error *error)
{
	const struct {
		const char *name;
		size_t bytes;
		void **data;
	} maps[] = {
		{ "iface_map", RXAQM_MAX_IFACES * sizeof(*state->iface), (void **)&state->iface },
		{ "policy_map", 2 * RXAQM_MAX_QUEUES * sizeof(*state->policy),
		  (void **)&state->policy },
		{ "queue_map", RXAQM_MAX_QUEUES * sizeof(*state->queue), (void **)&state->queue },
		{ "clock_est_map", RXAQM_MAX_IFACES * sizeof(*state->clock),
		  (void **)&state->clock },
		{ "clock_phc_map", RXAQM_MAX_IFACES * sizeof(*state->clock_phc),
		  (void **)&state->clock_phc },
		{ "wait_map", RXAQM_MAX_QUEUES * sizeof(*state->wait), (void **)&state->wait },
	};
	char path[RXAQM_PIN_PATH_LEN];
	size_t i;
	int err;

	unmap_all(state);
	err = rxaqm_state_check_dir(error);
	if (err)
		return err;
	err = map_pin("meta_map", sizeof(*state->meta), writable, (void **)&state->meta);
	if (err == -ENOENT)
		return not_there(error);
	if (err)
		return open_failed(err, error);
	if (!state->meta->abi_version)
		return rxaqm_error_set(error, RXAQM_EXIT_NOT_ATTACHED, ENOENT,
				       "not attached to any interface (an attach was interrupted; the "
				       "next attach cleans up)");
	if (state->meta->abi_version != RXAQM_ABI_VERSION)
		return rxaqm_error_set(
			error, RXAQM_EXIT_FAILED, EPROTO,
			"the state in \"%s\" is of ABI version %u, this rxaqm speaks %u; run \"detach "
			"--all\" with the rxaqm that attached, then attach with this one",
			rxaqm_state_dir(), state->meta->abi_version, RXAQM_ABI_VERSION);
	for (i = 0; !err && i < sizeof(maps) / sizeof(maps[0]); i++)
		err = map_pin(maps[i].name, maps[i].bytes, writable, maps[i].data);
	if (!err && access(rxaqm_state_path("xsk_map", path), F_OK))
		err = -errno;
	if (!err)
		return 0;
	open_failed(err, error);
	return err == -ENOENT ? -EIO : err; /* there is a state, but damaged */
}

int rxaqm_state_complete(struct rxaqm_error *error)
{
	struct rxaqm_meta_info *meta;
	int err;

	err = map_pin("meta_map", sizeof(*meta), true, (void **)&meta);
	if (err)
		return open_failed(err, error);
	__atomic_store_n(&meta->abi_version, RXAQM_ABI_VERSION, __ATOMIC_RELEASE);
	munmap(meta, sizeof(*meta));
	return 0;
}

void rxaqm_state_close(struct rxaqm_state *state)
{
	unmap_all(state);
	rxaqm_state_unlock(state);
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

void rxaqm_state_set_policies(struct rxaqm_state *state, struct rxaqm_iface *iface,
			      const struct rxaqm_policy *policies)
{
	__u32 next = iface->policy_gen + 1;

	memcpy(bank(state, iface, next), policies, iface->nr_queues * sizeof(*policies));
	__atomic_store_n(&iface->policy_gen, next, __ATOMIC_RELEASE);
}

void rxaqm_state_clear_sockets(const struct rxaqm_state *state, const struct rxaqm_iface *iface)
{
	char path[RXAQM_PIN_PATH_LEN];
	__u32 i, index;
	int fd;

	fd = bpf_obj_get(rxaqm_state_path("xsk_map", path));
	for (i = 0; i < iface->nr_queues; i++) {
		index = iface->queue_base + i;
		if (fd >= 0)
			bpf_map_delete_elem(fd, &index); /* of an empty slot, too */
		if (state->wait)
			memset(&state->wait[index], 0, sizeof(state->wait[index]));
	}
	if (fd >= 0)
		close(fd);
}

/* First run of @nr_queues queue entries that no interface has; -1 if there is none. */
static int free_queues(const struct rxaqm_state *state, unsigned int nr_queues)
{
	unsigned int base = 0;
	bool moved;
	int i;

	do {
		moved = false;
		for (i = 0; i < RXAQM_MAX_IFACES; i++) {
			const struct rxaqm_iface *iface = &state->iface[i];

			if (iface->state == RXAQM_IFACE_FREE ||
			    iface->queue_base >= base + nr_queues ||
			    iface->queue_base + iface->nr_queues <= base)
				continue;
			base = iface->queue_base + iface->nr_queues;
			moved = true;
		}
	} while (moved);
	return base + nr_queues <= RXAQM_MAX_QUEUES ? (int)base : -1;
}

int rxaqm_state_alloc(struct rxaqm_state *state, unsigned int nr_queues, struct rxaqm_error *error)
{
	int slot, base;

	for (slot = 0; slot < RXAQM_MAX_IFACES; slot++)
		if (state->iface[slot].state == RXAQM_IFACE_FREE)
			break;
	base = free_queues(state, nr_queues);
	if (slot == RXAQM_MAX_IFACES || base < 0)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOSPC,
				       "no room for %u more queues: rxaqm serves %d interfaces and %d "
				       "queues in all; detach one that needs it less",
				       nr_queues, RXAQM_MAX_IFACES, RXAQM_MAX_QUEUES);
	memset(&state->iface[slot], 0, sizeof(state->iface[slot]));
	memset(&state->clock[slot], 0, sizeof(state->clock[slot]));
	memset(&state->clock_phc[slot], 0, sizeof(state->clock_phc[slot]));
	memset(&state->queue[base], 0, nr_queues * sizeof(state->queue[0]));
	state->iface[slot].queue_base = (__u32)base;
	state->iface[slot].nr_queues = nr_queues;
	rxaqm_state_clear_sockets(state, &state->iface[slot]);
	return slot;
}
