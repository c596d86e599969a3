/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/version.h"

/* The only file that another commit makes the build compile again. */
#ifndef RXAQM_COMMIT
#define RXAQM_COMMIT ""
#endif

const char rxaqm_commit[] = RXAQM_COMMIT;

const char *rxaqm_version(void)
{
	/* Whether the commit is empty is known at compile time. */
	return sizeof(RXAQM_COMMIT) > 1 ? RXAQM_VERSION " (" RXAQM_COMMIT ")" : RXAQM_VERSION;
}
