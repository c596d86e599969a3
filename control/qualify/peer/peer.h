/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other end of the wire. The process there, "rxaqm qualify --serve IFACE", reads requests from
 * its standard input and answers on its standard output, one line of JSON each. It is a child of
 * this process, in another network namespace, or of ssh, which authenticates and encrypts. It
 * changes nothing, may only send frames, and ends with its standard input.
 *
 *   {"do":"hello"}     {"rxaqm":"0.9","boot":"...","mac":"...","kernel":"...","nic":"..."}
 *   {"do":"send","kind":"udp4", ...} {"count":1000,"took_ns":20000000}
 *   a request that fails            {"error":"..."}
 *
 * Neither end trusts the other: the peer accepts requests within the limits below, and this end
 * rejects an answer that exceeds the request or comes too late.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "qualify/measure/sender.h"

/* Limits of one request. Rows ask for a fifth of that time; no CPU can send that many packets a
 * second.
 */
#define QUALIFY_SEND_MAX_MS 60000U
#define QUALIFY_SEND_MAX_PPS 20000000U

struct qualify_peer {
	pid_t pid; /* 0: none */
	int fd; /* to and from the peer; -1: lost */
	char lost[320]; /* why */
	int messages_fd; /* its messages to the operator */
	size_t nr_messages; /* bytes of them passed on so far */
	char words[96]; /* "loopback eth3", "host db2 (eth0)" */
	char host[96]; /* "db2"; "": it is this one */
	char said[64]; /* the last line that it sent, or its beginning */
	char kernel[96], nic[160]; /* what it says of itself; "": nothing */
	char left[8192]; /* bytes read but not used yet */
	size_t nr_left;
	bool same_host; /* and so the same clock */
	__u8 mac[ETH_ALEN];
	bool asked; /* an answer is due by until_ns */
	__u64 until_ns;
	struct qualify_send send; /* the last request to send */
	const volatile int *stop; /* not 0: stop waiting */
};

/* Open a peer at @iface of @place: a network namespace of this host, if it is @here, else a host,
 * by ssh. -errno with @error.
 */
int qualify_peer_open(struct qualify_peer *peer, const char *place, bool here, const char *iface,
		      const volatile int *stop, struct rxaqm_error *error);
void qualify_peer_close(struct qualify_peer *peer);

/* qualify_peer_begin() starts sending and returns, so that the caller can look at it meanwhile.
 * qualify_peer_done(): the answer is there, or none will come. qualify_peer_end() waits for it;
 * what it returns is within what was asked for, and QUALIFY_SEND_MAX_PPS. -errno with @error.
 */
int qualify_peer_begin(struct qualify_peer *peer, const struct qualify_send *send,
		       struct rxaqm_error *error);
bool qualify_peer_done(struct qualify_peer *peer, int wait_ms);
int qualify_peer_end(struct qualify_peer *peer, struct qualify_sent *sent,
		     struct rxaqm_error *error);

/* Serve @ifname on @in and @out until @in ends. Return an exit code. */
int qualify_serve(const char *ifname, int in, FILE *out);

struct json_object;

/* Read a text from @said, which may be NULL. "": it is missing, or no text. */
const char *qualify_said_text(struct json_object *said, const char *key);
/* Read an integer; a missing one is 0. False unless it is from @min to @max. */
bool qualify_said_number(struct json_object *said, const char *key, __u64 min, __u64 max,
			 __u64 *ret_value);
/* False unless it is the MAC address of a single station. */
bool qualify_said_mac(struct json_object *said, const char *key, __u8 ret_mac[6]);
void qualify_say_mac(struct json_object *line, const char *key, const __u8 *mac);

/* Write a request to send; read and check one. @wrong: what is not within its limits. */
void qualify_say_send(struct json_object *line, const struct qualify_send *send);
bool qualify_said_send(struct json_object *said, struct qualify_send *send, char wrong[96]);

/* Start serving @iface there. -errno with @error. */
int qualify_peer_spawn(struct qualify_peer *peer, const char *place, bool here, const char *iface,
		       struct rxaqm_error *error);

/* End the peer, whatever it does. */
void qualify_peer_kill(struct qualify_peer *peer);
