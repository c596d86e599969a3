/* SPDX-License-Identifier: GPL-2.0-only */
/* Debian's Prometheus, installed or unpacked by packaging/unpack-prometheus.sh. */
#ifndef RXAQM_TESTS_PROMETHEUS_HPP
#define RXAQM_TESTS_PROMETHEUS_HPP

#include <string>

/* The path of "prometheus" or "promtool". Skips the test if it is not available. */
std::string prometheus_program(const std::string &name);

/* Send one HTTP request to 127.0.0.1:@port. Returns all that comes back until the other side
 * closes, or nothing comes for @patience_ms. @request has no final blank line.
 */
std::string http(unsigned port, const std::string &request, unsigned patience_ms = 5000);
/* The body of a GET. Throws unless the status is 200. */
std::string http_get(unsigned port, const std::string &path, const std::string &header = "");
/* The part of an answer after the headers. */
std::string http_body(const std::string &answer);

/* A TCP port of 127.0.0.1 that is free now. */
unsigned free_port();

#endif /* RXAQM_TESTS_PROMETHEUS_HPP */
