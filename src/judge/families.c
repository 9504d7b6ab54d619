// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/families.h"

#include "base/memory.h"
#include "stats/family.h"

/*
 * A metric that stands for a claim, and so counts in its family. One without any figure (latencies
 * with record=no, a role that these parameters do not have) asked nothing, and one with few gets no
 * answer.
 */
static bool judged(const struct metric_verdict *m)
{
	return m->metric->better != BETTER_NEITHER && m->pairs && !metric_is_scarce(m);
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

void families_adjust(struct judgement *j)
{
	struct metric_verdict **primaries __free(memory) = families_primaries(j);

	adjust(primaries, j->subject_count);
	for (size_t i = 0; i < j->subject_count; i++) {
		size_t count;
		struct metric_verdict **others __free(memory) =
			families_others(&j->subjects[i], &count);

		adjust(others, count);
	}
}
