/* SPDX-License-Identifier: GPL-2.0-only */
/* Which format a client gets (RFC 9110, 12.5.1). */
#ifndef RXAQM_METRICS_ACCEPT_H
#define RXAQM_METRICS_ACCEPT_H

#include "report/metrics_text.h"

/* By the header "Accept" (NULL: there is none): OpenMetrics if it is named, and not liked less
 * than text/plain; else the text format, which all can read.
 */
enum rxaqm_metrics_format rxaqm_metrics_accept(const char *accept);

const char *rxaqm_metrics_content_type(enum rxaqm_metrics_format format);

#endif /* RXAQM_METRICS_ACCEPT_H */
