/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of exemptions, as typed: ports "22,443", DSCPs "cs1,46,8-10", or "none". 0, -EINVAL (not of
 * the form), -ERANGE (no such port or DSCP) or -E2BIG (too many); @policy is unchanged on error.
 */
#pragma once

#include <stddef.h>

#include "policy.h"

int rxaqm_exempt_parse_ports(const char *s, struct rxaqm_policy *policy);
int rxaqm_exempt_parse_dscp(const char *s, struct rxaqm_policy *policy);

void rxaqm_exempt_format_ports(const struct rxaqm_policy *policy, char *buf, size_t size);
void rxaqm_exempt_format_dscp(const struct rxaqm_policy *policy, char *buf, size_t size);

/* Write the exemptions of @policy in words: "ICMP, ..., exempt_ports=22". Returns @buf. */
#define RXAQM_EXEMPT_WORDS 160
const char *rxaqm_exempt_words(const struct rxaqm_policy *policy, char buf[RXAQM_EXEMPT_WORDS]);
