/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/log.h"

#include <stdio.h>

int rxaqm_error_set(struct rxaqm_error *error, enum rxaqm_exit exit_code, int err, const char *fmt,
		    ...)
{
	va_list args;

	if (error) {
		error->exit_code = exit_code;
		error->err = err;
		va_start(args, fmt);
		vsnprintf(error->text, sizeof(error->text), fmt, args);
		va_end(args);
	}
	return -err;
}

void rxaqm_log_error(const char *fmt, ...)
{
	va_list args;

	fputs("rxaqm: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

int rxaqm_log_failure(const struct rxaqm_error *error)
{
	rxaqm_log_error("%s", error->text[0] ? error->text : "failed");
	return error->exit_code ? error->exit_code : RXAQM_EXIT_FAILED;
}
