/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon/metrics_http.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/now.h"
#include "base/listen.h"

/* A scrape is one connection every few seconds, from one or two Prometheus servers. */
#define CONNECTIONS 8
#define CONNECTION_BYTES 16384
#define TIMEOUT_S 5
/* Each byte makes the time above begin anew: this is for a connection in all. */
#define DEADLINE_NS (10 * RXAQM_NSEC_PER_SEC)
#define BACKLOG 16
/* Requests that come closer together get the same page: it bounds what they can cost. */
#define SHARED_NS (250 * RXAQM_NSEC_PER_MSEC)

struct client {
	int fd;
	__u64 since_ns; /* 0: nobody */
};

struct rxaqm_metrics_http {
	const struct rxaqm_metrics *metrics;
	struct MHD_Daemon *daemon;
	struct MHD_Response *page; /* the last one of metrics; NULL: none */
	__u64 page_ns; /* when it was made */
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

/* A listening socket of our own, since libmicrohttpd does not say why it has none. */
static int open_socket(const char *listen_on, const struct rxaqm_listen *address,
		       struct rxaqm_error *error)
{
	int fd, err, one = 1;

	fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return cannot_listen(listen_on, errno, error);
	/* A restart need not wait for the connections of the run before. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, &address->any, address->len) && !listen(fd, BACKLOG))
		return fd;
	err = errno;
	close(fd);
	return cannot_listen(listen_on, err, error);
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, const char *text)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = MHD_create_response_from_buffer(strlen(text), (void *)text,
						   MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static void forget_page(struct rxaqm_metrics_http *http)
{
	if (http->page)
		MHD_destroy_response(http->page);
	http->page = NULL;
}

static struct MHD_Response *metrics_page(struct rxaqm_metrics_http *http)
{
	__u64 now_ns = rxaqm_now_ns();
	size_t bytes;
	char *text;

	if (http->page && rxaqm_ns_since(now_ns, http->page_ns) < SHARED_NS)
		return http->page;
	forget_page(http);
	text = rxaqm_metrics_render(http->metrics, &bytes);
	if (!text)
		return NULL;
	http->page = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
	if (!http->page) {
		free(text);
		return NULL;
	}
	http->page_ns = now_ns;
	MHD_add_response_header(http->page, MHD_HTTP_HEADER_CONTENT_TYPE,
				RXAQM_METRICS_CONTENT_TYPE);
	return http->page;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **request)
{
	static const char index[] = "<!DOCTYPE html><title>rxaqm</title><h1>rxaqm</h1>"
				    "<p><a href=\"/metrics\">Metrics</a>\n";
	struct MHD_Response *page;

	(void)version, (void)upload, (void)upload_bytes, (void)request;
	/* Answered at once: libmicrohttpd then closes rather than read what a body there is. */
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			      "only GET and HEAD\n");
	if (!strcmp(url, "/"))
		return answer(connection, MHD_HTTP_OK, "text/html", index);
	if (strcmp(url, "/metrics"))
		return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain",
			      "there is only /metrics\n");
	page = metrics_page(arg);
	if (page)
		return MHD_queue_response(connection, MHD_HTTP_OK, page);
	return answer(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain",
		      "no memory to render the metrics\n");
}

/* Who is connected, and since when. */
static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct rxaqm_metrics_http *http = arg;
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

/* libmicrohttpd finds such connections at their end, and closes them. */
static void end_overdue(const struct rxaqm_metrics_http *http)
{
	__u64 now_ns = rxaqm_now_ns();
	unsigned int i;

	for (i = 0; i < CONNECTIONS; i++)
		if (http->client[i].since_ns &&
		    rxaqm_ns_since(now_ns, http->client[i].since_ns) > DEADLINE_NS)
			shutdown(http->client[i].fd, SHUT_RDWR);
}

/* What clients do wrong is not for the log of a daemon. */
static void be_silent(void *arg, const char *fmt, va_list args)
{
	(void)arg, (void)fmt, (void)args;
}

struct rxaqm_metrics_http *rxaqm_metrics_http_start(const char *listen,
						    const struct rxaqm_metrics *metrics,
						    struct rxaqm_error *error)
{
	struct rxaqm_metrics_http *http;
	struct rxaqm_listen address;
	int fd;

	if (rxaqm_listen_parse(listen, &address, error))
		return NULL;
	fd = open_socket(listen, &address, error);
	if (fd < 0)
		return NULL;
	http = calloc(1, sizeof(*http));
	if (http) {
		http->metrics = metrics;
		/* The daemon has the socket from here on. */
		http->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL,
						handle, http, MHD_OPTION_EXTERNAL_LOGGER, be_silent,
						NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
						http, MHD_OPTION_LISTEN_SOCKET, fd,
						MHD_OPTION_CONNECTION_LIMIT,
						(unsigned int)CONNECTIONS,
						MHD_OPTION_CONNECTION_MEMORY_LIMIT,
						(size_t)CONNECTION_BYTES,
						MHD_OPTION_CONNECTION_TIMEOUT,
						(unsigned int)TIMEOUT_S, MHD_OPTION_END);
	}
	if (http && http->daemon)
		return http;
	close(fd);
	free(http);
	rxaqm_failed(error, ENOMEM,
		     "cannot serve metrics on \"%s\": libmicrohttpd %s does not start; it needs "
		     "epoll, and file descriptors (\"ulimit -n\")",
		     listen, MHD_get_version());
	return NULL;
}

int rxaqm_metrics_http_fd(const struct rxaqm_metrics_http *http)
{
	return MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

unsigned int rxaqm_metrics_http_port(const struct rxaqm_metrics_http *http)
{
	return MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void rxaqm_metrics_http_dispatch(struct rxaqm_metrics_http *http)
{
	end_overdue(http);
	MHD_run(http->daemon);
}

void rxaqm_metrics_http_stop(struct rxaqm_metrics_http *http)
{
	if (!http)
		return;
	MHD_stop_daemon(http->daemon);
	forget_page(http);
	free(http);
}
