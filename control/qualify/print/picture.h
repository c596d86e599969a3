/* SPDX-License-Identifier: GPL-2.0-only */
/* Which curves of a row are drawn into one picture. */
#pragma once

#include "qualify/print/print.h"

/* Make the picture that begins with curve @first of @row, with all curves of its kind that no
 * earlier picture has; false: none begins there. Call it with @first from 0 to qualify_row_curves()
 * - 1.
 */
bool qualify_picture_of(struct rxaqm_picture *picture, const struct qualify_record *record,
			const struct qualify_row *row, size_t first);
size_t qualify_row_curves(const struct qualify_row *row);
