/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Clearing PSH in a TCP header, for GRO (shared/merge.h). */
#ifndef RXAQM_PSH_H
#define RXAQM_PSH_H

#include "packet.h"

#define RXAQM_PSH_BYTES 32 /* of the header that are read: with timestamps; more bytes follow */
#define RXAQM_PSH_TIMESTAMPS 0x0101080a /* how the options begin: twice NOP, then timestamps */

/* Clear PSH in the header at @tcp, of RXAQM_PSH_FULL, if @store. Returns false, with nothing
 * changed, if there are other options than timestamps, since MD5 and TCP-AO sign the flags (RFC
 * 2385, RFC 5925), or if AccECN's AE is set.
 */
rxaqm_always_inline bool rxaqm_psh_clear(__u8 *tcp, bool store)
{
	__u32 sum;

	/* The length of the header in words, and four flags. */
	if (tcp[12] != 0x50 &&
	    (tcp[12] != 0x80 || rxaqm_get_be32(tcp + RXAQM_TCP_HLEN) != RXAQM_PSH_TIMESTAMPS))
		return false;
	if (!store)
		return true;
	/* By equation 3 of RFC 1624: the sum over the whole packet, which the NIC may have given
	 * the kernel (CHECKSUM_COMPLETE), stays what it was.
	 */
	sum = (__u16)~rxaqm_get_be16(tcp + 16) + 0xffffU - RXAQM_TCP_PSH;
	sum = (__u16) ~((sum & 0xffff) + (sum >> 16));
	tcp[13] &= (__u8)~RXAQM_TCP_PSH;
	tcp[16] = (__u8)(sum >> 8);
	tcp[17] = (__u8)sum;
	return true;
}

#endif /* RXAQM_PSH_H */
