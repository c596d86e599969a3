/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state.h"

int rxaqm_machine_check_capabilities(struct rxaqm_error *error)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	__u64 have;

	if (syscall(SYS_capget, &header, data))
		return 0; /* the kernel will tell in its own words */
	have = data[0].effective | ((__u64)data[1].effective << 32);
	if ((have & (1ULL << CAP_NET_ADMIN)) &&
	    (have & (1ULL << CAP_SYS_ADMIN) ||
	     (have & (1ULL << CAP_BPF) && have & (1ULL << CAP_PERFMON))))
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_FAILED, EPERM,
			       "this needs CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN; run as root");
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
