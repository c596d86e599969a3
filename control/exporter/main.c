/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxaqm-exporter serves the metrics that "rxaqm run" writes. It is a program of its own, so that
 * nothing that runs as root listens: it reads one file, and needs no privilege.
 */
#include <signal.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "command/options.h"
#include "exporter/http.h"

#define FILE_DEFAULT "/run/rxaqm/metrics.prom"
#define WAIT_MS 1000 /* how often at least to close overdue connections */

static volatile sig_atomic_t stopped;

static void on_signal(int signo)
{
	(void)signo;
	stopped = 1;
}

/* Open the socket to serve on: @address, else systemd's, else the default. */
static int open_socket(const char *address, struct rxaqm_error *error)
{
	if (!address && sd_listen_fds(1) == 1)
		return SD_LISTEN_FDS_START;
	return rxaqm_http_listen(address ? address : RXAQM_HTTP_LISTEN, error);
}

static int serve(const char *address, const char *path, struct rxaqm_error *error)
{
	const struct sigaction stop = { .sa_handler = on_signal };
	int fd = open_socket(address, error);
	struct rxaqm_http *http = fd < 0 ? NULL : rxaqm_http_start(fd, path, error);

	if (!http)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	sd_notify(0, "READY=1");
	fprintf(stderr, "rxaqm-exporter: serves \"%s\" on port %u\n", path, rxaqm_http_port(http));
	while (!stopped)
		rxaqm_http_run(http, WAIT_MS);
	rxaqm_http_stop(http);
	return RXAQM_EXIT_OK;
}

static void print_exit_codes(void)
{
	puts("\nExit codes: 0 done, 1 failed, 2 usage.");
}

int main(int argc, char **argv)
{
	struct args {
		const char *listen;
	} args = {};
	static const struct rxaqm_option options[] = {
		{ "listen", 'l', "ADDRESS:PORT",
		  "Default: the socket that systemd hands over, or " RXAQM_HTTP_LISTEN,
		  RXAQM_WORD(listen) },
		{ 0 },
	};
	static const struct rxaqm_command command = {
		.name = "rxaqm-exporter",
		.args = "[FILE]",
		.help = "Serves the metrics that \"rxaqm run\" writes, FILE (default " FILE_DEFAULT
			"), at /metrics, over HTTP.",
		.more = print_exit_codes,
		.options = options,
		.max_words = 1,
		.no_json = "it prints none",
		.program = true,
	};
	struct rxaqm_error error = {};
	const char *path = *rxaqm_options_read(&command, argc, argv, &args);
	int ret = serve(args.listen, path ?: FILE_DEFAULT, &error);

	if (ret >= 0)
		return ret;
	fprintf(stderr, "rxaqm-exporter: %s\n", error.text);
	return error.exit_code;
}
