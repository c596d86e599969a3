/* SPDX-License-Identifier: GPL-2.0-only */
/* A NIC profile from a record: what was measured, each fact with the run it comes from. */
#ifndef RXAQM_QUALIFY_PROFILE_OUT_H
#define RXAQM_QUALIFY_PROFILE_OUT_H

#include "qualify/record/record.h"

/* Write the facts that @record has as a profile (nic-profiles/README.md) to @path, "-": standard
 * output. It is parsed before it is written, so "rxaqm profile check" takes it. -ENODATA with
 * @error: no driver, or not one fact; -EINVAL: a fact that no profile can hold.
 */
int qualify_write_profile(const struct qualify_record *record, const char *path,
			  struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_PROFILE_OUT_H */
