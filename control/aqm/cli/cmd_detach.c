/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm detach */
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "cli/cmd.h"
#include "config/config.h"
#include "attach/hooks.h"
#include "state/machine.h"
#include "nic/netns.h"
#include "command/options.h"
#include "base/out.h"
#include "base/parse.h"
#include "state/pins.h"
#include "state/locate.h"
#include "state/own_programs.h"
#include "state/xdp_slot.h"
#include "attach/attach.h"
#include "attach/undo.h"
#include "attach/xdp.h"
#include "figures/figures.h"

static void print_detached(const char *ifname, int nr)
{
	struct rxaqm_out out;

	rxaqm_out_begin(&out, "detach", rxaqm_json);
	if (ifname)
		rxaqm_out_str(&out, "interface", "%s: detached\n", ifname);
	else
		rxaqm_out_text(&out, "%llu %s%s detached\n", RXAQM_COUNTED(nr, "interface"));
	rxaqm_out_u64(&out, "detached", NULL, (__u64)nr);
	rxaqm_out_close(&out, false);
}

struct found {
	bool strays; /* take off programs whose state is hidden, too */
	int detached;
	int err;
	struct rxaqm_error *error;
};

static int take_off(unsigned int ifindex, void *arg)
{
	struct found *found = arg;
	__u32 prog_id;
	int owner = rxaqm_xdp_find_ours(ifindex, &prog_id), err = owner < 0 ? owner : 0;

	if (owner == RXAQM_OWNER_OURS || (owner == RXAQM_OWNER_STRAY && found->strays)) {
		err = rxaqm_undo_unknown(ifindex, prog_id, found->error);
		found->detached += !err;
	}
	found->err = err ? err : found->err;
	return 0; /* the others, too */
}

static void take_off_here(void *arg)
{
	struct found *found = arg;
	int err = rxaqm_xdp_each(take_off, found);

	found->err = err ? err : found->err;
}

/* Where the registry is missing or damaged: our programs are those that use our queue_map. */
static int take_off_all(struct rxaqm_state *state, struct rxaqm_error *error)
{
	struct found found = { .error = error };
	int err, nr = 0;

	rxaqm_netns_each(take_off_here, &found);
	if (found.err && error->text[0])
		return found.err;
	if (found.err)
		return rxaqm_failed(error, -found.err,
				    "cannot take rxaqm's programs off: %s; try again",
				    strerror(-found.err));
	err = rxaqm_pins_remove(state, 0, error);
	if (err == -ETIMEDOUT || err == -ENOTDIR)
		return err;
	if (err < 0)
		return rxaqm_failed(error, -err,
				    "cannot remove libxdp's pins of rxaqm's programs: %s; see "
				    "\"xdp-loader clean\"",
				    strerror(-err));
	/* What else it notes is undone, too. */
	nr = state->iface ? rxaqm_detach_all(state, error) : 0;
	err = nr < 0 ? nr : rxaqm_hooks_remove(error);
	return err ? err : MAX(nr, found.detached);
}

/* Programs whose state another BPF file system hides are in nobody else's reach. But what has its
 * state below another RXAQM_BPFFS is not meant: that is only told. Returns the number taken off.
 */
static int take_off_strays(struct rxaqm_error *error)
{
	const char *named = getenv("RXAQM_BPFFS");
	struct found found = { .strays = true, .error = error };
	int err;

	if (!rxaqm_state_check_bpffs(NULL) && (!named || !*named))
		take_off_here(&found);
	err = rxaqm_xdp_check_strays(error);
	return err ? err : found.detached;
}

/* An interface that a daemon has attached by its configuration stays off, even after a restart of
 * the daemon.
 */
static void note_detached(const struct rxaqm_iface *iface)
{
	char name[RXAQM_IFNAMSIZ];
	int err;

	if (!iface->config_digest)
		return;
	err = rxaqm_detached_note(rxaqm_iface_name(iface, name, NULL), iface->config_digest);
	if (err)
		rxaqm_log_notice("cannot note that \"%s\" is to stay off (%s): a daemon that starts "
				 "attaches it again; set enable=no in its configuration",
				 name, strerror(-err));
}

static int detach_all(struct rxaqm_state *state, struct rxaqm_error *error)
{
	int err = rxaqm_state_open(state, true, error);
	const struct rxaqm_iface *iface = NULL;
	int nr;

	/* Only the other version can undo its state. */
	if (err == -EPROTO || err == -EACCES || err == -EPERM)
		return err;
	if (err == -EIO && state->iface)
		rxaqm_state_repair(state);
	/* This repairs the damage, but not what is hidden from here: that message stays. */
	if (!rxaqm_state_check_bpffs(error))
		error->text[0] = '\0';
	while ((iface = rxaqm_iface_next(state, iface)))
		if (iface->state == RXAQM_IFACE_ATTACHED)
			note_detached(iface);
	nr = err ? take_off_all(state, error) : rxaqm_detach_all(state, error);
	err = nr < 0 ? nr : take_off_strays(error);
	return err < 0 ? err : nr + err;
}

struct several {
	struct rxaqm_state *state;
	int detached;
};

static int detach_iface(struct rxaqm_iface *iface, const char *ifname, void *arg,
			struct rxaqm_error *error)
{
	struct several *several = arg;
	int err;

	(void)ifname;
	note_detached(iface);
	err = rxaqm_detach(several->state, iface, error);
	several->detached += !err;
	return err;
}

/* Detach one interface by name, or those that match a pattern. Returns an exit code, or negative
 * with the error.
 */
static int detach_named(struct rxaqm_state *state, const char *ifname, int *ret_nr,
			struct rxaqm_error *error)
{
	struct several several = { .state = state };
	struct rxaqm_iface *iface;
	int ret = rxaqm_cmd_open(state, true, error);

	if (ret)
		return ret;
	iface = rxaqm_iface_find(state, ifname, error);
	if (iface)
		ret = detach_iface(iface, ifname, &several, error);
	else if (rxaqm_is_pattern(ifname))
		ret = rxaqm_change_each(state, ifname, detach_iface, &several, error);
	else
		ret = -error->err;
	*ret_nr = several.detached;
	return ret;
}

int rxaqm_cmd_detach(int argc, char **argv, struct rxaqm_call *call)
{
	struct args {
		bool all;
	} args = {};
	static const struct rxaqm_option options[] = {
		{ "all", 'a', NULL, "Detach every interface and remove all pinned state",
		  RXAQM_FLAG(all) },
		{ 0 },
	};
	static const struct rxaqm_command command = {
		.name = "rxaqm detach",
		.args = "IFACE | PATTERN | --all",
		.help = "Detach from IFACE, or those that match a PATTERN such as 'eth*', and put "
			"back what attach changed.",
		.options = options,
		.max_words = 1,
	};
	struct rxaqm_error *error = &call->error;
	struct rxaqm_state *state = &call->state;
	const char *ifname;
	int nr = 0, ret = 0;

	ifname = *rxaqm_options_read(&command, argc, argv, &args);
	if (!ifname == !args.all)
		rxaqm_usage_error("name an interface, or --all%s", args.all ? ", not both" : "");
	if (rxaqm_machine_check_capabilities(error) || rxaqm_state_lock(state, error))
		return -1;
	if (args.all)
		nr = detach_all(state, error);
	else
		ret = detach_named(state, ifname, &nr, error);
	if (nr < 0 || ret < 0)
		return -1;
	print_detached(args.all || rxaqm_is_pattern(ifname) ? NULL : ifname, nr);
	/* It was detached, but something of less weight failed. */
	if (error->text[0])
		rxaqm_log_notice("%s", error->text);
	return ret;
}
