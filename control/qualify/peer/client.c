/* SPDX-License-Identifier: GPL-2.0-only */
/* The side that asks. */
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/now.h"
#include "nic/nic.h"
#include "qualify/peer/peer.h"

#define HELLO_MS 20000 /* ssh needs time to connect */
#define SLACK_MS 20000 /* beyond the time that sending may take */
#define LOOK_MS 50 /* how often to check whether to stop */
#define MESSAGES_MAX 16384 /* bytes */

/* Pass its messages on to our operator, without control characters and only up to a limit. */
static void pass_on(struct qualify_peer *peer)
{
	char text[4096];
	ssize_t got = read(peer->messages_fd, text, sizeof(text)), i;

	if (got <= 0)
		return;
	/* ssh ends lines as for a terminal. */
	for (i = 0; i < got && peer->nr_messages < MESSAGES_MAX; i++)
		if (text[i] != '\r')
			fputc(text[i], stderr);
	fflush(stderr);
	peer->nr_messages += (size_t)got;
}

/* Give up a peer that broke the protocol or is late: its further answers would belong to earlier
 * requests. Later requests get the first reason.
 */
static int lost(struct qualify_peer *peer, int err, const char *why, struct rxaqm_error *error)
{
	pass_on(peer);
	if (peer->fd >= 0) {
		close(peer->fd);
		snprintf(peer->lost, sizeof(peer->lost), "%s", why);
	}
	peer->fd = -1;
	peer->nr_left = 0;
	peer->asked = false;
	return rxaqm_failed(error, err, "the peer (%s) %s", peer->words, peer->lost);
}

/* Read what comes within @wait_ms. -errno: nothing more will come. */
static int take(struct qualify_peer *peer, int wait_ms)
{
	struct pollfd pollfd[] = { { peer->fd, POLLIN, 0 }, { peer->messages_fd, POLLIN, 0 } };
	ssize_t got;

	if (peer->fd < 0)
		return -EPIPE;
	if (peer->nr_left == sizeof(peer->left))
		return -EMSGSIZE;
	if (poll(pollfd, 2, wait_ms) <= 0)
		return 0;
	if (pollfd[1].revents & POLLIN)
		pass_on(peer);
	if (!pollfd[0].revents) {
		/* The message pipe has ended: poll() would return for it at once, again and again.
		 */
		if (!(pollfd[1].revents & POLLIN))
			poll(pollfd, 1, wait_ms);
		return 0;
	}
	got = read(peer->fd, peer->left + peer->nr_left, sizeof(peer->left) - peer->nr_left);
	peer->nr_left += got > 0 ? (size_t)got : 0;
	return got > 0 ? 0 : -EPIPE;
}

/* 1: a line is there, 0: not within @wait_ms, -errno: none will come. */
static int wait_line(struct qualify_peer *peer, __u64 wait_ms)
{
	__u64 until_ns = rxaqm_now_ns() + wait_ms * RXAQM_NSEC_PER_MSEC;
	int step_ms = wait_ms < LOOK_MS ? (int)wait_ms : LOOK_MS, err;

	while (!memchr(peer->left, '\n', peer->nr_left)) {
		err = take(peer, step_ms);
		if (err)
			return err;
		if (*peer->stop)
			return -EINTR;
		if (rxaqm_ns_reached(rxaqm_now_ns(), peer->until_ns))
			return -ETIMEDOUT;
		if (rxaqm_ns_reached(rxaqm_now_ns(), until_ns))
			return !!memchr(peer->left, '\n', peer->nr_left);
	}
	return 1;
}

/* Note what came, for whoever has to find out where it came from. */
static void note_said(struct qualify_peer *peer)
{
	snprintf(peer->said, sizeof(peer->said), "%.*s", (int)peer->nr_left, peer->left);
	peer->said[strcspn(peer->said, "\r\n")] = '\0';
	rxaqm_clean(peer->said);
}

/* Parse the line that is there; NULL: it is no JSON object. */
static struct json_object *take_line(struct qualify_peer *peer)
{
	char *end = memchr(peer->left, '\n', peer->nr_left);
	struct json_object *answer;

	*end++ = '\0';
	answer = json_tokener_parse(peer->left);
	peer->nr_left -= (size_t)(end - peer->left);
	memmove(peer->left, end, peer->nr_left);
	if (json_object_is_type(answer, json_type_object))
		return answer;
	json_object_put(answer);
	return NULL;
}

/* Something else has written to the connection, most likely the shell there. */
static int lost_to_noise(struct qualify_peer *peer, struct rxaqm_error *error)
{
	char ask[sizeof(peer->host) + 96], why[sizeof(peer->lost)];

	snprintf(ask, sizeof(ask),
		 ": if its login shell prints that, it must not do so for a command; see \"ssh -T %s "
		 "true\"",
		 peer->host);
	snprintf(why, sizeof(why), "sent \"%s\" where an answer was due%s", peer->said,
		 *peer->host ? ask : "");
	return lost(peer, EPROTO, why, error);
}

/* The answer; json_object_put() it. NULL with @error. */
static struct json_object *get_answer(struct qualify_peer *peer, struct rxaqm_error *error)
{
	struct json_object *answer, *why;
	char words[256];
	int err;

	do
		err = wait_line(peer, LOOK_MS);
	while (!err);
	peer->asked = false;
	if (err == -EINTR)
		rxaqm_failed(error, EINTR, "interrupted");
	else if (err == -ETIMEDOUT)
		lost(peer, ETIMEDOUT, "does not answer in time, and is not asked again", error);
	else if (err == -EPIPE)
		lost(peer, EPIPE, "has ended; its own message is above, if it had one", error);
	note_said(peer);
	answer = err > 0 ? take_line(peer) : NULL;
	if (!answer && (err > 0 || err == -EMSGSIZE))
		lost_to_noise(peer, error);
	if (!answer || !json_object_object_get_ex(answer, "error", &why))
		return answer;
	snprintf(words, sizeof(words), "%s", qualify_said_text(answer, "error"));
	rxaqm_clean(words);
	rxaqm_failed(error, EREMOTEIO, "the peer (%s): %s", peer->words, words);
	json_object_put(answer);
	return NULL;
}

/* Send a request that must be answered within @ms. */
static int ask(struct qualify_peer *peer, struct json_object *request, __u32 ms,
	       struct rxaqm_error *error)
{
	const char *line = json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN);
	struct iovec iov[] = { { (void *)line, strlen(line) }, { "\n", 1 } };
	struct msghdr message = { .msg_iov = iov, .msg_iovlen = 2 };
	bool sent;

	/* An answer to an earlier, failed request is still due: drop it. */
	if (peer->asked)
		json_object_put(get_answer(peer, NULL));
	/* The peer reads each line before it answers: the socket has room. */
	sent = sendmsg(peer->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	       (ssize_t)(iov[0].iov_len + 1);
	json_object_put(request);
	peer->asked = sent;
	peer->until_ns = rxaqm_now_ns() + ms * RXAQM_NSEC_PER_MSEC;
	return sent ? 0 :
		      lost(peer, EPIPE, "has ended; its own message is above, if it had one",
			   error);
}

static struct json_object *request_of(const char *name)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "do", json_object_new_string(name));
	return request;
}

static int check_version(struct qualify_peer *peer, const char *version, struct rxaqm_error *error)
{
	char there[32], why[160];

	if (!strcmp(version, RXAQM_VERSION))
		return 0;
	if (!*version)
		return lost_to_noise(peer, error);
	snprintf(there, sizeof(there), "%s", version);
	rxaqm_clean(there);
	snprintf(why, sizeof(why),
		 "has rxaqm %s, and here it is %s; install the same version at both ends", there,
		 RXAQM_VERSION);
	return lost(peer, EPROTO, why, error);
}

static int hello(struct qualify_peer *peer, struct rxaqm_error *error)
{
	int err = ask(peer, request_of("hello"), HELLO_MS, error);
	struct json_object *answer = err ? NULL : get_answer(peer, error);
	char here[64];

	if (!answer)
		return -EPIPE;
	err = check_version(peer, qualify_said_text(answer, "rxaqm"), error);
	if (!err && !qualify_said_mac(answer, "mac", peer->mac))
		err = lost(peer, EPROTO, "sent no MAC address of its own", error);
	snprintf(peer->kernel, sizeof(peer->kernel), "%s", qualify_said_text(answer, "kernel"));
	snprintf(peer->nic, sizeof(peer->nic), "%s", qualify_said_text(answer, "nic"));
	rxaqm_clean(peer->kernel);
	rxaqm_clean(peer->nic);
	rxaqm_first_line(AT_FDCWD, RXAQM_BOOT_ID, here, sizeof(here));
	peer->same_host = *here && !strcmp(qualify_said_text(answer, "boot"), here);
	json_object_put(answer);
	return err;
}

int qualify_peer_open(struct qualify_peer *peer, const char *place, bool here, const char *iface,
		      const volatile int *stop, struct rxaqm_error *error)
{
	int err;

	*peer = (struct qualify_peer){ .fd = -1, .messages_fd = -1, .stop = stop };
	if (here) {
		snprintf(peer->words, sizeof(peer->words), "loopback %.20s", iface);
	} else {
		snprintf(peer->words, sizeof(peer->words), "host %.60s (%.20s)", place, iface);
		snprintf(peer->host, sizeof(peer->host), "%.95s", place);
	}
	err = qualify_peer_spawn(peer, place, here, iface, error);
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
	if (peer->fd >= 0)
		close(peer->fd);
	pass_on(peer);
	close(peer->messages_fd);
	qualify_peer_kill(peer);
}

int qualify_peer_begin(struct qualify_peer *peer, const struct qualify_send *send,
		       struct rxaqm_error *error)
{
	struct json_object *request = request_of("send");

	qualify_say_send(request, send);
	peer->send = *send;
	return ask(peer, request, send->max_ms + SLACK_MS, error);
}

bool qualify_peer_done(struct qualify_peer *peer, int wait_ms)
{
	return !peer->asked || wait_line(peer, (__u64)wait_ms);
}

int qualify_peer_end(struct qualify_peer *peer, struct qualify_sent *sent,
		     struct rxaqm_error *error)
{
	struct json_object *answer = get_answer(peer, error);
	__u64 most_ns = (peer->send.max_ms + SLACK_MS) * RXAQM_NSEC_PER_MSEC;
	int err = 0;

	*sent = (struct qualify_sent){};
	if (!answer)
		return -EPIPE;
	/* Rows use these as counts, indices and divisors. */
	if (!qualify_said_number(answer, "count", 0, peer->send.count, &sent->count) ||
	    !qualify_said_number(answer, "took_ns",
				 sent->count * RXAQM_NSEC_PER_SEC / QUALIFY_SEND_MAX_PPS, most_ns,
				 &sent->took_ns)) {
		*sent = (struct qualify_sent){};
		err = lost(peer, EPROTO,
			   "claims to have sent what it was not asked for, or faster than possible",
			   error);
	}
	json_object_put(answer);
	return err;
}
