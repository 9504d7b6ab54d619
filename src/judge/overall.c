// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/overall.h"

#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/families.h"
#include "judge/rule.h"
#include "stats/rounds.h"

static const struct metric worsening = {
	.name = "worsening",
	.unit = "ratio",
	.better = BETTER_LOWER,
	.summary = SUMMARY_RATIO,
	.of = "",
	.help = "",
};

/* Why a workload has no ratio; NULL: it has. */
static const char *why_not(const struct overall_workload *w)
{
	if (w->why_not)
		return w->why_not;
	if (w->gave_up)
		return "was given up";
	if (w->primary->metric->better == BETTER_NEITHER)
		return "has no better direction";
	if (!w->primary->pairs || metric_is_scarce(w->primary))
		return "has figures in too few pairs";
	if (w->primary->scale == SCALE_DIFFERENCE)
		return "has figures of zero, and so no ratio";
	return NULL;
}

static char *why_none(const struct overall_workload *workloads, size_t count)
{
	struct text reasons = {0};

	for (size_t i = 0; i < count; i++) {
		const char *why = why_not(&workloads[i]);

		if (why)
			text_printf(&reasons, "%s%s %s", reasons.length ? ", " : "",
				    workloads[i].name, why);
	}
	return reasons.length ? text_take(&reasons) : NULL;
}

/* The pairs up to the last one that every workload has: what rests later takes part in no more. */
static size_t rounds_begun(const double *d, size_t workloads, size_t pairs)
{
	size_t begun = pairs;

	for (size_t i = 0; i < workloads; i++) {
		size_t last = pairs;

		while (last && isnan(d[i * pairs + last - 1]))
			last--;
		begun = last < begun ? last : begun;
	}
	return begun;
}

/* True for a round in which each workload has a difference. */
static bool is_whole(const double *d, size_t workloads, size_t rounds, size_t round)
{
	for (size_t i = 0; i < workloads; i++) {
		if (isnan(d[i * rounds + round]))
			return false;
	}
	return true;
}

static void collect(struct overall *s, const struct overall_of *of)
{
	struct metric_verdict **primaries __free(memory) =
		memory_array(of->count, sizeof(struct metric_verdict *));
	double *d __free(memory) = NULL;
	int64_t *numbers __free(memory) = NULL;
	size_t pairs, whole = 0;

	for (size_t i = 0; i < of->count; i++)
		primaries[i] = of->workloads[i].primary;
	d = families_differences(primaries, of->count, &pairs, &numbers);
	for (size_t i = 0; !of->metric && i < of->count * pairs; i++) {
		if (primaries[i / pairs]->metric->better == BETTER_HIGHER)
			d[i] = -d[i];
	}
	s->rounds = rounds_begun(d, of->count, pairs);
	s->v.a = memory_array(pairs, sizeof(*s->v.a));
	s->v.b = memory_array(pairs, sizeof(*s->v.b));
	s->v.numbers = memory_array(pairs, sizeof(*s->v.numbers));
	for (size_t i = 0; i < pairs; i++) {
		if (is_whole(d, of->count, pairs, i))
			s->v.numbers[whole++] = numbers[i];
	}
	s->v.pairs = rounds_average(d, of->count, pairs, s->v.b);
	s->v.refused = s->rounds - s->v.pairs;
	for (size_t i = 0; i < s->v.pairs; i++) {
		s->v.a[i] = 1;
		s->v.b[i] = exp(s->v.b[i]);
	}
}

struct overall *overall_make(const struct overall_of *of)
{
	struct overall *s = memory_alloc(sizeof(*s));

	s->workloads = of->count;
	s->v.metric = of->metric ? of->metric : &worsening;
	s->v.level = of->alpha;
	s->v.verdict = VERDICT_NONE;
	s->why_not = why_none(of->workloads, of->count);
	if (s->why_not)
		return s;
	collect(s, of);
	if (!s->v.pairs || metric_is_scarce(&s->v))
		s->why_not = text_format("%zu of %zu rounds have a figure of each %s", s->v.pairs,
					 s->rounds, of->metric ? "point" : "workload");
	if (of->plan)
		s->v.plan = *of->plan;
	rule_measure(&s->v, of->plan != NULL, RULE_WHOLE, of->alpha, of->seed);
	return s;
}

void overall_free(struct overall *s)
{
	if (!s)
		return;
	metric_verdict_done(&s->v);
	free(s->why_not);
	free(s);
}
