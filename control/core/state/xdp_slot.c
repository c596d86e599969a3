/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/xdp_slot.h"

#include <bpf/bpf.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "state/dispatcher.h"
#include "state/own_programs.h"
#include "state/pins.h"
#include "state/state.h"
#include "nic/nic.h"

struct slot {
	const char *ifname;
	unsigned int ifindex;
	struct rxaqm_xdp_progs progs;
	char name[BPF_OBJ_NAME_LEN]; /* of the program */
	__u32 link_id; /* the BPF link that holds it; 0: none does */
};

/* Find the BPF link that holds the program, if one does. 0 or -errno. */
static int find_link(struct slot *slot)
{
	struct bpf_link_info link;
	__u32 id = 0;
	int more;

	while ((more = rxaqm_bpf_next_link(&id, &link)) > 0)
		if (link.type == BPF_LINK_TYPE_XDP && link.prog_id == slot->progs.id[0] &&
		    link.xdp.ifindex == slot->ifindex)
			slot->link_id = id;
	return more;
}

/* Is there a program? 1, 0, or -errno; then @slot has what could be read. */
static int read_slot(const char *ifname, unsigned int ifindex, struct slot *slot)
{
	struct bpf_prog_info info = {};
	int err;

	*slot = (struct slot){ .ifname = ifname, .ifindex = ifindex };
	err = rxaqm_xdp_read(ifindex, &slot->progs);
	if (err || !slot->progs.nr)
		return err;
	err = rxaqm_bpf_info(bpf_prog_get_fd_by_id(slot->progs.id[0]), &info, sizeof(info));
	memcpy(slot->name, info.name, sizeof(slot->name));
	if (!err)
		err = find_link(slot);
	return err ? err : 1;
}

static const char *take_off(const struct slot *slot, char buf[RXAQM_TAKE_OFF_COMMAND])
{
	__u32 prog_id;

	if (slot->link_id)
		snprintf(buf, RXAQM_TAKE_OFF_COMMAND, "bpftool link detach id %u", slot->link_id);
	else if (rxaqm_xdp_find_ours(slot->ifindex, &prog_id) == RXAQM_OWNER_OURS)
		snprintf(buf, RXAQM_TAKE_OFF_COMMAND, "rxaqm detach %s", slot->ifname);
	else if (slot->progs.dispatcher && rxaqm_pins_have(slot->ifindex, slot->progs.id[0]))
		snprintf(buf, RXAQM_TAKE_OFF_COMMAND, "xdp-loader unload %s --all", slot->ifname);
	else /* "xdp off" leaves a generic program on a driver that can do native XDP */
		snprintf(buf, RXAQM_TAKE_OFF_COMMAND, "ip link set dev %s %s off", slot->ifname,
			 slot->progs.generic ? "xdpgeneric" : "xdp");
	return buf;
}

const char *rxaqm_xdp_take_off_command(const char *ifname, unsigned int ifindex,
				       char buf[RXAQM_TAKE_OFF_COMMAND])
{
	struct slot slot;

	read_slot(ifname, ifindex, &slot);
	return take_off(&slot, buf);
}

static int say_taken(const struct slot *slot, struct rxaqm_error *error)
{
	char command[RXAQM_TAKE_OFF_COMMAND];

	/* The program goes when qualify ends, however that ends. */
	if (!strcmp(slot->name, "qualify_xdp"))
		return rxaqm_failed(error, EBUSY,
				    "\"rxaqm qualify\" is at work at \"%s\"; wait until it ends",
				    slot->ifname);
	take_off(slot, command);
	if (slot->link_id)
		return rxaqm_failed(error, EBUSY,
				    "the XDP slot of \"%s\" is taken by another program (\"%s\", id "
				    "%u), by BPF link %u, which \"ip link\" cannot replace; end who "
				    "holds it (\"bpftool -f link show id %u\"), or take it off with "
				    "\"%s\"",
				    slot->ifname, slot->name, slot->progs.id[0], slot->link_id,
				    slot->link_id, command);
	return rxaqm_failed(error, EBUSY,
			    "the XDP slot of \"%s\" is taken by another program (\"%s\", id %u); load "
			    "that one with libxdp's dispatcher, or take it off with \"%s\"",
			    slot->ifname, slot->name, slot->progs.id[0], command);
}

/* Programs of ours whose state is not seen here. */
struct strays {
	unsigned int nr;
	unsigned int ifindex; /* of the first */
	__u32 prog_id;
};

static int add_stray(unsigned int ifindex, void *arg)
{
	struct strays *strays = arg;
	__u32 prog_id;
	int owner = rxaqm_xdp_find_ours(ifindex, &prog_id);

	if (owner == RXAQM_OWNER_STRAY && !strays->nr++) {
		strays->ifindex = ifindex;
		strays->prog_id = prog_id;
	}
	return owner < 0 ? owner : 0;
}

static int say_strays(const struct strays *strays, const char *then, struct rxaqm_error *error)
{
	char ifname[IF_NAMESIZE] = "?", others[32] = "", command[RXAQM_TAKE_OFF_COMMAND];
	struct rxaqm_error why = {};

	if_indextoname(strays->ifindex, ifname);
	if (strays->nr > 1)
		snprintf(others, sizeof(others), " (and on %u more)", strays->nr - 1);
	return rxaqm_failed(error, EBUSY,
			    "rxaqm's own program (id %u) is on \"%s\"%s, but its state is not in "
			    "\"%s\": %s; take it off with \"%s\"%s",
			    strays->prog_id, ifname, others, rxaqm_state_dir(),
			    rxaqm_state_check_bpffs(&why) ? why.text :
							    "a BPF file system was mounted there "
							    "since, or RXAQM_BPFFS named another",
			    rxaqm_xdp_take_off_command(ifname, strays->ifindex, command), then);
}

int rxaqm_xdp_check_strays(struct rxaqm_error *error)
{
	struct strays strays = {};
	int err = rxaqm_xdp_each(add_stray, &strays);

	if (strays.nr)
		return say_strays(&strays, "", error);
	if (err)
		return rxaqm_failed(error, -err,
				    "cannot ask the kernel whether a program of rxaqm's is on an "
				    "interface: %s; try again",
				    strerror(-err));
	return 0;
}

struct above {
	const char *ifname;
	struct rxaqm_error *error;
	int err;
};

static void check_entry(int dir_fd, const char *name, void *arg)
{
	const char *upper = name + strlen("upper_");
	char command[RXAQM_TAKE_OFF_COMMAND];
	struct above *above = arg;
	struct slot slot;

	(void)dir_fd;
	if (above->err || strncmp(name, "upper_", strlen("upper_")) ||
	    read_slot(upper, if_nametoindex(upper), &slot) <= 0)
		return;
	above->err = rxaqm_failed(above->error, EBUSY,
				  "\"%s\" above \"%s\" has an XDP program (\"%s\", id %u), and "
				  "the kernel lets none be attached below that, in any mode; "
				  "take it off with \"%s\"",
				  upper, above->ifname, slot.name, slot.progs.id[0],
				  take_off(&slot, command));
}

/* dev_xdp_attach() refuses if a device right above, such as a bridge, bond or VLAN, has a program.
 */
static int check_above(const char *ifname, struct rxaqm_error *error)
{
	struct above above = { .ifname = ifname, .error = error };

	rxaqm_nic_read_dir(ifname, "", check_entry, &above);
	return above.err;
}

int rxaqm_xdp_slot_blocked(const char *ifname, unsigned int ifindex, bool generic,
			   struct rxaqm_error *error)
{
	char command[RXAQM_TAKE_OFF_COMMAND];
	struct slot slot;
	int taken = read_slot(ifname, ifindex, &slot);
	struct strays stray = {};

	if (taken < 0)
		return 0;
	if (!taken)
		return check_above(ifname, error);
	if (!add_stray(ifindex, &stray) && stray.nr)
		return say_strays(&stray, ", and attach again", error);
	if (!slot.progs.dispatcher || slot.link_id)
		return say_taken(&slot, error);
	if (!rxaqm_pins_have(ifindex, slot.progs.id[0]))
		return rxaqm_failed(error, EBUSY,
				    "libxdp's dispatcher (id %u) is on \"%s\", but its pins are not "
				    "in the BPF file system: \"xdp-loader clean\" in another network "
				    "namespace removed them, or the file system was mounted anew; "
				    "take it off with \"%s\"",
				    slot.progs.id[0], ifname, take_off(&slot, command));
	if (slot.progs.generic != generic)
		return rxaqm_failed(error, EBUSY,
				    "libxdp's dispatcher is on \"%s\" in %s mode, and runs programs "
				    "in that mode only; attach with \"--mode %s\" to share it, or "
				    "take off what is there with \"xdp-loader unload %s --all\"",
				    ifname, generic ? "native" : "generic",
				    generic ? "native" : "generic", ifname);
	return 0;
}
