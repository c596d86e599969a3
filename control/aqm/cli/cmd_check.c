/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm check: for monitoring. Its exit codes are those of check.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "base/procfs.h"
#include "report/arrivals.h"
#include "report/check.h"
#include "command/options.h"
#include "cli/cmd.h"
#include "attach/fragments.h"
#include "attach/sockets.h"
#include "nic/nic.h"
#include "state/locate.h"
#include "state/machine.h"

/* The first look at an interface. */
struct first_look {
	struct rxaqm_arrivals arrivals;
	__s64 overflow; /* negative: not known */
	__s64 backlog; /* overflow of the backlogs behind native mode; negative: RPS is off */
};

struct args {
	const char *ifname; /* NULL: all that are attached */
	__u64 warn_ns, crit_ns;
	__u64 window_ns; /* between the looks */
};

struct check {
	struct args args;
	const struct rxaqm_state *state;
	struct first_look iface[RXAQM_MAX_IFACES];
	struct rxaqm_check_sum sum;
};

/* Print the result. Returns the exit status. */
static int print_line(const struct rxaqm_check_sum *sum)
{
	int status = rxaqm_check_print(sum, stdout, rxaqm_json);

	if (!ferror(stdout))
		return status;
	/* main() would return a code that means WARNING. */
	rxaqm_log_error("cannot write to standard output");
	_exit(RXAQM_CHECK_UNKNOWN);
}

int rxaqm_check_failed(const char *why)
{
	struct rxaqm_check_sum sum = {};

	rxaqm_check_find(&sum, RXAQM_CHECK_UNKNOWN, NULL, "%s", why);
	return print_line(&sum);
}

/* Packets lost to full queues, modulo 2^32; -errno if unknown. */
static __s64 read_overflow(const struct rxaqm_iface *iface)
{
	char name[RXAQM_IFNAMSIZ];
	bool here;

	rxaqm_iface_name(iface, name, &here);
	return rxaqm_check_overflow(iface, here ? name : NULL);
}

/* Packets lost to the backlogs that RPS hands @iface's packets to, behind native mode; -ENODEV if
 * there are none.
 */
static __s64 read_backlog(const struct rxaqm_iface *iface)
{
	char name[RXAQM_IFNAMSIZ];
	bool here;

	rxaqm_iface_name(iface, name, &here);
	if (!here || iface->flags & RXAQM_IFACE_GENERIC || !rxaqm_nic_has_rps(name))
		return -ENODEV;
	return rxaqm_backlog_drops(RXAQM_SOFTNET_STAT);
}

static void find_lost_behind(struct check *check, const struct rxaqm_iface *iface,
			     const struct first_look *first, const struct rxaqm_check_iface *found)
{
	__s64 now = read_backlog(iface);

	if (first->backlog < 0 || now < 0 || now == first->backlog)
		return;
	rxaqm_check_find(&check->sum, RXAQM_CHECK_CRITICAL, found,
			 "the CPUs' backlogs behind RPS lost %u packets, and native mode does not see "
			 "these queues; detach, then \"rxaqm attach --mode generic --key cpu %s\"",
			 (__u32)(now - first->backlog), found->name);
}

static void look_for_arrivals(const struct check *check, const struct rxaqm_iface *iface,
			      struct rxaqm_arrivals *arrivals)
{
	char name[RXAQM_IFNAMSIZ];
	bool here;

	rxaqm_iface_name(iface, name, &here);
	rxaqm_arrivals_take(check->state, iface, here ? name : NULL, arrivals);
}

static void look_first(struct check *check, const struct rxaqm_iface *iface)
{
	struct first_look *first = &check->iface[iface - check->state->iface];

	look_for_arrivals(check, iface, &first->arrivals);
	first->overflow = read_overflow(iface);
	first->backlog = read_backlog(iface);
}

static void look_again_at_queue(struct check *check, const struct rxaqm_iface *iface,
				struct rxaqm_check_iface *found, unsigned int i)
{
	struct rxaqm_check_queue queue = { .queue = i };
	struct rxaqm_figures figures;
	const struct rxaqm_queue *q = &figures.queue;

	rxaqm_figures_take(check->state, iface, i, rxaqm_now_ns(), &figures);
	rxaqm_overload_look(q, figures.now_ns, &queue.look);
	if (figures.polled) {
		bool wanted = iface->stamp != RXAQM_STAMP_NONE &&
			      q->policy.signal != RXAQM_SIGNAL_BUSY &&
			      q->policy.mode != RXAQM_MODE_OFF;

		queue.distrust = figures.distrust;
		queue.unstamped = wanted && rxaqm_socket_lets_stamps_be(iface, q) &&
				  figures.unstamped;
	}
	rxaqm_check_add_queue(&check->sum, found, &queue);
}

static void look_again(struct check *check, const struct rxaqm_iface *iface)
{
	const struct first_look *first = &check->iface[iface - check->state->iface];
	struct rxaqm_check_iface found = {};
	struct rxaqm_arrivals arrivals;
	char lost[RXAQM_FRAGMENTS_TEXT];
	const char *name = found.name;
	__s64 overflow;
	unsigned int i;
	bool here;

	if (first->arrivals.attached_ns != iface->attached_ns)
		return;
	rxaqm_iface_name(iface, found.name, &here);
	if (rxaqm_status_unguarded(iface, here))
		rxaqm_check_find(&check->sum, RXAQM_CHECK_CRITICAL, &found, "is not guarded: %s",
				 rxaqm_status_trouble(iface, here));
	if (here && rxaqm_fragments_lost(iface, name, lost))
		rxaqm_check_find(&check->sum, RXAQM_CHECK_CRITICAL, &found, "%s", lost);
	for (i = 0; i < iface->nr_queues; i++)
		look_again_at_queue(check, iface, &found, i);
	find_lost_behind(check, iface, first, &found);
	look_for_arrivals(check, iface, &arrivals);
	found.unseen = rxaqm_arrivals_unseen(&first->arrivals, &arrivals);
	overflow = read_overflow(iface);
	found.overflow_known = overflow >= 0 && first->overflow >= 0;
	if (found.overflow_known)
		found.overflow = (__u32)(overflow - first->overflow);
	rxaqm_check_add_iface(&check->sum, &found);
}

/* The interface that was asked for is not attached, or the kernel could not be asked. */
static void find_not_attached(struct check *check)
{
	struct rxaqm_error error = { .text = "the kernel did not answer; check again" };

	if (rxaqm_iface_find(check->state, check->args.ifname, &error) || error.err != ENOENT)
		rxaqm_check_find(&check->sum, RXAQM_CHECK_UNKNOWN, NULL, "%s", error.text);
	else
		rxaqm_check_find(&check->sum, RXAQM_CHECK_CRITICAL, NULL, "not attached to \"%s\"",
				 check->args.ifname);
}

/* Look, wait, look again. */
static void look_twice(struct check *check)
{
	const struct rxaqm_iface *iface;

	rxaqm_view_each(iface, check->state, check->args.ifname)
		look_first(check, iface);
	rxaqm_sleep_until(rxaqm_now_ns() + check->args.window_ns);
	rxaqm_view_each(iface, check->state, check->args.ifname)
		look_again(check, iface);
	if (check->sum.nr_ifaces)
		return;
	if (check->args.ifname)
		find_not_attached(check);
	else
		rxaqm_check_find(&check->sum, RXAQM_CHECK_UNKNOWN, NULL,
				 "not attached to any interface");
}

#define DAY_NS (24 * 3600 * RXAQM_NSEC_PER_SEC)

static const struct rxaqm_option options[] = {
	{ "warn", 0, "DURATION",
	  "WARNING if a queue has stood over target for this long (default 2s)",
	  RXAQM_DURATION(warn_ns, 0, DAY_NS) },
	{ "crit", 0, "DURATION",
	  "CRITICAL if a queue has stood over target for this long and is not enforced (default "
	  "1m)",
	  RXAQM_DURATION(crit_ns, 0, DAY_NS) },
	{ "interval", 'i', "DURATION", "Time between the two looks (default 1s)",
	  RXAQM_DURATION(window_ns, 100 * RXAQM_NSEC_PER_MSEC, 60 * RXAQM_NSEC_PER_SEC) },
	{ 0 },
};

int rxaqm_cmd_check(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm check",
		.args = "[IFACE]",
		.help = "Look twice, and print one line as a Nagios plugin: exit status 0 OK, 1 WARNING, "
			"2 CRITICAL, 3 UNKNOWN.",
		.options = options,
		.max_words = 1,
		/* Status 2 would mean that a queue is in a critical state. */
		.wrong_exit = RXAQM_CHECK_UNKNOWN,
	};
	static struct check check;
	struct rxaqm_error *error = &call->error;
	struct args *args = &check.args;
	int err;

	args->warn_ns = 2 * RXAQM_NSEC_PER_SEC;
	args->crit_ns = 60 * RXAQM_NSEC_PER_SEC;
	args->window_ns = RXAQM_NSEC_PER_SEC;
	args->ifname = *rxaqm_options_read(&command, argc, argv, args);
	if (args->warn_ns > args->crit_ns)
		rxaqm_usage_error("--warn exceeds --crit: there would be no warning");
	check.sum.warn_ns = args->warn_ns;
	check.sum.crit_ns = args->crit_ns;
	check.state = &call->state;
	err = rxaqm_cmd_open(&call->state, false, error);
	if (!err && !rxaqm_machine_check_readable(error))
		look_twice(&check);
	else if (err == -EBUSY)
		rxaqm_check_find(&check.sum, RXAQM_CHECK_CRITICAL, NULL, "%s", error->text);
	else if (args->ifname && error->exit_code == RXAQM_EXIT_NOT_ATTACHED)
		find_not_attached(&check);
	else
		rxaqm_check_find(&check.sum, RXAQM_CHECK_UNKNOWN, NULL, "%s", error->text);
	return print_line(&check.sum);
}
