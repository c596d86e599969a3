/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Units that are shown differently for large or small numbers. */
static const struct scale {
	const char *unit, *shown;
	double from, factor;
} scales[] = {
	{ "ns", "s", 1e9, 1e-9 },   { "ns", "ms", 1e6, 1e-6 },	  { "ns", "us", 1e3, 1e-3 },
	{ "ns", "ns", 0, 1 },	    { "pps", "Mpps", 1e6, 1e-6 }, { "pps", "kpps", 1e3, 1e-3 },
	{ "pps", "pps", 0, 1 },	    { "bytes", "MB", 1e6, 1e-6 }, { "bytes", "kB", 1e4, 1e-3 },
	{ "bytes", "bytes", 0, 1 }, { "B/s", "MB/s", 1e6, 1e-6 }, { "B/s", "kB/s", 1e3, 1e-3 },
	{ "share", "%", 0, 100 },   { "count", "", 0, 1 },
};

static void write_number(double value, const char *unit, char *buf)
{
	double size = fabs(value);
	int digits = size >= 100 || size == floor(size) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
	const char *blank = *unit ? " " : "";

	if ((size > 0 && size < 0.01) || size >= 1e7)
		snprintf(buf, RXAQM_NUMBER_LEN, "%.3g%s%s", value, blank, unit);
	else
		snprintf(buf, RXAQM_NUMBER_LEN, "%.*f%s%s", digits, value, blank, unit);
}

const char *rxaqm_format_number(double value, const char *unit, char buf[RXAQM_NUMBER_LEN])
{
	const struct scale *scale;

	if (!isfinite(value))
		return "-";
	for (scale = scales; scale < scales + sizeof(scales) / sizeof(scales[0]); scale++) {
		if (!strcmp(scale->unit, unit) && fabs(value) >= scale->from) {
			write_number(value * scale->factor, scale->shown, buf);
			return buf;
		}
	}
	write_number(value, unit, buf);
	return buf;
}

const char *rxaqm_counted(double value, char buf[RXAQM_COUNTED_LEN])
{
	bool whole = !value || (value >= 10 && value < 1e18);
	int len = snprintf(buf, RXAQM_COUNTED_LEN, whole ? "%.0f" : "%.3g", value), at;

	for (at = whole ? len - 3 : 0; at > 0; at -= 3) {
		memmove(buf + at + 1, buf + at, (size_t)(len++ - at) + 1);
		buf[at] = ',';
	}
	return buf;
}
