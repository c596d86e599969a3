/* SPDX-License-Identifier: GPL-2.0-only */
/* A bundle for others to see: the same address becomes the same word everywhere. */
#include <stdlib.h>
#include <string.h>

#include "doctor/collect/collect.h"

struct word {
	char address[56];
};

struct words {
	RXAQM_LIST(struct word);
};

static unsigned int number_of(struct words *words, const char *address)
{
	struct word *word;

	word = rxaqm_list_find(word, words, !strcmp(word->address, address)) ?:
									       rxaqm_list_add(words);
	if (!word)
		return 0;
	snprintf(word->address, sizeof(word->address), "%s", address);
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

void doctor_mask(struct doctor_snapshot *snap)
{
	struct doctor_socket *socket;
	struct doctor_ports *ports;
	struct doctor_owner *owner;
	struct words words = {};

	rxaqm_list_each(socket, &snap->sockets.notable) {
		mask(&words, socket->local, sizeof(socket->local), true);
		mask(&words, socket->remote, sizeof(socket->remote), true);
	}
	rxaqm_list_each(ports, &snap->sockets.ports) {
		mask(&words, ports->local, sizeof(ports->local), false);
		mask(&words, ports->remote, sizeof(ports->remote), true);
	}
	rxaqm_list_each(owner, &snap->owners)
		snprintf(owner->comm, sizeof(owner->comm), "masked");
	snprintf(snap->hostname, sizeof(snap->hostname), "masked");
	free(words.at);
}
