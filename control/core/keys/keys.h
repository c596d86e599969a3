/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One row for each key of a policy, of the daemon's configuration and of NIC profiles, and one
 * engine for all: it parses, formats, compares, explains, and prints JSON. The tables are next to
 * the structs that they fill: policy/policy_keys.c, config/config_keys.c, profile/profile_keys.c.
 * The tables of the manuals are made from them ("make docs").
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/log.h"

struct rxaqm_out;

/* Type of a value, and of the field. Numbers are unsigned, of 1, 2, 4 or 8 bytes. */
enum rxaqm_type {
	RXAQM_TYPE_BOOL, /* yes|no: 1, 0; any other number: not set */
	RXAQM_TYPE_CHOICE, /* the index of a word */
	RXAQM_TYPE_FACT, /* the same; "unknown" is printed, but cannot be typed */
	RXAQM_TYPE_NUMBER,
	RXAQM_TYPE_OCTAL, /* permissions of a file */
	RXAQM_TYPE_PERCENT, /* permille */
	RXAQM_TYPE_DURATION, /* ns */
	RXAQM_TYPE_TARGET, /* ns, or auto[:DURATION]; of struct rxaqm_policy */
	RXAQM_TYPE_LEASE, /* a duration from now on; CLOCK_MONOTONIC, ns */
	RXAQM_TYPE_TEXT, /* char[] */
	RXAQM_TYPE_PORTS, /* of struct rxaqm_policy */
	RXAQM_TYPE_DSCP, /* a set, by bits; of struct rxaqm_policy */
};

struct rxaqm_key {
	const char *section; /* "Policy", "Daemon", "Interface", "Nic", ... */
	const char *name;
	enum rxaqm_type type;
	const char *unit; /* unit that a duration without one probably means; or NULL */
	size_t offset, size; /* of the field */
	__u64 min, max; /* durations: ns; text: max characters, 0: as many as the field holds */
	const char *standard; /* the default, as typed; NULL: none */
	const char *otherwise; /* what holds without a value, in words; or NULL */
	const char *none; /* what 0 is called; "": 0 means not set; NULL: 0 is an ordinary value */
	const char *const *choices; /* by value, ends with NULL */
	const char *form; /* NULL: by type */
	const char *must; /* what a value must be; NULL: by type */
	/* Check the text. -EINVAL with @error, which only says what is wrong. */
	int (*check)(const char *value, struct rxaqm_error *error);
	const char *label; /* in text for people; NULL: the name */
	const char *help; /* one line, without range and default */
};

#define RXAQM_FIELD(type, field) \
	.offset = offsetof(type, field), .size = sizeof(((type *)NULL)->field)

#define RXAQM_KEY_LEN 160 /* of a value, with the NUL */
#define RXAQM_KEY_TEXT_LEN 512
#define RXAQM_KEYS_MAX 48 /* of a table */

/* By how many bits a shorter number is shifted in a __u64. */
#define RXAQM_KEY_SHIFT(size) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 64 - 8 * (size) : 0)

/* Is @key in @section? NULL stands for any section. */
bool rxaqm_key_is_of(const struct rxaqm_key *key, const char *section);

/* The row called @name of @keys (ends with a NULL name) in @section (NULL: in any), or NULL. */
const struct rxaqm_key *rxaqm_key_find(const struct rxaqm_key *keys, const char *section,
				       const char *name);

/* Set the field in @object from @value as typed. A lease counts from @now_ns. -EINVAL with @error,
 * which names key, value and remedy; @object is unchanged then.
 */
int rxaqm_key_set(const struct rxaqm_key *key, void *object, const char *value, __u64 now_ns,
		  struct rxaqm_error *error);

/* Set every field of @keys in @section (NULL: all) to its default. */
void rxaqm_keys_init(const struct rxaqm_key *keys, const char *section, void *object);

/* The value as rxaqm_key_set() takes it. For a lease, what is left of it, or "expired". */
const char *rxaqm_key_format(const struct rxaqm_key *key, const void *object, __u64 now_ns,
			     char buf[RXAQM_KEY_LEN]);

/* Is the key set in @object? */
bool rxaqm_key_is_said(const struct rxaqm_key *key, const void *object);

/* Print the field: in JSON with the unit in its key ("target_ns"; null if it is off or not set), or
 * in text by @fmt with one %s for the value (NULL: not at all). A target has "target_auto", too.
 */
void rxaqm_key_out(struct rxaqm_out *out, const struct rxaqm_key *key, const char *fmt,
		   const void *object, __u64 now_ns);

/* The name in JSON, without the unit: "rx_ring" of RxRing. */
const char *rxaqm_key_json_name(const struct rxaqm_key *key, char buf[RXAQM_KEY_LEN]);

/* "DURATION|off", "a|b|c" */
const char *rxaqm_key_form(const struct rxaqm_key *key, char buf[RXAQM_KEY_TEXT_LEN]);

/* One line: help, range and default. */
const char *rxaqm_key_explain(const struct rxaqm_key *key, char buf[RXAQM_KEY_TEXT_LEN]);

/* For --help: each key with form and explanation, under the names of the sections. */
void rxaqm_keys_list(FILE *file, const struct rxaqm_key *keys);

/* "a, b or c" of @words (ends with NULL), without "unknown". @sep ", ", @last " or ". */
const char *rxaqm_words(const char *const *words, const char *sep, const char *last,
			char buf[RXAQM_KEY_TEXT_LEN]);

/* Append the names of @keys in @section to the first @nr of @names, and a NULL. Returns how many
 * there are then.
 */
unsigned int rxaqm_key_names(const struct rxaqm_key *keys, const char *section, unsigned int nr,
			     const char *names[RXAQM_KEYS_MAX + 1]);

/* Fail with -EINVAL and @error: there is no @what (such as "key") called @name. @error suggests the
 * nearest of @names, or says @otherwise.
 */
int rxaqm_key_unknown(const char *what, const char *name, const char *in_section,
		      const char *const *names, const char *otherwise, struct rxaqm_error *error);

/* Lines on which keys were set, by row. Zeroed at first. */
struct rxaqm_keys_seen {
	unsigned int line[RXAQM_KEYS_MAX];
};

/* Note that @name is set on @line; it is one of @keys, or the only other key. -EINVAL with @error
 * if it was set before. @error names @section, unless that is NULL.
 */
int rxaqm_key_once(struct rxaqm_keys_seen *seen, const struct rxaqm_key *keys, const char *name,
		   const char *section, unsigned int line, struct rxaqm_error *error);
