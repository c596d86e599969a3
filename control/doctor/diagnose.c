/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/diagnose.h"

/* In the order that packets pass; of findings of equal rank the first becomes the primary cause. */
static const struct doctor_check *const tables[] = {
	doctor_checks_attached, doctor_checks_link,
	doctor_checks_nic,	doctor_checks_spread,
	doctor_checks_deep,	doctor_checks_cpu,
	doctor_checks_backlog,	doctor_checks_protocol_counters,
	doctor_checks_reader,	doctor_checks_tcp,
	doctor_checks_window,	doctor_checks_udp,
	doctor_checks_txqueue,	doctor_checks_tx,
	doctor_checks_send,	doctor_checks_path,

};

const struct doctor_check *doctor_check_at(size_t index)
{
	size_t i, k;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (k = 0; tables[i][k].id; k++) {
			if (!index--)
				return &tables[i][k];
		}
	}
	return NULL;
}

/* The higher one is the primary cause. A finding by a setting alone ranks below all others. */
static unsigned int rank(const struct doctor_finding *finding)
{
	return (finding->confidence != DOCTOR_CONFIGURED) * 100 + finding->severity * 10 +
	       finding->confidence;
}

struct doctor_finding *doctor_find(const struct doctor_diagnosis *diagnosis, const char *id,
				   size_t len)
{
	size_t i;

	for (i = 0; i < diagnosis->nr; i++) {
		const char *other = diagnosis->findings[i].check->id;

		if (strlen(other) == len && !memcmp(other, id, len))
			return &diagnosis->findings[i];
	}
	return NULL;
}

bool doctor_is_note(const struct doctor_finding *finding)
{
	return finding->severity == DOCTOR_LOW || finding->confidence == DOCTOR_CONFIGURED;
}

/* May packets of @iface come to @cpu? Also true if it is not known. */
static bool comes_to(const struct doctor_iface *iface, __s32 cpu)
{
	const struct doctor_queue *queue;
	const struct doctor_napi *napi;

	if (doctor_known(iface->rps_queues) || rxaqm_list_find(napi, &iface->napis, napi->pid) ||
	    !rxaqm_list_find(queue, &iface->queues, !queue->tx && queue->cpu >= 0))
		return true;
	return rxaqm_list_find(queue, &iface->queues, !queue->tx && queue->cpu == cpu);
}

/* May @cause explain what happens at @iface (NULL: everywhere) and @cpu (-1: everywhere), and loses
 * @lost packets (0: none)? Only at the same place, and if @cause has lost half as many.
 */
static bool explains(const struct doctor_finding *cause, const struct doctor_iface *iface,
		     __s32 cpu, double lost)
{
	if (cause->iface && iface && cause->iface != iface)
		return false;
	if (cause->cpu >= 0 && cpu >= 0 && cause->cpu != cpu)
		return false;
	if ((cause->cpu >= 0 && iface && !comes_to(iface, cause->cpu)) ||
	    (cpu >= 0 && cause->iface && !comes_to(cause->iface, cpu)))
		return false;
	return cause->lost <= 0 || lost <= 2 * cause->lost;
}

/* The first of the findings @ids that explains it. */
static const struct doctor_finding *first_that_explains(const struct doctor_diagnosis *diagnosis,
							const char *ids, bool but_notes,
							const struct doctor_iface *iface, __s32 cpu,
							double lost)
{
	const struct doctor_finding *cause;
	size_t len;

	for (; ids && *ids; ids += len + strspn(ids + len, " ")) {
		len = strcspn(ids, " ");
		cause = doctor_find(diagnosis, ids, len);
		if (cause && cause->verdict == DOCTOR_FOUND &&
		    !(but_notes && doctor_is_note(cause)) && explains(cause, iface, cpu, lost))
			return cause;
	}
	return NULL;
}

const struct doctor_finding *doctor_first_found(const struct doctor_diagnosis *diagnosis,
						const char *ids)
{
	return first_that_explains(diagnosis, ids, false, NULL, -1, 0);
}

/* A cause never follows from a note. */
static const struct doctor_finding *find_root(const struct doctor_diagnosis *diagnosis,
					      const struct doctor_finding *finding)
{
	const struct doctor_finding *cause = first_that_explains(diagnosis, finding->after, true,
								 finding->iface, finding->cpu,
								 finding->lost);

	if (cause || !doctor_is_note(finding))
		return cause;
	return first_that_explains(diagnosis, finding->after, false, finding->iface, finding->cpu,
				   finding->lost);
}

/* Does a finding explain @risen? The check that sums it up, the first one, has looked at all
 * interfaces.
 */
static bool is_explained(const struct doctor_diagnosis *diagnosis, const struct doctor_risen *risen)
{
	const char *ids = risen->loss->by;
	const struct doctor_finding *sum = doctor_find(diagnosis, ids, strcspn(ids, " "));

	return (sum && sum->verdict == DOCTOR_FOUND) ||
	       first_that_explains(diagnosis, ids, false, risen->iface, -1, (double)risen->rise);
}

/* Two counters of one interface are twins if they count the same, or rose by the same. They are
 * read one after the other, so their rises differ a little.
 */
static bool is_twin(const struct doctor_risen *one, const struct doctor_risen *other)
{
	__u64 apart = one->rise > other->rise ? one->rise - other->rise : other->rise - one->rise;

	return one->iface && one->iface == other->iface &&
	       ((one->loss->name && !strcmp(one->loss->what, other->loss->what)) ||
		apart * 100 <= one->rise);
}

/* Keep counters that no finding explains, the most frequent first, and the larger one of twins. */
static void add_unexplained(void *arg, const struct doctor_risen *risen)
{
	struct doctor_diagnosis *diagnosis = arg;
	struct doctor_risen *list = diagnosis->unexplained;
	size_t at, nr = diagnosis->nr_unexplained;

	if (is_explained(diagnosis, risen))
		return;
	for (at = 0; at < nr && !is_twin(&list[at], risen); at++)
		;
	if (at == nr && nr < DOCTOR_UNEXPLAINED)
		list[diagnosis->nr_unexplained++] = (struct doctor_risen){};
	at -= at == DOCTOR_UNEXPLAINED;
	if (list[at].rise >= risen->rise)
		return;
	for (; at && list[at - 1].rise < risen->rise; at--)
		list[at] = list[at - 1];
	list[at] = *risen;
}

int doctor_diagnose(const struct doctor_snapshot *snap, struct doctor_diagnosis *diagnosis)
{
	const struct doctor_blind *blind;
	struct doctor_finding *finding;
	size_t nr = 0, i;

	memset(diagnosis, 0, sizeof(*diagnosis));
	while (doctor_check_at(nr))
		nr++;
	diagnosis->findings = calloc(nr, sizeof(*diagnosis->findings));
	if (!diagnosis->findings)
		return -ENOMEM;
	diagnosis->nr = nr;
	for (i = 0; i < nr; i++) {
		finding = &diagnosis->findings[i];
		finding->check = doctor_check_at(i);
		finding->severity = finding->check->severity;
		finding->confidence = finding->check->confidence;
		finding->after = finding->check->after;
		finding->cpu = -1;
		finding->verdict = doctor_judge(snap, finding);
	}
	doctor_each(finding, diagnosis, DOCTOR_BLIND)
		diagnosis->blind |= finding->check->essential;
	rxaqm_list_each(blind, &snap->cannot_see)
		diagnosis->blind |= blind->essential;
	doctor_each(finding, diagnosis, DOCTOR_FOUND) {
		finding->consequence_of = find_root(diagnosis, finding);
		if (!finding->consequence_of && !doctor_is_note(finding) &&
		    (!diagnosis->primary || rank(finding) > rank(diagnosis->primary)))
			diagnosis->primary = finding;
	}
	doctor_each_risen(snap, add_unexplained, diagnosis);
	return 0;
}

void doctor_diagnosis_free(struct doctor_diagnosis *diagnosis)
{
	free(diagnosis->findings);
	diagnosis->findings = NULL;
}

int doctor_exit_code(const struct doctor_diagnosis *diagnosis)
{
	if (diagnosis->primary)
		return RXAQM_EXIT_FINDINGS;
	return diagnosis->blind || diagnosis->nr_unexplained ? RXAQM_EXIT_UNSUPPORTED :
							       RXAQM_EXIT_OK;
}

const char *doctor_not_gone(const struct doctor_snapshot *snap,
			    const struct doctor_diagnosis *diagnosis,
			    const struct doctor_finding *finding, char buf[128])
{
	const struct doctor_finding *hides = doctor_first_found(diagnosis, finding->after);
	__u64 packets = doctor_all_rose(snap, "rx_packets", true);

	if (finding->verdict != DOCTOR_CLEAR)
		return NULL;
	if (hides) {
		snprintf(buf, 128, "%s is found, which may hide it", hides->check->id);
		return buf;
	}
	/* A setting can be judged without packets. */
	if (finding->check->place == DOCTOR_SETTINGS ||
	    (double)packets >= 100 * doctor_window_s(snap))
		return NULL;
	return "too few packets came to tell whether it is gone";
}

int doctor_verdict_code(const struct doctor_diagnosis *diagnosis, const char *id)
{
	const struct doctor_finding *finding = doctor_find(diagnosis, id, strlen(id));

	if (!finding)
		return RXAQM_EXIT_USAGE;
	if (finding->verdict == DOCTOR_FOUND)
		return RXAQM_EXIT_FINDINGS;
	return finding->verdict == DOCTOR_BLIND ? RXAQM_EXIT_UNSUPPORTED : RXAQM_EXIT_OK;
}
