/* SPDX-License-Identifier: GPL-2.0-only */
/* The XDP program on an interface, by libxdp where it can, in the namespace entered. */
#ifndef RXAQM_XDP_H
#define RXAQM_XDP_H

#include <linux/types.h>
#include <stdbool.h>

#include "attach/dispatcher.h"
#include "base/log.h"
#include "iface.h"
#include "xdp_config.h"

struct bpf_object;

/* Kernels that were built without AF_XDP (CONFIG_XDP_SOCKETS): all but sockets works there. */
/* Has this kernel maps of AF_XDP sockets? True if it does not say. */
bool rxaqm_afxdp_known(void);

/* Before @obj is loaded: if it has not, let another map take the place of xsk_map. Programs are
 * then to be loaded with no_sockets (xdp_config.h), or not to use it.
 */
void rxaqm_afxdp_fit(struct bpf_object *obj);

/* Is the pinned xsk_map one of sockets? True also if it cannot be read. */
bool rxaqm_afxdp_pinned(void);

/* Open the object with @config, its program @name to be loaded. NULL: errno says why. */
struct rxaqm *rxaqm_xdp_open(const char *name, const struct rxaqm_xdp_config *config);

/* Load the program with @config and attach it to @iface, called @ifname, in which its id is noted,
 * and what it is. -errno with @error, and nothing attached.
 */
int rxaqm_xdp_attach(const char *ifname, struct rxaqm_iface *iface,
		     const struct rxaqm_xdp_config *config, struct rxaqm_error *error);

/* Id of the program @fd; 0 if it cannot be told. */
__u32 rxaqm_xdp_prog_id(int fd);

/* Does the program use our pinned queue_map? */
bool rxaqm_xdp_is_ours(__u32 prog_id);
/* One on @ifindex that does; 0 if there is none. */
__u32 rxaqm_xdp_find_ours(unsigned int ifindex);

/* Does a program with this id exist at all? */
bool rxaqm_xdp_exists(__u32 prog_id);

/* Does it still after half a second? The kernel frees programs some time after the interface. */
bool rxaqm_xdp_stays(__u32 prog_id);

/* Take @prog_id off @ifindex; others stay. 0 also if it is not there. -errno, with @error if it was
 * for libxdp's lock.
 */
int rxaqm_xdp_detach(unsigned int ifindex, __u32 prog_id, struct rxaqm_error *error);

/* Take libxdp's dispatcher off @ifindex if no program is left in it, and libxdp's pins of it are
 * gone, so that libxdp does not: somebody removed them, as "xdp-loader clean" does in another
 * network namespace. It is in the way of whatever is attached next.
 */
void rxaqm_xdp_drop_empty(unsigned int ifindex);

#endif /* RXAQM_XDP_H */
