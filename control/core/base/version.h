/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* The commit, possibly ending in "-dirty"; "": not known. */
extern const char rxaqm_commit[];

/* "VERSION (COMMIT)", or "VERSION" if the commit is not known; under 32 bytes. */
const char *rxaqm_version(void);
