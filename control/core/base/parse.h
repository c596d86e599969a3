/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strict parsers for what people type. The whole string must be used; signs, overflow and missing
 * units are refused. All return 0, -EINVAL (not of the form) or -ERANGE.
 */
#pragma once

#include <linux/types.h>
#include <stddef.h>

/* "17": decimal digits only, within @min..@max. */
int rxaqm_parse_u64(const char *s, __u64 min, __u64 max, __u64 *ret_value);

/* "500us", "1.5ms", "2s": ns, us, ms, s, m (minutes); a unit is required, also for 0;
 * at most three decimals; no spaces. Stays below 2^63 ns.
 */
int rxaqm_parse_duration(const char *s, __u64 *ret_ns);

/* "50%", "12.5%": permille, 0..1000; at most one decimal; the sign is required. */
int rxaqm_parse_percent(const char *s, __u32 *ret_permille);

#define RXAQM_ITEM_LEN 48 /* any length that all known words fit in */
/* Copy the first item of "a,b,c" to @item. Returns the rest, or NULL after the last one. */
const char *rxaqm_parse_item(const char *list, char item[RXAQM_ITEM_LEN]);

/* Parse "3,5-7", numbers that @parse reads: set set[i] for each. -ERANGE if one is not below @nr,
 * -EINVAL for a reversed range. On error @set is all zeros.
 */
typedef int rxaqm_parse_number(const char *s, __u64 min, __u64 max, __u64 *ret_value);
int rxaqm_parse_set(const char *s, rxaqm_parse_number *parse, unsigned int nr, unsigned char *set);

/* The same for queue numbers, or "all". */
int rxaqm_parse_queues(const char *s, unsigned int nr_queues, unsigned char *set);

#define RXAQM_DURATION_LEN 40
/* Exact, in the largest unit that rxaqm_parse_duration() accepts for it: "1.5ms", "0ns". */
const char *rxaqm_format_duration_exact(__u64 ns, char buf[RXAQM_DURATION_LEN]);
/* For people: three significant digits, "1.25ms", "84.1us", "0"; "12m", "3h20m", "5d". */
const char *rxaqm_format_duration(__u64 ns, char buf[RXAQM_DURATION_LEN]);
/* The same as text that lives until the end of the enclosing block. */
#define rxaqm_duration(ns) rxaqm_format_duration(ns, (char[RXAQM_DURATION_LEN]){ "" })
#define rxaqm_duration_exact(ns) rxaqm_format_duration_exact(ns, (char[RXAQM_DURATION_LEN]){ "" })

/* "1 queue", "2 queues": for printf's "%llu %s%s". */
#define RXAQM_COUNTED(nr, what) (unsigned long long)(nr), what, (nr) == 1 ? "" : "s"

/* The word of @words (ends with NULL) that differs least from @word, ignoring case, or NULL if none
 * is similar.
 */
const char *rxaqm_nearest(const char *word, const char *const *words);
