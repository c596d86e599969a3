/* SPDX-License-Identifier: GPL-2.0-only */
#include "policy/changes.h"

#include <stdio.h>
#include <string.h>

/* The value of @setting. For a lease, its length: when it ends is not of the policy. */
static void value_of(const struct rxaqm_key *setting, const struct rxaqm_policy *policy,
		     char buf[RXAQM_KEY_LEN])
{
	rxaqm_key_format(setting, policy, policy->lease_until_ns - policy->lease_ns, buf);
}

/* Append the changes of a queue to @text, of which @len bytes are used. True if there are any. */
static bool add_changes(const struct rxaqm_policy *before, const struct rxaqm_policy *after,
			char text[RXAQM_CHANGES_LEN], size_t len)
{
	char from[RXAQM_KEY_LEN], to[RXAQM_KEY_LEN];
	const struct rxaqm_key *setting;
	bool any = false;

	for (setting = rxaqm_settings; setting->name; setting++) {
		value_of(setting, before, from);
		value_of(setting, after, to);
		if (!strcmp(from, to))
			continue;
		len += (size_t)snprintf(text + len, RXAQM_CHANGES_LEN - len, "%s %s %s -> %s",
					any ? "," : ":", setting->name, from, to);
		any = true;
		if (len >= RXAQM_CHANGES_LEN)
			break;
	}
	return any;
}

/* The queues from @first on that change like it end before this one. */
static unsigned int end_of(const struct rxaqm_policy *before, const struct rxaqm_policy *after,
			   unsigned int nr, unsigned int first)
{
	unsigned int end = first + 1;

	while (end < nr && rxaqm_policy_same(&before[end], &before[first]) &&
	       rxaqm_policy_same(&after[end], &after[first]))
		end++;
	return end;
}

void rxaqm_changes_each(const struct rxaqm_policy *before, const struct rxaqm_policy *after,
			unsigned int nr, void (*line)(void *arg, const char *text), void *arg)
{
	char text[RXAQM_CHANGES_LEN];
	unsigned int i, end, lines = 0;
	int len;

	for (i = 0; i < nr; i = end) {
		end = end_of(before, after, nr, i);
		if (end - i == nr)
			len = snprintf(text, sizeof(text), "all queues");
		else
			len = snprintf(text, sizeof(text),
				       end == i + 1 ? "queue %u" : "queues %u-%u", i, end - 1);
		if (!add_changes(&before[i], &after[i], text, (size_t)len))
			continue;
		if (++lines < RXAQM_CHANGES_MAX) {
			line(arg, text);
			continue;
		}
		snprintf(text, sizeof(text), "and the queues from %u on", i);
		line(arg, text);
		return;
	}
}
