/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that others wrote: whatever is in one, it is refused, or judged, printed and compared.
 * And what a peer says: no more of it is taken than was asked for.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/peer/peer.h"
#include "qualify/print/compare.h"
#include "qualify/print/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(FILE *null, struct qualify_record *record)
{
	/* Pointers in it are shared; nothing of it is freed here. */
	struct qualify_record both[2];
	char *const names[] = { "a", "b" };
	struct qualify_comparison comparison;
	struct rxaqm_error error = {};

	qualify_judge(record);
	both[0] = *record;
	qualify_print_text(null, record, true);
	qualify_print_html(null, record);
	both[1] = *record;
	assert(!qualify_compare(&comparison, both, names));
	assert(!comparison.worse);
	qualify_comparison_print(null, &comparison);
	qualify_comparison_html(null, &comparison);
	qualify_comparison_json(null, &comparison);
	free(comparison.lines.at);
	qualify_print_junit(null, record);
	assert(!qualify_record_write(record, "/dev/null", &error));
}

static void answer(const uint8_t *data, size_t size)
{
	static const volatile int never;
	struct qualify_peer peer = { .fd = -1, .messages_fd = -1, .stop = &never };
	struct rxaqm_error error = {};
	struct qualify_sent sent;

	peer.send = (struct qualify_send){ .count = 1000, .max_ms = 1000 };
	peer.nr_left = size < sizeof(peer.left) ? size : sizeof(peer.left);
	memcpy(peer.left, data, peer.nr_left);
	if (qualify_peer_end(&peer, &sent, &error))
		assert(error.text[0]);
	assert(sent.count <= 1000 && sent.took_ns <= 60000000000ULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct qualify_record record = {};
	struct rxaqm_error error = {};

	if (!null)
		null = fopen("/dev/null", "w");
	assert(null);
	if (!qualify_record_parse(&record, (const char *)data, size, "fuzz", &error))
		report(null, &record);
	qualify_record_free(&record);
	answer(data, size);
	return 0;
}
