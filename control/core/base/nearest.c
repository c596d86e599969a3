/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/param.h>

#define WORD_MAX 32

/* Letters to insert, delete or replace to get from @a to @b (Levenshtein); UINT_MAX if @b is longer
 * than WORD_MAX.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[WORD_MAX + 1];
	size_t i, j, len_b = strlen(b);

	if (len_b > WORD_MAX)
		return UINT_MAX;
	for (j = 0; j <= len_b; j++)
		row[j] = (unsigned int)j;
	for (i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i + 1;
		for (j = 0; j < len_b; j++) {
			unsigned int differ = tolower((unsigned char)a[i]) !=
					      tolower((unsigned char)b[j]);
			unsigned int above = row[j + 1];

			row[j + 1] = MIN(MIN(above, row[j]) + 1, diagonal + differ);
			diagonal = above;
		}
	}
	return row[len_b];
}

const char *rxaqm_nearest(const char *word, const char *const *words)
{
	/* With up to a third of its letters wrong a word is still a typing error; a short word with
	 * half.
	 */
	unsigned int len = (unsigned int)strlen(word), best = MIN(len / 3 + 1, len / 2);
	const char *nearest = NULL;

	for (; *words; words++) {
		unsigned int d = distance(word, *words);

		if (d < best || (d == best && !nearest)) {
			best = d;
			nearest = *words;
		}
	}
	return nearest;
}
