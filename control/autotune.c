/* SPDX-License-Identifier: GPL-2.0-only */
#include "autotune.h"

#include <stdio.h>
#include <string.h>

#include "parse.h"

void rxaqm_autotune_config_init(struct rxaqm_autotune_config *config)
{
	*config = (struct rxaqm_autotune_config){
		.hold_ns = 60 * RXAQM_NSEC_PER_SEC,
		.gap_ns = 60 * RXAQM_NSEC_PER_SEC,
		.differ_permille = 250,
		.step_permille = 500,
	};
}

void rxaqm_autotune_init(struct rxaqm_autotune *tune, __u64 target_ns, __u64 interval_ns)
{
	memset(tune, 0, sizeof(*tune));
	tune->target_ns = target_ns;
	tune->interval_ns = interval_ns;
}

/* The one of @nr values that as many are above as below; of an even number the lower one, so
 * that it is always one that was measured.
 */
static __u32 median(const __u32 *values, __u32 nr)
{
	__u32 sorted[RXAQM_AUTOTUNE_SAMPLES] = {};
	__u32 i, at;

	for (i = 0; i < nr; i++) {
		for (at = i; at && sorted[at - 1] > values[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = values[i];
	}
	return sorted[(nr - 1) / 2];
}

/* Is what the queue has measured news? */
static bool is_news(struct rxaqm_autotune *tune, const struct rxaqm_target_facts *facts)
{
	/* The first look cannot tell. */
	bool known = tune->last_round_ns;
	bool changed = facts->round_ns != tune->last_round_ns ||
		       facts->packet_ns != tune->last_packet_ns;

	tune->last_round_ns = facts->round_ns;
	tune->last_packet_ns = facts->packet_ns;
	return known && changed && facts->round_ns;
}

/* Keep what was measured, if it is news and due. Returns true if so. */
static bool take_sample(struct rxaqm_autotune *tune, const struct rxaqm_target_facts *facts,
			__u64 now_ns)
{
	__u64 age_ns = rxaqm_ns_since(now_ns, tune->sample_ns);
	__u32 at = tune->next_sample;

	if (tune->nr_samples && age_ns > RXAQM_AUTOTUNE_SILENCE_NS) {
		tune->nr_samples = 0;
		tune->side = 0;
	}
	if (tune->nr_samples && age_ns < RXAQM_AUTOTUNE_SAMPLE_NS)
		return false;
	if (!is_news(tune, facts))
		return false;
	if (!tune->nr_samples)
		at = 0;
	tune->round_ns[at] = facts->round_ns;
	tune->packet_ns[at] = facts->packet_ns;
	tune->clock_err_ns[at] = (__u32)(facts->clock_err_ns < ~0U ? facts->clock_err_ns : ~0U);
	tune->next_sample = (at + 1) % RXAQM_AUTOTUNE_SAMPLES;
	if (tune->nr_samples < RXAQM_AUTOTUNE_SAMPLES)
		tune->nr_samples++;
	tune->sample_ns = now_ns;
	return true;
}

/* Which side of the target the wish is on, by more than @permille; 0: near enough. */
static int side_of(__u64 target_ns, __u64 wish_ns, __u32 permille)
{
	if (wish_ns * 1000 > target_ns * (1000 + permille))
		return 1;
	if (wish_ns * (1000 + permille) < target_ns * 1000)
		return -1;
	return 0;
}

static void forget_reversals(struct rxaqm_autotune *tune, __u64 now_ns)
{
	while (tune->reversals &&
	       rxaqm_ns_since(now_ns, tune->reversed_ns) >= RXAQM_AUTOTUNE_FORGET_NS) {
		tune->reversals--;
		tune->reversed_ns += RXAQM_AUTOTUNE_FORGET_NS;
	}
}

/* May the target move now, to the side that the wish is on? */
static bool may_change(struct rxaqm_autotune *tune, const struct rxaqm_autotune_config *config,
		       __u64 now_ns)
{
	bool reverses = tune->direction && tune->side != tune->direction;
	__u64 hold_ns = config->hold_ns;

	if (config->pinned || tune->overruled || !tune->side)
		return false;
	if (tune->direction && rxaqm_ns_since(now_ns, tune->changed_ns) < config->gap_ns)
		return false;
	forget_reversals(tune, now_ns);
	if (reverses)
		hold_ns <<= tune->reversals;
	return rxaqm_ns_since(now_ns, tune->side_since_ns) >= hold_ns;
}

/* Move the target towards the wish by one step. */
static void change_target(struct rxaqm_autotune *tune, const struct rxaqm_autotune_config *config,
			  const struct rxaqm_target_facts *facts, __u64 now_ns)
{
	__u64 wish_ns = tune->wish.target_ns, next_ns;

	if (tune->side > 0) {
		next_ns = tune->target_ns * (1000 + config->step_permille) / 1000;
		if (next_ns > wish_ns)
			next_ns = wish_ns;
	} else {
		next_ns = tune->target_ns * 1000 / (1000 + config->step_permille);
		if (next_ns < wish_ns)
			next_ns = wish_ns;
	}
	if (tune->direction && tune->side != tune->direction) {
		if (tune->reversals < RXAQM_AUTOTUNE_REVERSALS_MAX)
			tune->reversals++;
		tune->reversed_ns = now_ns;
	}
	tune->direction = tune->side;
	tune->changed_ns = now_ns;
	tune->target_ns = next_ns;
	tune->interval_ns = rxaqm_target_interval_ns(facts, next_ns);
}

static void tell(const struct rxaqm_autotune *tune, __u64 from_ns, __u64 now_ns,
		 struct rxaqm_autotune_change *change)
{
	char from[RXAQM_DURATION_LEN], to[RXAQM_DURATION_LEN];
	char wish[RXAQM_DURATION_LEN], since[RXAQM_DURATION_LEN];

	change->from_ns = from_ns;
	change->target_ns = tune->target_ns;
	change->interval_ns = tune->interval_ns;
	snprintf(change->reason, sizeof(change->reason),
		 "target %s -> %s, on the way to %s: %s, for %s",
		 rxaqm_format_duration(from_ns, from), rxaqm_format_duration(tune->target_ns, to),
		 rxaqm_format_duration(tune->wish.target_ns, wish), tune->wish.text,
		 rxaqm_format_duration(rxaqm_ns_since(now_ns, tune->side_since_ns), since));
}

bool rxaqm_autotune_update(struct rxaqm_autotune *tune, const struct rxaqm_autotune_config *config,
			   const struct rxaqm_target_facts *facts, const struct rxaqm_queue *q,
			   __u64 now_ns, struct rxaqm_autotune_change *change)
{
	struct rxaqm_target_facts measured = *facts;
	__u64 from_ns = tune->target_ns;
	int side;

	rxaqm_target_measure(&measured, q);
	if (!take_sample(tune, &measured, now_ns) || tune->nr_samples < RXAQM_AUTOTUNE_SAMPLES_MIN)
		return false;
	measured.round_ns = median(tune->round_ns, tune->nr_samples);
	measured.packet_ns = median(tune->packet_ns, tune->nr_samples);
	measured.clock_err_ns = median(tune->clock_err_ns, tune->nr_samples);
	rxaqm_target_derive(&measured, &tune->wish);

	side = side_of(tune->target_ns, tune->wish.target_ns, config->differ_permille);
	if (side != tune->side) {
		tune->side = side;
		tune->side_since_ns = now_ns;
	}
	if (!may_change(tune, config, now_ns))
		return false;
	change_target(tune, config, &measured, now_ns);
	tell(tune, from_ns, now_ns, change);
	return true;
}

bool rxaqm_autotune_overruled(struct rxaqm_autotune *tune, __u64 target_ns, __u64 interval_ns)
{
	if (tune->overruled || (target_ns == tune->target_ns && interval_ns == tune->interval_ns))
		return false;
	tune->overruled = true;
	tune->target_ns = target_ns;
	tune->interval_ns = interval_ns;
	return true;
}
