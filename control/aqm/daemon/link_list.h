/* SPDX-License-Identifier: GPL-2.0-only */
/* The interfaces that have a section in the configuration, as they come and go. */
#pragma once

#include "daemon/run.h"

/* Do what is due. */
void rxaqm_run_sync(struct rxaqm_run *run);
struct rxaqm_link *rxaqm_run_link_find(const struct rxaqm_run *run, unsigned int ifindex);
/* The interface is gone; another one may have its index and name now. */
void rxaqm_run_link_removed(struct rxaqm_link *link);
/* A new configuration: check every link again. @old is freed. */
void rxaqm_run_links_reconfigure(struct rxaqm_run *run, struct rxaqm_config *old);
