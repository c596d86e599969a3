/* SPDX-License-Identifier: GPL-2.0-only */
/* Requirements of rxaqm, checked before anything is changed. */
#pragma once

#include "base/log.h"

/* Requirements of a command that changes something: CAP_NET_ADMIN to put XDP on an interface and to
 * set its timestamps; CAP_SYS_ADMIN to look up a program by its id (BPF_PROG_GET_FD_BY_ID), by
 * which rxaqm and libxdp recognise their programs, and to enter network namespaces. To the kernel
 * CAP_SYS_ADMIN includes CAP_BPF and CAP_PERFMON, which loading and tracing need (bpf_capable(),
 * perfmon_capable()).
 */
int rxaqm_machine_check_capabilities(struct rxaqm_error *error);

/* Requirement of a command that only reads: CAP_SYS_ADMIN. Without it every program would seem
 * gone.
 */
int rxaqm_machine_check_readable(struct rxaqm_error *error);

/* Requirements for attaching: the above, a kernel with BTF and without PREEMPT_RT, since notes are
 * per CPU (cpu_map.h), and a bpffs to pin in.
 */
int rxaqm_machine_check(struct rxaqm_error *error);
