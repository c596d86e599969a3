/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/ini_file.h"

#include <ini.h>
#include <string.h>

/* libinih cuts longer names of sections (its MAX_SECTION). */
#define NAME_MAX_LEN 49

#define BLANKS " \t\r\n"

/* Longest line that is read, indentation included: /dev/zero is a line without end. */
#define LINE_MAX_LEN 4096

struct reader {
	FILE *file;
	const struct rxaqm_ini_ops *ops;
	void *arg;
	struct rxaqm_error *error;
	char buf[LINE_MAX_LEN + 1];
	const char *text; /* of the line, without indentation */
	unsigned int line; /* of the error in err, if there is one */
	int err;
};

/* Check the section whose "[name]..." is @s, and report it to the caller. */
static int begin_section(struct reader *reader, const char *s)
{
	size_t len = strcspn(s, "]");
	const char *rest = s + len + 1;
	char name[NAME_MAX_LEN + 1];

	if (!s[len])
		return rxaqm_bad(reader->error, "\"[\" without \"]\"; write [section]");
	if (len - 1 > NAME_MAX_LEN)
		return rxaqm_bad(reader->error, "section name longer than %d characters; split it",
				 NAME_MAX_LEN);
	rest += strspn(rest, BLANKS);
	if (*rest && *rest != ';' && *rest != '#')
		return rxaqm_bad(reader->error, "text after [section]; begin a new line");
	memcpy(name, s + 1, len - 1);
	name[len - 1] = '\0';
	return reader->ops->section(reader->arg, name, reader->error);
}

/* Like fgets(), but returns the length, by which NUL characters are found. */
static size_t get_line(FILE *file, char buf[LINE_MAX_LEN + 1])
{
	size_t bytes = 0;
	int c = 0;

	while (bytes < LINE_MAX_LEN && c != '\n' && (c = getc(file)) != EOF)
		buf[bytes++] = (char)c;
	buf[bytes] = '\0';
	return bytes;
}

/* fgets() for libinih. Each line it returns is whole, checked and without indentation. */
static char *read_line(char *buf, int size, void *arg)
{
	struct reader *reader = arg;
	const char *s;
	size_t bytes;

	if (reader->err)
		return NULL;
	bytes = get_line(reader->file, reader->buf);
	if (!bytes) {
		if (ferror(reader->file))
			reader->err = rxaqm_failed(reader->error, errno, "%s", strerror(errno));
		return NULL;
	}
	reader->line++;
	s = reader->buf;
	if (reader->line == 1 && !strncmp(s, "\xEF\xBB\xBF", 3))
		s += 3;
	/* libinih takes an indented line for part of the value above. */
	s += strspn(s, BLANKS);
	reader->text = s;
	if (strlen(reader->buf) != bytes)
		reader->err = rxaqm_bad(reader->error, "NUL character; not a text file");
	else if (*s == '[')
		reader->err = begin_section(reader, s);
	if (reader->err)
		return NULL;
	/* Room for "\r\n" and the NUL. */
	if (strcspn(s, "\r\n") + 3 > (size_t)size || strlen(s) >= (size_t)size) {
		reader->err = rxaqm_bad(reader->error, "line longer than %d characters", size - 3);
		return NULL;
	}
	return strcpy(buf, s);
}

static int handle_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reader *reader = arg;
	int len = (int)strcspn(reader->text, "\r\n");

	/* Some builds of libinih report a section by a call without a key. */
	if (reader->err || !key)
		return 1;
	/* libinih takes a colon for "=". */
	if (!*key || reader->text[strcspn(reader->text, "=:")] == ':')
		reader->err = rxaqm_bad(reader->error, "\"%.*s\" is not the name of a key",
					len < 49 ? len : 49, reader->text);
	else if (!*section)
		reader->err = rxaqm_bad(reader->error, "\"%s\" stands before the first [section]",
					key);
	else
		reader->err = reader->ops->key(reader->arg, section, key, value ? value : "",
					       reader->line, reader->error);
	return 1;
}

int rxaqm_ini_read(FILE *file, const char *path, const struct rxaqm_ini_ops *ops, void *arg,
		   struct rxaqm_error *error)
{
	struct rxaqm_error reason;
	struct reader reader = { .file = file, .ops = ops, .arg = arg, .error = &reason };
	int line;

	line = ini_parse_stream(read_line, &reader, handle_key, &reader);
	if (!reader.err && line < 0)
		return rxaqm_failed(error, ENOMEM, "%s: out of memory", path);
	if (line > 0 && (!reader.err || (unsigned int)line < reader.line)) {
		reader.line = (unsigned int)line;
		reader.err = rxaqm_bad(&reason, "neither [section] nor key=value");
	}
	if (!reader.err)
		return 0;
	if (!reader.line)
		return rxaqm_error_set(error, reason.exit_code, -reader.err, "%s: %s", path,
				       reason.text);
	return rxaqm_error_set(error, reason.exit_code, -reader.err, "%s:%u: %s", path, reader.line,
			       reason.text);
}
