/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/version.h"

#include <stdio.h>

/* The only file that is built again for another commit. */
#ifndef RXAQM_COMMIT
#define RXAQM_COMMIT ""
#endif

void rxaqm_print_version(const char *program)
{
	static const char commit[] = RXAQM_COMMIT;

	printf("%s " RXAQM_VERSION "%s%s%s\n", program, *commit ? " (" : "", commit,
	       *commit ? ")" : "");
}
