/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's configuration, as in rxaqm.conf(5), checked as a whole. Every key is a row of a
 * table (config_keys.c); keys/keys.h parses and prints them.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "overload/overload.h"
#include "nic/nic.h"
#include "policy/settings.h"
#include "base/dirs.h"
#include "iface.h"

#define RXAQM_CONFIG_PATH "/etc/rxaqm/rxaqm.conf"
#define RXAQM_CONFIG_PATH_LEN RXAQM_DIRS_PATH_LEN
#define RXAQM_CONFIG_MATCH_LEN 48
#define RXAQM_CONFIG_LEASE_NS (300 * RXAQM_NSEC_PER_SEC)
#define RXAQM_METRICS_FILE "metrics.prom" /* in the daemon's directory */

enum rxaqm_on_stop {
	RXAQM_ON_STOP_LEAVE,
	RXAQM_ON_STOP_DETACH
};
enum rxaqm_xdp_mode {
	RXAQM_XDP_NATIVE,
	RXAQM_XDP_GENERIC
};
enum rxaqm_metrics_per {
	RXAQM_METRICS_PER_QUEUE,
	RXAQM_METRICS_PER_INTERFACE
};

/* One [Interface NAME|GLOB]. */
struct rxaqm_config_iface {
	char match[RXAQM_CONFIG_MATCH_LEN];
	bool glob;
	unsigned int line; /* of its first key, in the last file that has the section */
	bool here; /* while a file is read: the file has the section */
	bool wrong; /* a key of it could not be read */
	bool enable;
	bool xdp_mode_set; /* otherwise an interface keeps the mode in which it was attached */
	int xdp_mode; /* enum rxaqm_xdp_mode */
	int hook; /* enum rxaqm_hook */
	int key; /* enum rxaqm_queue_key */
	char profile[RXAQM_CONFIG_PATH_LEN]; /* "": by driver */
	bool lease_set; /* otherwise one that enforces has RXAQM_CONFIG_LEASE_NS */
	__u64 lease_ns; /* renewed by the daemon; 0: none */
	/* The policy: key and value as typed, in order, without the lease. */
	unsigned int nr_settings;
	struct rxaqm_typed_setting setting[RXAQM_TYPED_MAX];
};

struct rxaqm_config {
	/* [Daemon] */
	int on_stop; /* enum rxaqm_on_stop */
	char status_file[RXAQM_CONFIG_PATH_LEN]; /* "": none */
	unsigned int status_mode;
	char status_group[33];
	gid_t status_gid; /* of that group, looked up once, since LDAP may be slow; -1: unknown */
	__u64 status_interval_ns;
	__u64 settle_ns; /* a new interface is left alone for so long */
	/* [Metrics] */
	int metrics_per; /* enum rxaqm_metrics_per */
	char metrics_textfile[RXAQM_CONFIG_PATH_LEN]; /* "": only the daemon's own */
	__u64 metrics_interval_ns;
	/* [Overload] */
	struct rxaqm_overload_config overload;
	__u64 diagnose_ns; /* shortest time between two calls of doctor for the cause; 0: never */
	/* In the order of the file. */
	unsigned int nr_ifaces;
	struct rxaqm_config_iface *iface;
};

/* Keys of struct rxaqm_config, and, in the section "Interface", of struct rxaqm_config_iface. Ends
 * with a NULL name.
 */
extern const struct rxaqm_key rxaqm_config_keys[];
extern const char *const rxaqm_config_sections[]; /* without Interface; ends with NULL */
/* The words of three keys, by value; each list ends with NULL. */
extern const char *const rxaqm_xdp_mode_words[], *const rxaqm_hook_words[];
extern const char *const rxaqm_queue_key_words[];

/* Set the defaults. */
void rxaqm_config_init(struct rxaqm_config *config);
void rxaqm_config_iface_init(struct rxaqm_config_iface *iface);
void rxaqm_config_free(struct rxaqm_config *config);

/* Make @path of a status file that of the text beside it: ".txt" for ".json". False if it has
 * another end: then there is no text.
 */
bool rxaqm_config_status_text(char path[RXAQM_CONFIG_PATH_LEN]);

/* Read @path into @config, which is overwritten, and then @path.d/?*.conf, by name: a later file
 * overrides an earlier one, key by key. -errno with @error (all of them, "FILE:LINE: ..."): @config
 * is empty.
 */
int rxaqm_config_read(const char *path, struct rxaqm_config *config, struct rxaqm_error *error);

/* The same from an open @file, called @path in messages. */
int rxaqm_config_parse(FILE *file, const char *path, struct rxaqm_config *config,
		       struct rxaqm_error *error);

/* The section for the interface @ifname: the one of that name, else the first glob that fits
 * (none fits lo). NULL: none.
 */
const struct rxaqm_config_iface *rxaqm_config_find(const struct rxaqm_config *config,
						   const char *ifname);

/* Change @policy, the profile's or the built-in one, as @iface says. The lease starts at @now_ns.
 * -EINVAL with @error.
 */
int rxaqm_config_policy(const struct rxaqm_config_iface *iface, __u64 now_ns,
			struct rxaqm_policy *policy, struct rxaqm_error *error);

/* A digest of the section's content, never 0. A later version, with more keys, computes the same.
 * The section's name and its place in the file do not count.
 */
__u32 rxaqm_config_digest(const struct rxaqm_config_iface *iface);

/* Note in a file, in $STATE_DIRECTORY or /var/lib/rxaqm, that an operator has detached @ifname, to
 * which the section with @digest was applied. So the daemon does not attach it again after a crash,
 * an upgrade or a reboot. -errno.
 */
int rxaqm_detached_note(const char *ifname, __u32 digest);
/* Remove the note: the operator has attached @ifname, or the configuration was read again. */
void rxaqm_detached_forget(const char *ifname);
/* Was @ifname detached while the section with @digest applied? True also if the note cannot be
 * read.
 */
bool rxaqm_detached(const char *ifname, __u32 digest);

struct rxaqm_out;

/* Print all that is in effect: as a file that would give the same, or JSON. */
void rxaqm_config_out(struct rxaqm_out *out, const struct rxaqm_config *config);
