/* SPDX-License-Identifier: GPL-2.0-only */
#include "exporter/http.h"

#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exporter/listen.h"
#include "base/now.h"
#include "exporter/page.h"

/* One or two Prometheus servers scrape every few seconds, each by one connection. */
#define CONNECTIONS 8
#define CONNECTION_BYTES 16384
#define TIMEOUT_S 5
/* The idle time above restarts with each byte; this limits the whole connection. */
#define DEADLINE_NS (10 * RXAQM_NSEC_PER_SEC)
#define BACKLOG 16

struct client {
	int fd;
	__u64 since_ns; /* 0: no connection */
};

struct rxaqm_http {
	const char *path;
	struct MHD_Daemon *daemon;
	struct client client[CONNECTIONS];
};

static int cannot_listen(const char *what, int err, struct rxaqm_error *error)
{
	if (err == EADDRINUSE)
		return rxaqm_failed(error, err,
				    "cannot serve metrics on \"%s\": %s; \"ss -ltnp sport = :%s\" "
				    "shows who has it; end that, or choose another port",
				    what, strerror(err), strrchr(what, ':') + 1);
	return rxaqm_failed(
		error, err, "cannot serve metrics on \"%s\": %s; %s", what, strerror(err),
		err == EADDRNOTAVAIL ?
			"no interface of this host has the address; \"ip address\" shows them" :
		err == EACCES ? "choose a port over 1023" :
				"choose another address");
}

/* Create the listening socket here: libmicrohttpd does not say why it fails. */
int rxaqm_http_listen(const char *address, struct rxaqm_error *error)
{
	struct rxaqm_listen on;
	int fd, err, one = 1;

	err = rxaqm_listen_parse(address, &on, error);
	if (err)
		return err;
	fd = socket(on.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return cannot_listen(address, errno, error);
	/* After a restart do not wait for the connections of the last run. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, &on.any, on.len) && !listen(fd, BACKLOG))
		return fd;
	err = errno;
	close(fd);
	return cannot_listen(address, err, error);
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, const char *text)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = MHD_create_response_from_buffer(strlen(text), (void *)text,
						   MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_page(struct rxaqm_http *http, struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);
	bool openmetrics = accept && strstr(accept, "application/openmetrics-text");
	struct rxaqm_error error = {};
	struct MHD_Response *response;
	enum MHD_Result result;
	size_t bytes;
	char *page = rxaqm_page_read(http->path, openmetrics, &bytes, &error);

	/* An error instead of an empty page, which would look like a host without queues. */
	if (!page)
		return answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain", error.text);
	response = MHD_create_response_from_buffer(bytes, page, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(page);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				openmetrics ? RXAQM_PAGE_OPENMETRICS : RXAQM_PAGE_TEXT);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **request)
{
	static const char index[] = "<!DOCTYPE html><title>rxaqm</title><h1>rxaqm</h1>"
				    "<p><a href=\"/metrics\">Metrics</a>\n";

	(void)version, (void)upload, (void)upload_bytes, (void)request;
	/* Answer at once: then libmicrohttpd closes the connection and does not read a body. */
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			      "only GET and HEAD\n");
	if (!strcmp(url, "/"))
		return answer(connection, MHD_HTTP_OK, "text/html", index);
	if (strcmp(url, "/metrics"))
		return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain",
			      "there is only /metrics\n");
	return answer_page(arg, connection);
}

/* Note each connection and when it began. */
static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct rxaqm_http *http = arg;
	struct client *client = *context;
	const union MHD_ConnectionInfo *info;
	unsigned int i;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (client)
			client->since_ns = 0;
		return;
	}
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	for (i = 0; info && i < CONNECTIONS; i++) {
		client = &http->client[i];
		if (client->since_ns)
			continue;
		*client = (struct client){ info->connect_fd, rxaqm_now_ns() };
		*context = client;
		return;
	}
}

/* Shut down overdue connections: libmicrohttpd then sees their end and closes them. */
static void end_overdue(const struct rxaqm_http *http)
{
	__u64 now_ns = rxaqm_now_ns();
	unsigned int i;

	for (i = 0; i < CONNECTIONS; i++)
		if (http->client[i].since_ns &&
		    rxaqm_ns_since(now_ns, http->client[i].since_ns) > DEADLINE_NS)
			shutdown(http->client[i].fd, SHUT_RDWR);
}

/* Errors of clients do not belong into a log. */
static void be_silent(void *arg, const char *fmt, va_list args)
{
	(void)arg, (void)fmt, (void)args;
}

struct rxaqm_http *rxaqm_http_start(int socket, const char *path, struct rxaqm_error *error)
{
	struct rxaqm_http *http = calloc(1, sizeof(*http));

	if (http) {
		http->path = path;
		/* Now the daemon owns the socket. */
		http->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL,
						handle, http, MHD_OPTION_EXTERNAL_LOGGER, be_silent,
						NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
						http, MHD_OPTION_LISTEN_SOCKET, socket,
						MHD_OPTION_CONNECTION_LIMIT,
						(unsigned int)CONNECTIONS,
						MHD_OPTION_CONNECTION_MEMORY_LIMIT,
						(size_t)CONNECTION_BYTES,
						MHD_OPTION_CONNECTION_TIMEOUT,
						(unsigned int)TIMEOUT_S, MHD_OPTION_END);
	}
	if (http && http->daemon)
		return http;
	close(socket);
	free(http);
	rxaqm_failed(error, ENOMEM,
		     "libmicrohttpd %s does not start; it needs epoll, and file descriptors "
		     "(\"ulimit -n\")",
		     MHD_get_version());
	return NULL;
}

void rxaqm_http_run(struct rxaqm_http *http, int wait_ms)
{
	/* Not MHD_run_wait(): libmicrohttpd has it only from 0.9.74 on. */
	struct pollfd ready = {
		.fd = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
		.events = POLLIN,
	};
	MHD_UNSIGNED_LONG_LONG due_ms;

	end_overdue(http);
	if (MHD_get_timeout(http->daemon, &due_ms) == MHD_YES && due_ms < (unsigned int)wait_ms)
		wait_ms = (int)due_ms;
	poll(&ready, 1, wait_ms);
	MHD_run(http->daemon);
}

unsigned int rxaqm_http_port(const struct rxaqm_http *http)
{
	return MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void rxaqm_http_stop(struct rxaqm_http *http)
{
	if (!http)
		return;
	MHD_stop_daemon(http->daemon);
	free(http);
}
