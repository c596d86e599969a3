/* SPDX-License-Identifier: GPL-2.0-only */
/* What rxaqm needs of the machine, checked before anything is touched. */
#pragma once

#include "base/log.h"

/* What a command that changes something needs: CAP_NET_ADMIN to put XDP on an interface and to set
 * its timestamps; CAP_SYS_ADMIN to look up a program by its id (BPF_PROG_GET_FD_BY_ID), which is
 * how rxaqm and libxdp know theirs again, and to enter network namespaces. To the kernel it
 * includes CAP_BPF and CAP_PERFMON, which loading and tracing take (bpf_capable(),
 * perfmon_capable()).
 */
int rxaqm_machine_check_capabilities(struct rxaqm_error *error);

/* What one that only looks needs: CAP_SYS_ADMIN. Without it each program would seem to be gone. */
int rxaqm_machine_check_readable(struct rxaqm_error *error);

/* What puts rxaqm on an interface needs: the above, a kernel with BTF and without PREEMPT_RT, since
 * notes are per CPU (cpu_map.h), and a bpffs to pin in.
 */
int rxaqm_machine_check(struct rxaqm_error *error);
