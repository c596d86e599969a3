/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass over all sockets of the network namespace entered. No socket is locked for it. */
#pragma once

#include "socket_rec.h"

typedef void (*rxaqm_socket_fn)(void *arg, const struct rxaqm_socket_rec *rec);

/* Call @each for every socket. 0 or -errno; -EPERM and others mean that the kernel refuses the
 * iterator. @kept: the programs, loaded by the first call and reused by later ones.
 */
struct sockets;
int rxaqm_sockets_by_bpf(struct sockets **kept, rxaqm_socket_fn each, void *arg);
int rxaqm_sockets_by_diag(struct sockets **kept, rxaqm_socket_fn each, void *arg);
void rxaqm_sockets_unload(struct sockets *kept);
