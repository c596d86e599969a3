/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NIC profiles: what is known of a driver, as data (nic-profiles/README.md). Looked up in
 * /etc/rxaqm/profiles.d, then among the built-in ones, whose directory is called "(built-in)";
 * RXAQM_PROFILE_PATH (colon-separated) replaces both.
 */
#pragma once

#include <limits.h>
#include <stdio.h>

#include "iface.h"
#include "nic/facts.h"
#include "policy/settings.h"
#include "policy/target_explain.h"

enum rxaqm_design { /* of the completion queues */
	RXAQM_DESIGN_UNKNOWN,
	RXAQM_DESIGN_SHARED,
	RXAQM_DESIGN_SPLIT,
	RXAQM_DESIGN_WRITEBACK,
	RXAQM_DESIGN_NONE,
};

enum rxaqm_receive_path {
	RXAQM_PATH_UNKNOWN,
	RXAQM_PATH_GRO,
	RXAQM_PATH_FRAGS,
	RXAQM_PATH_LIST,
	RXAQM_PATH_BACKLOG, /* netif_rx: generic XDP runs in the CPU's backlog */
	RXAQM_PATH_RECEIVE, /* netif_receive_skb */
};

#define RXAQM_PROFILE_MATCHES_MAX 8
#define RXAQM_PROFILE_NOTES_MAX 8

/* A line of [Match]. */
struct rxaqm_match {
	unsigned int key; /* match.c */
	unsigned int line;
	char value[RXAQM_SYMBOL_LEN];
};

struct rxaqm_profile {
	char name[RXAQM_PROFILE_NAME_LEN]; /* file name without .conf */
	char path[PATH_MAX];
	/* [Match] */
	unsigned int nr_matches;
	struct rxaqm_match match[RXAQM_PROFILE_MATCHES_MAX];
	char driver[RXAQM_SYMBOL_LEN]; /* names with blanks between; "*": any; "": not said */
	/* [Nic]: facts; UNKNOWN, 0 and "" mean that the file does not say. */
	enum rxaqm_design design;
	enum rxaqm_napi napi;
	enum rxaqm_receive_path path_generic; /* of packets under generic XDP */
	enum rxaqm_stamp stamp; /* field of the skb that holds the Rx time */
	enum rxaqm_target_rule target_rule;
	unsigned int ring_entries; /* of an Rx ring that ethtool cannot read */
	unsigned int poll_packets; /* most packets a poll takes, if not the NAPI budget */
	__u64 moderation_ns; /* longest wait for an Rx interrupt, by default */
	int xdp_resets_clock; /* when native XDP comes or goes; -1 unknown, 0, 1 */
	char napi_poll[RXAQM_SYMBOL_LEN]; /* kernel symbol */
	char hint_since[16]; /* kernel release */
	unsigned int nr_notes;
	struct {
		bool warning; /* attach prints it, too */
		char text[192];
	} note[RXAQM_PROFILE_NOTES_MAX];
	/* [Policy]: key and value as typed, applied in order. */
	unsigned int nr_settings;
	struct rxaqm_typed_setting setting[RXAQM_TYPED_MAX];
};

/* Read one profile from @file, called @path in messages: all but name and path. */
int rxaqm_profile_parse(FILE *file, const char *path, struct rxaqm_profile *profile,
			struct rxaqm_error *error);

/* Read one file. -errno with @error ("FILE:LINE: ..."). All keys, values and the policy as
 * a whole are checked.
 */
int rxaqm_profile_read(const char *path, struct rxaqm_profile *profile, struct rxaqm_error *error);

/* The profile called @name ("igb"), or, if it has a slash, the file. */
int rxaqm_profile_by_name(const char *name, struct rxaqm_profile *profile,
			  struct rxaqm_error *error);

/* The profile for the interface described by @facts. Among those whose [Match] holds, one that
 * names the driver comes before one for all; then one from an earlier directory; then one with more
 * conditions; then the first by name. Asks for the NAPIs only if that decides.
 */
int rxaqm_profile_for_nic(struct rxaqm_nic_facts *facts, struct rxaqm_profile *profile,
			  struct rxaqm_error *error);

/* The same for the interface @ifname in this namespace. */
int rxaqm_profile_for_interface(const char *ifname, struct rxaqm_profile *profile,
				struct rxaqm_error *error);

/* Directories with profiles, separated by colons. */
const char *rxaqm_profile_path(void);

/* Call @each for every profile in the search path, sorted by name; of several with one name, for
 * the first found. Files with errors are passed with @error set. Stops on non-zero. -ENOENT if
 * there are none.
 */
int rxaqm_profile_each(int (*each)(const struct rxaqm_profile *profile,
				   const struct rxaqm_error *error, void *arg),
		       void *arg);

/* Defaults, then the profile's settings. */
int rxaqm_profile_policy(const struct rxaqm_profile *profile, struct rxaqm_policy *policy,
			 struct rxaqm_error *error);

/* Names by value, up to a NULL: "shared", "unknown", ... */
extern const char *const rxaqm_design_names[];
extern const char *const rxaqm_napi_names[];
extern const char *const rxaqm_path_names[];
extern const char *const rxaqm_stamp_names[]; /* "none", "hwtstamp", "tstamp" */
