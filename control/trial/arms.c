/* SPDX-License-Identifier: GPL-2.0-only */
/* The policies that a trial compares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "policy/settings.h"
#include "trial/run.h"
#include "trial/stats.h"

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
