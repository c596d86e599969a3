/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The smallest consumer: "consumer INTERFACE QUEUE PACKETS" takes that many packets, and prints how
 * long each waited in the NIC's queue, if that is known. Copy it; it needs only what is installed:
 *
 *   gcc consumer.c $(pkg-config --cflags --libs librxaqm-xsk) -o consumer
 */
#include <poll.h>
#include <rxaqm/rxaqm-xsk.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 64

static void print(const struct rxaqm_xsk_packet *packet)
{
	const struct rxaqm_meta *meta = packet->meta;

	printf("%u bytes", packet->len);
	if (meta && (meta->flags & (RXAQM_META_SOJOURN | RXAQM_META_SAMPLED)))
		printf(", in the NIC for %llu ns", (unsigned long long)meta->sojourn_ns);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct rxaqm_xsk_packet packets[BATCH];
	struct rxaqm_xsk *xsk = NULL;
	long left;
	int i, nr;

	if (argc != 4) {
		fprintf(stderr, "usage: consumer INTERFACE QUEUE PACKETS\n");
		return 2;
	}
	left = atol(argv[3]);
	nr = rxaqm_xsk_open(&xsk, argv[1], (unsigned int)atoi(argv[2]), NULL);
	while (nr >= 0 && left > 0) {
		struct pollfd readable = { .fd = rxaqm_xsk_fd(xsk), .events = POLLIN };

		/* With a timeout: if rxaqm is detached, no packet comes any more. */
		poll(&readable, 1, 100);
		nr = rxaqm_xsk_receive(xsk, packets, left < BATCH ? (unsigned int)left : BATCH);
		for (i = 0; i < nr; i++)
			print(&packets[i]);
		if (nr > 0) {
			rxaqm_xsk_release(xsk, packets, (unsigned int)nr);
			left -= nr;
		}
	}
	if (nr < 0)
		fprintf(stderr, "consumer: %s: %s\n", argv[1], rxaqm_xsk_strerror(nr));
	rxaqm_xsk_close(xsk);
	return nr < 0;
}
