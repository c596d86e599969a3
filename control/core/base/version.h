/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* "VERSION (COMMIT)", or "VERSION" where that is not known; under 32 bytes. */
const char *rxaqm_version(void);

/* Print "PROGRAM VERSION (COMMIT)"; the commit, if it is known, may end with "-dirty". */
void rxaqm_print_version(const char *program);
