/* SPDX-License-Identifier: GPL-2.0-only */
/* Status in words, made from its JSON only: so the JSON has all that is printed here. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "report/status.h"
#include "report/overview.h"
#include "target.h"

/* Up to this many queues are all shown, idle or not. */
#define FEW 8
/* A queue that no packet has come to for this long is idle. */
#define IDLE_NS (10 * RXAQM_NSEC_PER_SEC)

static const char *text_of(struct json_object *of, const char *key)
{
	struct json_object *value = json_object_object_get(of, key);

	return value ? json_object_get_string(value) : "";
}

static __u64 number_of(struct json_object *of, const char *key)
{
	return json_object_get_uint64(json_object_object_get(of, key));
}

static bool is_true(struct json_object *of, const char *key)
{
	return json_object_get_boolean(json_object_object_get(of, key));
}

/* NULL: there is no such array. */
static struct json_object *at(struct json_object *array, size_t i)
{
	if (!json_object_is_type(array, json_type_array) || i >= json_object_array_length(array))
		return NULL;
	return json_object_array_get_idx(array, i);
}

/* NULL unless it is an object. */
static struct json_object *object_of(struct json_object *of, const char *key)
{
	struct json_object *value = json_object_object_get(of, key);

	return json_object_is_type(value, json_type_object) ? value : NULL;
}

/* A field in words: @fmt has one %s, or none for a boolean that is true. A false one, or a missing
 * field, prints nothing.
 */
struct words {
	const char *key, *fmt;
};

/* Print @fmt, with its %s replaced by @text. */
static void say_text(struct rxaqm_out *out, const char *fmt, const char *text)
{
	const char *at = strstr(fmt, "%s");

	if (at)
		rxaqm_out_text(out, "%.*s%s%s", (int)(at - fmt), fmt, text, at + 2);
	else
		rxaqm_out_text(out, "%s", fmt);
}

static void say(struct rxaqm_out *out, struct json_object *of, const struct words *words)
{
	for (; words->key; words++) {
		struct json_object *value = json_object_object_get(of, words->key);
		const char *unit = strrchr(words->key, '_');

		if (!value || (json_object_is_type(value, json_type_boolean) &&
			       !json_object_get_boolean(value)))
			continue;
		say_text(out, words->fmt,
			 unit && !strcmp(unit, "_ns") ?
				 rxaqm_duration(json_object_get_uint64(value)) :
				 json_object_get_string(value));
	}
}

static void paint(struct rxaqm_out *out, enum rxaqm_paint paint, const char *fmt, const char *text)
{
	rxaqm_out_paint(out, paint);
	say_text(out, fmt, text);
	rxaqm_out_paint(out, RXAQM_PLAIN);
}

static void print_sojourn(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct words words[] = {
		{ "sojourn_p50_ns", "    sojourn p50 %s" },
		{ "sojourn_p99_ns", " p99 %s" },
		{ "sojourn_ns", ", average %s" },
		{ "sample_sojourn_ns", ", last %s" },
		{ "sample_err_ns", " +-%s" },
		{ "sample_age_ns", " %s ago" },
		{ 0 },
	};

	if (!json_object_object_get(queue, "sojourn_p50_ns"))
		return;
	say(out, queue, words);
	rxaqm_out_text(out, "\n");
}

/* Print the members of the object @of that are not @none on a line: @before, NAME @between VALUE,
 * ...
 */
static void print_members(struct rxaqm_out *out, struct json_object *of, const char *key,
			  const char *before, const char *between, const char *none,
			  const char *comma)
{
	struct json_object *members = object_of(of, key);
	bool any = false;

	if (!members)
		return;
	json_object_object_foreach(members, name, value) {
		const char *text = json_object_get_string(value) ?: none;

		if (!strcmp(text, none))
			continue;
		rxaqm_out_text(out, "%s%s%s%s", any ? comma : before, name, between, text);
		any = true;
	}
	rxaqm_out_text(out, "%s", any ? "\n" : "");
}

static void print_socket(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct words words[] = {
		{ "uid", " of uid %s" },
		{ "pid", ", pid %s" },
		{ "ring_entries", ", ring %s" },
		{ 0 },
	};
	static const struct words more[] = {
		{ "wait_ns", ", waits %s" },
		{ "nic_sojourn_ns", "; %s in the NIC" },
		{ "ring_full", "; %s dropped at a full ring" },
		{ 0 },
	};
	static const struct words stale = { "wait_age_ns",
					    ", which has not reported its wait for %s" };
	struct json_object *socket = object_of(queue, "socket"), *bound;
	const char *state = text_of(socket, "wait_state");

	if (!socket)
		return;
	rxaqm_out_text(out, "    goes to a socket");
	bound = json_object_object_get(socket, "bound");
	if (bound && !json_object_get_boolean(bound))
		rxaqm_out_text(out, " that has left");
	say(out, socket, words);
	if (!strcmp(state, "none"))
		rxaqm_out_text(out, ", which does not report its wait");
	else if (!strcmp(state, "bad"))
		rxaqm_out_text(out, ", whose wait is not believed");
	else if (!strcmp(state, "stale"))
		say(out, socket, (const struct words[]){ stale, { 0 } });
	say(out, socket, more);
	if (number_of(socket, "no_frame"))
		rxaqm_out_text(out, "; %s lacked a free frame", text_of(socket, "no_frame"));
	rxaqm_out_text(out, "\n");
}

static void print_target(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct words words[] = { { "round_ns", "    poll round %s" },
					      { "floor_ns", ", floor %s" },
					      { 0 } };
	static const struct words more[] = { { "ceiling_ns", ", ceiling %s" },
					     { "derived_target_ns", "; derived target %s" },
					     { "derived_why", ": %s\n" },
					     { 0 } };

	say(out, queue, words);
	if (number_of(queue, "target_ns") < number_of(queue, "floor_ns"))
		rxaqm_out_text(out, " (the target is below it)");
	say(out, queue, more);
}

/* Print what a target costs that is short for its flows: GRO merges little if a flow has few
 * packets in the queue.
 */
static void print_price(struct rxaqm_out *out, struct json_object *queue, struct json_object *law)
{
	__u64 packet_ns = number_of(law, "packet_ns"), most_ns = number_of(law, "long_packet_ns");
	__u64 over = number_of(law, "over_tcp");
	__u64 each = packet_ns && over ? number_of(law, "goal_ns") / packet_ns / over : 0;
	__u64 more = most_ns && packet_ns > most_ns ? 100 * (packet_ns - most_ns) / most_ns : 0;

	if (is_true(queue, "target_auto") || !over || each >= RXAQM_TARGET_FLOW_PACKETS || more < 5)
		return;
	rxaqm_out_text(out,
		       "; that is %llu packets a flow, and a packet takes %llu%% more than in a "
		       "longer queue",
		       each, more);
}

static void print_auto(struct rxaqm_out *out, struct json_object *queue, struct json_object *law)
{
	static const char *const kinds[][3] = { { "tcp", "flows_tcp", "over_tcp" },
						{ "other", "flows_other", "over_other" } };
	__u64 thin = number_of(law, "thin_ack_permille"), goal_ns = number_of(law, "goal_ns");
	bool holds = number_of(law, "limit_pps");
	size_t i;

	if (!holds && !is_true(queue, "standing"))
		return;
	if (holds)
		rxaqm_out_text(out, "    law: a flow may send %s/s of", text_of(law, "limit_pps"));
	else
		rxaqm_out_text(out, "    law: no flow is limited; the CPU can take");
	rxaqm_out_text(out, " %s/s", text_of(law, "capacity_pps"));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!number_of(law, kinds[i][1]))
			continue;
		rxaqm_out_text(out, "; %llu %s flow%s",
			       RXAQM_COUNTED(number_of(law, kinds[i][1]), kinds[i][0]));
		if (holds)
			rxaqm_out_text(out, ", %s over it", text_of(law, kinds[i][2]));
	}
	if (thin && holds)
		rxaqm_out_text(out, "; %llu.%llu%% of redundant ACKs dropped", thin / 10,
			       thin % 10);
	if (goal_ns < number_of(queue, "target_ns"))
		rxaqm_out_text(out, "; goal %s, since the ring has no room for the target",
			       rxaqm_duration(goal_ns));
	print_price(out, queue, law);
	rxaqm_out_text(out, "\n");
}

void rxaqm_status_law_print(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct words codel[] = { { "count", "    count %s" },
					      { "lastcount", " lastcount %s" },
					      { "ldelay_ns", " ldelay %s" },
					      { "dropping", " dropping" },
					      { 0 } };
	struct json_object *law = json_object_object_get(queue, "law");

	if (law) {
		print_auto(out, queue, law);
		return;
	}
	law = json_object_object_get(queue, "codel");
	if (!number_of(law, "count"))
		return;
	say(out, law, codel);
	rxaqm_out_text(out, "\n");
}

static void print_queue(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct words words[] = {
		{ "target_ns", ", target %s" },
		{ "target_auto", " (auto)" },
		{ "interval_ns", " interval %s" },
		{ "signal", ", signal %s" },
		{ "distrust", " (stamps not believed: %s)" },
		{ 0 },
	};
	const char *cpu = text_of(queue, "cpu"), *mode = text_of(queue, "mode");

	rxaqm_out_text(out, "  queue %s", text_of(queue, "queue"));
	say_text(out, *cpu ? " cpu %s: " : " (no packet yet): ", cpu);
	paint(out, strcmp(mode, "enforce") ? RXAQM_PLAIN : RXAQM_GREEN, "%s", mode);
	say(out, queue, words);
	if (is_true(queue, "standing"))
		paint(out, RXAQM_RED, ", standing for %s",
		      rxaqm_duration(number_of(queue, "stood_ns")));
	rxaqm_out_text(out, "\n");
	print_sojourn(out, queue);
	print_members(out, queue, "sources", "    set: ", " by ", "default", ", ");
	print_socket(out, queue);
	print_target(out, queue);
	rxaqm_status_law_print(out, queue);
	print_members(out, queue, "stats", "    ", " ", "0", " ");
}

static bool is_idle(struct json_object *queue)
{
	struct json_object *idle_ns = json_object_object_get(queue, "idle_ns");

	return !idle_ns || json_object_get_uint64(idle_ns) > IDLE_NS;
}

/* Print the queues that stand, or the others. Returns how many there are. */
static unsigned int print_some(struct rxaqm_out *out, struct json_object *iface, bool standing,
			       bool all)
{
	struct json_object *queues = json_object_object_get(iface, "queues"), *queue;
	unsigned int shown = 0;
	size_t i;

	for (i = 0; (queue = at(queues, i)); i++) {
		if (is_true(queue, "standing") != standing || (!all && is_idle(queue)))
			continue;
		print_queue(out, queue);
		shown++;
	}
	return shown;
}

static void print_queues(struct rxaqm_out *out, struct json_object *iface, bool all)
{
	__u64 nr = number_of(iface, "nr_queues"), left;
	unsigned int shown;

	all |= nr <= FEW;
	shown = print_some(out, iface, true, all);
	shown += print_some(out, iface, false, all);
	left = nr > shown ? nr - shown : 0;
	if (!left)
		return;
	rxaqm_out_text(out, "  %llu %s", left, left > 1 ? "queues are idle" : "queue is idle");
	rxaqm_out_text(out, all ? ": no packet yet\n" : ": no packet for 10s (--all shows more)\n");
}

static void print_iface(struct rxaqm_out *out, struct json_object *iface, bool all)
{
	static const struct words words[] = {
		{ "xdp_mode", "%s mode" },
		{ "dispatcher", ", by dispatcher" },
		{ "profile", ", profile %s" },
		{ "hook", ", hook %s" },
		{ "stamp", ", stamps: %s" },
		{ "by_cpu", ", a queue is a CPU's backlog" },
		{ 0 },
	};
	static const struct words more[] = {
		{ "ring_entries", " of %s entries" },
		{ "attached_for_ns", ", attached for %s\n" },
		{ "ring_advice", "  %s\n" },
		{ 0 },
	};
	struct json_object *notes = json_object_object_get(iface, "notes"), *note;
	const char *trouble = text_of(iface, "trouble");
	size_t i;

	rxaqm_out_text(out, "\n");
	paint(out, RXAQM_BOLD, "%s: ", text_of(iface, "interface"));
	if (*trouble)
		paint(out, RXAQM_RED, "%s; ", trouble);
	say(out, iface, words);
	rxaqm_out_text(out, ", %llu %s%s", RXAQM_COUNTED(number_of(iface, "nr_queues"), "queue"));
	if (json_object_object_get(iface, "nr_queues_now") &&
	    number_of(iface, "nr_queues_now") < number_of(iface, "nr_queues"))
		rxaqm_out_text(out, " (the interface has %s now)", text_of(iface, "nr_queues_now"));
	say(out, iface, more);
	for (i = 0; (note = at(notes, i)); i++) {
		paint(out, RXAQM_YELLOW, "  note: ", "");
		rxaqm_out_text(out, "%s\n", json_object_get_string(note));
	}
	print_queues(out, iface, all);
}

static void judge_iface(struct rxaqm_overview *overview, struct json_object *iface)
{
	struct json_object *queues = json_object_object_get(iface, "queues"), *queue;
	size_t i;

	rxaqm_overview_iface(overview, (unsigned int)number_of(iface, "nr_queues"),
			     is_true(iface, "guarded") ? NULL : text_of(iface, "interface"));
	for (i = 0; (queue = at(queues, i)); i++)
		if (is_true(queue, "standing"))
			rxaqm_overview_standing(overview, text_of(iface, "interface"),
						(unsigned int)number_of(queue, "queue"),
						number_of(queue, "sojourn_ns"),
						!strcmp(text_of(queue, "mode"), "enforce"));
}

void rxaqm_status_print(struct rxaqm_out *out, struct json_object *status, bool all)
{
	struct json_object *ifaces = json_object_object_get(status, "interfaces"), *iface;
	struct rxaqm_overview overview = {};
	char text[RXAQM_OVERVIEW_LEN];
	size_t i;

	for (i = 0; (iface = at(ifaces, i)); i++)
		judge_iface(&overview, iface);
	paint(out, rxaqm_overview_paint(&overview), "%s\n", rxaqm_overview_text(&overview, text));
	for (i = 0; (iface = at(ifaces, i)); i++)
		print_iface(out, iface, all);
}
