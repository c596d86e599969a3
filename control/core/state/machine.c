/* SPDX-License-Identifier: GPL-2.0-only */
#include "state/machine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "state/state.h"
#include "nic/nic.h"

#define CAP(cap) (1ULL << (cap))

static int check_capabilities(__u64 needed, struct rxaqm_error *error)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	__u64 lacks;

	if (syscall(SYS_capget, &header, data))
		return 0; /* the kernel will say it in its own words */
	lacks = needed & ~(data[0].effective | ((__u64)data[1].effective << 32));
	if (!lacks)
		return 0;
	return rxaqm_failed(error, EPERM, "this process lacks %s%s%s; run as root, or give it that",
			    lacks & CAP(CAP_NET_ADMIN) ? "CAP_NET_ADMIN" : "",
			    lacks == needed && needed & CAP(CAP_NET_ADMIN) ? " and " : "",
			    lacks & CAP(CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" : "");
}

int rxaqm_machine_check_capabilities(struct rxaqm_error *error)
{
	return check_capabilities(CAP(CAP_NET_ADMIN) | CAP(CAP_SYS_ADMIN), error);
}

int rxaqm_machine_check_readable(struct rxaqm_error *error)
{
	return check_capabilities(CAP(CAP_SYS_ADMIN), error);
}

/* Evidence that the kernel is built with PREEMPT_RT; NULL if it is not. */
static const char *preempt_rt(void)
{
	static struct utsname uts;
	char realtime[8];

	if (*rxaqm_first_line(AT_FDCWD, "/sys/kernel/realtime", realtime, sizeof(realtime)) == '1')
		return "/sys/kernel/realtime is 1";
	return !uname(&uts) && strstr(uts.version, "PREEMPT_RT") ? "\"uname -v\" says so" : NULL;
}

int rxaqm_machine_check(struct rxaqm_error *error)
{
	int err = rxaqm_machine_check_capabilities(error);
	const char *realtime = preempt_rt();

	if (err)
		return err;
	if (realtime)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "this kernel is built with PREEMPT_RT (%s): NAPI polls "
				       "interrupt each other there, and rxaqm would take packets of "
				       "one queue for another's; boot a kernel without it",
				       realtime);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, ENOENT,
				       "this kernel has no BTF (/sys/kernel/btf/vmlinux); rxaqm needs "
				       "one built with CONFIG_DEBUG_INFO_BTF=y, as Debian's are");
	return rxaqm_state_check_bpffs(error);
}
