// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/judge.h"

#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/pairs.h"
#include "judge/rule.h"
#include "stats/family.h"

const char *const verdict_words[] = {"regressed", "improved", "cleared", "undecided", "none", NULL};
const char *const judge_scale_words[] = {"log", "difference", NULL};
const char *const finding_words[] = {
	"regressed", "b_crashes", "improved", "cleared", "undecided", "none", "impossible", NULL,
};
const char *const judge_rule_words[] = {"sign_flip", "e_process", "paired_t", NULL};

/* A metric about the tasks of a role together says nothing where the role has one task. */
static bool without_object(const struct metric_verdict *v)
{
	return v->metric->multitask && !v->pairs && v->refused;
}

static void verdict_done(struct metric_verdict *v)
{
	free(v->refusal);
	free(v->a);
	free(v->b);
}

/* Measures every metric of a subject; the primary comes first, the rest in declared order. */
static void measure_subject(const struct experiment *e, const struct pairs *pairs,
			    struct subject_verdict *v)
{
	const struct description *d = v->subject->description;

	v->metrics = memory_array(d->metric_count, sizeof(*v->metrics));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < d->metric_count; i++) {
			struct metric_verdict *m = &v->metrics[v->metric_count];
			bool primary = text_equal(d->metrics[i].name, v->subject->primary);

			if (primary != !round)
				continue;
			*m = (struct metric_verdict){.metric = &d->metrics[i], .primary = primary};
			rule_collect(pairs, m);
			if (!primary && without_object(m)) {
				verdict_done(m);
				continue;
			}
			rule_measure(m, experiment_takes_looks(e), e->alpha, e->seed);
			v->metric_count++;
		}
	}
}

/*
 * A metric that stands for a claim, and so counts in its family. One without any figure (latencies
 * with record=no, a role that these parameters do not have) asked nothing.
 */
static bool judged(const struct metric_verdict *m)
{
	return m->metric->better != BETTER_NEITHER && m->pairs;
}

/* Adjusts the p-values of a family in place: Holm's step-down. */
static void adjust(struct metric_verdict **family, size_t count)
{
	double *p __free(memory) = memory_array(count, sizeof(*p));
	double *adjusted __free(memory) = memory_array(count, sizeof(*adjusted));

	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		p[i] = family[i]->p;
	family_adjust_holm(p, count, adjusted);
	for (size_t i = 0; i < count; i++) {
		family[i]->p_adjusted = adjusted[i];
		family[i]->comparisons = count;
	}
}

static void adjust_families(struct judgement *j)
{
	struct metric_verdict **family __free(memory) = NULL;
	size_t count = 0;

	/*
	 * A primary without a figure is still a question that was asked: it keeps its place in the
	 * family (p = 1), so that others do not gain by its failure.
	 */
	family = memory_array(j->subject_count, sizeof(struct metric_verdict *));
	for (size_t i = 0; i < j->subject_count; i++)
		family[count++] = &j->subjects[i].metrics[0];
	adjust(family, count);
	for (size_t i = 0; i < j->subject_count; i++) {
		struct subject_verdict *v = &j->subjects[i];
		struct metric_verdict **others __free(memory) =
			memory_array(v->metric_count, sizeof(struct metric_verdict *));

		count = 0;
		for (size_t k = 1; k < v->metric_count; k++) {
			if (judged(&v->metrics[k]))
				others[count++] = &v->metrics[k];
		}
		adjust(others, count);
	}
}

/* Why an arm can do no more, as the last whole pair or the last runs tell. */
static char *last_reason(const struct entries *runs, size_t subject, int arm)
{
	for (size_t i = runs->count; i-- > 0;) {
		const struct entry *e = &runs->list[i];

		if (e->subject == subject && e->arm == arm && e->run->outcome != OUTCOME_OK)
			return text_format("%s%s%s", outcome_words[e->run->outcome],
					   *e->run->reason ? ": " : "", e->run->reason);
	}
	return NULL;
}

static void find_trouble(struct subject_verdict *v, const struct entries *runs, size_t subject)
{
	int arm = ARM_B;

	/* A crash of B while A does well is a finding about B; A's failure never is. */
	if (v->failures_in_row[ARM_A] >= JUDGE_GIVE_UP_RUNS) {
		v->impossible = true;
		arm = ARM_A;
	} else if (v->crashes_in_row[ARM_B] >= JUDGE_GIVE_UP_RUNS) {
		v->b_crashes = true;
	} else if (v->failures_in_row[ARM_B] >= JUDGE_GIVE_UP_RUNS) {
		v->impossible = true;
	} else if (v->metrics[0].refused >= JUDGE_GIVE_UP_RUNS && !v->metrics[0].pairs) {
		/* All went well, and what was asked cannot be answered. */
		v->impossible = true;
		v->why_not = text_format("no figure for %s: %s", v->metrics[0].metric->name,
					 v->metrics[0].refusal);
		return;
	} else {
		return;
	}
	v->why_not = last_reason(runs, subject, arm);
}

static bool gave_up(const struct subject_verdict *v)
{
	return v->b_crashes || v->impossible;
}

enum finding subject_finding(const struct subject_verdict *v)
{
	if (v->b_crashes)
		return FINDING_B_CRASHES;
	switch (v->metrics[0].verdict) {
	case VERDICT_REGRESSED:
		return FINDING_REGRESSED;
	case VERDICT_IMPROVED:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_IMPROVED;
	case VERDICT_CLEARED:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_CLEARED;
	case VERDICT_UNDECIDED:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_UNDECIDED;
	default:
		return v->impossible ? FINDING_IMPOSSIBLE : FINDING_NONE;
	}
}

bool judgement_decided(const struct judgement *j)
{
	size_t settled = 0;

	for (size_t i = 0; i < j->subject_count; i++) {
		const struct subject_verdict *v = &j->subjects[i];

		if (!gave_up(v) && !v->metrics[0].settled)
			return false;
		settled += !gave_up(v);
	}
	return settled > 0;
}

struct judgement *judge(const struct experiment *e, const struct entries *runs,
			enum judge_when when)
{
	struct judgement *j = memory_alloc(sizeof(*j));
	bool looks = experiment_takes_looks(e);

	j->subjects = memory_array(e->subject_count, sizeof(*j->subjects));
	j->subject_count = e->subject_count;
	j->aa = experiment_is_aa(e);
	for (size_t i = 0; i < e->subject_count; i++) {
		struct subject_verdict *v = &j->subjects[i];
		struct pairs pairs __cleanup(pairs_done) = {0};

		v->subject = &e->subjects[i];
		pairs_collect(runs, i, &pairs, v);
		measure_subject(e, &pairs, v);
		if (looks && v->pairs > j->looks)
			j->looks = v->pairs;
	}
	adjust_families(j);
	for (size_t i = 0; i < j->subject_count; i++) {
		struct subject_verdict *v = &j->subjects[i];
		enum judge_when own;

		find_trouble(v, runs, i);
		/* One that was given up did not reach the end that the others did. */
		own = gave_up(v) && when == JUDGE_END ? JUDGE_CUT : when;
		for (size_t k = 0; k < v->metric_count; k++)
			rule_decide(&v->metrics[k], e->alpha, e->margin, own);
		j->b_crashes |= v->b_crashes;
		j->impossible |= v->impossible;
	}
	j->early = looks && when == JUDGE_LOOK && judgement_decided(j);
	j->finished = when == JUDGE_END || j->early;
	return j;
}

void judgement_free(struct judgement *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->subject_count; i++) {
		struct subject_verdict *v = &j->subjects[i];

		for (size_t k = 0; k < v->metric_count; k++)
			verdict_done(&v->metrics[k]);
		free(v->metrics);
		free(v->first_drop);
		free(v->why_not);
	}
	free(j->subjects);
	free(j);
}

int judgement_status(const struct judgement *j, bool strict)
{
	bool undecided = false;

	if (j->b_crashes)
		return 1;
	for (size_t i = 0; i < j->subject_count; i++) {
		const struct metric_verdict *m = &j->subjects[i].metrics[0];

		if (m->verdict == VERDICT_REGRESSED || (strict && m->worse))
			return 1;
		undecided |= m->verdict == VERDICT_UNDECIDED;
	}
	if (j->impossible)
		return 4;
	return undecided ? 3 : 0;
}
