/* SPDX-License-Identifier: GPL-2.0-only */
#include "exporter/listen.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

#include "base/parse.h"

static bool parse_address(const char *listen, struct rxaqm_listen *address)
{
	const char *colon = strrchr(listen, ':');
	size_t len = colon ? (size_t)(colon - listen) : 0;
	char host[INET6_ADDRSTRLEN + 2];
	in_port_t port;
	__u64 number;

	memset(address, 0, sizeof(*address));
	if (!len || len >= sizeof(host) || strlen(colon) > sizeof(":65535") - 1 ||
	    rxaqm_parse_u64(colon + 1, 0, 65535, &number))
		return false;
	port = htons((in_port_t)number);
	memcpy(host, listen, len);
	host[len] = '\0';
	if (host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		address->ip6.sin6_family = AF_INET6;
		address->ip6.sin6_port = port;
		address->len = sizeof(address->ip6);
		return inet_pton(AF_INET6, host + 1, &address->ip6.sin6_addr) == 1;
	}
	address->ip4.sin_family = AF_INET;
	address->ip4.sin_port = port;
	address->len = sizeof(address->ip4);
	return inet_pton(AF_INET, host, &address->ip4.sin_addr) == 1;
}

int rxaqm_listen_parse(const char *text, struct rxaqm_listen *ret_listen, struct rxaqm_error *error)
{
	if (parse_address(text, ret_listen))
		return 0;
	return rxaqm_bad(error,
			 "bad address to listen on, \"%s\": give an address and a port, such as "
			 "127.0.0.1:9752, [::1]:9752, or 0.0.0.0:9752 for all of IPv4",
			 text);
}
