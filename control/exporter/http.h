/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GET /metrics over HTTP, by libmicrohttpd, in one thread: serves the file that the daemon writes.
 * Eight connections at a time, each with 16 KiB of memory, five idle seconds and ten in all.
 */
#pragma once

#include "base/log.h"

#define RXAQM_HTTP_LISTEN "127.0.0.1:9752" /* the default */

struct rxaqm_http;

/* A socket that listens on @address, "127.0.0.1:9752" or "[::1]:9752"; -errno with @error. */
int rxaqm_http_listen(const char *address, struct rxaqm_error *error);

/* Serve @path, a page of Prometheus' text format, on @socket, which is closed at the end. @path
 * must stay where it is. NULL with @error.
 */
struct rxaqm_http *rxaqm_http_start(int socket, const char *path, struct rxaqm_error *error);

/* Answer the requests that come within @wait_ms. To be called in a loop. */
void rxaqm_http_run(struct rxaqm_http *http, int wait_ms);

/* The port listened on. */
unsigned int rxaqm_http_port(const struct rxaqm_http *http);

/* Safe on NULL. */
void rxaqm_http_stop(struct rxaqm_http *http);
