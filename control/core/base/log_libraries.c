/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of libbpf and libxdp themselves. */
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xdp/libxdp.h>

#include "base/log.h"

static bool debug;
static char kernel_message[256];

static int print_library(const char *fmt, va_list args)
{
	/* After these words libbpf prints the netlink extended acknowledgement. */
	static const char mark[] = "Kernel error message: ";
	char text[512], *found;
	va_list copy;
	int len;

	va_copy(copy, args);
	len = vsnprintf(text, sizeof(text), fmt, copy);
	va_end(copy);
	found = strstr(text, mark);
	if (found) {
		found += sizeof(mark) - 1;
		snprintf(kernel_message, sizeof(kernel_message), "%.*s", (int)strcspn(found, "\n"),
			 found);
	}
	/* Not from the copy above: verifier logs are far longer. */
	return debug ? vfprintf(stderr, fmt, args) : len;
}

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	return print_library(fmt, args);
}

static int print_libxdp(enum libxdp_print_level level, const char *fmt, va_list args)
{
	(void)level;
	return print_library(fmt, args);
}

void rxaqm_log_libraries(void)
{
	debug = getenv("RXAQM_DEBUG") != NULL;
	libbpf_set_print(print_libbpf);
	libxdp_set_print(print_libxdp);
}

#define LOG_STATS 4 /* BPF_LOG_STATS of the kernel's bpf_verifier.h */

unsigned int rxaqm_log_verifier(void)
{
	return debug ? 0 : LOG_STATS;
}

const char *rxaqm_log_kernel_message(void)
{
	return kernel_message;
}

void rxaqm_log_forget_kernel_message(void)
{
	kernel_message[0] = '\0';
}
