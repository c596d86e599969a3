/* SPDX-License-Identifier: GPL-2.0-only */
/* The frame of a page, and what it looks like. */
#ifndef RXAQM_QUALIFY_HTML_H
#define RXAQM_QUALIFY_HTML_H

#include "qualify/print/print.h"

/* The head of an HTML file called @title, up to where its main part begins; the end of it. */
void qualify_html_begin(FILE *file, const char *title);
void qualify_html_end(FILE *file);

#endif /* RXAQM_QUALIFY_HTML_H */
