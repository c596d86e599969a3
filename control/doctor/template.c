/* SPDX-License-Identifier: GPL-2.0-only */
/* Format numbers, and fill templates. */
#include <stdio.h>
#include <string.h>

#include "doctor/diagnose.h"

/* The longest quoted word: each quote in it becomes four bytes. */
#define QUOTED (4 * sizeof(((struct doctor_word *)0)->text) + 3)

static void scale(double value, double step, const char *const *units, const char *suffix,
		  char buf[32])
{
	unsigned int i = 0;

	while (value >= step * 0.9995 && units[i + 1]) {
		value /= step;
		i++;
	}
	snprintf(buf, 32, "%.*f %s%s",
		 value >= 99.95 || (!i && value == (double)(long long)value) ? 0 : 1, value,
		 units[i], suffix);
}

const char *doctor_format(double value, enum doctor_unit unit, char buf[32])
{
	static const char *const bytes[] = { "B", "kB", "MB", "GB", "TB", NULL };
	static const char *const times[] = { "us", "ms", "s", NULL };

	switch (unit) {
	case DOCTOR_BYTES:
		scale(value, 1000, bytes, "", buf);
		break;
	case DOCTOR_BYTES_PER_S:
		scale(value, 1000, bytes, "/s", buf);
		break;
	case DOCTOR_US:
		scale(value, 1000, times, "", buf);
		break;
	case DOCTOR_PER_S:
		snprintf(buf, 32, value < 10 ? "%.1f/s" : "%.0f/s", value);
		break;
	case DOCTOR_PERCENT:
		snprintf(buf, 32,
			 value < 10 && value != (double)(long long)value ? "%.1f %%" : "%.0f %%",
			 value);
		break;
	case DOCTOR_RATIO:
		snprintf(buf, 32, "%.2f", value);
		break;
	case DOCTOR_COUNT:
	case DOCTOR_NUMBER:
		snprintf(buf, 32, "%.0f", value);
		break;
	}
	return buf;
}

/* Make one shell word of @text, which a bundle may have filled with anything. */
static const char *quote(const char *text, char buf[QUOTED])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+:,./-";
	size_t at = 0;

	if (*text && !text[strspn(text, plain)])
		return text;
	buf[at++] = '\'';
	for (; *text && at < QUOTED - 6; text++) {
		if (*text == '\'')
			at += (size_t)sprintf(buf + at, "'\\''");
		else
			buf[at++] = *text;
	}
	buf[at++] = '\'';
	buf[at] = '\0';
	return buf;
}

/* The text noted as the @len bytes at @name, or its default; NULL: it has none. */
static const char *lookup(const struct doctor_finding *finding, enum doctor_form kind,
			  const char *name, size_t len, char buf[QUOTED])
{
	const struct doctor_evidence *evidence = finding->evidence;
	const char *bar = memchr(name, '|', len), *end = name + len;
	const struct doctor_word *word;

	len = bar ? (size_t)(bar - name) : len;
	for (word = finding->words; word < finding->words + finding->nr_words; word++) {
		if (strlen(word->name) != len || memcmp(word->name, name, len) != 0)
			continue;
		if (word->is_ours)
			return kind == DOCTOR_OURS ? word->text :
						     doctor_words(finding, DOCTOR_COMMAND,
								  word->text, buf, QUOTED);
		if (kind == DOCTOR_COMMAND)
			return quote(word->text, buf);
		return kind == DOCTOR_OURS ? NULL : word->text;
	}
	for (; evidence < finding->evidence + finding->nr_evidence; evidence++) {
		if (strlen(evidence->name) != len || memcmp(evidence->name, name, len) != 0)
			continue;
		return kind == DOCTOR_OURS ? NULL :
					     doctor_format(evidence->value, evidence->unit, buf);
	}
	if (!bar)
		return NULL;
	snprintf(buf, QUOTED, "%.*s", (int)(end - bar - 1), bar + 1);
	return buf;
}

const char *doctor_words(const struct doctor_finding *finding, enum doctor_form kind,
			 const char *form, char *buf, size_t size)
{
	char room[QUOTED];
	size_t at = 0;

	while (form && *form && at + 1 < size) {
		const char *end = strncmp(form, "${", 2) ? NULL : strchr(form, '}');
		const char *text = end ? lookup(finding, kind, form + 2, (size_t)(end - form - 2),
						room) :
					 NULL;

		if (!text) {
			buf[at++] = *form++;
			continue;
		}
		at += (size_t)snprintf(buf + at, size - at, "%s", text);
		at = at < size ? at : size - 1;
		form = end + 1;
	}
	buf[at] = '\0';
	/* A sentence may begin with the name of a program, which keeps its case; these words are no
	 * name.
	 */
	if (kind == DOCTOR_SENTENCE && !strncmp(buf, "a program", strlen("a program")))
		buf[0] = 'A';
	return buf;
}

static bool fill(const struct doctor_finding *finding, enum doctor_form kind, const char *form,
		 size_t len, char buf[DOCTOR_MAX_TEXT])
{
	char part[DOCTOR_MAX_TEXT];

	while (len && strchr(" ;,", form[len - 1]))
		len--;
	while (len && strchr(" ;,", *form)) {
		form++;
		len--;
	}
	snprintf(part, sizeof(part), "%.*s", (int)len, form);
	doctor_words(finding, kind, part, buf, DOCTOR_MAX_TEXT);
	for (form = part; (form = strstr(form, "${")); form += 2) {
		char room[QUOTED];
		const char *end = strchr(form, '}');

		if (!end || !lookup(finding, kind, form + 2, (size_t)(end - form - 2), room))
			return false;
	}
	return true;
}

void doctor_steps(const struct doctor_finding *finding, const char *form, doctor_step_fn *each,
		  void *arg)
{
	char all[DOCTOR_MAX_TEXT], command[DOCTOR_MAX_TEXT], words[DOCTOR_MAX_TEXT];
	const char *at = all;
	bool known;
	size_t len;

	doctor_words(finding, DOCTOR_OURS, form, all, sizeof(all));
	while (*at) {
		*command = '\0';
		known = true;
		if (*at == '`') {
			len = strcspn(++at, "`");
			known = fill(finding, DOCTOR_COMMAND, at, len, command);
			at += len + (at[len] == '`');
		}
		len = strcspn(at, "`");
		known &= fill(finding, DOCTOR_SENTENCE, at, len, words);
		at += len;
		if (known && (*command || *words))
			each(arg, command, words);
	}
}

struct doctor_remedy doctor_remedy_of(const struct doctor_check *check)
{
	return (struct doctor_remedy){ check->now, check->keep ?: "the same",
				       check->undo ?: "nothing was changed", check->expect,
				       check->risk ?: "none" };
}

const char *const doctor_places[] = { "wire", "NIC",	 "CPU", "backlog", "IP",      "TCP",
				      "UDP",  "program", "Tx",	"path",	   "settings" };
const char *const doctor_kinds[] = { "arrival", "service", "shared",	"skewed", "loop",
				     "reader",	"memory",  "elsewhere", "setting" };
const char *const doctor_severities[] = { "low", "medium", "high" };
const char *const doctor_confidences[] = { "configuration only", "inferred", "measured" };
const char *const doctor_units[] = { "count",	"bytes", "bytes/s", "1/s",
				     "percent", "us",	 "ratio",   "number" };
