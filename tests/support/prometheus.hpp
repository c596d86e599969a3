/* SPDX-License-Identifier: GPL-2.0-only */
/* Debian's Prometheus, installed or unpacked by packaging/unpack-prometheus.sh. */
#ifndef RXAQM_TESTS_PROMETHEUS_HPP
#define RXAQM_TESTS_PROMETHEUS_HPP

#include <string>

/* Path of "prometheus" or "promtool". Skips the test where it is not to be had. */
std::string prometheus_program(const std::string &name);

/* One HTTP request to 127.0.0.1:@port, and all that comes back until the other side closes or
 * nothing comes for @patience_ms. @request without the final blank line.
 */
std::string http(unsigned port, const std::string &request, unsigned patience_ms = 5000);
/* The body of a GET. Throws unless it is answered with 200. */
std::string http_get(unsigned port, const std::string &path, const std::string &header = "");
/* What comes after the headers of an answer. */
std::string http_body(const std::string &answer);

/* A TCP port of 127.0.0.1 that nobody has just now. */
unsigned free_port();

#endif /* RXAQM_TESTS_PROMETHEUS_HPP */
