/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/fragments.h"

#include <linux/if_ether.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "state/dispatcher.h"
#include "nic/ethtool.h"
#include "nic/netdev.h"

/* What else is in the page: XDP_PACKET_HEADROOM, struct skb_shared_info, and virtio_net's header,
 * which that driver forgets where it refuses an MTU (virtnet_xdp_set(), xdp_linearize_page()).
 */
#define HEADROOM 256
#define TAILROOM 320
#define HEADER 12

unsigned int rxaqm_fragments_mtu(void)
{
	return (unsigned int)sysconf(_SC_PAGESIZE) - HEADROOM - TAILROOM - HEADER - ETH_HLEN;
}

/* Does the driver drop frames that do not fit a page, for lack of fragments? */
static bool driver_cannot(unsigned int ifindex, const char *driver)
{
	__u64 features;

	/* Kernels before 6.3 do not say. virtio_net gives fragments from 6.3 on, and is the only
	 * driver that checked the MTU just at attach.
	 */
	if (rxaqm_netdev_xdp_features(ifindex, &features))
		return !strcmp(driver, "virtio_net");
	return !(features & RXAQM_ND_XDP_ACT_RX_SG);
}

/* The remedy for a program that takes no fragments, if the driver gives them. */
static const char *remedy(const struct rxaqm_iface *iface, const struct rxaqm_xdp_progs *progs)
{
	if (progs->dispatcher && progs->nr > 2)
		return "another program in libxdp's dispatcher takes no fragments, so the "
		       "dispatcher takes none: unload that program (\"xdp-loader status\" names "
		       "it)";
	return iface->flags & RXAQM_IFACE_HINT ?
		       "this kernel gives no fragments to a program that asks the driver for "
		       "stamps: detach, and attach with signal=stamp" :
		       "the dispatcher was loaded without fragments: detach, and attach again";
}

bool rxaqm_fragments_lost(const struct rxaqm_iface *iface, const char *ifname,
			  char text[RXAQM_FRAGMENTS_TEXT])
{
	const unsigned int ifindex = if_nametoindex(ifname), most = rxaqm_fragments_mtu();
	struct rxaqm_xdp_progs progs;
	char driver[32] = "";
	struct ifreq ifr = {};
	bool takes;
	int err;

	if (iface->flags & RXAQM_IFACE_GENERIC || !ifindex ||
	    rxaqm_nic_ioctl(ifname, SIOCGIFMTU, &ifr) || (unsigned int)ifr.ifr_mtu <= most)
		return false;
	err = rxaqm_xdp_read(ifindex, &progs);
	if (err) {
		snprintf(text, RXAQM_FRAGMENTS_TEXT,
			 "frames over an MTU of %u may be lost, and the MTU is %d: cannot ask the "
			 "kernel for its XDP programs: %s",
			 most, ifr.ifr_mtu, strerror(-err));
		return true;
	}
	rxaqm_nic_driver(ifname, driver, sizeof(driver));
	/* The MTU of a veth's peer, which the kernel limits, bounds what the veth receives. */
	if (!rxaqm_xdp_has(&progs, iface->prog_id) || !strcmp(driver, "veth"))
		return false;
	takes = progs.dispatcher ? progs.fragments : !(iface->flags & RXAQM_IFACE_ONE_PAGE);
	if (driver_cannot(ifindex, driver))
		snprintf(text, RXAQM_FRAGMENTS_TEXT,
			 "frames over an MTU of %u are lost, and the MTU is %d: driver \"%s\" "
			 "does not give XDP fragments here; set an MTU of at most %u; for a "
			 "larger one do that, detach, set the larger one, and attach with --mode "
			 "generic",
			 most, ifr.ifr_mtu, driver, most);
	else if (!takes)
		snprintf(text, RXAQM_FRAGMENTS_TEXT,
			 "frames over an MTU of %u are lost, and the MTU is %d: %s, or set an MTU "
			 "of at most %u",
			 most, ifr.ifr_mtu, remedy(iface, &progs), most);
	else
		return false;
	return true;
}
