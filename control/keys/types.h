/* SPDX-License-Identifier: GPL-2.0-only */
/* How values of each type are read and written; for keys.c. */
#ifndef RXAQM_KEY_TYPES_H
#define RXAQM_KEY_TYPES_H

#include "keys/keys.h"

/* The field as a number; of a lease what is left of it at @now_ns. */
__u64 rxaqm_key_load(const struct rxaqm_key *key, const void *object, __u64 now_ns);
void rxaqm_key_store(const struct rxaqm_key *key, void *object, __u64 number);

/* Of what is not off. A lease is stored as a duration, 0 if it is expired. */
int rxaqm_type_set(const struct rxaqm_key *key, void *object, const char *value,
		   struct rxaqm_error *error);

/* @number is what rxaqm_key_load() returns. */
void rxaqm_type_format(const struct rxaqm_key *key, const void *object, __u64 number,
		       char buf[RXAQM_KEY_LEN]);
void rxaqm_type_out(struct rxaqm_out *out, const char *name, const struct rxaqm_key *key,
		    const void *object, __u64 number);

#endif /* RXAQM_KEY_TYPES_H */
