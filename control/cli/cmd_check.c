/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm check: for monitoring. Its exit codes are those of check.h. */
#include "cli/check_args.h"

#include <argp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "report/check.h"
#include "cli/cmd.h"
#include "attach/sockets.h"
#include "report/figures.h"
#include "attach/machine.h"
#include "report/overflow.h"
#include "base/parse.h"
#include "attach/locate.h"
#include "report/status.h"

#define WINDOW_MIN_NS (100 * RXAQM_NSEC_PER_MSEC)
#define WINDOW_MAX_NS (60 * RXAQM_NSEC_PER_SEC)

/* The first look at an interface. */
struct first_look {
	bool taken;
	__u64 attached_ns; /* another attachment since then is not compared */
	int overflow_err;
	__u32 overflow;
};

struct check {
	const struct rxaqm_check_args *args;
	struct rxaqm_state state;
	struct first_look iface[RXAQM_MAX_IFACES];
	struct rxaqm_overload_seen queue[RXAQM_MAX_QUEUES];
	struct rxaqm_check_sum sum;
};

bool rxaqm_check_wanted(int argc, char **argv)
{
	int i;

	if (!strcmp(argv[0], "check"))
		return true;
	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--check"))
			return !strcmp(argv[0], "status");
	return false;
}

/* Print the line. Returns the exit status. */
static int print_line(const struct rxaqm_check_sum *sum)
{
	int status = rxaqm_check_print(sum, stdout);

	if (!ferror(stdout))
		return status;
	/* The exit code that main() has for this would be WARNING. */
	rxaqm_log_error("cannot write to standard output");
	_exit(RXAQM_CHECK_UNKNOWN);
}

int rxaqm_check_failed(const char *why)
{
	struct rxaqm_check_sum sum = {};

	rxaqm_check_find(&sum, RXAQM_CHECK_UNKNOWN, NULL, "%s", why);
	return print_line(&sum);
}

/* A label of performance data has no quotes, "=" or "|", which an interface may well have. */
static void copy_label(const char *name, char label[RXAQM_IFNAMSIZ])
{
	size_t i;

	snprintf(label, RXAQM_IFNAMSIZ, "%s", name);
	for (i = 0; label[i]; i++)
		if (strchr("'=|\"", label[i]))
			label[i] = '_';
}

static int read_overflow(const struct rxaqm_iface *iface, __u32 *ret_packets)
{
	char name[RXAQM_IFNAMSIZ];
	bool here;

	if (iface->flags & RXAQM_IFACE_BY_CPU)
		return rxaqm_overflow_backlogs(ret_packets);
	rxaqm_iface_name(iface, name, &here);
	return here ? rxaqm_overflow_rings(name, ret_packets) : -ENODEV;
}

static void look_first(struct check *check, const struct rxaqm_iface *iface)
{
	struct first_look *first = &check->iface[iface - check->state.iface];
	struct rxaqm_overload_look look;
	unsigned int i;

	first->taken = true;
	first->attached_ns = iface->attached_ns;
	first->overflow_err = read_overflow(iface, &first->overflow);
	for (i = 0; i < iface->nr_queues; i++) {
		const struct rxaqm_queue q = *rxaqm_state_queue(&check->state, iface, i);

		rxaqm_overload_look(&check->queue[iface->queue_base + i], &q, rxaqm_now_ns(),
				    &look);
	}
}

static void look_again_at_queue(struct check *check, const struct rxaqm_iface *iface,
				struct rxaqm_check_iface *found, unsigned int i)
{
	const struct rxaqm_queue q = *rxaqm_state_queue(&check->state, iface, i);
	struct rxaqm_check_queue queue = { .queue = i };
	__u64 now_ns = rxaqm_now_ns();

	rxaqm_overload_look(&check->queue[iface->queue_base + i], &q, now_ns, &queue.look);
	if (q.flags & RXAQM_QUEUE_POLLED) {
		bool wanted = iface->stamp != RXAQM_STAMP_NONE &&
			      q.policy.signal != RXAQM_SIGNAL_BUSY &&
			      q.policy.mode != RXAQM_MODE_OFF;

		queue.distrust = rxaqm_queue_distrust(&q, now_ns);
		queue.unstamped = wanted && rxaqm_socket_lets_stamps_be(iface, &q) &&
				  rxaqm_queue_unstamped(&q);
	}
	rxaqm_check_add_queue(&check->sum, found, &check->args->limits, &queue);
}

/* To be in another namespace is no trouble, nor is a command at work. */
static bool is_unguarded(const struct rxaqm_iface *iface, bool here)
{
	bool at_work;
	enum rxaqm_iface_state now = rxaqm_state_of(iface, &at_work);

	if (at_work || now == RXAQM_IFACE_FREE)
		return false;
	return now != RXAQM_IFACE_ATTACHED || (!here && rxaqm_iface_taken_off(iface));
}

static void look_again(struct check *check, const struct rxaqm_iface *iface)
{
	const struct first_look *first = &check->iface[iface - check->state.iface];
	char name[RXAQM_IFNAMSIZ], label[RXAQM_IFNAMSIZ];
	struct rxaqm_check_iface found = { .name = label };
	__u32 overflow;
	unsigned int i;
	bool here;

	if (!first->taken || first->attached_ns != iface->attached_ns)
		return;
	copy_label(rxaqm_iface_name(iface, name, &here), label);
	if (is_unguarded(iface, here))
		rxaqm_check_find(&check->sum, RXAQM_CHECK_CRITICAL, &found, "is not guarded: %s",
				 rxaqm_status_trouble(iface, here));
	for (i = 0; i < iface->nr_queues; i++)
		look_again_at_queue(check, iface, &found, i);
	if (!first->overflow_err && !read_overflow(iface, &overflow)) {
		found.overflow_known = true;
		found.overflow = overflow - first->overflow;
	}
	rxaqm_check_add_iface(&check->sum, &check->args->limits, &found);
}

static void each_iface(struct check *check,
		       void (*look)(struct check *check, const struct rxaqm_iface *iface))
{
	const char *ifname = check->args->ifname;
	const struct rxaqm_iface *only = ifname ? rxaqm_iface_find(&check->state, ifname) : NULL;
	int i;

	for (i = 0; i < RXAQM_MAX_IFACES; i++) {
		const struct rxaqm_iface *iface = &check->state.iface[i];

		if (iface->state != RXAQM_IFACE_FREE && (!ifname || iface == only))
			look(check, iface);
	}
}

/* Look, wait, look again. */
static void look_twice(struct check *check)
{
	const struct timespec window = {
		.tv_sec = (time_t)(check->args->window_ns / RXAQM_NSEC_PER_SEC),
		.tv_nsec = (long)(check->args->window_ns % RXAQM_NSEC_PER_SEC),
	};

	each_iface(check, look_first);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &window, NULL);
	each_iface(check, look_again);
	if (check->sum.nr_ifaces)
		return;
	if (check->args->ifname)
		rxaqm_check_find(&check->sum, RXAQM_CHECK_CRITICAL, NULL, "not attached to \"%s\"",
				 check->args->ifname);
	else
		rxaqm_check_find(&check->sum, RXAQM_CHECK_UNKNOWN, NULL,
				 "not attached to any interface");
}

int rxaqm_check(const struct rxaqm_check_args *args)
{
	char why[64];
	static struct check check; /* of 130 kB */
	struct rxaqm_error error = {};

	if (rxaqm_globals.json) {
		snprintf(why, sizeof(why), "%s prints one line of text; leave out -j", args->name);
		return rxaqm_check_failed(why);
	}
	check.args = args;
	check.state = (struct rxaqm_state)RXAQM_STATE_NONE;
	if (!rxaqm_state_open(&check.state, false, &error) && !rxaqm_machine_check_readable(&error))
		look_twice(&check);
	else if (args->ifname && error.exit_code == RXAQM_EXIT_NOT_ATTACHED)
		rxaqm_check_find(&check.sum, RXAQM_CHECK_CRITICAL, NULL, "not attached to \"%s\"",
				 args->ifname);
	else
		rxaqm_check_find(&check.sum, RXAQM_CHECK_UNKNOWN, NULL, "%s", error.text);
	rxaqm_state_close(&check.state);
	return print_line(&check.sum);
}

enum option_key {
	OPTION_CHECK = 0x100, /* no short names */
	OPTION_WARN,
	OPTION_CRIT,
};

/* Of status; check has all but the first. */
static const struct argp_option options[] = {
	{ "check", OPTION_CHECK, NULL, 0, "Do what \"rxaqm check\" does", 0 },
	{ "warn", OPTION_WARN, "DURATION", 0,
	  "WARNING when a queue has stood over target for as long (default 2s)", 0 },
	{ "crit", OPTION_CRIT, "DURATION", 0,
	  "CRITICAL when it has for as long and is not enforced (default 1m)", 0 },
	{ "interval", 'i', "DURATION", 0, "Time between the two looks (default 1s)", 0 },
	{ 0 },
};

static void parse_duration(const char *name, const char *arg, __u64 min_ns, __u64 max_ns,
			   __u64 *ret_ns, struct argp_state *state)
{
	char least[RXAQM_DURATION_LEN], most[RXAQM_DURATION_LEN];

	if (!rxaqm_parse_duration(arg, ret_ns) && *ret_ns >= min_ns && *ret_ns <= max_ns)
		return;
	rxaqm_options_error(state, "--%s=%s: must be a duration with a unit, from %s to %s", name,
			    arg, rxaqm_format_duration_exact(min_ns, least),
			    rxaqm_format_duration_exact(max_ns, most));
}

/* What only goes with --check is an error without it. */
static void check_options(const struct rxaqm_check_args *args, struct argp_state *state)
{
	if (args->given && !args->check)
		rxaqm_options_error(state, "--%s goes with --check only", args->given);
	if (args->limits.warn_ns > args->limits.crit_ns)
		rxaqm_options_error(state, "--warn exceeds --crit: there would be no warning");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const __u64 day_ns = 24 * 3600 * RXAQM_NSEC_PER_SEC;
	struct rxaqm_check_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/* Status 2 would say that a queue is in a critical state. */
		if (args->check)
			argp_err_exit_status = RXAQM_CHECK_UNKNOWN;
		return 0;
	case OPTION_CHECK:
		return 0; /* and was seen before */
	case OPTION_WARN:
		args->given = "warn";
		parse_duration("warn", arg, 0, day_ns, &args->limits.warn_ns, state);
		return 0;
	case OPTION_CRIT:
		args->given = "crit";
		parse_duration("crit", arg, 0, day_ns, &args->limits.crit_ns, state);
		return 0;
	case 'i':
		args->given = "interval";
		parse_duration("interval", arg, WINDOW_MIN_NS, WINDOW_MAX_NS, &args->window_ns,
			       state);
		return 0;
	case ARGP_KEY_END:
		check_options(args, state);
		return 0;
	default:
		return rxaqm_view_parse_into(key, arg, &args->ifname);
	}
}

void rxaqm_check_parse(const char *command, int argc, char **argv, struct rxaqm_check_args *args)
{
	bool status = !strcmp(command, "status");
	const struct argp argp = {
		.options = status ? options : options + 1,
		.parser = parse,
		.args_doc = "[IFACE]",
		.doc = status ? "Show state, signal and counters of each queue." :
				"Look twice, and print one line as a Nagios plugin: exit status 0 "
				"OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.",
	};

	*args = (struct rxaqm_check_args){
		.check = rxaqm_check_wanted(argc, argv),
		.name = status ? "--check" : "check",
		.limits = { .warn_ns = 2 * RXAQM_NSEC_PER_SEC, .crit_ns = 60 * RXAQM_NSEC_PER_SEC },
		.window_ns = RXAQM_NSEC_PER_SEC,
	};
	rxaqm_options_parse(&argp, command, argc, argv, args);
}

int rxaqm_cmd_check(int argc, char **argv)
{
	struct rxaqm_check_args args;

	rxaqm_check_parse("check", argc, argv, &args);
	return rxaqm_check(&args);
}
