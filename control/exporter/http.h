/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GET /metrics over HTTP by libmicrohttpd, in one thread. It serves the file that the daemon
 * writes, to at most eight connections at a time, each with 16 KiB of memory, five idle seconds and
 * ten seconds in all.
 */
#pragma once

#include "base/log.h"

#define RXAQM_HTTP_LISTEN "127.0.0.1:9752" /* the default */

struct rxaqm_http;

/* Listen on @address, "127.0.0.1:9752" or "[::1]:9752". Return the socket, or -errno with @error.
 */
int rxaqm_http_listen(const char *address, struct rxaqm_error *error);

/* Serve the file @path, in Prometheus' text format, on @socket, which rxaqm_http_stop() closes.
 * @path must stay valid. NULL with @error.
 */
struct rxaqm_http *rxaqm_http_start(int socket, const char *path, struct rxaqm_error *error);

/* Answer requests for @wait_ms. Call it in a loop. */
void rxaqm_http_run(struct rxaqm_http *http, int wait_ms);

/* The port listened on. */
unsigned int rxaqm_http_port(const struct rxaqm_http *http);

/* NULL does nothing. */
void rxaqm_http_stop(struct rxaqm_http *http);
