// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/closed.h"
#include "judge/rule.h"
#include "stats/family.h"
#include "stats/max_t.h"
#include "stats/sign_flip.h"

/* Less than this is rounding: no test has such steps. */
static const double least_level = 1e-9;

/*
 * A metric that stands for a claim, and so counts in its family. One without any figure (latencies
 * with record=no, a role that these parameters do not have) or any event asked nothing, and one
 * with few figures gets no answer. Which these are the signs of differences have no part in.
 */
static bool judged(const struct metric_verdict *m)
{
	return m->metric->better != BETTER_NEITHER && m->pairs && !metric_is_scarce(m) &&
	       !metric_has_no_events(m);
}

/* ---- by their p alone ---- */

void families_adjust_by_holm(struct metric_verdict **family, size_t count)
{
	double *p __free(memory) = memory_array(count, sizeof(*p));
	double *adjusted __free(memory) = memory_array(count, sizeof(*adjusted));

	for (size_t i = 0; i < count; i++)
		p[i] = family[i]->p;
	family_adjust_holm(p, count, adjusted);
	for (size_t i = 0; i < count; i++) {
		family[i]->p_adjusted = adjusted[i];
		family[i]->comparisons = count;
		family[i]->correction = count > 1 ? CORRECTION_HOLM : CORRECTION_NONE;
	}
}

/* ---- jointly ---- */

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The numbers of the pairs in which any has a figure, ascending, each once. Owned by the caller. */
static int64_t *numbers_of(struct metric_verdict *const *family, size_t count, size_t *ret_pairs)
{
	size_t all = 0, pairs = 0;
	int64_t *numbers;

	for (size_t i = 0; i < count; i++)
		all += family[i]->pairs;
	numbers = memory_array(all, sizeof(*numbers));
	for (size_t i = 0, k = 0; i < count; k += family[i++]->pairs)
		memcpy(numbers + k, family[i]->numbers, family[i]->pairs * sizeof(*numbers));
	qsort(numbers, all, sizeof(*numbers), ascending);
	for (size_t k = 0; k < all; k++) {
		if (!pairs || numbers[k] != numbers[pairs - 1])
			numbers[pairs++] = numbers[k];
	}
	*ret_pairs = pairs;
	return numbers;
}

double *families_differences(struct metric_verdict *const *family, size_t count, size_t *ret_pairs,
			     int64_t **ret_numbers)
{
	size_t pairs;
	int64_t *numbers = numbers_of(family, count, &pairs);
	double *matrix = memory_array(count * pairs, sizeof(*matrix));

	for (size_t i = 0; i < count; i++) {
		double *d __free(memory) = rule_differences(family[i]);

		for (size_t pair = 0, k = 0; pair < pairs; pair++) {
			bool has = k < family[i]->pairs && family[i]->numbers[k] == numbers[pair];

			matrix[i * pairs + pair] = has ? d[k++] : NAN;
		}
	}
	*ret_pairs = pairs;
	*ret_numbers = numbers;
	return matrix;
}

/* Were they tested once, all by the signs of the same pairs? */
static bool are_planned(struct metric_verdict *const *family, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (judge_rule_is_sequential(family[i]->rule))
			return false;
		any |= family[i]->rule == RULE_SIGN_FLIP;
	}
	return any;
}

/*
 * Metrics with figures in too few pairs for a verdict are counted, and bring no differences that
 * could exceed those of others.
 */
static void max_t_of(struct metric_verdict *const *family, size_t count, uint64_t seed,
		     double *ret_p)
{
	size_t pairs;
	int64_t *numbers __free(memory) = NULL;
	double *d __free(memory) = families_differences(family, count, &pairs, &numbers);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < pairs && family[i]->rule != RULE_SIGN_FLIP; k++)
			d[i * pairs + k] = NAN;
	}
	max_t_adjust(d, count, pairs, seed, ret_p);
	/* Where patterns are drawn, those of the metric alone are others. */
	for (size_t i = 0; i < count; i++)
		ret_p[i] = fmax(family[i]->p, ret_p[i]);
}

/*
 * The others of a workload at the end of a plan: max-T for each arm, whose runs change places with
 * those of A, and across the arms what groups have in common. (To turn the signs of two arms at
 * once would be no change of places: what one has against A hangs on the other's.)
 */
static void adjust_jointly(struct metric_verdict **family, const size_t *arms, size_t count,
			   uint64_t seed)
{
	double *p __free(memory) = memory_array(count, sizeof(*p));

	for (size_t i = 0, own; i < count; i += own) {
		for (own = 1; i + own < count && arms[i + own] == arms[i];)
			own++;
		if (are_planned(family + i, own)) {
			max_t_of(family + i, own, seed, p + i);
			continue;
		}
		for (size_t k = i; k < i + own; k++)
			p[k] = family[k]->p;
	}
	family_adjust_groups(p, arms, count, p);
	for (size_t i = 0; i < count; i++) {
		family[i]->p_adjusted = p[i];
		family[i]->comparisons = count;
		family[i]->correction = CORRECTION_MAX_T;
	}
}

/* ---- the families of an experiment ---- */

struct metric_verdict **families_primaries(const struct judgement *j)
{
	struct metric_verdict **family =
		memory_array(j->comparison_count, sizeof(struct metric_verdict *));

	for (size_t i = 0; i < j->comparison_count; i++)
		family[i] = &j->comparisons[i].metrics[0];
	return family;
}

struct metric_verdict **families_others(const struct judgement *j, size_t subject,
					size_t *ret_count)
{
	struct metric_verdict **family = NULL;
	size_t room = 0;

	*ret_count = 0;
	for (size_t i = 0; i < j->comparison_count; i++) {
		const struct comparison *c = &j->comparisons[i];

		if (c->index != subject)
			continue;
		room += c->metric_count;
		family = memory_grow(family, room * sizeof(struct metric_verdict *));
		for (size_t k = 1; k < c->metric_count; k++) {
			if (judged(&c->metrics[k]))
				family[(*ret_count)++] = &c->metrics[k];
		}
	}
	return family;
}

/* For each metric of a family which arm it is of, counted from 0. Owned by the caller. */
static size_t *arms_of(const struct judgement *j, struct metric_verdict *const *family,
		       size_t count)
{
	size_t *arms = memory_array(count, sizeof(*arms));
	const struct comparison *c = j->comparisons;

	for (size_t i = 0; i < count; i++) {
		const struct comparison *before = c;

		while (family[i] < c->metrics || family[i] >= c->metrics + c->metric_count)
			c++;
		arms[i] = i ? arms[i - 1] + (c != before) : 0;
	}
	return arms;
}

static void adjust_others(const struct judgement *j, size_t subject, uint64_t seed)
{
	size_t count;
	struct metric_verdict **others __free(memory) = families_others(j, subject, &count);
	size_t *arms __free(memory) = arms_of(j, others, count);

	if (count > 1 && are_planned(others, count))
		adjust_jointly(others, arms, count, seed);
	else if (count)
		families_adjust_by_holm(others, count);
}

/* Those of several arms at the end of a plan: closed tests in each workload, and across these. */
static void adjust_primaries_of_arms(struct metric_verdict **family, const struct judgement *j,
				     uint64_t seed)
{
	size_t count = j->comparison_count;
	double *p __free(memory) = memory_array(count, sizeof(*p));
	size_t *workloads __free(memory) = memory_array(count, sizeof(*workloads));

	for (size_t i = 0, own; i < count; i += own) {
		const struct comparison *c = &j->comparisons[i];

		for (own = 1; i + own < count && c[own].index == c->index;)
			own++;
		closed_adjust(c, own, seed, p + i);
		for (size_t k = i; k < i + own; k++)
			workloads[k] = c->index;
	}
	family_adjust_groups(p, workloads, count, p);
	for (size_t i = 0; i < count; i++) {
		family[i]->p_adjusted = p[i];
		family[i]->comparisons = count;
		family[i]->correction = CORRECTION_BLOCKS;
	}
}

static void adjust_primaries(const struct judgement *j, uint64_t seed)
{
	struct metric_verdict **family __free(memory) = families_primaries(j);
	bool several_arms =
		j->comparison_count > 1 && j->comparisons[1].index == j->comparisons[0].index;

	if (several_arms && are_planned(family, j->comparison_count))
		adjust_primaries_of_arms(family, j, seed);
	else
		families_adjust_by_holm(family, j->comparison_count);
}

void families_adjust(struct judgement *j, uint64_t seed)
{
	adjust_primaries(j, seed);
	for (size_t i = 0; i < j->comparison_count; i++) {
		/* A family for each workload: once, for its first arm. */
		if (!i || j->comparisons[i].index != j->comparisons[i - 1].index)
			adjust_others(j, j->comparisons[i].index, seed);
	}
}

/* ---- what is left of alpha ---- */

static int largest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/*
 * With m true hypotheses Holm rejects one of them only when one has p <= alpha / m. Which they are
 * is not known: the m that had the largest chance.
 */
static double spent_by_holm(struct metric_verdict *const *family, size_t count, double alpha)
{
	double *attained __free(memory) = memory_array(count, sizeof(*attained));
	double spent = 0;

	for (size_t m = 1; m <= count; m++) {
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			attained[i] = family[i]->rule == RULE_SIGN_FLIP
					      ? sign_flip_attained_level(family[i]->pairs,
									 alpha / (double)m)
					      : 0;
		qsort(attained, count, sizeof(*attained), largest_first);
		for (size_t i = 0; i < m; i++)
			sum += attained[i];
		spent = fmax(spent, sum);
	}
	return spent;
}

/*
 * Whichever hypotheses are true, one is rejected only by at most alpha of the patterns of all
 * pairs.
 */
static double spent_jointly(struct metric_verdict *const *family, size_t count, double alpha)
{
	size_t pairs;

	free(numbers_of(family, count, &pairs));
	return sign_flip_attained_level(pairs, alpha);
}

double families_level_left(struct metric_verdict *const *family, size_t count, double alpha)
{
	double left = alpha;

	if (count && family[0]->correction == CORRECTION_MAX_T)
		left -= spent_jointly(family, count, alpha);
	else
		left -= spent_by_holm(family, count, alpha);
	return left < least_level ? 0 : left;
}
