// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/rule.h"
#include "stats/family.h"
#include "stats/max_t.h"
#include "stats/sign_flip.h"

/* Less than this is rounding: no test has such steps. */
static const double least_level = 1e-9;

/*
 * A metric that stands for a claim, and so counts in its family. One without any figure (latencies
 * with record=no, a role that these parameters do not have) asked nothing, and one with few gets no
 * answer.
 */
static bool judged(const struct metric_verdict *m)
{
	return m->metric->better != BETTER_NEITHER && m->pairs && !metric_is_scarce(m);
}

/* ---- by their p alone ---- */

static void adjust_by_holm(struct metric_verdict **family, size_t count)
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

double *families_differences(struct metric_verdict *const *family, size_t count, size_t *ret_pairs)
{
	size_t pairs;
	int64_t *numbers __free(memory) = numbers_of(family, count, &pairs);
	double *matrix = memory_array(count * pairs, sizeof(*matrix));

	for (size_t i = 0; i < count; i++) {
		double *d __free(memory) = rule_differences(family[i]);

		for (size_t pair = 0, k = 0; pair < pairs; pair++) {
			bool has = k < family[i]->pairs && family[i]->numbers[k] == numbers[pair];

			matrix[i * pairs + pair] = has ? d[k++] : NAN;
		}
	}
	*ret_pairs = pairs;
	return matrix;
}

/*
 * Metrics with figures in too few pairs for a verdict are counted, and bring no differences that could
 * exceed those of others.
 */
static void adjust_jointly(struct metric_verdict **family, size_t count, uint64_t seed)
{
	size_t pairs;
	double *d __free(memory) = families_differences(family, count, &pairs);
	double *adjusted __free(memory) = memory_array(count, sizeof(*adjusted));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < pairs && family[i]->rule != RULE_SIGN_FLIP; k++)
			d[i * pairs + k] = NAN;
	}
	max_t_adjust(d, count, pairs, seed, adjusted);
	for (size_t i = 0; i < count; i++) {
		struct metric_verdict *m = family[i];

		/* Where patterns are drawn, those of the metric alone are others. */
		m->p_adjusted = fmax(m->p, adjusted[i]);
		m->comparisons = count;
		m->correction = CORRECTION_MAX_T;
	}
}

/* Were they tested once, all by the signs of the same pairs? */
static bool are_planned(struct metric_verdict *const *family, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (family[i]->rule == RULE_E_PROCESS)
			return false;
		any |= family[i]->rule == RULE_SIGN_FLIP;
	}
	return any;
}

/* ---- the families of an experiment ---- */

struct metric_verdict **families_primaries(const struct judgement *j)
{
	struct metric_verdict **family =
		memory_array(j->subject_count, sizeof(struct metric_verdict *));

	for (size_t i = 0; i < j->subject_count; i++)
		family[i] = &j->subjects[i].metrics[0];
	return family;
}

struct metric_verdict **families_others(const struct subject_verdict *v, size_t *ret_count)
{
	struct metric_verdict **family =
		memory_array(v->metric_count, sizeof(struct metric_verdict *));

	*ret_count = 0;
	for (size_t k = 1; k < v->metric_count; k++) {
		if (judged(&v->metrics[k]))
			family[(*ret_count)++] = &v->metrics[k];
	}
	return family;
}

void families_adjust(struct judgement *j, uint64_t seed)
{
	struct metric_verdict **primaries __free(memory) = families_primaries(j);

	adjust_by_holm(primaries, j->subject_count);
	for (size_t i = 0; i < j->subject_count; i++) {
		size_t count;
		struct metric_verdict **others __free(memory) =
			families_others(&j->subjects[i], &count);

		if (count > 1 && are_planned(others, count))
			adjust_jointly(others, count, seed);
		else if (count)
			adjust_by_holm(others, count);
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

/* Whichever hypotheses are true, one is rejected only by at most alpha of the patterns of all pairs. */
static double spent_jointly(struct metric_verdict *const *family, size_t count, double alpha)
{
	size_t pairs;
	int64_t *numbers __free(memory) = numbers_of(family, count, &pairs);

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
