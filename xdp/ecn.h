/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Setting Congestion Experienced in a frame (RFC 3168, 5). Pure over (data, data_end). */
#ifndef RXAQM_ECN_H
#define RXAQM_ECN_H

#include "packet.h"

/* IPv4: the ECN bits and, by RFC 1624 equation 3, the header checksum. */
rxaqm_always_inline void rxaqm_ecn_mark_ip4(__u8 *ip)
{
	__u16 old_word = rxaqm_get_be16(ip), new_word = old_word | RXAQM_IP_CE;
	__u32 sum = (__u16)~rxaqm_get_be16(ip + 10);

	sum += (__u16)~old_word + (__u32)new_word;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (__u16)~sum;
	ip[1] |= RXAQM_IP_CE;
	ip[10] = (__u8)(sum >> 8);
	ip[11] = (__u8)sum;
}

/* Set CE on the packet that @pkt describes. Returns false, with nothing changed, if it is
 * not ECN-capable: CE there would be taken for damage, not for congestion.
 */
rxaqm_always_inline bool rxaqm_ecn_mark(const struct rxaqm_packet *pkt, void *data,
					const void *data_end)
{
	/* The mask is there for the verifier; the parser never goes beyond it. */
	__u8 *ip = (__u8 *)data + (pkt->ip_off & RXAQM_IP_OFF_MASK);

	if (ip + 20 > (const __u8 *)data_end)
		return false;
	if (pkt->ecn == RXAQM_IP_NOT_ECT)
		return false;
	if (pkt->ip_version == 4)
		rxaqm_ecn_mark_ip4(ip);
	else if (pkt->ip_version == 6)
		ip[1] |= RXAQM_IP_CE << 4;
	else
		return false;
	return true;
}

#endif /* RXAQM_ECN_H */
