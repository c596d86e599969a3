/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/hooks.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/xdp.h"
#include "config/config.h"
#include "nic/nic.h"
#include "napi_poll.skel.h"
#include "rx_stamp.skel.h"
#include "state/state.h"

#define LINK_PREFIX "link_"
#define LINK_GENERIC LINK_PREFIX "generic"

const char *rxaqm_hook_in_use(const struct rxaqm_meta_info *meta)
{
	if (meta->hook > RXAQM_HOOK_KPROBE)
		return "?";
	return meta->hook == RXAQM_HOOK_AUTO ? "none" : rxaqm_hook_words[meta->hook];
}

/* The function through which packets enter GRO: renamed in 6.15, so found by symbol. */
static const char *gro_function(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const char *name = "napi_gro_receive";

	if (btf && btf__find_by_name_kind(btf, "gro_receive_skb", BTF_KIND_FUNC) > 0)
		name = "gro_receive_skb";
	btf__free(btf);
	return name;
}

/* Is @prog one of the hook @name? Programs are named after it: tp_gro, kprobe_skb. */
static bool is_of(const struct bpf_program *prog, const char *name)
{
	return !strncmp(bpf_program__name(prog), name, strlen(name));
}

/* Open a perf event at the entry of the kernel's @function: its descriptor, or -errno. */
static int open_kprobe(const char *function)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .config1 = (uint64_t)(uintptr_t)function, /* kprobe_func */
	};
	char type[16];
	int fd;

	rxaqm_first_line(AT_FDCWD, "/sys/bus/event_source/devices/kprobe/type", type, sizeof(type));
	if (sscanf(type, "%u", &attr.type) != 1)
		return -EOPNOTSUPP;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Attach @prog, and pin its link, so that it outlives this process. bpf_program__attach() would not
 * do: it attaches a kprobe that lasts only while this process keeps the perf event open, and in the
 * daemon that would be one more descriptor each time.
 */
static int attach_program(const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);
	enum bpf_attach_type type = bpf_program__expected_attach_type(prog);
	char file[64];
	bool kprobe = is_of(prog, "kprobe");
	int event = 0, link, err;

	snprintf(file, sizeof(file), LINK_PREFIX "%s", name);
	if (kprobe) {
		type = BPF_PERF_EVENT;
		event = open_kprobe(!strcmp(name, "kprobe_gro") ?
					    gro_function() :
					    strchr(bpf_program__section_name(prog), '/') + 1);
	}
	if (event < 0)
		return event;
	link = bpf_link_create(bpf_program__fd(prog), event, type, NULL);
	err = link < 0 ? link : 0;
	if (!err && kprobe && ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (!err)
		err = bpf_obj_pin(link, rxaqm_state_path(file));
	if (link >= 0)
		close(link);
	if (kprobe)
		close(event);
	return err;
}

/* Load the programs of @obj that are to be loaded, and attach them. */
static int load_and_attach(struct bpf_object *obj)
{
	struct bpf_program *prog;
	int err;

	rxaqm_kernel_fit(obj);
	err = bpf_object__load(obj);
	bpf_object__for_each_program(prog, obj)
		if (!err && bpf_program__autoload(prog))
			err = attach_program(prog);
	return err;
}

/* Load and attach the programs of the hook @name, or the one for generic XDP, which has that name.
 */
static int attach_rx_stamp(const char *name)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .pin_root_path = rxaqm_state_dir(),
		    .kernel_log_level = rxaqm_log_verifier());
	struct rx_stamp *skel = rx_stamp__open_opts(&opts);
	struct bpf_program *prog;
	int err;

	if (!skel)
		return -errno;
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, is_of(prog, name));
	err = load_and_attach(skel->obj);
	rx_stamp__destroy(skel);
	return err;
}

/* Unlink all pins whose name begins with @prefix. */
static int unpin(const char *prefix)
{
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	dir = opendir(rxaqm_state_dir());
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		if (unlinkat(dirfd(dir), entry->d_name, 0) && !err)
			err = -errno;
	}
	closedir(dir);
	return err;
}

/* @hook did not work for @what. */
static int hook_failed(const char *what, enum rxaqm_hook hook, int err, struct rxaqm_error *error)
{
	if (err == -EROFS || err == -ENOSPC || err == -EEXIST)
		return rxaqm_failed(error, -err, "cannot pin in \"%s\": %s", rxaqm_state_dir(),
				    strerror(-err));
	return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
			       "this kernel refuses the tracing program%s by hook \"%s\": %s%s",
			       what, rxaqm_hook_words[hook], strerror(-err),
			       hook == RXAQM_HOOK_AUTO ? " (tp and kprobe tried); with "
							 "signal=busy none is needed" :
			       hook == RXAQM_HOOK_TP   ? "; RXAQM_DEBUG=1 shows its reasons" :
							 "; leave --hook out to try all");
}

int rxaqm_hooks_begin(struct rxaqm_error *error)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .pin_root_path = rxaqm_state_dir(),
		    .kernel_log_level = rxaqm_log_verifier());
	struct napi_poll *skel = napi_poll__open_opts(&opts);
	int err = skel ? load_and_attach(skel->obj) : -errno;

	napi_poll__destroy(skel);
	return err ? hook_failed(" napi_poll", RXAQM_HOOK_TP, err, error) : 0;
}

/* The same for programs that read stamps. */
static int stamps_failed(const char *what, enum rxaqm_hook hook, int err, struct rxaqm_error *error)
{
	const char *lockdown = rxaqm_lockdown();

	if (lockdown && (err == -EINVAL || err == -EPERM || err == -EACCES))
		return rxaqm_error_set(
			error, RXAQM_EXIT_UNSUPPORTED, -err,
			"%s, so it cannot see stamps; signal=busy, without --hook, needs none",
			lockdown);
	return hook_failed(what, hook, err, error);
}

static void unpin_rx_stamp(void)
{
	unpin(LINK_PREFIX "tp_");
	unpin(LINK_PREFIX "kprobe_");
}

int rxaqm_hooks_rx_stamp(enum rxaqm_hook hook, struct rxaqm_error *error)
{
	enum rxaqm_hook h = hook == RXAQM_HOOK_AUTO ? RXAQM_HOOK_TP : hook;
	int err;

	if (!rxaqm_kernel_is_whole())
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "this kernel's BPF cannot measure stamps: that needs atomic "
				       "instructions, which came with Linux 5.12; leave --hook out");
	do {
		unpin_rx_stamp(); /* of the hook tried before, or of a command that died */
		err = attach_rx_stamp(rxaqm_hook_words[h]);
		if (!err)
			return (int)h;
	} while (hook == RXAQM_HOOK_AUTO && ++h <= RXAQM_HOOK_KPROBE);
	unpin_rx_stamp();
	return stamps_failed("s rx_stamp", hook, err, error);
}

int rxaqm_hooks_generic(bool wanted, struct rxaqm_error *error)
{
	const char *path = rxaqm_state_path(LINK_GENERIC);
	int err;

	if (!wanted)
		return unlink(path) && errno != ENOENT ? -errno : 0;
	if (!access(path, F_OK))
		return 0;
	err = attach_rx_stamp("generic");
	return err ? stamps_failed(" for generic XDP", RXAQM_HOOK_TP, err, error) : 0;
}

int rxaqm_hooks_remove(struct rxaqm_error *error)
{
	int err = unpin("");

	if (!err)
		return 0;
	return rxaqm_failed(error, -err, "cannot empty \"%s\": %s", rxaqm_state_dir(),
			    strerror(-err));
}
