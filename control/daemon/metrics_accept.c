/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon/metrics_accept.h"

#include <string.h>
#include <strings.h>

/* A stretch of the header. */
struct part {
	const char *text;
	size_t len;
};

static struct part trimmed(const char *text, size_t len)
{
	while (len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	return (struct part){ text, len };
}

/* Takes what is before the next @sep off *@rest. */
static struct part take(struct part *rest, char sep)
{
	const char *end = memchr(rest->text, sep, rest->len);
	size_t len = end ? (size_t)(end - rest->text) : rest->len;
	struct part part = trimmed(rest->text, len);

	rest->text += len + !!end;
	rest->len -= len + !!end;
	return part;
}

static bool is(struct part part, const char *word)
{
	return part.len == strlen(word) && !strncasecmp(part.text, word, part.len);
}

/* "q=0.75" in thousandths; what is not a weight counts as 1000. */
static unsigned int weight(struct part value)
{
	unsigned int permille, unit = 100;
	size_t i;

	if (!value.len || (value.text[0] != '0' && value.text[0] != '1'))
		return 1000;
	permille = value.text[0] == '1' ? 1000 : 0;
	for (i = 2; i < value.len && unit && permille < 1000; i++, unit /= 10) {
		if (value.text[1] != '.' || value.text[i] < '0' || value.text[i] > '9')
			return 1000;
		permille += unit * (unsigned int)(value.text[i] - '0');
	}
	return permille;
}

/* How much one range of the header is liked; 0 if its version is none of @versions. */
static unsigned int liked(struct part rest, const char *const *versions)
{
	unsigned int permille = 1000;
	bool speaks = true;

	while (rest.len) {
		struct part param = take(&rest, ';');
		struct part name = take(&param, '=');
		struct part value = trimmed(param.text, param.len);

		if (is(name, "q")) {
			permille = weight(value);
		} else if (is(name, "version")) {
			speaks = false;
			for (const char *const *version = versions; *version; version++)
				speaks |= is(value, *version);
		}
	}
	return speaks ? permille : 0;
}

enum rxaqm_metrics_format rxaqm_metrics_accept(const char *accept)
{
	static const char *const open_versions[] = { "1.0.0", "0.0.1", NULL };
	static const char *const text_versions[] = { "0.0.4", NULL };
	unsigned int open = 0, text = 0;
	struct part rest = { accept, accept ? strlen(accept) : 0 };

	while (rest.len) {
		struct part range = take(&rest, ',');
		struct part type = take(&range, ';');
		unsigned int permille;

		if (is(type, "application/openmetrics-text")) {
			permille = liked(range, open_versions);
			open = permille > open ? permille : open;
		} else if (is(type, "text/plain")) {
			permille = liked(range, text_versions);
			text = permille > text ? permille : text;
		}
	}
	return open && open >= text ? RXAQM_METRICS_OPENMETRICS : RXAQM_METRICS_PROMETHEUS;
}

const char *rxaqm_metrics_content_type(enum rxaqm_metrics_format format)
{
	return format == RXAQM_METRICS_OPENMETRICS ?
		       "application/openmetrics-text; version=1.0.0; charset=utf-8" :
		       "text/plain; version=0.0.4; charset=utf-8";
}
