/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GET /metrics over HTTP, by libmicrohttpd, inside the caller's event loop: no threads. Few
 * connections at a time, each with little memory, five idle seconds and ten in all; renderings that
 * are asked for within a quarter of a second are one.
 */
#ifndef RXAQM_METRICS_HTTP_H
#define RXAQM_METRICS_HTTP_H

#include "report/metrics.h"

#define RXAQM_METRICS_LISTEN "127.0.0.1:9752" /* the default */

struct rxaqm_metrics_http;

/* Listen. @metrics must stay where it is until the end. NULL with @error. */
struct rxaqm_metrics_http *rxaqm_metrics_http_start(const char *listen,
						    const struct rxaqm_metrics *metrics,
						    struct rxaqm_error *error);

/* Poll this for input; then, and every second or so (time-outs), dispatch. Never blocks. */
int rxaqm_metrics_http_fd(const struct rxaqm_metrics_http *http);
void rxaqm_metrics_http_dispatch(struct rxaqm_metrics_http *http);

/* The port listened on. */
unsigned int rxaqm_metrics_http_port(const struct rxaqm_metrics_http *http);

/* Safe on NULL. */
void rxaqm_metrics_http_stop(struct rxaqm_metrics_http *http);

#endif /* RXAQM_METRICS_HTTP_H */
