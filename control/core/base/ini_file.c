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
	const char *path;
	const struct rxaqm_ini_ops *ops;
	void *arg;
	struct rxaqm_error errors; /* all of them */
	char buf[LINE_MAX_LEN + 1];
	const char *text; /* of the line, without indentation */
	unsigned int line;
	bool skip; /* the section is wrong: so may be its keys */
	bool key_due; /* the line must be a key, and libinih has not reported it */
	bool over; /* reading on makes no sense */
};

/* Note @reason, an error in @line (0: in the file), if there is one. */
static void note(struct reader *reader, unsigned int line, const struct rxaqm_error *reason)
{
	struct rxaqm_error error = {};

	if (!reason->err)
		return;
	if (line)
		rxaqm_error_set(&error, reason->exit_code, reason->err, "%s:%u: %s", reader->path,
				line, reason->text);
	else
		rxaqm_error_set(&error, reason->exit_code, reason->err, "%s: %s", reader->path,
				reason->text);
	rxaqm_error_join(&reader->errors, &error);
}

/* Check the section whose "[name]..." is @s, and report it to the caller. */
static void begin_section(struct reader *reader, const char *s, struct rxaqm_error *reason)
{
	size_t len = strcspn(s, "]");
	const char *rest = s + len + 1;
	char name[NAME_MAX_LEN + 1];

	reader->skip = true;
	if (!s[len]) {
		rxaqm_bad(reason, "\"[\" without \"]\"; write [section]");
		return;
	}
	if (len - 1 > NAME_MAX_LEN) {
		rxaqm_bad(reason, "section name longer than %d characters; split it", NAME_MAX_LEN);
		return;
	}
	rest += strspn(rest, BLANKS);
	if (*rest && *rest != ';' && *rest != '#') {
		rxaqm_bad(reason, "text after [section]; begin a new line");
		return;
	}
	memcpy(name, s + 1, len - 1);
	name[len - 1] = '\0';
	reader->skip = reader->ops->section(reader->arg, name, reason);
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

/* Was the line before neither section nor key? */
static void check_before(struct reader *reader)
{
	struct rxaqm_error reason = {};

	if (reader->key_due)
		rxaqm_bad(&reason, "neither [section] nor key=value");
	note(reader, reader->line, &reason);
	reader->key_due = false;
}

/* Check the line of @bytes in reader->buf, which libinih is to get in @size bytes. */
static void check_line(struct reader *reader, size_t bytes, int size, struct rxaqm_error *reason)
{
	const char *s = reader->text;

	if (strlen(reader->buf) != bytes) {
		rxaqm_bad(reason, "NUL character; not a text file");
		reader->over = true;
	} else if (strcspn(s, "\r\n") + 3 > (size_t)size || strlen(s) >= (size_t)size) {
		/* Room for "\r\n" and the NUL. */
		rxaqm_bad(reason, "line longer than %d characters", size - 3);
		reader->over = bytes == LINE_MAX_LEN;
	} else if (*s == '[') {
		begin_section(reader, s, reason);
	} else {
		reader->key_due = *s && *s != ';' && *s != '#';
	}
}

/* fgets() for libinih. Each line it returns is whole, checked and without indentation; a wrong one
 * is empty.
 */
static char *read_line(char *buf, int size, void *arg)
{
	struct reader *reader = arg;
	struct rxaqm_error reason = {};
	size_t bytes;

	check_before(reader);
	bytes = reader->over ? 0 : get_line(reader->file, reader->buf);
	if (!bytes) {
		if (!reader->over && ferror(reader->file))
			rxaqm_failed(&reason, errno, "%s", strerror(errno));
		note(reader, reader->line, &reason);
		return NULL;
	}
	reader->line++;
	reader->text = reader->buf;
	if (reader->line == 1 && !strncmp(reader->text, "\xEF\xBB\xBF", 3))
		reader->text += 3;
	/* libinih takes an indented line for part of the value above. */
	reader->text += strspn(reader->text, BLANKS);
	check_line(reader, bytes, size, &reason);
	note(reader, reader->line, &reason);
	return strcpy(buf, reason.err ? "\n" : reader->text);
}

static int handle_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reader *reader = arg;
	int len = (int)strcspn(reader->text, "\r\n");
	struct rxaqm_error reason = {};

	/* Some builds of libinih report a section by a call without a key. */
	if (!key)
		return 1;
	reader->key_due = false;
	if (reader->skip)
		return 1;
	/* libinih takes a colon for "=". */
	if (!*key || reader->text[strcspn(reader->text, "=:")] == ':')
		rxaqm_bad(&reason, "\"%.*s\" is not the name of a key", len < 49 ? len : 49,
			  reader->text);
	else if (!*section)
		rxaqm_bad(&reason, "\"%s\" stands before the first [section]", key);
	else if (!reader->ops->key(reader->arg, section, key, value ? value : "", reader->line,
				   &reason))
		reason.err = 0;
	note(reader, reader->line, &reason);
	return 1;
}

int rxaqm_ini_read(FILE *file, const char *path, const struct rxaqm_ini_ops *ops, void *arg,
		   struct rxaqm_error *error)
{
	struct reader reader = { .file = file, .path = path, .ops = ops, .arg = arg };
	int line = ini_parse_stream(read_line, &reader, handle_key, &reader);

	if (line < 0)
		return rxaqm_failed(error, ENOMEM, "%s: out of memory", path);
	if (!reader.errors.err)
		return 0;
	if (error)
		*error = reader.errors;
	return -reader.errors.err;
}
