/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state.h"

#define CAP(cap) (1ULL << (cap))

static int check_capabilities(__u64 needed, struct rxaqm_error *error)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	__u64 lacks;

	if (syscall(SYS_capget, &header, data))
		return 0; /* the kernel will tell in its own words */
	lacks = needed & ~(data[0].effective | ((__u64)data[1].effective << 32));
	if (!lacks)
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_FAILED, EPERM,
			       "this process lacks %s%s%s; run as root, or give it that",
			       lacks & CAP(CAP_NET_ADMIN) ? "CAP_NET_ADMIN" : "",
			       lacks == needed && needed & CAP(CAP_NET_ADMIN) ? " and " : "",
			       lacks & CAP(CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" : "");
}

int rxaqm_machine_check_capabilities(struct rxaqm_error *error)
{
	return check_capabilities(CAP(CAP_NET_ADMIN) | CAP(CAP_SYS_ADMIN), error);
}

int rxaqm_machine_check_may_look(struct rxaqm_error *error)
{
	return check_capabilities(CAP(CAP_SYS_ADMIN), error);
}

int rxaqm_machine_check(struct rxaqm_error *error)
{
	int err = rxaqm_machine_check_capabilities(error);

	if (err)
		return err;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, ENOENT,
				       "this kernel has no BTF (/sys/kernel/btf/vmlinux); rxaqm needs "
				       "one built with CONFIG_DEBUG_INFO_BTF=y, as Debian's are");
	return rxaqm_state_check_bpffs(error);
}
