/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/xdp.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xdp/libxdp.h>

#include "attach/fragments.h"
#include "state/pins.h"
#include "state/libxdp_lock.h"
#include "state/xdp_slot.h"
#include "rxaqm.skel.h"

#define DESCRIPTORS 32 /* more than loading a program takes */
#define NEEDS "5.10" /* the oldest kernel that was tried */

bool rxaqm_xdp_stays(__u32 prog_id)
{
	int i;

	for (i = 0; i < 50 && rxaqm_xdp_exists(prog_id); i++)
		usleep(10 * 1000);
	return i == 50;
}

/* Are descriptors the reason? libbpf returns EINVAL for whatever it cannot open. */
static bool want_descriptors(void)
{
	int fd[DESCRIPTORS], nr = 0;
	bool want;

	while (nr < DESCRIPTORS && (fd[nr] = open("/", O_PATH | O_CLOEXEC)) >= 0)
		nr++;
	want = nr < DESCRIPTORS;
	while (nr > 0)
		close(fd[--nr]);
	return want;
}

/* The program was not even loaded: another mode does not help. */
static int load_failed(int err, struct rxaqm_error *error)
{
	struct utsname kernel = {};
	bool old;

	if (want_descriptors())
		err = -EMFILE;
	uname(&kernel);
	old = strverscmp(kernel.release, NEEDS) < 0;
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
			       "cannot load the XDP program (Linux %s) in any mode: %s; %s",
			       kernel.release, strerror(-err),
			       old ? "it needs Linux " NEEDS :
				     "\"RXAQM_DEBUG=1\" before the command shows its verifier's "
				     "reasons");
}

/* Is there a dispatcher with a program that takes no fragments? Drivers that check the MTU refuse
 * it then, and generic mode is refused while it is there.
 */
static bool is_beside_one_page(unsigned int ifindex)
{
	struct rxaqm_xdp_progs progs;

	return !rxaqm_xdp_read(ifindex, &progs) && progs.dispatcher && !progs.fragments;
}

static int attach_failed(const char *ifname, const struct rxaqm_iface *iface, bool loaded, int err,
			 struct rxaqm_error *error)
{
	bool generic = iface->flags & RXAQM_IFACE_GENERIC;
	const char *kernel_says = rxaqm_log_kernel_message();
	int blocked = rxaqm_xdp_slot_blocked(ifname, iface->ifindex, generic, error);

	if (blocked)
		return blocked;
	if (err == -EPERM)
		return rxaqm_failed(error, -err,
				    "no permission to attach XDP to \"%s\"; run as root", ifname);
	if (!loaded)
		return load_failed(err, error);
	if (strstr(kernel_says, "MTU") && is_beside_one_page(iface->ifindex))
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
				       "cannot attach XDP to \"%s\" beside the programs there "
				       "(\"xdp-loader status\" names them): %s: %s; one of them takes "
				       "no frames over an MTU of %u: set one of at most that, here and at "
				       "the other end of a veth, or unload it",
				       ifname, strerror(-err), kernel_says, rxaqm_fragments_mtu());
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
			       "cannot attach XDP to \"%s\" in %s mode: %s%s%s%s", ifname,
			       generic ? "generic" : "native", strerror(-err),
			       *kernel_says ? ": " : "", kernel_says,
			       generic ? "" :
					 "; generic mode needs nothing of the driver: \"--mode "
					 "generic\", or xdp_mode=generic in rxaqm.conf");
}

__u32 rxaqm_xdp_prog_id(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

struct rxaqm *rxaqm_xdp_open(const char *name, const struct rxaqm_xdp_config *config)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .pin_root_path = rxaqm_state_dir(),
		    .kernel_log_level = rxaqm_log_verifier());
	struct rxaqm *skel = rxaqm__open_opts(&opts);

	if (!skel)
		return NULL;
	rxaqm_kernel_fit(skel->obj);
	skel->rodata->config = *config;
	bpf_program__set_autoload(skel->progs.rxaqm_xdp, false);
	bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, name), true);
	return skel;
}

/* Before 1.4.1 libxdp leaves descriptors of BPF programs open. This notes which ones were open
 * before it, by number; for a process of one thread.
 */
static bool open_before[1024];

static void libxdp_begin(void)
{
	int fd;

	for (fd = 0; fd < (int)sizeof(open_before); fd++)
		open_before[fd] = fcntl(fd, F_GETFD) >= 0;
}

static void libxdp_end(void)
{
	int fd;

	for (fd = 0; fd < (int)sizeof(open_before); fd++) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		/* Fails for a descriptor that is not BPF's. */
		if (!open_before[fd] && !bpf_obj_get_info_by_fd(fd, &info, &len))
			close(fd);
	}
}

/* Load one of the object's programs and have libxdp attach it. */
static int attach_program(struct rxaqm_iface *iface, const struct rxaqm_xdp_config *config,
			  bool *ret_loaded)
{
	bool generic = iface->flags & RXAQM_IFACE_GENERIC, bare = iface->flags & RXAQM_IFACE_BARE;
	const char *name = generic ? (bare ? "rxaqm_generic_bare" : "rxaqm_generic") :
				     (bare ? "rxaqm_bare" : "rxaqm_xdp");
	struct rxaqm *skel = rxaqm_xdp_open(name, config);
	struct xdp_program *prog;
	int err;

	*ret_loaded = false;
	if (!skel)
		return -errno;
	/* This kernel does not tell which programs are in a dispatcher. */
	if (!rxaqm_kernel_is_whole())
		setenv("LIBXDP_SKIP_DISPATCHER", "1", 1);
	libxdp_begin();

	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .obj = skel->obj, .prog_name = name);
	prog = xdp_program__create(&opts);
	err = libxdp_get_error(prog);
	if (!err) {
		/* To load its dispatcher libxdp checks this, not the name of the section. */
		xdp_program__set_xdp_frags_support(prog, rxaqm_kernel_has_fragments());
		rxaqm_log_forget_kernel_message();
		err = xdp_program__attach(prog, (int)iface->ifindex,
					  generic ? XDP_MODE_SKB : XDP_MODE_NATIVE, 0);
		*ret_loaded = xdp_program__fd(prog) >= 0;
		if (!err)
			iface->prog_id = rxaqm_xdp_prog_id(xdp_program__fd(prog));
		xdp_program__close(prog);
	}
	rxaqm__destroy(skel);
	libxdp_end();
	return err;
}

int rxaqm_xdp_attach(const char *ifname, struct rxaqm_iface *iface,
		     const struct rxaqm_xdp_config *config, struct rxaqm_error *error)
{
	struct rxaqm_xdp_progs progs;
	int err = rxaqm_libxdp_wait(error);
	bool loaded;

	if (err)
		return err;
	err = attach_program(iface, config, &loaded);
	/* The kernel does not let it into a slot of an older libxdp's dispatcher. */
	if (err == -EINVAL || err == -EACCES) {
		iface->flags |= RXAQM_IFACE_BARE;
		err = attach_program(iface, config, &loaded);
	}
	if (!err)
		err = rxaqm_xdp_read(iface->ifindex, &progs);
	if (err)
		return attach_failed(ifname, iface, loaded, err, error);
	iface->flags |= progs.dispatcher ? RXAQM_IFACE_DISPATCHER : 0;
	return 0;
}

static int detach_direct(unsigned int ifindex, __u32 prog_id, bool generic)
{
	__u32 flags = XDP_FLAGS_REPLACE | (generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = bpf_prog_get_fd_by_id(prog_id));
	int err;

	if (opts.old_prog_fd < 0)
		return -errno;
	err = bpf_xdp_detach((int)ifindex, flags, &opts);
	close(opts.old_prog_fd);
	return err;
}

static int detach_inside(unsigned int ifindex, __u32 prog_id, bool generic,
			 struct rxaqm_error *error)
{
	struct xdp_program *prog;
	int err = rxaqm_libxdp_wait(error);

	if (err)
		return err;
	libxdp_begin();
	prog = xdp_program__from_id(prog_id);
	err = libxdp_get_error(prog);
	if (!err) {
		err = xdp_program__detach(prog, (int)ifindex,
					  generic ? XDP_MODE_SKB : XDP_MODE_NATIVE, 0);
		xdp_program__close(prog);
	}
	libxdp_end();
	return err;
}

int rxaqm_xdp_detach(unsigned int ifindex, __u32 prog_id, struct rxaqm_error *error)
{
	struct rxaqm_xdp_progs progs;
	int err = rxaqm_xdp_read(ifindex, &progs);

	if (!rxaqm_xdp_has(&progs, prog_id))
		return err;
	/* libxdp can do nothing without its pins: then the dispatcher goes, unless others are in
	 * it.
	 */
	if (progs.dispatcher && !rxaqm_pins_have(ifindex, progs.id[0]))
		return progs.nr > 2 ? -EBUSY : detach_direct(ifindex, progs.id[0], progs.generic);
	return progs.dispatcher ? detach_inside(ifindex, prog_id, progs.generic, error) :
				  detach_direct(ifindex, prog_id, progs.generic);
}

int rxaqm_xdp_drop_empty(unsigned int ifindex)
{
	struct rxaqm_xdp_progs progs;
	int err = rxaqm_xdp_read(ifindex, &progs);

	if (err || !progs.dispatcher || progs.nr != 1 || rxaqm_pins_have(ifindex, progs.id[0]))
		return err;
	return detach_direct(ifindex, progs.id[0], progs.generic);
}
