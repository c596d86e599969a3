/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages to the operator, on stderr: "rxaqm: ...". Commands (cmd_*.c, main.c) log;
 * everything below them returns -errno and, where words help, a struct rxaqm_error.
 */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

/* Exit codes, documented in rxaqm(8). */
enum rxaqm_exit {
	RXAQM_EXIT_OK = 0,
	RXAQM_EXIT_FAILED = 1,
	RXAQM_EXIT_USAGE = 2, /* also: bad values in files */
	RXAQM_EXIT_UNSUPPORTED = 3, /* kernel or NIC cannot */
	RXAQM_EXIT_NOT_ATTACHED = 4,
	RXAQM_EXIT_FINDINGS = 5, /* doctor: a cause; qualify: a NIC that fails; trial: harm */
	RXAQM_EXIT_UNKNOWN = 6, /* qualify: too little was measured for a verdict */
};

/* Why something failed, in words for the operator: what failed, where, and the remedy. */
struct rxaqm_error {
	enum rxaqm_exit exit_code;
	int err; /* errno, positive */
	char text[1024];
	unsigned int more; /* errors that had no room in it */
};

/* Fill in @error (may be NULL) and return -@err, so that a function can return the result. */
int rxaqm_error_set(struct rxaqm_error *error, enum rxaqm_exit exit_code, int err, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));

/* Add the text of @one to that of @all as a line, or count it if there is no room. The first one
 * gives the exit code. Returns -errno of the first.
 */
int rxaqm_error_join(struct rxaqm_error *all, const struct rxaqm_error *one);

/* Add a line to the text, for something that the operator should know though it went well. */
void rxaqm_error_add(struct rxaqm_error *error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For values that somebody has typed, or written into a file. */
#define rxaqm_bad(error, ...) rxaqm_error_set(error, RXAQM_EXIT_USAGE, EINVAL, __VA_ARGS__)
/* For a failure with @err, an errno; for a lack of memory. */
#define rxaqm_failed(error, err, ...) rxaqm_error_set(error, RXAQM_EXIT_FAILED, err, __VA_ARGS__)
#define rxaqm_no_memory(error) rxaqm_failed(error, ENOMEM, "out of memory")

/* Print each line of @text to stderr, with @before in front. */
void rxaqm_log_lines(const char *before, const char *text);
void rxaqm_log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define rxaqm_log_notice rxaqm_log_error /* looks the same; the exit code differs */

/* Log @error and return the exit code it asks for. */
int rxaqm_log_failure(const struct rxaqm_error *error);

/* Route libbpf's and libxdp's own messages to stderr if RXAQM_DEBUG is set, else nowhere. The
 * kernel's reason for a refusal is kept.
 */
void rxaqm_log_libraries(void);
/* The log of the verifier that libbpf is to ask for. If it asks for none, it has a program that is
 * refused, for whatever reason, verified once more with a log, which may take half a minute. So
 * only RXAQM_DEBUG leaves that to libbpf; else the verifier counts its steps, which nobody reads.
 */
unsigned int rxaqm_log_verifier(void);
const char *rxaqm_log_kernel_message(void); /* "" if there was none */
void rxaqm_log_forget_kernel_message(void);
