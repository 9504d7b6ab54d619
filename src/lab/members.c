// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/members.h"

bool members_in_block(const struct lab *l, size_t subject, int arm)
{
	const struct arm_state *own = &l->arms[subject][arm];

	return arm == ARM_A || (!own->rests && !own->gave_up);
}

unsigned int members_of_block(const struct lab *l, size_t subject)
{
	int count = l->experiment->arm_count;
	unsigned int arms = 0;

	for (int arm = 0; arm < count; arm++)
		arms |= members_in_block(l, subject, arm) ? 1U << arm : 0;
	return arms == (1U << count) - 1 ? 0 : arms;
}

bool members_go_on(const struct lab *l, size_t subject)
{
	if (l->arms[subject][ARM_A].gave_up)
		return false;
	for (int arm = ARM_B; arm < l->experiment->arm_count; arm++) {
		if (members_in_block(l, subject, arm))
			return true;
	}
	return l->experiment->arm_count == 1;
}

void members_rest(struct lab *l, const struct comparison *c)
{
	const struct metric_verdict *primary = &c->metrics[0];

	if (l->beyond)
		return;
	l->arms[c->index][c->arm].rests |= primary->settled || primary->futile;
	/* What others came to may have decided it since (Holm). */
	l->arms[c->index][c->arm].futile = primary->futile;
}

/*
 * True when the first pairs of a workload went well and had no figure of its primary metric. Arms
 * that were given up have none anyway.
 */
static bool speechless(const struct lab *l, size_t subject)
{
	const struct subject *s = &l->experiment->subjects[subject];
	const struct metric *primary = description_metric(s->description, s->primary);
	size_t good[ARM_MOST] = {0};

	for (size_t i = 0; i < l->runs->count; i++) {
		const struct entry *entry = &l->runs->list[i];
		struct error ignored;
		double value;

		if (entry->subject != subject || entry->set_aside ||
		    entry->run->outcome != OUTCOME_OK)
			continue;
		if (run_figure(entry->run, primary, &value, &ignored))
			return false;
		good[entry->arm]++;
	}
	for (int arm = 0; arm < l->experiment->arm_count; arm++) {
		if (good[arm] < JUDGE_GIVE_UP_RUNS && !l->arms[subject][arm].gave_up)
			return false;
	}
	return true;
}

/*
 * True when an arm of a workload cannot do it. Whoever takes an experiment up again may have mended
 * it: what went before does not count. Only asked between pairs: all arms have had the
 * same number of chances then, and the judge can tell a fault of B from one of the machine.
 */
static bool hopeless(const struct lab *l, size_t subject, int arm)
{
	unsigned int failures = 0;

	for (size_t i = l->runs->count; i-- > l->first_run;) {
		const struct entry *entry = &l->runs->list[i];

		if (entry->subject != subject || entry->arm != arm ||
		    entry->run->outcome == OUTCOME_INTERRUPTED)
			continue;
		if (entry->run->outcome == OUTCOME_OK)
			break;
		if (++failures == JUDGE_GIVE_UP_RUNS)
			return true;
	}
	return false;
}

void members_give_up(struct lab *l)
{
	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		if (!members_go_on(l, i))
			continue;
		for (int arm = 0; arm < l->experiment->arm_count; arm++)
			l->arms[i][arm].gave_up |=
				members_in_block(l, i, arm) && hopeless(l, i, arm);
		l->arms[i][ARM_A].gave_up |= speechless(l, i);
	}
}

bool members_are_over(const struct lab *l, enum lab_end *ret_end)
{
	*ret_end = LAB_GAVE_UP;
	for (size_t i = 0; i < l->experiment->subject_count; i++) {
		if (members_go_on(l, i))
			return false;
		for (int arm = ARM_B; arm < l->experiment->arm_count; arm++) {
			if (l->arms[i][arm].rests && *ret_end != LAB_FUTILE)
				*ret_end = l->arms[i][arm].futile ? LAB_FUTILE : LAB_DECIDED;
		}
	}
	return true;
}
