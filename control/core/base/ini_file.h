/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strict reading of ini files: libinih without its leniency. Lines that it would cut, join to the
 * line before or skip are errors.
 */
#pragma once

#include <stdio.h>

#include "base/log.h"

struct rxaqm_ini_ops {
	/* A [section] begins. */
	int (*section)(void *arg, const char *section, struct rxaqm_error *error);
	/* @key = @value, within a section, on @line. */
	int (*key)(void *arg, const char *section, const char *key, const char *value,
		   unsigned int line, struct rxaqm_error *error);
};

/* Read @file, called @path in messages. After a failure it reads on: @error has them all, one a
 * line, with "PATH:LINE: " in front. 0 or -errno.
 */
int rxaqm_ini_read(FILE *file, const char *path, const struct rxaqm_ini_ops *ops, void *arg,
		   struct rxaqm_error *error);
