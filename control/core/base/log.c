/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If descriptors run out, any call may fail: what failed, and its remedy, would mislead. */
static void want_descriptors(struct rxaqm_error *error)
{
	snprintf(error->text, sizeof(error->text), "%s; allow more, with \"%s\"",
		 strerror(error->err),
		 error->err == EMFILE ? "ulimit -n 1024" : "sysctl -w fs.file-max=1000000");
	if (error->exit_code == RXAQM_EXIT_UNSUPPORTED ||
	    error->exit_code == RXAQM_EXIT_NOT_ATTACHED)
		error->exit_code = RXAQM_EXIT_FAILED;
}

int rxaqm_error_set(struct rxaqm_error *error, enum rxaqm_exit exit_code, int err, const char *fmt,
		    ...)
{
	va_list args;

	if (error) {
		error->exit_code = exit_code;
		error->err = err;
		error->more = 0;
		va_start(args, fmt);
		vsnprintf(error->text, sizeof(error->text), fmt, args);
		va_end(args);
		if (err == EMFILE || err == ENFILE)
			want_descriptors(error);
	}
	return -err;
}

int rxaqm_error_join(struct rxaqm_error *all, const struct rxaqm_error *one)
{
	const size_t room = sizeof(all->text) - sizeof("\nand 4294967295 more");
	size_t len = strlen(all->text);

	if (!len) {
		*all = *one;
	} else if (!all->more && len + 1 + strlen(one->text) < room) {
		rxaqm_error_add(all, "%s", one->text);
	} else {
		if (all->more)
			len = (size_t)(strrchr(all->text, '\n') - all->text);
		else if (len > room)
			len = room;
		snprintf(all->text + len, sizeof(all->text) - len, "\nand %u more", ++all->more);
	}
	return -all->err;
}

void rxaqm_error_add(struct rxaqm_error *error, const char *fmt, ...)
{
	size_t len = error ? strlen(error->text) : 0;
	va_list args;

	if (!error || len + 1 >= sizeof(error->text))
		return;
	if (len)
		error->text[len++] = '\n';
	va_start(args, fmt);
	vsnprintf(error->text + len, sizeof(error->text) - len, fmt, args);
	va_end(args);
}

void rxaqm_log_lines(const char *before, const char *text)
{
	size_t len;

	do {
		len = strcspn(text, "\n");
		fprintf(stderr, "%s%.*s\n", before, (int)len, text);
		text += len;
	} while (*text++);
}

void rxaqm_log_error(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0) {
		rxaqm_log_lines("rxaqm: ", text);
		free(text);
	}
	va_end(args);
}

int rxaqm_log_failure(const struct rxaqm_error *error)
{
	rxaqm_log_error("%s", error->text[0] ? error->text : "failed");
	return error->exit_code ? error->exit_code : RXAQM_EXIT_FAILED;
}
