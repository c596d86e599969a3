/* SPDX-License-Identifier: GPL-2.0-only */
/* The side that serves. */
#include <fcntl.h>
#include <grp.h>
#include <json-c/json.h>
#include <linux/capability.h>
#include <linux/ethtool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "nic/ethtool.h"
#include "nic/nic.h"
#include "qualify/peer/peer.h"

#define LINE_MAX_LEN 4096
#define NOBODY 65534

struct serving {
	const char *ifname;
	struct qualify_sender sender;
	volatile int stop;
};

static void fail(struct json_object *answer, const char *what)
{
	json_object_object_add(answer, "error", json_object_new_string(what));
}

static void hello(const struct serving *serving, struct json_object *answer)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct utsname host = {};
	char boot[64], nic[160];

	uname(&host);
	rxaqm_ethtool(serving->ifname, &info);
	snprintf(nic, sizeof(nic), "%s, %.31s %.31s, firmware %.31s, %.31s", serving->ifname,
		 info.driver, info.version, *info.fw_version ? info.fw_version : "not told",
		 *info.bus_info ? info.bus_info : "no bus");
	json_object_object_add(answer, "kernel", json_object_new_string(host.release));
	json_object_object_add(answer, "nic", json_object_new_string(nic));
	rxaqm_first_line(AT_FDCWD, RXAQM_BOOT_ID, boot, sizeof(boot));
	json_object_object_add(answer, "rxaqm", json_object_new_string(RXAQM_VERSION));
	json_object_object_add(answer, "boot", json_object_new_string(boot));
	qualify_say_mac(answer, "mac", serving->sender.mac);
}

static void do_send(struct serving *serving, struct json_object *request,
		    struct json_object *answer)
{
	struct rxaqm_error error = {};
	struct qualify_send send = {};
	struct qualify_sent sent;
	char wrong[96];

	if (!qualify_said_send(request, &send, wrong)) {
		fail(answer, wrong);
	} else if (qualify_sender_send(&serving->sender, &send, &serving->stop, &sent, &error)) {
		fail(answer, error.text);
	} else {
		json_object_object_add(answer, "count", json_object_new_int64((int64_t)sent.count));
		json_object_object_add(answer, "took_ns",
				       json_object_new_int64((int64_t)sent.took_ns));
	}
}

static void answer_line(struct serving *serving, const char *line, FILE *out)
{
	struct json_object *request = json_tokener_parse(line), *answer = json_object_new_object();
	const char *name = qualify_said_text(request, "do");

	if (!strcmp(name, "hello"))
		hello(serving, answer);
	else if (!strcmp(name, "send"))
		do_send(serving, request, answer);
	else
		fail(answer, "no such request");
	fprintf(out, "%s\n", json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
	fflush(out);
	json_object_put(answer);
	json_object_put(request);
}

/* It only needs its packet socket now: a client gets no more of this host than that. */
static int give_up_rights(struct rxaqm_error *error)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct rights[2] = {};
	bool failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);

	/* Give up root's files as well. A user namespace may have no other user to change to. */
	if (!failed && !geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY))
		failed = setresuid(NOBODY, NOBODY, NOBODY) && errno != EINVAL;
	failed = failed || syscall(SYS_capget, &header, rights);
	rights[0].permitted &= 1U << CAP_NET_RAW;
	rights[0].effective = rights[0].permitted;
	rights[0].inheritable = 0;
	rights[1] = (struct __user_cap_data_struct){};
	if (!failed && !syscall(SYS_capset, &header, rights))
		return 0;
	return rxaqm_failed(error, errno, "cannot give up the rights of root: %s", strerror(errno));
}

int qualify_serve(const char *ifname, int in, FILE *out)
{
	struct serving serving = { ifname, QUALIFY_SENDER_CLOSED, 0 };
	struct rxaqm_error error = {};
	char line[LINE_MAX_LEN];
	size_t nr = 0;
	ssize_t got;
	char *end;

	if (qualify_sender_open(&serving.sender, ifname, &error) || give_up_rights(&error)) {
		qualify_sender_close(&serving.sender);
		return rxaqm_log_failure(&error);
	}
	serving.sender.watch_fd = in;
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
