/* SPDX-License-Identifier: GPL-2.0-only */
/* Which curves of a row make a picture. */
#include <string.h>

#include "qualify/print/picture.h"

void qualify_print_escaped(FILE *file, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		case '\'':
			fputs("&#39;", file);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
		}
	}
}

static enum qualify_picture_kind kind_of(const struct qualify_curve *curve)
{
	return curve->distribution	       ? QUALIFY_CDF :
	       !strcmp(curve->x_unit, "queue") ? QUALIFY_BARS :
						 QUALIFY_LINES;
}

static bool go_together(const struct qualify_curve *a, const struct qualify_curve *b)
{
	return kind_of(a) == kind_of(b) && !strcmp(a->x_unit, b->x_unit) &&
	       !strcmp(a->y_unit, b->y_unit);
}

size_t qualify_row_curves(const struct qualify_row *row)
{
	size_t nr = 0, i;

	for (i = 0; i < row->figures.nr; i++)
		nr += row->figures.at[i].curves.nr;
	return nr;
}

static const struct qualify_curve *curve_at(const struct qualify_row *row, size_t at,
					    const char **ret_figure)
{
	size_t i;

	for (i = 0; i < row->figures.nr; i++) {
		const struct qualify_figure *figure = &row->figures.at[i];

		if (at < figure->curves.nr) {
			*ret_figure = figure->name;
			return &figure->curves.at[at];
		}
		at -= figure->curves.nr;
	}
	return NULL;
}

bool qualify_picture_of(struct qualify_picture *picture, const struct qualify_row *row,
			size_t first)
{
	size_t nr = qualify_row_curves(row), like = 0, i;
	const struct qualify_curve *lead, *curve;
	const char *of;

	memset(picture, 0, sizeof(*picture));
	lead = first < nr ? curve_at(row, first, &of) : NULL;
	if (!lead || lead->points.nr == 0)
		return false;
	picture->kind = kind_of(lead);
	for (i = 0; i < nr; i++) {
		curve = curve_at(row, i, &of);
		if (curve->points.nr == 0 || !go_together(lead, curve))
			continue;
		/* Six to a picture: a picture begins with each seventh. */
		if (i < first)
			like++;
		else if (like % QUALIFY_PICTURE_CURVES)
			return false;
		else if (picture->nr < QUALIFY_PICTURE_CURVES) {
			picture->curve[picture->nr] = curve;
			picture->of[picture->nr++] = of;
		}
	}
	return picture->nr;
}
