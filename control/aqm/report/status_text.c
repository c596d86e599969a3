/* SPDX-License-Identifier: GPL-2.0-only */
/* Status in words, made from its JSON only: so the JSON has all that is printed here. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/parse.h"
#include "report/json_words.h"
#include "report/status.h"
#include "report/overview.h"
#include "target.h"

static void paint(struct rxaqm_out *out, enum rxaqm_paint paint, const char *fmt, const char *text)
{
	rxaqm_out_paint(out, paint);
	rxaqm_say_text(out, fmt, text);
	rxaqm_out_paint(out, RXAQM_PLAIN);
}

/* Print the sojourns of @of, and on the same line those of its members' counters that are not 0. */
static void print_counts(struct rxaqm_out *out, struct json_object *of, const char *counters,
			 const char *unit)
{
	static const struct rxaqm_words words[] = { { "sojourn_p50_ns", " sojourn p50 %s" },
						    { "sojourn_p99_ns", " p99 %s;" },
						    { 0 } };
	struct json_object *members = rxaqm_json_object(of, counters);
	bool any = false;
	char buf[RXAQM_COUNTED_LEN];

	rxaqm_say(out, of, words);
	if (!members) {
		rxaqm_out_text(out, "\n");
		return;
	}
	json_object_object_foreach(members, name, value) {
		double count = json_object_get_double(value);

		if (count > 0)
			rxaqm_out_text(out, " %s %s%s", name, rxaqm_counted(count, buf), unit);
		any |= count > 0;
	}
	rxaqm_out_text(out, "%s\n", any ? "" : " no packet");
}

/* What happened lately, and how it is now. */
static void print_now(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct rxaqm_words words[] = {
		{ "sojourn_ns", "    now: sojourn %s on average" },
		{ "sample_sojourn_ns", ", last %s" },
		{ "sample_err_ns", " +-%s" },
		{ "sample_age_ns", " %s ago" },
		{ 0 },
	};
	struct json_object *window = rxaqm_json_object(queue, "window");

	if (window) {
		rxaqm_out_text(out, "    last %s:",
			       rxaqm_duration(rxaqm_json_u64(window, "window_ns") /
					      RXAQM_NSEC_PER_MSEC * RXAQM_NSEC_PER_MSEC));
		print_counts(out, window, "rates", "/s");
	}
	if (!json_object_object_get(queue, "sojourn_p50_ns"))
		return;
	rxaqm_say(out, queue, words);
	rxaqm_out_text(out, "\n");
}

/* Print who has set what is not a default, and how long ago. */
static void print_sources(struct rxaqm_out *out, struct json_object *queue)
{
	struct json_object *sources = rxaqm_json_object(queue, "sources");
	struct json_object *ages = rxaqm_json_object(queue, "set_for_ns");
	const char *before = "    set: ";

	if (!sources)
		return;
	json_object_object_foreach(sources, name, value) {
		const char *source = json_object_get_string(value) ?: "default";

		if (!strcmp(source, "default"))
			continue;
		rxaqm_out_text(out, "%s%s by %s", before, name, source);
		if (json_object_object_get(ages, name))
			rxaqm_out_text(out, " %s ago", rxaqm_duration(rxaqm_json_u64(ages, name)));
		before = ", ";
	}
	rxaqm_out_text(out, "%s", *before == ',' ? "\n" : "");
}

static void print_socket(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct rxaqm_words words[] = {
		{ "uid", " of uid %s" },
		{ "pid", ", pid %s" },
		{ "ring_entries", ", ring %s" },
		{ 0 },
	};
	static const struct rxaqm_words more[] = {
		{ "wait_ns", ", waits %s" },
		{ "nic_sojourn_ns", "; %s in the NIC" },
		{ "ring_full", "; %s dropped at a full ring" },
		{ 0 },
	};
	static const struct rxaqm_words stale = { "wait_age_ns",
						  ", which has not reported its wait for %s" };
	struct json_object *socket = rxaqm_json_object(queue, "socket"), *bound;
	const char *state = rxaqm_json_text(socket, "wait_state");

	if (!socket)
		return;
	rxaqm_out_text(out, "    goes to a socket");
	bound = json_object_object_get(socket, "bound");
	if (bound && !json_object_get_boolean(bound))
		rxaqm_out_text(out, " that has left");
	rxaqm_say(out, socket, words);
	if (!strcmp(state, "none"))
		rxaqm_out_text(out, ", which does not report its wait");
	else if (!strcmp(state, "bad"))
		rxaqm_out_text(out, ", whose wait is not believed");
	else if (!strcmp(state, "stale"))
		rxaqm_say(out, socket, (const struct rxaqm_words[]){ stale, { 0 } });
	rxaqm_say(out, socket, more);
	if (rxaqm_json_u64(socket, "no_frame"))
		rxaqm_out_text(out, "; %s lacked a free frame",
			       rxaqm_json_text(socket, "no_frame"));
	rxaqm_out_text(out, "\n");
}

static void print_target(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct rxaqm_words words[] = { { "round_ns", "    poll round %s" },
						    { "floor_ns", ", floor %s" },
						    { 0 } };
	static const struct rxaqm_words more[] = { { "ceiling_ns", ", ceiling %s" },
						   { "derived_target_ns", "; derived target %s" },
						   { "derived_why", ": %s\n" },
						   { 0 } };

	rxaqm_say(out, queue, words);
	if (rxaqm_json_u64(queue, "target_ns") < rxaqm_json_u64(queue, "floor_ns"))
		rxaqm_out_text(out, " (the target is below it)");
	rxaqm_say(out, queue, more);
}

/* Print what a target costs that is short for its flows: GRO merges little if a flow has few
 * packets in the queue.
 */
static void print_price(struct rxaqm_out *out, struct json_object *queue, struct json_object *law)
{
	__u64 packet_ns = rxaqm_json_u64(law, "packet_ns"),
	      most_ns = rxaqm_json_u64(law, "long_packet_ns");
	__u64 over = rxaqm_json_u64(law, "over_tcp");
	__u64 each = packet_ns && over ? rxaqm_json_u64(law, "goal_ns") / packet_ns / over : 0;
	__u64 more = most_ns && packet_ns > most_ns ? 100 * (packet_ns - most_ns) / most_ns : 0;

	if (rxaqm_json_true(queue, "target_auto") || !over || each >= RXAQM_TARGET_FLOW_PACKETS ||
	    more < 5)
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
	__u64 thin = rxaqm_json_u64(law, "thin_ack_permille"),
	      goal_ns = rxaqm_json_u64(law, "goal_ns");
	bool holds = rxaqm_json_u64(law, "limit_pps");
	size_t i;

	if (!holds && !rxaqm_json_true(queue, "standing"))
		return;
	if (holds)
		rxaqm_out_text(out, "    law: a flow may send %s/s of",
			       rxaqm_json_text(law, "limit_pps"));
	else
		rxaqm_out_text(out, "    law: no flow is limited; the CPU can take");
	rxaqm_out_text(out, " %s/s", rxaqm_json_text(law, "capacity_pps"));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!rxaqm_json_u64(law, kinds[i][1]))
			continue;
		rxaqm_out_text(out, "; %llu %s flow%s",
			       RXAQM_COUNTED(rxaqm_json_u64(law, kinds[i][1]), kinds[i][0]));
		if (holds)
			rxaqm_out_text(out, ", %s over it", rxaqm_json_text(law, kinds[i][2]));
	}
	if (thin && holds)
		rxaqm_out_text(out, "; %llu.%llu%% of redundant ACKs dropped", thin / 10,
			       thin % 10);
	if (goal_ns < rxaqm_json_u64(queue, "target_ns"))
		rxaqm_out_text(out, "; goal %s, since the ring has no room for the target",
			       rxaqm_duration(goal_ns));
	print_price(out, queue, law);
	rxaqm_out_text(out, "\n");
}

void rxaqm_status_law_print(struct rxaqm_out *out, struct json_object *queue)
{
	static const struct rxaqm_words codel[] = { { "count", "    count %s" },
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
	if (!rxaqm_json_u64(law, "count"))
		return;
	rxaqm_say(out, law, codel);
	rxaqm_out_text(out, "\n");
}

static void print_queue(struct rxaqm_out *out, struct json_object *iface, struct json_object *queue)
{
	static const struct rxaqm_words words[] = {
		{ "target_ns", ", target %s" },
		{ "target_auto", " (auto)" },
		{ "interval_ns", " interval %s" },
		{ "signal", ", signal %s" },
		{ "distrust", " (stamps not believed: %s)" },
		{ 0 },
	};
	const char *cpu = rxaqm_json_text(queue, "cpu"), *mode = rxaqm_json_text(queue, "mode");

	rxaqm_out_text(out, "  queue %s", rxaqm_json_text(queue, "queue"));
	rxaqm_say_text(out, *cpu ? " cpu %s: " : " (no packet yet): ", cpu);
	paint(out, strcmp(mode, "enforce") ? RXAQM_PLAIN : RXAQM_GREEN, "%s", mode);
	rxaqm_say(out, queue, words);
	if (rxaqm_json_true(queue, "standing"))
		paint(out, RXAQM_RED, ", standing for %s",
		      rxaqm_duration(rxaqm_json_u64(queue, "stood_ns")));
	rxaqm_out_text(out, "\n");
	print_now(out, queue);
	print_sources(out, queue);
	print_socket(out, queue);
	print_target(out, queue);
	rxaqm_status_law_print(out, queue);
	rxaqm_out_text(out, "    since attach, %s ago:",
		       rxaqm_duration(rxaqm_json_u64(iface, "attached_for_ns")));
	print_counts(out, queue, "stats", "");
}

static bool is_idle(struct json_object *queue)
{
	struct json_object *idle_ns = json_object_object_get(queue, "idle_ns");

	return !idle_ns || json_object_get_uint64(idle_ns) > RXAQM_IDLE_NS;
}

/* Print the queues that stand, or the others. Returns how many there are. */
static unsigned int print_some(struct rxaqm_out *out, struct json_object *iface, bool standing,
			       bool all)
{
	struct json_object *queues = json_object_object_get(iface, "queues"), *queue;
	unsigned int shown = 0;
	size_t i;

	for (i = 0; (queue = rxaqm_json_at(queues, i)); i++) {
		if (rxaqm_json_true(queue, "standing") != standing || (!all && is_idle(queue)))
			continue;
		print_queue(out, iface, queue);
		shown++;
	}
	return shown;
}

/* The queues that the interface has: there may be room for more. */
static __u64 queues_of(struct json_object *iface)
{
	__u64 nr = rxaqm_json_u64(iface, "nr_queues"), now = rxaqm_json_u64(iface, "nr_queues_now");

	return now && now < nr ? now : nr;
}

static void print_queues(struct rxaqm_out *out, struct json_object *iface, bool all)
{
	struct json_object *queues = json_object_object_get(iface, "queues");
	__u64 nr = queues_of(iface);
	unsigned int shown, used = 0;

	while (rxaqm_json_at(queues, used))
		used++;
	shown = print_some(out, iface, true, all);
	shown += print_some(out, iface, false, all);
	rxaqm_hidden_print(out, used - shown);
	if (nr > used)
		rxaqm_out_text(out, "  %llu queue%s had no packet yet\n", nr - used,
			       nr - used > 1 ? "s" : "");
}

static void print_iface(struct rxaqm_out *out, struct json_object *iface, bool all)
{
	static const struct rxaqm_words words[] = {
		{ "xdp_mode", "%s mode" },
		{ "dispatcher", ", by dispatcher" },
		{ "profile", ", profile %s" },
		{ "hook", ", hook %s" },
		{ "stamp", ", stamps: %s" },
		{ "key", ", key %s" },
		{ 0 },
	};
	static const struct rxaqm_words more[] = {
		{ "ring_entries", " of %s entries" },
		{ "attached_for_ns", ", attached for %s\n" },
		{ "ring_advice", "  %s\n" },
		{ 0 },
	};
	struct json_object *notes = json_object_object_get(iface, "notes"), *note;
	const char *trouble = rxaqm_json_text(iface, "trouble");
	size_t i;

	rxaqm_out_text(out, "\n");
	paint(out, RXAQM_BOLD, "%s: ", rxaqm_json_text(iface, "interface"));
	if (*trouble)
		paint(out, RXAQM_RED, "%s; ", trouble);
	rxaqm_say(out, iface, words);
	rxaqm_out_text(out, ", %llu %s%s", RXAQM_COUNTED(queues_of(iface), "queue"));
	if (queues_of(iface) < rxaqm_json_u64(iface, "nr_queues"))
		rxaqm_out_text(out, " (room for %s)", rxaqm_json_text(iface, "nr_queues"));
	rxaqm_say(out, iface, more);
	for (i = 0; (note = rxaqm_json_at(notes, i)); i++) {
		paint(out, RXAQM_YELLOW, "  note: ", "");
		rxaqm_out_text(out, "%s\n", json_object_get_string(note));
	}
	print_queues(out, iface, all);
}

static void judge_iface(struct rxaqm_overview *overview, struct json_object *iface)
{
	struct json_object *queues = json_object_object_get(iface, "queues"), *queue;
	size_t i;

	rxaqm_overview_iface(overview, (unsigned int)queues_of(iface),
			     rxaqm_json_true(iface, "guarded") ?
				     NULL :
				     rxaqm_json_text(iface, "interface"));
	for (i = 0; (queue = rxaqm_json_at(queues, i)); i++)
		if (rxaqm_json_true(queue, "standing"))
			rxaqm_overview_standing(overview, rxaqm_json_text(iface, "interface"),
						(unsigned int)rxaqm_json_u64(queue, "queue"),
						rxaqm_json_u64(queue, "sojourn_ns"),
						!strcmp(rxaqm_json_text(queue, "mode"), "enforce"));
}

/* Does a queue of @iface stand that is only observed? */
static bool is_to_be_tried(struct json_object *iface)
{
	struct json_object *queues = json_object_object_get(iface, "queues"), *queue;
	size_t i;

	for (i = 0; (queue = rxaqm_json_at(queues, i)); i++)
		if (rxaqm_json_true(queue, "standing") &&
		    !strcmp(rxaqm_json_text(queue, "mode"), "observe"))
			return true;
	return false;
}

/* The next step, once: enforcing is tried before it is left on. */
static void print_next(struct rxaqm_out *out, struct json_object *ifaces)
{
	struct json_object *iface;
	size_t i;

	for (i = 0; (iface = rxaqm_json_at(ifaces, i)); i++) {
		if (!is_to_be_tried(iface))
			continue;
		rxaqm_out_text(out, "\nnext: rxaqm trial %s (does enforcing help here?)\n",
			       rxaqm_json_text(iface, "interface"));
		return;
	}
}

void rxaqm_status_print(struct rxaqm_out *out, struct json_object *status, bool all)
{
	struct json_object *ifaces = json_object_object_get(status, "interfaces"), *iface;
	struct rxaqm_overview overview = {};
	char text[RXAQM_OVERVIEW_LEN];
	size_t i;

	for (i = 0; (iface = rxaqm_json_at(ifaces, i)); i++)
		judge_iface(&overview, iface);
	paint(out, rxaqm_overview_paint(&overview), "%s\n", rxaqm_overview_text(&overview, text));
	for (i = 0; (iface = rxaqm_json_at(ifaces, i)); i++)
		print_iface(out, iface, all);
	print_next(out, ifaces);
}
