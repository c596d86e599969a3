/* SPDX-License-Identifier: GPL-2.0-only */
/* The page that is served: the daemon's file, as it is or as OpenMetrics, and its age. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"

#define RXAQM_PAGE_TEXT "text/plain; version=0.0.4; charset=utf-8"
#define RXAQM_PAGE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Read the file @path, and append the gauge rxaqm_metrics_age_seconds. The caller frees it. NULL
 * with @error, a line for the client.
 */
char *rxaqm_page_read(const char *path, bool openmetrics, size_t *ret_bytes,
		      struct rxaqm_error *error);
