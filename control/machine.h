/* SPDX-License-Identifier: GPL-2.0-only */
/* What rxaqm needs of the machine, checked before anything is touched. */
#ifndef RXAQM_MACHINE_H
#define RXAQM_MACHINE_H

#include "log.h"

/* CAP_BPF and CAP_PERFMON (or CAP_SYS_ADMIN, which held both before 5.8), CAP_NET_ADMIN. */
int rxaqm_machine_check_capabilities(struct rxaqm_error *error);

/* Those, BTF of the kernel, and a bpffs to pin in. */
int rxaqm_machine_check(struct rxaqm_error *error);

#endif /* RXAQM_MACHINE_H */
