// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/judge.h"

#include "base/memory.h"
#include "base/text.h"
#include "judge/curve.h"
#include "judge/explore.h"
#include "judge/families.h"
#include "judge/figures.h"
#include "judge/looks.h"
#include "judge/overall.h"
#include "judge/pairs.h"
#include "judge/rule.h"

/* A metric about the tasks of a role together says nothing where the role has one task. */
static bool without_object(const struct metric_verdict *v)
{
	return v->metric->multitask && !v->pairs && v->refused;
}

/* Which runs are judged, and by which rules. */
struct stage {
	const struct experiment *e;
	const struct entries *runs;
	enum judge_when when;
	int64_t below; /* pairs with a smaller number */
	bool blind;
	bool looks; /* by a sequential rule: */
	struct sequential_plan plan;
	const struct judgement *first; /* what an extension extends; NULL: it is none */
};

/* The level at which a metric of the subject is tested. */
static double level_of(const struct stage *st, size_t subject, bool primary)
{
	struct metric_verdict **family __free(memory) = NULL;
	size_t count;

	if (!st->first)
		return st->e->alpha;
	/*
	 * The tests of several arms together are permutation tests without steps: nothing is left.
	 */
	if (st->e->arm_count > 2)
		return 0;
	if (primary) {
		family = families_primaries(st->first);
		count = st->first->comparison_count;
	} else {
		family = families_others(st->first, subject, &count);
	}
	return families_level_left(family, count, st->e->alpha);
}

/* The same metric as the extended judgement has it; NULL: there is none. */
static const struct metric_verdict *verdict_before(const struct stage *st, size_t index,
						   const struct metric_verdict *v)
{
	const struct comparison *before = st->first ? &st->first->comparisons[index] : NULL;

	for (size_t i = 0; before && i < before->metric_count; i++) {
		if (before->metrics[i].metric == v->metric)
			return &before->metrics[i];
	}
	return NULL;
}

/*
 * Blind, nothing is known of figures but that there are none at all, which shows nothing of them
 * and is a reason to end.
 */
static void collect_blindly(const struct pairs *pairs, struct metric_verdict *m)
{
	struct metric_verdict seen = {.metric = m->metric};

	if (!m->primary)
		return;
	figures_collect(pairs, &seen);
	if (!seen.pairs) {
		m->refused = seen.refused;
		m->refusal = take(seen.refusal);
	}
	metric_verdict_done(&seen);
}

/* Measures the metrics of a comparison; the primary comes first, the rest in declared order. */
static void measure(const struct stage *st, const struct pairs *pairs, struct comparison *v)
{
	const struct description *d = v->subject->description;
	bool glance = st->when == JUDGE_GLANCE;
	int64_t end = st->looks ? looks_end(st->e, st->runs, v->index, v->arm) : 0;
	double levels[] = {level_of(st, v->index, true), level_of(st, v->index, false)};

	v->metrics = memory_array(d->metric_count, sizeof(*v->metrics));
	for (int round = 0; round < (glance ? 1 : 2); round++) {
		for (size_t i = 0; i < d->metric_count; i++) {
			struct metric_verdict *m = &v->metrics[v->metric_count];
			bool primary = text_equal(d->metrics[i].name, v->subject->primary);

			if (primary != !round)
				continue;
			*m = (struct metric_verdict){
				.metric = &d->metrics[i],
				.primary = primary,
				.level = levels[round],
			};
			if (st->blind)
				collect_blindly(pairs, m);
			else
				figures_collect(pairs, m);
			if (!primary && without_object(m)) {
				metric_verdict_done(m);
				continue;
			}
			m->plan = looks_of_metric(&st->plan, end, figures_before(m, end));
			rule_measure(m, st->looks, glance ? RULE_GLANCE : RULE_WHOLE, st->e->alpha,
				     st->e->seed);
			v->metric_count++;
		}
	}
	/* An extension has what was found at its first end: alpha was spent on it there. */
	if (!st->blind && !glance && !st->first)
		v->explored = explore(d, pairs, st->looks, st->e->alpha, st->e->seed);
}

/* Why an arm can do no more, as the last whole pair or the last runs tell. */
static char *last_reason(const struct entries *runs, size_t subject, int arm)
{
	for (size_t i = runs->count; i-- > 0;) {
		const struct entry *e = &runs->list[i];

		if (e->subject == subject && e->arm == arm && !e->set_aside &&
		    e->run->outcome != OUTCOME_OK)
			return text_format("%s%s%s", outcome_words[e->run->outcome],
					   *e->run->reason ? ": " : "", e->run->reason);
	}
	return NULL;
}

/* An arm of which no run was ok, and none will come: three in a row are not waited for. */
static bool gave_nothing(const struct comparison *v, int arm, enum judge_when when)
{
	return when == JUDGE_END && v->runs[arm] && v->failures_in_row[arm] == v->runs[arm];
}

static void find_trouble(struct comparison *v, const struct entries *runs, enum judge_when when)
{
	int arm = v->arm;

	/* A crash of an arm while A does well is a finding about that arm; A's failure never is. */
	if (v->failures_in_row[ARM_A] >= JUDGE_GIVE_UP_RUNS || gave_nothing(v, ARM_A, when)) {
		v->impossible = true;
		arm = ARM_A;
	} else if (v->crashes_in_row[arm] >= JUDGE_GIVE_UP_RUNS) {
		v->crashes = true;
	} else if (v->failures_in_row[arm] >= JUDGE_GIVE_UP_RUNS || gave_nothing(v, arm, when)) {
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
	v->why_not = last_reason(runs, v->index, arm);
}

static bool gave_up(const struct comparison *v)
{
	return v->crashes || v->impossible;
}

bool judgement_decided(const struct judgement *j)
{
	size_t settled = 0;

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *v = &j->comparisons[i];

		if (!gave_up(v) && !v->metrics[0].settled)
			return false;
		settled += !gave_up(v);
	}
	return settled > 0;
}

/* Is it futile to go on with what is not settled? */
static bool is_futile(const struct judgement *j)
{
	bool futile = false;

	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *v = &j->comparisons[i];

		if (!gave_up(v) && !v->metrics[0].settled && !v->metrics[0].futile)
			return false;
		futile |= !gave_up(v) && v->metrics[0].futile;
	}
	return futile;
}

static void decide(const struct stage *st, struct judgement *j)
{
	for (size_t i = 0; i < j->comparison_count; i++) {
		struct comparison *v = &j->comparisons[i];
		enum judge_when own;

		find_trouble(v, st->runs, st->when);
		/* One that was given up did not reach the end that the others did. */
		own = gave_up(v) && st->when == JUDGE_END ? JUDGE_CUT : st->when;
		for (size_t k = 0; k < v->metric_count; k++) {
			const struct metric_verdict *before = verdict_before(st, i, &v->metrics[k]);

			rule_decide(&v->metrics[k], st->e->margin, own, before, st->e->seed);
			if (before)
				rule_join(&v->metrics[k], before);
		}
		if (st->looks && !st->first && looks_may_be_futile(st->e))
			v->metrics[0].futile = rule_is_futile(&v->metrics[0], st->e->margin);
		j->crashes |= v->crashes;
		j->impossible |= v->impossible;
	}
}

/* True where what is said of several subjects together is to be judged. */
static bool judges_together(const struct stage *st)
{
	/* An extension has that of its first end, for alpha was spent on it there. */
	return !st->blind && st->when != JUDGE_GLANCE && !st->first;
}

static void judge_curves(const struct stage *st, struct judgement *j)
{
	const struct curve_terms terms = {
		.e = st->e, .when = st->when, .plan = st->looks ? &st->plan : NULL};

	if (judges_together(st))
		curves_judge(&terms, j);
}

/* A workload is a subject, or all points of a curve together. */
static struct overall_workload workload_at(const struct experiment *e, const struct judgement *j,
					   size_t subject, int arm)
{
	const struct curve *curve = experiment_curve(e, subject);
	size_t others = (size_t)e->arm_count - 1;
	struct comparison *c = &j->comparisons[subject * others + (size_t)(arm - ARM_B)];
	struct overall_workload w = {
		.name = c->subject->description->name,
		.primary = &c->metrics[0],
		.gave_up = gave_up(c),
	};

	if (curve) {
		struct overall *mean = curve_verdict_of(j, curve, arm)->mean;

		w.primary = &mean->v;
		w.gave_up = false;
		w.why_not = mean->why_not ? "has no mean over its points" : NULL;
	}
	return w;
}

/* Of several workloads. */
static struct overall *judge_overall(const struct stage *st, const struct judgement *j, int arm)
{
	const struct experiment *e = st->e;
	struct overall_workload *workloads __free(memory) =
		memory_array(e->subject_count, sizeof(*workloads));
	size_t count = 0;

	if (!judges_together(st))
		return NULL;
	for (size_t i = 0; i < e->subject_count; i++) {
		const struct curve *curve = experiment_curve(e, i);

		if (!curve || curve->first == i)
			workloads[count++] = workload_at(e, j, i, arm);
	}
	if (count < 2)
		return NULL;
	return overall_make(&(struct overall_of){
		.workloads = workloads,
		.count = count,
		.plan = st->looks ? &st->plan : NULL,
		.alpha = e->alpha,
		.seed = e->seed,
	});
}

static struct judgement *judge_stage(const struct stage *st)
{
	const struct experiment *e = st->e;
	struct judgement *j = memory_alloc(sizeof(*j));
	bool looks = experiment_takes_looks(e);

	j->comparison_count = e->subject_count * ((size_t)e->arm_count - 1);
	j->comparisons = memory_array(j->comparison_count, sizeof(*j->comparisons));
	j->aa = true;
	j->blind = st->blind;
	j->first_end = st->first ? e->looked : 0;
	for (size_t i = 0; i < j->comparison_count; i++) {
		struct comparison *v = &j->comparisons[i];
		struct pairs pairs __cleanup(pairs_done) = {0};

		v->index = i / ((size_t)e->arm_count - 1);
		v->arm = ARM_B + (int)(i % ((size_t)e->arm_count - 1));
		v->subject = &e->subjects[v->index];
		v->aa = subject_is_aa(v->subject, v->arm);
		j->aa &= v->aa;
		pairs_collect(st->runs, st->below, &pairs, v);
		measure(st, &pairs, v);
		if (looks && v->pairs > j->looks)
			j->looks = v->pairs;
	}
	families_adjust(j, e->seed);
	decide(st, j);
	judge_curves(st, j);
	for (int arm = ARM_B; arm < e->arm_count; arm++)
		j->overall[arm] = judge_overall(st, j, arm);
	j->early = looks && st->when != JUDGE_END && judgement_decided(j);
	j->futile = looks && st->when != JUDGE_END && is_futile(j);
	j->finished = st->when == JUDGE_END || j->early || j->futile;
	return j;
}

/* As the experiment was judged when its planned end came first. */
static struct judgement *judge_first_end(const struct experiment *e, const struct entries *runs)
{
	const struct stage first = {.e = e, .runs = runs, .when = JUDGE_END, .below = e->looked};

	return judge_stage(&first);
}

static bool is_extended(const struct experiment *e, const struct entries *runs)
{
	for (size_t i = 0; e->plan == PLAN_PAIRS && e->looked && i < runs->count; i++) {
		if (runs->list[i].pair >= e->looked && !runs->list[i].set_aside)
			return true;
	}
	return false;
}

struct judgement *judge(const struct experiment *e, const struct entries *runs,
			enum judge_when when)
{
	struct judgement *first __free(judgement) = NULL;
	struct stage st = {.e = e, .runs = runs, .when = when, .below = INT64_MAX};
	struct judgement *j;

	st.looks = experiment_takes_looks(e);
	if (st.looks)
		st.plan = looks_plan(e, runs);
	if (is_extended(e, runs)) {
		first = judge_first_end(e, runs);
		st.first = first;
		st.looks = true;
	} else if (e->plan == PLAN_PAIRS && when != JUDGE_END) {
		/* The end that was seen stays what it was. */
		st.when = e->looked ? JUDGE_END : when;
		st.blind = !e->looked;
	}
	j = judge_stage(&st);
	for (int arm = ARM_B; first && arm < e->arm_count; arm++)
		j->overall[arm] = take(first->overall[arm]);
	if (first) {
		j->curves = take(first->curves);
		j->curve_count = first->curve_count;
		first->curve_count = 0;
	}
	for (size_t i = 0; first && i < j->comparison_count; i++)
		j->comparisons[i].explored = take(first->comparisons[i].explored);
	return j;
}

int64_t judge_extension_needs(const struct experiment *e, const struct entries *runs)
{
	struct judgement *first __free(judgement) = judge_first_end(e, runs);
	struct judgement *now __free(judgement) = judge(e, runs, JUDGE_END);
	const struct stage st = {.e = e, .runs = runs, .first = first};
	double level = level_of(&st, 0, true);
	int64_t least = INT64_MAX, next = INT64_MAX;

	if (level <= 0)
		return 0;
	for (size_t i = 0; i < now->comparison_count; i++) {
		const struct comparison *v = &now->comparisons[i];
		const struct metric_verdict *m = &v->metrics[0];
		const struct comparison *then = &first->comparisons[i];
		/* One that was given up before the end goes on behind it. */
		int64_t done = e->looked + (int64_t)(v->pairs + v->dropped) -
			       (int64_t)(then->pairs + then->dropped);
		int64_t more;

		next = done + 1 < next ? done + 1 : next;
		if (m->verdict == VERDICT_IMPROVED || m->verdict == VERDICT_REGRESSED)
			continue;
		more = rule_pairs_to_reject(m, level);
		least = done + more < least ? done + more : least;
	}
	/* Where all have their verdict an interval may still be narrowed. */
	return least == INT64_MAX ? next : least;
}

void judgement_free(struct judgement *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->comparison_count; i++) {
		struct comparison *v = &j->comparisons[i];

		for (size_t k = 0; k < v->metric_count; k++)
			metric_verdict_done(&v->metrics[k]);
		free(v->metrics);
		exploration_free(v->explored);
		free(v->first_drop);
		free(v->why_not);
	}
	for (int arm = 0; arm < ARM_MOST; arm++)
		overall_free(j->overall[arm]);
	curves_free(j->curves, j->curve_count);
	free(j->comparisons);
	free(j);
}

int judgement_status(const struct judgement *j, bool strict)
{
	bool undecided = false;

	if (j->crashes)
		return 1;
	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct metric_verdict *m = &j->comparisons[i].metrics[0];

		if (m->verdict == VERDICT_REGRESSED || (strict && m->worse))
			return 1;
		undecided |= m->verdict == VERDICT_UNDECIDED;
	}
	if (j->impossible)
		return 4;
	return undecided ? 3 : 0;
}
