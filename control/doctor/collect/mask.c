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
	size_t i;

	for (i = 0; i < words->nr; i++) {
		if (!strcmp(words->at[i].address, address))
			return (unsigned int)i + 1;
	}
	word = rxaqm_list_add(words);
	if (!word)
		return 0;
	snprintf(word->address, sizeof(word->address), "%s", address);
	return (unsigned int)words->nr;
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
	struct doctor_sockets *sockets = &snap->sockets;
	struct words words = {};
	size_t i;

	for (i = 0; i < sockets->notable.nr; i++) {
		struct doctor_socket *socket = &sockets->notable.at[i];

		mask(&words, socket->local, sizeof(socket->local), true);
		mask(&words, socket->remote, sizeof(socket->remote), true);
	}
	for (i = 0; i < sockets->ports.nr; i++) {
		struct doctor_ports *ports = &sockets->ports.at[i];

		mask(&words, ports->local, sizeof(ports->local), false);
		mask(&words, ports->remote, sizeof(ports->remote), true);
	}
	for (i = 0; i < snap->owners.nr; i++)
		snprintf(snap->owners.at[i].comm, sizeof(snap->owners.at[i].comm), "masked");
	snprintf(snap->hostname, sizeof(snap->hostname), "masked");
	free(words.at);
}
