/* SPDX-License-Identifier: GPL-2.0-only */
/* The serving side. */
#include <fcntl.h>
#include <json-c/json.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic/nic.h"
#include "qualify/peer/peer.h"

#define LINE_MAX_LEN 4096

struct serving {
	const char *ifname;
	struct qualify_sender sender;
	volatile int stop;
};

static __u32 number(struct json_object *request, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(request, key, &value) ?
		       (__u32)json_object_get_int64(value) :
		       0;
}

static const char *text(struct json_object *request, const char *key)
{
	struct json_object *value;
	const char *at = json_object_object_get_ex(request, key, &value) ?
				 json_object_get_string(value) :
				 NULL;

	return at ? at : "";
}

static int fail(struct json_object *answer, const char *what)
{
	json_object_object_add(answer, "error", json_object_new_string(what));
	return 0;
}

static void put_mac(struct json_object *answer, const __u8 *mac)
{
	char words[18];

	snprintf(words, sizeof(words), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	json_object_object_add(answer, "mac", json_object_new_string(words));
}

static int hello(struct serving *serving, struct json_object *request, struct json_object *answer)
{
	struct ifreq ifr = {};
	char boot[64];

	(void)request;
	rxaqm_first_line(AT_FDCWD, QUALIFY_BOOT_ID, boot, sizeof(boot));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%.15s", serving->ifname);
	if (ioctl(serving->sender.fd, SIOCGIFMTU, &ifr))
		return fail(answer, strerror(errno));
	json_object_object_add(answer, "rxaqm", json_object_new_string(RXAQM_VERSION));
	json_object_object_add(answer, "boot", json_object_new_string(boot));
	put_mac(answer, serving->sender.mac);
	json_object_object_add(answer, "mtu", json_object_new_int(ifr.ifr_mtu));
	json_object_object_add(answer, "cpus",
			       json_object_new_int64(sysconf(_SC_NPROCESSORS_ONLN)));
	return 0;
}

static int avoid(struct serving *serving, struct json_object *request, struct json_object *answer)
{
	__u32 cpu = number(request, "cpu");
	cpu_set_t cpus;

	(void)serving;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) || cpu >= CPU_SETSIZE)
		return fail(answer, "no such CPU");
	CPU_CLR(cpu, &cpus);
	if (!CPU_COUNT(&cpus) || sched_setaffinity(0, sizeof(cpus), &cpus))
		return fail(answer, "there is no other CPU");
	return 0;
}

static int do_send(struct serving *serving, struct json_object *request, struct json_object *answer)
{
	struct qualify_send send = {
		.size = number(request, "size"),
		.count = number(request, "count"),
		.first = number(request, "first"),
		.flows = number(request, "flows"),
		.first_flow = number(request, "first_flow"),
		.pps = number(request, "pps"),
		.burst = number(request, "burst"),
		.max_ms = number(request, "max_ms"),
	};
	const char *kind = text(request, "kind");
	struct rxaqm_error error = {};
	struct qualify_sent sent;
	int i;

	for (i = 0; qualify_kinds[i] && strcmp(qualify_kinds[i], kind); i++)
		;
	if (!qualify_kinds[i])
		return fail(answer, "no such kind of frames");
	send.kind = (enum qualify_kind)i;
	if (sscanf(text(request, "to"), "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &send.to[0], &send.to[1],
		   &send.to[2], &send.to[3], &send.to[4], &send.to[5]) != 6)
		return fail(answer, "\"to\" is no MAC address");
	if (qualify_sender_send(&serving->sender, &send, &serving->stop, &sent, &error))
		return fail(answer, error.text);
	json_object_object_add(answer, "count", json_object_new_int64((int64_t)sent.count));
	json_object_object_add(answer, "took_ns", json_object_new_int64((int64_t)sent.took_ns));
	return 0;
}

static void answer_line(struct serving *serving, const char *line, FILE *out)
{
	static const struct {
		const char *name;
		int (*run)(struct serving *serving, struct json_object *request,
			   struct json_object *answer);
	} requests[] = { { "hello", hello }, { "avoid", avoid }, { "send", do_send } };
	struct json_object *request = json_tokener_parse(line), *answer = json_object_new_object();
	const char *name = request ? text(request, "do") : "";
	size_t i, nr = sizeof(requests) / sizeof(requests[0]);

	for (i = 0; i < nr && strcmp(requests[i].name, name); i++)
		;
	if (i < nr)
		requests[i].run(serving, request, answer);
	else
		fail(answer, "no such request");
	fprintf(out, "%s\n", json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
	fflush(out);
	json_object_put(answer);
	json_object_put(request);
}

int qualify_serve(const char *ifname, int in, FILE *out)
{
	struct serving serving = { ifname, QUALIFY_SENDER_CLOSED, 0 };
	struct rxaqm_error error = {};
	char line[LINE_MAX_LEN];
	size_t nr = 0;
	ssize_t got;
	char *end;

	if (qualify_sender_open(&serving.sender, ifname, &error))
		return rxaqm_log_failure(&error);
	while (nr < sizeof(line) - 1 && (got = read(in, line + nr, sizeof(line) - 1 - nr)) > 0) {
		nr += (size_t)got;
		line[nr] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			answer_line(&serving, line, out);
			nr -= (size_t)(end + 1 - line);
			memmove(line, end + 1, nr + 1);
		}
	}
	qualify_sender_close(&serving.sender);
	return RXAQM_EXIT_OK;
}
