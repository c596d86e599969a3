/* SPDX-License-Identifier: GPL-2.0-only */
#include "command/program.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "state/state.h"

/* At any exit, also that of --help: output that did not arrive is an error. */
static void check_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	rxaqm_log_error("cannot write to standard output");
	_exit(RXAQM_EXIT_FAILED);
}

void rxaqm_program_begin(void)
{
	rxaqm_clean_output();
	rxaqm_log_libraries();
	atexit(check_output);
}

int rxaqm_program_main(int argc, char **argv,
		       int (*run)(int argc, char **argv, struct rxaqm_error *error))
{
	struct rxaqm_error error = {};
	int ret;

	rxaqm_program_begin();
	ret = rxaqm_state_check_path(&error) ?: run(argc, argv, &error);
	return ret < 0 ? rxaqm_log_failure(&error) : ret;
}

int rxaqm_program_exec(const char *name, char *const argv[])
{
	char path[PATH_MAX + NAME_MAX + 1];
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX);

	while (len > 0 && path[len - 1] != '/')
		len--;
	if (len > 0) {
		snprintf(path + len, sizeof(path) - (size_t)len, "%s", name);
		execv(path, argv);
		if (errno != ENOENT)
			return -errno;
	}
	execvp(name, argv);
	return -errno;
}

volatile int rxaqm_stop;

static void on_signal(int signal)
{
	(void)signal;
	rxaqm_stop = 1;
}

void rxaqm_stop_at(int signal)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(signal, &action, NULL);
}
