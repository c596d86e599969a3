/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other end of the wire. A process there, "rxaqm qualify --serve IFACE", reads requests from
 * its standard input and answers on its standard output, a line of JSON each; it is a child of this
 * one, in another network namespace, or of ssh, which authenticates and encrypts. It changes
 * nothing, and ends with its standard input.
 *
 *   {"do":"hello"}                  {"rxaqm":"0.9","boot":"...","mac":"...","mtu":1500,"cpus":2}
 *   {"do":"avoid","cpu":1}          {}
 *   {"do":"send","kind":"udp4", ...} {"count":1000,"took_ns":20000000}
 *   what cannot be done             {"error":"..."}
 */
#ifndef RXAQM_QUALIFY_PEER_H
#define RXAQM_QUALIFY_PEER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "qualify/measure/sender.h"

/* Two processes that read the same there have the same clock. */
#define QUALIFY_BOOT_ID "/proc/sys/kernel/random/boot_id"

struct qualify_peer {
	pid_t pid; /* 0: none */
	int to, from;
	char words[96]; /* "loopback eth3", "host db2 (eth0)" */
	char left[8192]; /* read, but not used */
	size_t nr_left;
	bool same_host; /* and so the same clock */
	__u8 mac[ETH_ALEN];
	__u32 mtu, cpus;
	bool asked; /* an answer is due */
};

/* @host: "HOST" or "HOST/IFACE", by ssh; or, if NULL, @netns and @ifname on this host. -errno with
 * @error. @local is what the interface is called here, and there if not said.
 */
int qualify_peer_open(struct qualify_peer *peer, const char *host, const char *netns,
		      const char *ifname, const char *local, struct rxaqm_error *error);
void qualify_peer_close(struct qualify_peer *peer);

/* Ask it not to use @cpu, of the same host. */
int qualify_peer_avoid(struct qualify_peer *peer, unsigned int cpu, struct rxaqm_error *error);

/* Have it send; begin only, so that one can look meanwhile; and what was sent, after waiting for
 * it. -errno with @error; qualify_peer_done(): has the answer come?
 */
int qualify_peer_begin(struct qualify_peer *peer, const struct qualify_send *send,
		       struct rxaqm_error *error);
bool qualify_peer_done(struct qualify_peer *peer, int wait_ms);
int qualify_peer_end(struct qualify_peer *peer, struct qualify_sent *sent,
		     struct rxaqm_error *error);

/* Serve @ifname on @in and @out until the end of @in. Returns an exit code. */
int qualify_serve(const char *ifname, int in, FILE *out);

#endif /* RXAQM_QUALIFY_PEER_H */
