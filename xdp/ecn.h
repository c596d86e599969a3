/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Setting Congestion Experienced in an IP header (RFC 3168, 5). */
#ifndef RXAQM_ECN_H
#define RXAQM_ECN_H

#include "packet.h"

#define RXAQM_ECN_BYTES 12 /* of the header that a mark may read or change */

/* Set CE in the header at @ip. Returns false, with nothing changed, if it is not ECN-capable: CE
 * there would be taken for damage, not for congestion.
 */
rxaqm_always_inline bool rxaqm_ecn_mark(__u8 *ip)
{
	__u32 ecn, sum;

	if ((ip[0] >> 4) == 6) {
		if (!(ip[1] & (RXAQM_IP_CE << 4)))
			return false;
		ip[1] |= RXAQM_IP_CE << 4;
		return true;
	}
	ecn = ip[1] & RXAQM_IP_CE;
	if ((ip[0] >> 4) != 4 || ecn == RXAQM_IP_NOT_ECT)
		return false;
	/* The header's checksum, by equation 3 of RFC 1624. */
	sum = (__u16)~rxaqm_get_be16(ip + 10) + (RXAQM_IP_CE - ecn);
	sum = (__u16) ~((sum & 0xffff) + (sum >> 16));
	ip[1] |= RXAQM_IP_CE;
	ip[10] = (__u8)(sum >> 8);
	ip[11] = (__u8)sum;
	return true;
}

#endif /* RXAQM_ECN_H */
