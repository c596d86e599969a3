/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/hint.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "nic/netdev.h"
#include "rxaqm.skel.h"
#include "state/xdp_slot.h"
#include "attach/stamps.h"
#include "attach/xdp.h"

/* linux/bpf.h has it from 6.3 on. */
#ifndef BPF_F_XDP_DEV_BOUND_ONLY
#define BPF_F_XDP_DEV_BOUND_ONLY (1U << 6)
#endif

#define WHOSE_LEN 80
#define WITHOUT "attach with \"signal=auto\", which uses what works"

bool rxaqm_hint_release_reached(const char *release, const char *since)
{
	return *release && *since && strverscmp(release, since) >= 0;
}

static bool kernel_has_it(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf &&
		   btf__find_by_name_kind(btf, "bpf_xdp_metadata_rx_timestamp", BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

/* 1 or 0, by the kernel, or by the profile if the kernel does not say; -errno if neither says. */
static int driver_has_it(const struct rxaqm_plan *plan, const char *release)
{
	int gives = rxaqm_netdev_gives_rx_time(plan->nic.ifindex);

	if (gives >= 0 || !plan->profile.hint_since[0])
		return gives;
	return rxaqm_hint_release_reached(release, plan->profile.hint_since);
}

/* The subject of a sentence: lo, for example, has no driver. */
static const char *whose(const struct rxaqm_plan *plan, char buf[WHOSE_LEN])
{
	if (plan->nic.driver[0])
		snprintf(buf, WHOSE_LEN, "driver \"%s\" of \"%s\"", plan->nic.driver, plan->ifname);
	else
		snprintf(buf, WHOSE_LEN, "\"%s\", which has no driver,", plan->ifname);
	return buf;
}

static int check_slot(const struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	char command[RXAQM_TAKE_OFF_COMMAND];
	struct rxaqm_xdp_progs progs;
	int err = rxaqm_xdp_read(plan->nic.ifindex, &progs);

	if (err)
		return rxaqm_failed(error, -err,
				    "cannot ask the kernel for the XDP program of \"%s\": %s",
				    plan->ifname, strerror(-err));
	if (!progs.nr)
		return 0;
	rxaqm_xdp_take_off_command(plan->ifname, plan->nic.ifindex, command);
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EBUSY,
			       "signal=hint: the program is bound to \"%s\" and takes its XDP slot "
			       "alone, but %s (id %u) is there; take that off with \"%s\"%s",
			       plan->ifname,
			       progs.dispatcher ? "libxdp's dispatcher" : "another program",
			       progs.id[0], command,
			       progs.dispatcher ? ", or attach with \"signal=stamp\", which shares "
						  "the slot by that dispatcher" :
						  "");
}

/* Can the program run on the interface? 0, or -errno with the reason and the remedy in @error. */
static int check(const struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	struct utsname kernel = {};
	char subject[WHOSE_LEN];
	int gives;

	uname(&kernel);
	if (plan->generic)
		return rxaqm_error_set(
			error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
			"signal=hint needs native mode: generic XDP on \"%s\" has no "
			"access to the driver's timestamps; leave --mode out, or " WITHOUT,
			plan->ifname);
	gives = driver_has_it(plan, kernel.release);
	if (gives > 0 && kernel_has_it())
		return check_slot(plan, error);
	if (!rxaqm_hint_release_reached(kernel.release, "6.3") || gives > 0)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "signal=hint: this kernel (%s) has no "
				       "bpf_xdp_metadata_rx_timestamp, which came with 6.3; " WITHOUT,
				       kernel.release);
	if (!gives)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "signal=hint: %s does not give XDP the receive time in this "
				       "kernel (%s); " WITHOUT,
				       whose(plan, subject), kernel.release);
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -gives,
			       "signal=hint: this kernel (%s) does not say whether %s gives XDP the "
			       "receive time (%s), and profile \"%s\" has no HintSince; " WITHOUT,
			       kernel.release, whose(plan, subject), strerror(-gives),
			       plan->profile.name);
}

int rxaqm_hint_choose(const struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	int err;

	if (plan->policy.signal == RXAQM_SIGNAL_HINT) {
		err = check(plan, error);
		return err ? err : 1;
	}
	return plan->policy.signal == RXAQM_SIGNAL_AUTO && !plan->generic &&
	       rxaqm_stamps_usable(RXAQM_STAMP_HWTSTAMP, plan->ifname) != RXAQM_STAMP_NONE &&
	       !check(plan, NULL);
}

int rxaqm_hint_check_policy(const struct rxaqm_iface *iface, const char *ifname,
			    const struct rxaqm_policy *policy, struct rxaqm_error *error)
{
	bool hint = iface->flags & RXAQM_IFACE_HINT;
	const char *wanted = policy->signal == RXAQM_SIGNAL_HINT ? "hint" : "stamp";

	if (policy->signal != (hint ? RXAQM_SIGNAL_STAMP : RXAQM_SIGNAL_HINT))
		return 0;
	return rxaqm_failed(error, EBUSY,
			    "signal=%s needs another XDP program than the one on \"%s\"; run "
			    "\"rxaqm detach %s\", then \"rxaqm attach %s signal=%s\"",
			    wanted, ifname, ifname, ifname, wanted);
}

/* Load the program for @ifindex; @frags: it takes packets in fragments. NULL: errno says why. */
static struct rxaqm *load(unsigned int ifindex, bool frags, const struct rxaqm_xdp_config *config)
{
	struct rxaqm *skel = rxaqm_xdp_open("rxaqm_hint", config);
	int err;

	if (!skel)
		return NULL;
	bpf_program__set_ifindex(skel->progs.rxaqm_hint, ifindex);
	bpf_program__set_flags(skel->progs.rxaqm_hint,
			       BPF_F_XDP_DEV_BOUND_ONLY | (frags ? BPF_F_XDP_HAS_FRAGS : 0));
	err = rxaqm__load(skel);
	if (!err)
		return skel;
	rxaqm__destroy(skel);
	errno = -err;
	return NULL;
}

int rxaqm_hint_attach(const char *ifname, struct rxaqm_iface *iface,
		      const struct rxaqm_xdp_config *config, struct rxaqm_error *error)
{
	const __u32 flags = XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST;
	struct rxaqm *skel = load(iface->ifindex, true, config);
	const bool fragments = skel || errno != EINVAL;
	const char *kernel_says;
	int err, fd;

	/* Some kernels with device-bound programs do not let them have fragments. */
	if (!fragments)
		skel = load(iface->ifindex, false, config);
	if (!skel)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, errno,
				       "signal=hint: this kernel refuses the program bound to \"%s\": "
				       "%s (RXAQM_DEBUG=1 shows its reasons); " WITHOUT,
				       ifname, strerror(errno));
	fd = bpf_program__fd(skel->progs.rxaqm_hint);
	rxaqm_log_forget_kernel_message();
	err = bpf_xdp_attach((int)iface->ifindex, fd, flags, NULL);
	kernel_says = rxaqm_log_kernel_message();
	if (err && !rxaqm_xdp_slot_blocked(ifname, iface->ifindex, false, error))
		rxaqm_error_set(
			error, RXAQM_EXIT_UNSUPPORTED, -err,
			"signal=hint: cannot attach the program bound to \"%s\": %s%s%s; " WITHOUT,
			ifname, strerror(-err), *kernel_says ? ": " : "", kernel_says);
	if (!err)
		iface->prog_id = rxaqm_xdp_prog_id(fd);
	if (!err && !fragments)
		iface->flags |= RXAQM_IFACE_ONE_PAGE;
	rxaqm__destroy(skel);
	return err;
}
