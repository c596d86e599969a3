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
static void mask(struct words *words, char *buf, size_t size)
{
	char address[56], *port;

	if (!*buf)
		return;
	snprintf(address, sizeof(address), "%s", buf);
	port = strrchr(address, ':');
	if (port)
		*port++ = '\0';
	if (*address == '[') {
		memmove(address, address + 1, strlen(address));
		address[strcspn(address, "]")] = '\0';
	}
	snprintf(buf, size, port ? "addr%u:%s" : "addr%u", number_of(words, address), port);
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
	struct words addresses = {};

	rxaqm_list_each(socket, &snap->sockets.notable) {
		mask(&addresses, socket->local, sizeof(socket->local));
		mask(&addresses, socket->remote, sizeof(socket->remote));
	}
	mask_names(&snap->owners, comm);
	mask_names(&snap->hogs, comm);
	mask_names(&snap->namespaces, comm);
	mask_names(&snap->deep_late, held_by);
	snprintf(snap->hostname, sizeof(snap->hostname), "masked");
	free(addresses.at);
}
