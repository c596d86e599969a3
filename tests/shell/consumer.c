/* SPDX-License-Identifier: GPL-2.0-only */
/* A program of someone else's, built with what is installed: see install.sh and the package's tests. */
#include <errno.h>
#include <rxaqm/rxaqm-xsk.h>

int main(void)
{
	struct rxaqm_xsk *xsk;

	return rxaqm_xsk_open(&xsk, "no such interface", 0, NULL) == -ENODEV ? 0 : 1;
}
