/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxaqm-exporter serves the metrics that "rxaqm run" writes. It is a program of its own, so that
 * nothing that runs as root listens: it reads one file, and needs no privilege.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "base/version.h"
#include "exporter/http.h"

#define FILE_DEFAULT "/run/rxaqm/metrics.prom"
#define WAIT_MS 1000 /* how often at least to close overdue connections */

static volatile sig_atomic_t stopped;

static void on_signal(int signo)
{
	(void)signo;
	stopped = 1;
}

static void print_usage(void)
{
	puts("Usage: rxaqm-exporter [--listen ADDRESS:PORT] [FILE]\n\n"
	     "Serves the metrics that \"rxaqm run\" writes, at /metrics, over HTTP.\n"
	     "FILE: " FILE_DEFAULT " by default.\n\n"
	     "  -l, --listen ADDRESS:PORT  default: the socket that systemd hands over, or\n"
	     "                             " RXAQM_HTTP_LISTEN "\n"
	     "  -h, --help\n"
	     "  -V, --version\n\n"
	     "Exit codes: 0 done, 1 failed, 2 usage.");
}

static int usage_error(const char *why, const char *word)
{
	fprintf(stderr, "rxaqm-exporter: %s: \"%s\"; see \"rxaqm-exporter --help\"\n", why, word);
	return RXAQM_EXIT_USAGE;
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

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	const char *address = NULL, *path = FILE_DEFAULT;
	struct rxaqm_error error = {};
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "l:hV", options, NULL)) != -1) {
		switch (option) {
		case 'l':
			address = optarg;
			break;
		case 'h':
			print_usage();
			return RXAQM_EXIT_OK;
		case 'V':
			rxaqm_print_version("rxaqm-exporter");
			return RXAQM_EXIT_OK;
		default:
			return usage_error("there is no such option, or its value is missing",
					   argv[optind - 1]);
		}
	}
	if (argc - optind > 1)
		return usage_error("there is one FILE at most", argv[optind + 1]);
	if (optind < argc)
		path = argv[optind];
	ret = serve(address, path, &error);
	if (ret >= 0)
		return ret;
	fprintf(stderr, "rxaqm-exporter: %s\n", error.text);
	return error.exit_code;
}
