/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "types.h"

#define DURATION_MAX_NS ((1ULL << 63) - 1)
#define DURATION_DECIMALS 3

static const struct unit {
	const char *name;
	__u64 ns;
} units[] = {
	{ "d", 86400 * RXAQM_NSEC_PER_SEC },
	{ "h", 3600 * RXAQM_NSEC_PER_SEC },
	{ "m", 60 * RXAQM_NSEC_PER_SEC },
	{ "s", RXAQM_NSEC_PER_SEC },
	{ "ms", RXAQM_NSEC_PER_MSEC },
	{ "us", RXAQM_NSEC_PER_USEC },
	{ "ns", 1 },
};
#define NR_UNITS (sizeof(units) / sizeof(units[0]))
/* Index of the first unit that can be typed, and of the first one below a minute. */
#define MINUTE 2
#define SECOND 3

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read decimal digits, one at least, and move @s past them. */
static int take_digits(const char **s, __u64 *ret_value)
{
	char *end;

	if (!is_digit(**s))
		return -EINVAL;
	errno = 0;
	*ret_value = strtoull(*s, &end, 10);
	*s = end;
	return errno ? -ERANGE : 0;
}

/* Read digits and, if present, "." and up to @places decimals, as an integer scaled by 10^@places.
 */
static int take_decimal(const char **s, int places, __u64 *ret_whole, __u64 *ret_fraction)
{
	__u64 value = 0;
	int err = take_digits(s, ret_whole), i;

	*ret_fraction = 0;
	if (err || **s != '.')
		return err;
	(*s)++;
	if (!is_digit(**s))
		return -EINVAL;
	for (i = 0; i < places; i++) {
		value *= 10;
		if (is_digit(**s))
			value += (__u64)(*(*s)++ - '0');
	}
	*ret_fraction = value;
	return is_digit(**s) ? -EINVAL : 0;
}

int rxaqm_parse_u64(const char *s, __u64 min, __u64 max, __u64 *ret_value)
{
	__u64 value;
	int err = take_digits(&s, &value);

	/* Digits that overflow and are followed by something else are not a number. */
	if (*s)
		return -EINVAL;
	if (err)
		return err;
	if (value < min || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int rxaqm_parse_duration(const char *s, __u64 *ret_ns)
{
	__u64 whole, thousandths, ns;
	bool fraction = strchr(s, '.');
	int err = take_decimal(&s, DURATION_DECIMALS, &whole, &thousandths);
	size_t i;

	if (err)
		return err;
	for (i = MINUTE; i < NR_UNITS; i++)
		if (!strcmp(s, units[i].name))
			break;
	/* There is no part of a nanosecond. */
	if (i == NR_UNITS || (fraction && units[i].ns == 1))
		return -EINVAL;
	if (__builtin_mul_overflow(whole, units[i].ns, &ns) ||
	    __builtin_add_overflow(ns, thousandths * (units[i].ns / 1000), &ns) ||
	    ns > DURATION_MAX_NS)
		return -ERANGE;
	*ret_ns = ns;
	return 0;
}

int rxaqm_parse_percent(const char *s, __u32 *ret_permille)
{
	__u64 whole, tenths;
	int err = take_decimal(&s, 1, &whole, &tenths);

	if (err)
		return err;
	if (strcmp(s, "%"))
		return -EINVAL;
	if (whole > 100 || (whole == 100 && tenths))
		return -ERANGE;
	*ret_permille = (__u32)(whole * 10 + tenths);
	return 0;
}

const char *rxaqm_parse_item(const char *list, char item[RXAQM_ITEM_LEN])
{
	size_t len = strcspn(list, ",");

	/* An item too long for any known word becomes empty, which nothing accepts. */
	snprintf(item, RXAQM_ITEM_LEN, "%.*s", len < RXAQM_ITEM_LEN ? (int)len : 0, list);
	return list[len] ? list + len + 1 : NULL;
}

int rxaqm_parse_set(const char *s, rxaqm_parse_number *parse, unsigned int nr, unsigned char *set)
{
	__u64 first = 0, last = 0;
	int err = 0;

	while (s && !err) {
		char item[RXAQM_ITEM_LEN], *dash;

		s = rxaqm_parse_item(s, item);
		dash = strchr(item, '-');
		if (dash)
			*dash = '\0';
		err = parse(item, 0, UINT_MAX, &first);
		if (!err)
			err = parse(dash ? dash + 1 : item, 0, UINT_MAX, &last);
		if (!err && last < first)
			err = -EINVAL;
		else if (!err && last >= nr)
			err = -ERANGE;
		if (!err)
			memset(set + first, 1, last - first + 1);
	}
	if (err)
		memset(set, 0, nr);
	return err;
}

int rxaqm_parse_queues(const char *s, unsigned int nr_queues, unsigned char *set)
{
	if (strcmp(s, "all"))
		return rxaqm_parse_set(s, rxaqm_parse_u64, nr_queues, set);
	memset(set, 1, nr_queues);
	return 0;
}

/* Format "1.5" without trailing zeros, from @decimals digits of @fraction. */
static void format_decimal(char *buf, __u64 whole, __u32 fraction, int decimals, const char *unit)
{
	size_t size = RXAQM_DURATION_LEN;

	while (decimals && fraction % 10 == 0) {
		fraction /= 10;
		decimals--;
	}
	if (decimals)
		snprintf(buf, size, "%llu.%0*u%s", whole, decimals, fraction, unit);
	else
		snprintf(buf, size, "%llu%s", whole, unit);
}

const char *rxaqm_format_duration_exact(__u64 ns, char buf[RXAQM_DURATION_LEN])
{
	const struct unit *unit = &units[NR_UNITS - 1];
	__u32 thousandths = 0;
	size_t i;

	for (i = MINUTE; i + 1 < NR_UNITS; i++) {
		/* People do not read 1.02m as 61.2s. */
		__u64 step = i == MINUTE ? units[i].ns : units[i].ns / 1000;

		if (ns >= units[i].ns && ns % step == 0) {
			unit = &units[i];
			break;
		}
	}
	if (unit->ns > 1)
		thousandths = (__u32)(ns % unit->ns / (unit->ns / 1000));
	format_decimal(buf, ns / unit->ns, thousandths, DURATION_DECIMALS, unit->name);
	return buf;
}

/* A minute and more: the two largest units, or one where that has two digits. */
static bool format_long(__u64 ns, char buf[RXAQM_DURATION_LEN])
{
	const struct unit *unit = units;
	__u64 whole, rest;

	while (unit < &units[SECOND] && ns < unit->ns)
		unit++;
	if (unit == &units[SECOND])
		return false;
	whole = ns / unit->ns;
	rest = ns % unit->ns / unit[1].ns;
	if (whole >= 10 || !rest)
		snprintf(buf, RXAQM_DURATION_LEN, "%llu%s", whole, unit->name);
	else
		snprintf(buf, RXAQM_DURATION_LEN, "%llu%s%llu%s", whole, unit->name, rest,
			 unit[1].name);
	return true;
}

const char *rxaqm_format_duration(__u64 ns, char buf[RXAQM_DURATION_LEN])
{
	const struct unit *unit = &units[NR_UNITS - 1];
	__u64 scaled, scale = 1;
	int decimals = 0;
	size_t i;

	if (!ns) {
		snprintf(buf, RXAQM_DURATION_LEN, "0");
		return buf;
	}
	if (format_long(ns, buf))
		return buf;
	/* 999.5 of a unit rounds to 1000, which is 1 of the next. */
	for (i = SECOND; i < NR_UNITS; i++) {
		if (ns >= units[i].ns - units[i].ns / 2000) {
			unit = &units[i];
			break;
		}
	}
	while (unit->ns > 1 && decimals < 2 && ns < 1000 * unit->ns / (scale * 10)) {
		scale *= 10;
		decimals++;
	}
	scaled = ns / unit->ns * scale + (ns % unit->ns * scale + unit->ns / 2) / unit->ns;
	format_decimal(buf, scaled / scale, (__u32)(scaled % scale), decimals, unit->name);
	return buf;
}

#define WORD_MAX 32

/* Letters to insert, delete or replace to get from @a to @b (Levenshtein); UINT_MAX if @b is longer
 * than WORD_MAX.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[WORD_MAX + 1];
	size_t i, j, len_b = strlen(b);

	if (len_b > WORD_MAX)
		return UINT_MAX;
	for (j = 0; j <= len_b; j++)
		row[j] = (unsigned int)j;
	for (i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i + 1;
		for (j = 0; j < len_b; j++) {
			unsigned int differ = tolower((unsigned char)a[i]) !=
					      tolower((unsigned char)b[j]);
			unsigned int above = row[j + 1];

			row[j + 1] = MIN(MIN(above, row[j]) + 1, diagonal + differ);
			diagonal = above;
		}
	}
	return row[len_b];
}

const char *rxaqm_nearest(const char *word, const char *const *words)
{
	/* With up to a third of its letters wrong a word is still a typing error; a short word with
	 * half.
	 */
	unsigned int len = (unsigned int)strlen(word), best = MIN(len / 3 + 1, len / 2);
	const char *nearest = NULL;

	for (; *words; words++) {
		unsigned int d = distance(word, *words);

		if (d < best || (d == best && !nearest)) {
			best = d;
			nearest = *words;
		}
	}
	return nearest;
}
