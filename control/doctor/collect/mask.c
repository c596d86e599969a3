/* SPDX-License-Identifier: GPL-2.0-only */
/* Make a bundle fit to be shown to others: one address becomes the same word everywhere. Names of
 * kernel threads and BPF programs stay.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"

struct word {
	char text[256];
};

struct words {
	RXAQM_LIST(struct word);
};

static unsigned int number_of(struct words *words, const char *text)
{
	struct word *word;

	word = rxaqm_list_find(word, words, !strcmp(word->text, text)) ?: rxaqm_list_add(words);
	if (!word)
		return 0;
	snprintf(word->text, sizeof(word->text), "%s", text);
	return (unsigned int)(word - words->at) + 1;
}

/* The port stays: "10.0.0.1:80" becomes "addr1:80". */
static void mask(struct words *words, char *buf, size_t size, bool with_port)
{
	char address[56], *port;

	if (!*buf)
		return;
	snprintf(address, sizeof(address), "%s", buf);
	port = with_port ? strrchr(address, ':') : NULL;
	if (port)
		*port++ = '\0';
	if (*address == '[') {
		memmove(address, address + 1, strlen(address));
		address[strcspn(address, "]")] = '\0';
	}
	snprintf(buf, size, port ? "addr%u:%s" : "addr%u", number_of(words, address), port);
}

/* Counter names contain cgroup paths, which contain names of services and containers. */
static void mask_cgroups(struct words *words, doctor_map counters)
{
	static const char prefix[] = "cgroup.sock_throttled:";
	const size_t len = strlen(prefix);
	doctor_map masked = json_object_new_object();
	char name[64];

	json_object_object_foreach(counters, key, value) {
		if (strncmp(key, prefix, len) || !key[len])
			continue;
		snprintf(name, sizeof(name), "%s/masked%u", prefix, number_of(words, key + len));
		json_object_object_add(masked, name, json_object_get(value));
		json_object_object_del(counters, key);
	}
	json_object_object_foreach(masked, new_key, new_value) {
		json_object_object_add(counters, new_key, json_object_get(new_value));
	}
	json_object_put(masked);
}

#define mask_names(list, member)                                                \
	do {                                                                    \
		__typeof__((list)->at) one_;                                    \
		rxaqm_list_each(one_, list)                                     \
			snprintf(one_->member, sizeof(one_->member), "masked"); \
	} while (0)

void doctor_mask(struct doctor_snapshot *snap)
{
	struct doctor_socket *socket;
	struct doctor_ports *ports;
	struct words addresses = {}, cgroups = {};

	rxaqm_list_each(socket, &snap->sockets.notable) {
		mask(&addresses, socket->local, sizeof(socket->local), true);
		mask(&addresses, socket->remote, sizeof(socket->remote), true);
	}
	rxaqm_list_each(ports, &snap->sockets.ports) {
		mask(&addresses, ports->local, sizeof(ports->local), false);
		mask(&addresses, ports->remote, sizeof(ports->remote), true);
	}
	mask_names(&snap->owners, comm);
	mask_names(&snap->hogs, comm);
	mask_names(&snap->namespaces, comm);
	mask_names(&snap->deep_late, held_by);
	mask_cgroups(&cgroups, snap->before.counters);
	mask_cgroups(&cgroups, snap->after.counters);
	snprintf(snap->hostname, sizeof(snap->hostname), "masked");
	free(addresses.at);
	free(cgroups.at);
}
