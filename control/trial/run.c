/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/run.h"

#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/parse.h"
#include "command/program.h"
#include "figures/figures.h"
#include "policy/settings.h"
#include "state/locate.h"
#include "state/machine.h"
#include "state/trial.h"
#include "trial/judge.h"

#define WORDS_MAX 32

/* Split @text into words, in place. The mode comes first; it needs no key, and is "enforce" if it
 * is not given.
 */
static int split(char *text, char mode[32], char *words[WORDS_MAX + 1], struct rxaqm_error *error)
{
	unsigned int nr = 1, modes = 0;
	char *word;

	strcpy(mode, "mode=enforce");
	words[0] = mode;
	for (word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		if (!strncmp(word, "signal=", 7) || !strncmp(word, "lease=", 6))
			return rxaqm_bad(error, "%s: cannot be tried: %s", word,
					 *word == 's' ? "it changes what is measured" :
							"a block's policy has a lease already");
		if (!strchr(word, '=') && !modes++)
			snprintf(mode, 32, "mode=%.26s", word);
		else if (!strncmp(word, "mode=", 5) && !modes++)
			snprintf(mode, 32, "%.31s", word);
		else if (nr == WORDS_MAX)
			return rxaqm_bad(error, "a policy has more than %d settings",
					 WORDS_MAX - 1);
		else
			words[nr++] = word;
	}
	words[nr] = NULL;
	return rxaqm_setting_once(words, error);
}

int trial_arm_policies(const struct trial_arm *arm, const struct rxaqm_policy *before,
		       unsigned int nr_queues, struct rxaqm_policy *policies,
		       struct rxaqm_error *error)
{
	char text[sizeof(arm->settings)], mode[32], *words[WORDS_MAX + 1], **word;
	unsigned int i;
	int err;

	strcpy(text, arm->settings);
	err = split(text, mode, words, error);
	for (i = 0; !err && i < nr_queues; i++) {
		policies[i] = before[i];
		for (word = words; *word && !err; word++)
			err = rxaqm_setting_assign(&policies[i], *word, rxaqm_now_ns(), error);
		err = err ?: rxaqm_policy_check(&policies[i], error);
	}
	return err;
}

static int add_arm(struct trial_record *record, const char *text, size_t len,
		   struct rxaqm_error *error)
{
	struct rxaqm_policy before, policy;
	struct trial_arm *arm;

	while (len && *text == ' ')
		text++, len--;
	while (len && text[len - 1] == ' ')
		len--;
	if (!len || record->arms.nr == TRIAL_ARMS_MAX)
		return rxaqm_bad(error,
				 "--arms: must be two or three policies, separated by \"/\", such as \"observe "
				 "/ target=5ms\"");
	if (len >= sizeof(arm->settings))
		return rxaqm_bad(error,
				 "\"%.40s...\": a policy of a trial has at most %zu characters; set what both "
				 "share with \"rxaqm policy set\" before",
				 text, sizeof(arm->settings) - 1);
	arm = rxaqm_list_add(&record->arms);
	if (!arm)
		return rxaqm_no_memory(error);
	snprintf(arm->settings, sizeof(arm->settings), "%.*s", (int)len, text);
	/* Report a bad policy before a missing interface. */
	rxaqm_policy_init(&before);
	return trial_arm_policies(arm, &before, 1, &policy, error);
}

int trial_arms_parse(struct trial_record *record, const char *text, char *const *words,
		     struct rxaqm_error *error)
{
	/* One byte more than fits: words that were cut are then too long, and refused. */
	char enforce[sizeof(((struct trial_arm *)0)->settings) + 1] = "mode=enforce";
	size_t len;
	int err = 0;

	if (!text) {
		for (; *words; words++)
			snprintf(enforce + strlen(enforce), sizeof(enforce) - strlen(enforce),
				 " %s", *words);
		return add_arm(record, "mode=observe", strlen("mode=observe"), error) ?:
			       add_arm(record, enforce, strlen(enforce), error);
	}
	for (; text && !err; text = text[len] ? text + len + 1 : NULL) {
		len = strcspn(text, "/");
		err = add_arm(record, text, len, error);
	}
	if (!err && record->arms.nr < 2)
		err = rxaqm_bad(error, "--arms: name a second policy after \"/\"");
	return err;
}

void trial_shuffle(unsigned int order[TRIAL_ARMS_MAX], unsigned int nr, __u64 *random)
{
	unsigned int i, with, kept;

	for (i = 0; i < nr; i++)
		order[i] = i;
	for (i = nr - 1; i; i--) {
		with = (unsigned int)(trial_random(random) % (i + 1));
		kept = order[i];
		order[i] = order[with];
		order[with] = kept;
	}
}

#define SETTLE_INTERVALS 4
#define SETTLE_RTTS 5

struct run {
	struct trial_record *record;
	struct rxaqm_state state;
	struct rxaqm_iface *iface;
	unsigned int ifindex;
	struct rxaqm_trial trial;
	struct rxaqm_policy *policies[TRIAL_ARMS_MAX];
	__u64 begun_ns;
	double rtt_ns; /* of the last block; NAN: not known */
};

static int open_state(struct run *run, const char *ifname, struct rxaqm_error *error)
{
	int err = rxaqm_machine_check_capabilities(error);

	err = err ?: rxaqm_state_lock(&run->state, error);
	err = err ?: rxaqm_state_open(&run->state, true, error);
	if (err)
		return err;
	run->iface = rxaqm_iface_find_attached(&run->state, ifname, error);
	if (!run->iface)
		return -error->err;
	run->ifindex = if_nametoindex(ifname);
	return 0;
}

int trial_restore(const char *ifname, struct rxaqm_error *error)
{
	struct run run = { .state = RXAQM_STATE_NONE };
	int err = open_state(&run, ifname, error);

	err = err ?: rxaqm_trial_undo(&run.state, run.iface);
	rxaqm_state_close(&run.state);
	return err;
}

static int make_policies(struct run *run, struct rxaqm_error *error)
{
	const struct rxaqm_policy *before = rxaqm_state_policy(&run->state, run->iface, 0);
	struct trial_record *record = run->record;
	unsigned int nr = run->iface->nr_queues;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < record->arms.nr; i++) {
		run->policies[i] = calloc(nr, sizeof(*run->policies[i]));
		err = run->policies[i] ? trial_arm_policies(&record->arms.at[i], before, nr,
							    run->policies[i], error) :
					 rxaqm_no_memory(error);
	}
	return err;
}

static int begin(struct run *run, struct rxaqm_error *error)
{
	int err = open_state(run, run->record->interface, error);

	if (!err) {
		rxaqm_trial_undo_killed(&run->state);
		err = make_policies(run, error);
	}
	run->begun_ns = rxaqm_now_ns();
	err = err   ?:
		      rxaqm_trial_begin(&run->trial, &run->state, run->iface,
					run->begun_ns + run->record->for_ns, error);
	rxaqm_state_unlock(&run->state);
	return err;
}

/* Set the policy of @arm with a lease of one block, as "policy set" does: if this process dies, the
 * queues observe after that.
 */
static int switch_to(struct run *run, unsigned int arm, __u64 *ret_at_ns)
{
	char lease[RXAQM_DURATION_LEN];
	unsigned int i;
	int err = rxaqm_state_lock(&run->state, NULL);

	rxaqm_format_duration_exact(run->record->block_ns, lease);
	*ret_at_ns = rxaqm_now_ns();
	for (i = 0; !err && i < run->iface->nr_queues; i++)
		err = rxaqm_setting_set(&run->policies[arm][i], RXAQM_SOURCE_OPERATOR, "lease",
					lease, *ret_at_ns, NULL);
	err = err ?: rxaqm_trial_put(&run->trial, run->policies[arm]);
	rxaqm_state_unlock(&run->state);
	return err;
}

/* False: it is to stop. */
static bool wait_until(__u64 at_ns)
{
	while (!rxaqm_stop && rxaqm_ns_after(at_ns, rxaqm_now_ns()))
		rxaqm_sleep_until(at_ns);
	return !rxaqm_stop;
}

/* The time in which the queue reaches the length of a policy, and senders react. */
static __u64 settle_ns(const struct run *run, unsigned int arm)
{
	double settle_ns = isnan(run->rtt_ns) ? 0 : run->rtt_ns * SETTLE_RTTS;
	unsigned int i;

	for (i = 0; i < run->iface->nr_queues; i++)
		settle_ns = fmax(settle_ns,
				 (double)run->policies[arm][i].interval_ns * SETTLE_INTERVALS);
	/* So that something is left to measure. */
	return (__u64)fmin(settle_ns, (double)run->record->block_ns / 2);
}

/* The time at the end of a block that is kept for the user's command. */
static __u64 asking_ns(const struct trial_record *record)
{
	double some_ns = fmax((double)record->block_ns / 20, RXAQM_NSEC_PER_SEC);

	return *record->metric ? (__u64)fmin(some_ns, (double)record->block_ns / 4) : 0;
}

/* Fill in @block, which began at @at_ns. False: stopped before its end. */
static bool measure(struct run *run, struct trial_block *block, __u64 at_ns)
{
	const struct trial_record *record = run->record;
	__u64 end_ns = at_ns + record->block_ns;

	if (!wait_until(at_ns + settle_ns(run, block->arm)))
		return false;
	trial_window_begin(&run->state, run->iface, record->interface);
	if (!wait_until(end_ns - asking_ns(record)))
		return false;
	trial_window_end(&run->state, run->iface, record->interface, block);
	run->rtt_ns = block->outcome[TRIAL_RTT] = trial_rtt_ns(run->ifindex);
	if (*record->metric)
		block->outcome[TRIAL_NUMBER] = trial_ask(record->metric, block->why_void,
							 sizeof(block->why_void));
	return wait_until(end_ns);
}

/* False, for a block with which the trial ends. */
static bool ends(struct run *run, const char *why, const char *more)
{
	snprintf(run->record->ended, sizeof(run->record->ended), "%s%s", why, more);
	return false;
}

/* False: the trial ends; @record says why. */
static bool run_block(struct run *run, unsigned int round, unsigned int arm)
{
	struct trial_record *record = run->record;
	struct trial_block block = { .round = round, .arm = arm };
	unsigned int i;
	__u64 at_ns;
	__u32 gen;
	int err, place;

	for (i = 0; i < TRIAL_NR_OUTCOMES; i++)
		block.outcome[i] = NAN;
	err = switch_to(run, arm, &at_ns);
	if (err && err != -ESTALE)
		return ends(run, "a policy could not be set: ", strerror(-err));
	gen = run->iface->policy_gen;
	block.at_s = (double)rxaqm_ns_since(at_ns, run->begun_ns) / 1e9;
	if (!err && !measure(run, &block, at_ns))
		return ends(run, "it was interrupted", "");
	if (err || RXAQM_READ_ONCE(run->iface->policy_gen) != gen ||
	    RXAQM_READ_ONCE(run->iface->state) != RXAQM_IFACE_ATTACHED)
		return ends(run, "somebody else has set a policy, or detached, ",
			    "which stays as it is");
	place = rxaqm_iface_place(run->iface, NULL);
	if (place >= 0 && place != RXAQM_PLACE_HERE)
		return ends(run, "its XDP program was taken off, or the interface has left", "");
	if (*block.why_void)
		rxaqm_log_notice("block %zu is void: %s", record->blocks.nr + 1, block.why_void);
	return rxaqm_list_put(&record->blocks, block);
}

static void run_rounds(struct run *run)
{
	static struct trial_looks looks[TRIAL_GUARDS_MAX * TRIAL_ARMS_MAX];
	struct trial_record *record = run->record;
	unsigned int order[TRIAL_ARMS_MAX], round, i;
	__u64 random = record->seed;

	for (round = 0; round < record->rounds; round++) {
		trial_shuffle(order, (unsigned int)record->arms.nr, &random);
		for (i = 0; i < record->arms.nr; i++)
			if (!run_block(run, round, order[i]))
				return;
		if (trial_guards_look(record, looks))
			return;
	}
}

int trial_run(struct trial_record *record, struct rxaqm_error *error)
{
	static struct run run;
	size_t i;
	int err;

	run = (struct run){
		.record = record, .state = RXAQM_STATE_NONE, .trial.fd = -1, .rtt_ns = NAN
	};
	err = begin(&run, error);
	if (!err) {
		rxaqm_log_notice("%llu %s%s of %zu blocks of %s on \"%s\", seed %llu; Ctrl-C ends "
				 "it, and puts back what is in force now",
				 RXAQM_COUNTED(record->rounds, "round"), record->arms.nr,
				 rxaqm_duration(record->block_ns), record->interface, record->seed);
		run_rounds(&run);
		/* Without the lock the next command restores it. */
		if (run.trial.fd >= 0 && !rxaqm_state_lock(&run.state, NULL))
			rxaqm_trial_end(&run.trial);
	}
	for (i = 0; i < record->arms.nr; i++)
		free(run.policies[i]);
	rxaqm_state_close(&run.state);
	return err;
}
