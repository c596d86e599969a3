/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interfaces that an operator has detached although the configuration names them. Each is noted in
 * a file, so that no crash, upgrade or reboot makes the daemon attach it again.
 */
#ifndef RXAQM_DETACHED_H
#define RXAQM_DETACHED_H

#include <linux/types.h>
#include <stdbool.h>

/* Note it of @ifname, to which the section with @digest was applied. -errno. */
int rxaqm_detached_note(const char *ifname, __u32 digest);

/* The operator, or a configuration that is read again, has it attached. */
void rxaqm_detached_forget(const char *ifname);

/* Was @ifname detached under the section with @digest? */
bool rxaqm_detached(const char *ifname, __u32 digest);

#endif /* RXAQM_DETACHED_H */
