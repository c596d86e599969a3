/* SPDX-License-Identifier: GPL-2.0-only */
/* To be preloaded: the kernel says that it is built with PREEMPT_RT. */
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *uts)
{
	long err = syscall(SYS_uname, uts);

	if (!err)
		strcpy(uts->version, "#1 SMP PREEMPT_RT Debian 6.12.95-1");
	return (int)err;
}
