/* SPDX-License-Identifier: GPL-2.0-only */
/* Which rings a NAPI serves. */
#ifndef RXAQM_QUALIFY_NAPI_H
#define RXAQM_QUALIFY_NAPI_H

#include "qualify/rows/traffic.h"

/* rings_per_napi: by packets of many flows; rings_per_napi_said: by netlink. -errno with @error. */
int qualify_put_rings(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_NAPI_H */
