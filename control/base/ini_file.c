/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/ini_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 49 /* of a section */
#define LINE_MAX_LEN 197

struct reader {
	const struct rxaqm_ini_ops *ops;
	void *arg;
	char section[NAME_MAX_LEN + 1]; /* that has begun; "": none */
	unsigned int line;
};

/* @s without blanks around it. */
static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* The first of @chars in @s, or what begins a comment, a ";" behind a blank; else the end. */
static char *find(char *s, const char *chars)
{
	bool blank = false;

	for (; *s && !strchr(chars, *s) && !(blank && *s == ';'); s++)
		blank = isspace((unsigned char)*s);
	return s;
}

/* Check and announce the section that @s, "[name]...", begins. */
static int begin_section(struct reader *reader, char *s, struct rxaqm_error *error)
{
	size_t len = strcspn(s, "]");
	const char *rest;

	if (!s[len])
		return rxaqm_bad(error, "\"[\" without \"]\"; write [section]");
	if (len - 1 > NAME_MAX_LEN)
		return rxaqm_bad(error, "section name longer than %d characters; split it",
				 NAME_MAX_LEN);
	rest = trim(s + len + 1);
	if (*rest && *rest != ';' && *rest != '#')
		return rxaqm_bad(error, "text after [section]; begin a new line");
	snprintf(reader->section, sizeof(reader->section), "%.*s", (int)len - 1, s + 1);
	return reader->ops->section(reader->arg, reader->section, error);
}

static int read_key(struct reader *reader, char *s, struct rxaqm_error *error)
{
	char *equals = find(s, "=:"), *key, *value;

	if (*equals != '=' && *equals != ':')
		return rxaqm_bad(error, "neither [section] nor key=value");
	if (equals == s || *equals == ':')
		return rxaqm_bad(error, "\"%.49s\" is no name of a key", s);
	*equals = '\0';
	key = trim(s);
	value = equals + 1;
	*find(value, "") = '\0';
	if (!reader->section[0])
		return rxaqm_bad(error, "\"%s\" stands before the first [section]", key);
	return reader->ops->key(reader->arg, reader->section, key, trim(value), reader->line,
				error);
}

static int read_line(struct reader *reader, char *s, struct rxaqm_error *error)
{
	int err = *s == '[' ? begin_section(reader, s, error) : 0;

	if (err)
		return err;
	if (strlen(s) > LINE_MAX_LEN)
		return rxaqm_bad(error, "line longer than %d characters", LINE_MAX_LEN);
	return !*s || strchr("[;#", *s) ? 0 : read_key(reader, s, error);
}

int rxaqm_ini_read(FILE *file, const char *path, const struct rxaqm_ini_ops *ops, void *arg,
		   struct rxaqm_error *error)
{
	struct reader reader = { .ops = ops, .arg = arg };
	struct rxaqm_error reason;
	char *buf = NULL, *s;
	ssize_t bytes = 0;
	size_t size = 0;
	int err = 0;

	while (!err && bytes >= 0) {
		errno = 0;
		bytes = getline(&buf, &size, file);
		if (bytes < 0 && errno)
			err = rxaqm_error_set(&reason, RXAQM_EXIT_FAILED, errno, "%s",
					      strerror(errno));
		if (bytes < 0)
			break;
		s = !reader.line++ && !strncmp(buf, "\xEF\xBB\xBF", 3) ? buf + 3 : buf;
		if (strlen(buf) != (size_t)bytes)
			err = rxaqm_bad(&reason, "NUL character; not a text file");
		else
			err = read_line(&reader, trim(s), &reason);
	}
	free(buf);
	if (!err)
		return 0;
	return rxaqm_error_set(error, reason.exit_code, -err, "%s:%u: %s", path, reader.line,
			       reason.text);
}
