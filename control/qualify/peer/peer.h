/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other end of the wire. A process there, "rxaqm qualify --serve IFACE", reads requests from
 * its standard input and answers on its standard output, a line of JSON each; it is a child of this
 * one, in another network namespace, or of ssh, which authenticates and encrypts. It changes
 * nothing, may do nothing but send frames, and ends with its standard input.
 *
 *   {"do":"hello"}     {"rxaqm":"0.9","boot":"...","mac":"...","kernel":"...","nic":"..."}
 *   {"do":"avoid","cpu":1}          {}
 *   {"do":"send","kind":"udp4", ...} {"count":1000,"took_ns":20000000}
 *   what cannot be done             {"error":"..."}
 *
 * Neither believes the other: a request is done within the limits below, and of an answer nothing
 * is taken that goes beyond what was asked, or comes too late.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "qualify/measure/sender.h"

/* Two processes that read the same there have the same clock. */
#define QUALIFY_BOOT_ID "/proc/sys/kernel/random/boot_id"

/* Of one request; rows ask for a fifth of that time. No CPU sends as many packets a second. */
#define QUALIFY_SEND_MAX_MS 60000U
#define QUALIFY_SEND_MAX_PPS 20000000U

struct qualify_peer {
	pid_t pid; /* 0: none */
	int fd; /* to and from it; -1: it is lost */
	char lost[160]; /* why */
	int messages_fd; /* what it says to its operator */
	size_t nr_messages; /* bytes of that which were passed on */
	char words[96]; /* "loopback eth3", "host db2 (eth0)" */
	char kernel[96], nic[160]; /* what it says of its own; "": nothing */
	char left[8192]; /* read, but not used */
	size_t nr_left;
	bool same_host; /* and so the same clock */
	__u8 mac[ETH_ALEN];
	bool asked; /* an answer is due, by until_ns */
	__u64 until_ns;
	struct qualify_send send; /* that was asked for */
	const volatile int *stop; /* not 0: nothing is waited for */
};

/* @host: "HOST" or "HOST/IFACE", by ssh; or, if NULL, @netns and @ifname on this host. -errno with
 * @error. @local is what the interface is called here, and there if not said.
 */
int qualify_peer_open(struct qualify_peer *peer, const char *host, const char *netns,
		      const char *ifname, const char *local, const volatile int *stop,
		      struct rxaqm_error *error);
void qualify_peer_close(struct qualify_peer *peer);

/* Ask it not to use @cpu, of the same host. */
int qualify_peer_avoid(struct qualify_peer *peer, unsigned int cpu, struct rxaqm_error *error);

/* Have it send; begin only, so that one can look meanwhile; and what was sent, after waiting for
 * it: no more than was asked for, and no faster than QUALIFY_SEND_MAX_PPS. -errno with @error.
 * qualify_peer_done(): has the answer come, or will none?
 */
int qualify_peer_begin(struct qualify_peer *peer, const struct qualify_send *send,
		       struct rxaqm_error *error);
bool qualify_peer_done(struct qualify_peer *peer, int wait_ms);
int qualify_peer_end(struct qualify_peer *peer, struct qualify_sent *sent,
		     struct rxaqm_error *error);

/* Serve @ifname on @in and @out until the end of @in. Returns an exit code. */
int qualify_serve(const char *ifname, int in, FILE *out);

struct json_object;

/* Of @said, which may be NULL. "" if it is not there, or no text. */
const char *qualify_said_text(struct json_object *said, const char *key);
/* 0 if it is not there. False unless it is an integer from @min to @max. */
bool qualify_said_number(struct json_object *said, const char *key, __u64 min, __u64 max,
			 __u64 *ret_value);
/* False unless it is the MAC address of one station. */
bool qualify_said_mac(struct json_object *said, const char *key, __u8 ret_mac[6]);
void qualify_say_mac(struct json_object *line, const char *key, const __u8 *mac);

/* What is to be sent, and, within the limits, what was said of that; else what is @wrong. */
void qualify_say_send(struct json_object *line, const struct qualify_send *send);
bool qualify_said_send(struct json_object *said, struct qualify_send *send, char wrong[96]);

/* Have @iface served: on @host, by ssh, or, if that is NULL, in @netns. -errno with @error. */
int qualify_peer_spawn(struct qualify_peer *peer, const char *host, const char *netns,
		       const char *iface, struct rxaqm_error *error);

/* End it, however it behaves. */
void qualify_peer_kill(struct qualify_peer *peer);
