/* SPDX-License-Identifier: GPL-2.0-only */
/* The asking side. */
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "nic/nic.h"
#include "qualify/peer/peer.h"

#define HELLO_MS 20000 /* ssh may ask for a passphrase */
#define SLACK_MS 10000 /* beyond the time that sending may take */
#define MAX_ARGS 9

static int lost(const struct qualify_peer *peer, const char *why, struct rxaqm_error *error)
{
	return rxaqm_failed(error, EPIPE,
			    "the peer (%s) %s; its own message is above, if it had one",
			    peer->words, why);
}

static int spawn(struct qualify_peer *peer, char *const argv[], struct rxaqm_error *error)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return rxaqm_failed(error, errno, "socketpair: %s", strerror(errno));
	peer->pid = fork();
	if (!peer->pid) {
		/* Ctrl-C is the parent's: the child ends with its standard input. */
		setpgid(0, 0);
		dup2(fds[1], STDIN_FILENO);
		dup2(fds[1], STDOUT_FILENO);
		if (!strcmp(argv[0], "rxaqm"))
			execv("/proc/self/exe", argv);
		else
			execvp(argv[0], argv);
		_exit(127);
	}
	close(fds[1]);
	peer->to = peer->from = fds[0];
	if (peer->pid > 0)
		return 0;
	peer->pid = 0;
	close(fds[0]);
	return rxaqm_failed(error, errno, "fork: %s", strerror(errno));
}

/* A line of what came, if there is a whole one; NULL: not yet. */
static char *whole_line(struct qualify_peer *peer)
{
	char *end = memchr(peer->left, '\n', peer->nr_left);

	if (end)
		*end = '\0';
	return end ? peer->left : NULL;
}

/* 1 a line is there, 0 not within @wait_ms, -errno the peer is gone. */
static int wait_line(struct qualify_peer *peer, int wait_ms)
{
	__u64 until_ns = rxaqm_now_ns() + (__u64)wait_ms * RXAQM_NSEC_PER_MSEC;
	struct pollfd pollfd = { peer->from, POLLIN, 0 };
	ssize_t got;

	while (!memchr(peer->left, '\n', peer->nr_left)) {
		__u64 left_ns = rxaqm_ns_since(until_ns, rxaqm_now_ns());

		if (peer->nr_left == sizeof(peer->left))
			return -EMSGSIZE;
		if (poll(&pollfd, 1,
			 (int)((left_ns + RXAQM_NSEC_PER_MSEC - 1) / RXAQM_NSEC_PER_MSEC)) <= 0) {
			if (!left_ns)
				return 0;
			continue;
		}
		got = read(peer->from, peer->left + peer->nr_left,
			   sizeof(peer->left) - peer->nr_left);
		if (got <= 0)
			return -EPIPE;
		peer->nr_left += (size_t)got;
	}
	return 1;
}

/* The answer, to be put; NULL with @error. */
static struct json_object *get_answer(struct qualify_peer *peer, int wait_ms,
				      struct rxaqm_error *error)
{
	struct json_object *answer = NULL, *why;
	int err = wait_line(peer, wait_ms);
	char *line = err > 0 ? whole_line(peer) : NULL;

	peer->asked = false;
	if (!line) {
		lost(peer, err ? "has ended" : "does not answer", error);
		return NULL;
	}
	answer = json_tokener_parse(line);
	peer->nr_left -= strlen(line) + 1;
	memmove(peer->left, line + strlen(line) + 1, peer->nr_left);
	if (!json_object_is_type(answer, json_type_object)) {
		lost(peer, "said what is no answer", error);
	} else if (json_object_object_get_ex(answer, "error", &why)) {
		rxaqm_failed(error, EREMOTEIO, "the peer (%s): %s", peer->words,
			     json_object_get_string(why));
	} else {
		return answer;
	}
	json_object_put(answer);
	return NULL;
}

static int put_request(struct qualify_peer *peer, struct json_object *request,
		       struct rxaqm_error *error)
{
	const char *line = json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN);
	size_t size = strlen(line);
	bool sent = send(peer->to, line, size, MSG_NOSIGNAL) == (ssize_t)size &&
		    send(peer->to, "\n", 1, MSG_NOSIGNAL) == 1;

	json_object_put(request);
	peer->asked = sent;
	return sent ? 0 : lost(peer, "has ended", error);
}

static struct json_object *request_of(const char *name)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "do", json_object_new_string(name));
	return request;
}

static void put_number(struct json_object *request, const char *key, __u32 value)
{
	if (value)
		json_object_object_add(request, key, json_object_new_int64(value));
}

static __u64 get_number(struct json_object *answer, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(answer, key, &value) ?
		       (__u64)json_object_get_int64(value) :
		       0;
}

static bool is_boot_here(const char *boot)
{
	char here[64];

	return *boot &&
	       !strcmp(boot, rxaqm_first_line(AT_FDCWD, QUALIFY_BOOT_ID, here, sizeof(here)));
}

static int hello(struct qualify_peer *peer, struct rxaqm_error *error)
{
	struct json_object *answer, *mac, *boot;
	const char *words;
	__u8 *m = peer->mac;
	int err = put_request(peer, request_of("hello"), error);

	answer = err ? NULL : get_answer(peer, HELLO_MS, error);
	if (!answer)
		return -EPIPE;
	words = json_object_object_get_ex(answer, "mac", &mac) ? json_object_get_string(mac) : "";
	if (sscanf(words, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &m[0], &m[1], &m[2], &m[3], &m[4],
		   &m[5]) != 6)
		err = lost(peer, "told no MAC address", error);
	peer->same_host = json_object_object_get_ex(answer, "boot", &boot) &&
			  is_boot_here(json_object_get_string(boot));
	peer->mtu = (__u32)get_number(answer, "mtu");
	peer->cpus = (__u32)get_number(answer, "cpus");
	json_object_put(answer);
	return err;
}

int qualify_peer_open(struct qualify_peer *peer, const char *host, const char *netns,
		      const char *ifname, const char *local, struct rxaqm_error *error)
{
	char there[300], iface[32];
	char *argv[MAX_ARGS] = {};
	int n = 0, err;

	*peer = (struct qualify_peer){};
	if (snprintf(there, sizeof(there), "%s", host ? host : "") >= (int)sizeof(there))
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENAMETOOLONG,
				       "--peer: no host has so long a name");
	snprintf(iface, sizeof(iface), "%.31s", host ? local : ifname);
	if (strchr(there, '/')) {
		snprintf(iface, sizeof(iface), "%.20s", strchr(there, '/') + 1);
		*strchr(there, '/') = '\0';
	}
	if (host) {
		argv[n++] = "ssh";
		argv[n++] = "--";
		argv[n++] = there;
	}
	argv[n++] = "rxaqm";
	if (!host) {
		argv[n++] = "--netns";
		argv[n++] = (char *)netns;
	}
	argv[n++] = "qualify";
	argv[n++] = "--serve";
	argv[n++] = iface;
	if (host)
		snprintf(peer->words, sizeof(peer->words), "host %.60s (%.20s)", there, iface);
	else
		snprintf(peer->words, sizeof(peer->words), "loopback %.20s", iface);
	err = spawn(peer, argv, error);
	if (!err)
		err = hello(peer, error);
	if (err)
		qualify_peer_close(peer);
	return err;
}

void qualify_peer_close(struct qualify_peer *peer)
{
	if (peer->pid <= 0)
		return;
	close(peer->to);
	/* It notices the end of its input after what it is at; nobody waits for that. */
	kill(peer->pid, SIGTERM);
	waitpid(peer->pid, NULL, 0);
	peer->pid = 0;
}

int qualify_peer_avoid(struct qualify_peer *peer, unsigned int cpu, struct rxaqm_error *error)
{
	struct json_object *request = request_of("avoid"), *answer;
	int err;

	json_object_object_add(request, "cpu", json_object_new_int64(cpu));
	err = put_request(peer, request, error);
	answer = err ? NULL : get_answer(peer, SLACK_MS, error);
	json_object_put(answer);
	return answer ? 0 : -error->err;
}

int qualify_peer_begin(struct qualify_peer *peer, const struct qualify_send *send,
		       struct rxaqm_error *error)
{
	struct json_object *request = request_of("send");
	const __u8 *m = send->to;
	char mac[18];

	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
		 m[5]);
	json_object_object_add(request, "to", json_object_new_string(mac));
	json_object_object_add(request, "kind", json_object_new_string(qualify_kinds[send->kind]));
	put_number(request, "size", send->size);
	put_number(request, "count", send->count);
	put_number(request, "first", send->first);
	put_number(request, "flows", send->flows);
	put_number(request, "first_flow", send->first_flow);
	put_number(request, "pps", send->pps);
	put_number(request, "burst", send->burst);
	put_number(request, "max_ms", send->max_ms);
	return put_request(peer, request, error);
}

bool qualify_peer_done(struct qualify_peer *peer, int wait_ms)
{
	return !peer->asked || wait_line(peer, wait_ms);
}

int qualify_peer_end(struct qualify_peer *peer, struct qualify_sent *sent,
		     struct rxaqm_error *error)
{
	struct json_object *answer = get_answer(peer, 60000 + SLACK_MS, error);

	*sent = (struct qualify_sent){};
	if (!answer)
		return -EPIPE;
	sent->count = get_number(answer, "count");
	sent->took_ns = get_number(answer, "took_ns");
	json_object_put(answer);
	return 0;
}
