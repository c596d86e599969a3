/* SPDX-License-Identifier: GPL-2.0-only */
/* Which curves of a row make a picture. */
#pragma once

#include "qualify/print/print.h"

/* The picture that begins with the curve number @first of @row and has all like it, whose curves
 * were in none before; false: there is none. @first counts up from 0 until qualify_row_curves().
 */
bool qualify_picture_of(struct rxaqm_picture *picture, const struct qualify_record *record,
			const struct qualify_row *row, size_t first);
size_t qualify_row_curves(const struct qualify_row *row);
