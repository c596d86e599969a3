/* SPDX-License-Identifier: GPL-2.0-only */
/* "Did you mean": the word of a list that a mistyped one is closest to. */
#pragma once

/* The word of @words (ends with NULL) that differs least from @word, ignoring case, or NULL if none
 * is similar.
 */
const char *rxaqm_nearest(const char *word, const char *const *words);
