/* SPDX-License-Identifier: GPL-2.0-only */
/* What the terminal can show that text goes to. */
#pragma once

#include <stdio.h>

#include "qualify/record/record.h"

/* Columns of standard output, 80 at least; of what is not that 80. */
int qualify_width(FILE *file);

/* Print the name of @verdict, or @text instead of it, in the colour of @verdict, on @columns. */
void qualify_print_verdict(FILE *file, enum qualify_verdict verdict, const char *text, int columns);

/* Print @text, which begins in column @at, on lines that go on at @indent. */
void qualify_wrap(FILE *file, int at, int indent, const char *text);
