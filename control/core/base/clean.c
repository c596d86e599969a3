/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/clean.h"

#include <linux/types.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define CHARACTER_MAX 4 /* bytes, in UTF-8 */
#define PIECE 512
#define ESCAPED 6 /* "\u202e" */
#define NOT_UTF8 0xfffd

/* A piece of text may end in the middle of a character. */
struct cleaner {
	int fd;
	unsigned char held[CHARACTER_MAX];
	size_t nr_held;
};

/* C0 and C1 controls; invisible characters and those that change the direction of text (Unicode
 * 15.1, 23.2, and UAX 9), among them line and paragraph separators.
 */
static bool is_unsafe(__u32 code)
{
	static const struct {
		__u32 first, last;
	} ranges[] = { { 0, 0x1f },	   { 0x7f, 0x9f },     { 0x61c, 0x61c },
		       { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		       { 0xfeff, 0xfeff } };
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

/* Bytes of the character that begins with @first; 0: no character does. */
static size_t length_of(unsigned char first)
{
	return first < 0x80 ? 1 :
	       first < 0xc2 ? 0 :
	       first < 0xe0 ? 2 :
	       first < 0xf0 ? 3 :
	       first < 0xf5 ? 4 :
			      0;
}

/* Decode the character at @at. Returns its bytes; 0: it is longer than the @size bytes there are. A
 * byte that is not UTF-8 becomes a NOT_UTF8 of one byte.
 */
static size_t decode(const unsigned char *at, size_t size, __u32 *ret_code)
{
	static const __u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = length_of(*at), i;
	__u32 code = length > 1 ? *at & (0x7fU >> length) : *at;

	*ret_code = NOT_UTF8;
	for (i = 1; i < length && i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (size < length)
		return 0;
	if (!length || code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 1;
	*ret_code = code;
	return length;
}

static size_t put(char *to, const unsigned char *character, size_t length, __u32 code)
{
	if (code != '\n' && code != '\t' && (is_unsafe(code) || (code == NOT_UTF8 && length == 1)))
		return (size_t)sprintf(to, "\\u%04x", code);
	memcpy(to, character, length);
	return length;
}

/* Clean @size bytes, PIECE at most, into @to. Returns the number of bytes in @to. */
static size_t clean(struct cleaner *cleaner, const char *from, size_t size,
		    char to[ESCAPED * (PIECE + CHARACTER_MAX) + 1])
{
	size_t length, nr = 0;
	__u32 code;

	while (size) {
		cleaner->held[cleaner->nr_held++] = (unsigned char)*from++;
		size--;
		while (cleaner->nr_held &&
		       (length = decode(cleaner->held, cleaner->nr_held, &code))) {
			nr += put(to + nr, cleaner->held, length, code);
			cleaner->nr_held -= length;
			memmove(cleaner->held, cleaner->held + length, cleaner->nr_held);
		}
	}
	return nr;
}

static bool write_all(int fd, const char *text, size_t size)
{
	ssize_t done;

	for (; size; text += done, size -= (size_t)done) {
		done = write(fd, text, size);
		if (done < 0)
			return false;
	}
	return true;
}

static ssize_t write_clean(void *arg, const char *text, size_t size)
{
	char cleaned[ESCAPED * (PIECE + CHARACTER_MAX) + 1];
	struct cleaner *cleaner = arg;
	size_t done, piece, nr;

	for (done = 0; done < size; done += piece) {
		piece = size - done < PIECE ? size - done : PIECE;
		nr = clean(cleaner, text + done, piece, cleaned);
		if (!write_all(cleaner->fd, cleaned, nr))
			return 0;
	}
	return (ssize_t)size;
}

static FILE *open_clean(struct cleaner *cleaner, FILE *otherwise)
{
	const cookie_io_functions_t functions = { .write = write_clean };
	FILE *file = fopencookie(cleaner, "w", functions);

	return file ? file : otherwise;
}

void rxaqm_clean_output(void)
{
	static struct cleaner out = { .fd = STDOUT_FILENO }, err = { .fd = STDERR_FILENO };

	/* The GNU C library makes these variables so that programs may do this. */
	stdout = open_clean(&out, stdout);
	stderr = open_clean(&err, stderr);
	if (isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOLBF, 0);
	/* Line by line, or lines of other processes get in between. */
	setvbuf(stderr, NULL, _IOLBF, 0);
}

void rxaqm_clean_puts(FILE *file, const char *text)
{
	char cleaned[ESCAPED * (PIECE + CHARACTER_MAX) + 1];
	struct cleaner cleaner = {};
	size_t size = strlen(text), piece, nr;

	for (; size; text += piece, size -= piece) {
		piece = size < PIECE ? size : PIECE;
		nr = clean(&cleaner, text, piece, cleaned);
		fwrite(cleaned, 1, nr, file);
	}
}

void rxaqm_clean(char *text)
{
	const unsigned char *from = (unsigned char *)text;
	size_t size = strlen(text), length;
	__u32 code;

	for (; size; from += length, size -= length) {
		length = decode(from, size, &code) ?: 1;
		if (is_unsafe(code) || (code == NOT_UTF8 && length == 1)) {
			*text++ = '?';
			continue;
		}
		memmove(text, from, length);
		text += length;
	}
	*text = '\0';
}
