/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Print "PROGRAM VERSION (COMMIT)"; the commit, if it is known, may end with "-dirty". */
void rxaqm_print_version(const char *program);
