/* SPDX-License-Identifier: GPL-2.0-only */
/* Do packets that an interface receives end on this host, or may they leave it again? */
#pragma once

#define RXAQM_WAY_OUT_LEN 128

/* Why packets that the interface @ifname, of the network namespace entered, receives may not end on
 * this host, in words written to @text; NULL: they end here, which includes containers behind a
 * veth. So it is where nothing forwards or bridges, or where no other interface that is up leads
 * out. What cannot be found out counts as a way out.
 */
const char *rxaqm_way_out(const char *ifname, char text[RXAQM_WAY_OUT_LEN]);
