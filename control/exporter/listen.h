/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse an address and port to listen on. */
#pragma once

#include <netinet/in.h>

#include "base/log.h"

struct rxaqm_listen {
	union {
		struct sockaddr any;
		struct sockaddr_in ip4;
		struct sockaddr_in6 ip6;
	};
	socklen_t len;
};

/* "127.0.0.1:9752", "[::1]:9752", "0.0.0.0:9752"; port 0: any. -EINVAL with @error. */
int rxaqm_listen_parse(const char *text, struct rxaqm_listen *ret_listen,
		       struct rxaqm_error *error);
