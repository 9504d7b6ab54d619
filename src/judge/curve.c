// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/curve.h"

#include "base/memory.h"
#include "base/text.h"
#include "judge/families.h"
#include "judge/rule.h"

struct comparison *curve_comparison(const struct judgement *j, const struct experiment *e,
				    const struct curve *c, size_t point, int arm)
{
	size_t others = (size_t)e->arm_count - 1;

	return &j->comparisons[(c->first + point) * others + (size_t)(arm - ARM_B)];
}

/* ---- the mean ---- */

static struct overall *make_mean(const struct curve_terms *t, const struct judgement *j,
				 const struct curve *c, int arm)
{
	struct overall_workload *points __free(memory) = memory_array(c->count, sizeof(*points));
	char **names __free(memory) = memory_array(c->count, sizeof(char *));
	struct overall *mean;

	for (size_t i = 0; i < c->count; i++) {
		struct comparison *point = curve_comparison(j, t->e, c, i, arm);

		names[i] = text_format("%s=%lld", curve_param,
				       (long long)experiment_point(t->e, c->first + i));
		points[i] = (struct overall_workload){
			.name = names[i],
			.primary = &point->metrics[0],
			.gave_up = point->crashes || point->impossible,
		};
	}
	mean = overall_make(&(struct overall_of){
		.workloads = points,
		.count = c->count,
		.metric = points[0].primary->metric,
		.plan = t->plan,
		.alpha = t->e->alpha,
		.seed = t->e->seed,
	});
	for (size_t i = 0; i < c->count; i++)
		free(names[i]);
	return mean;
}

static void judge_means(const struct curve_terms *t, struct judgement *j)
{
	struct metric_verdict **family __free(memory) =
		memory_array(j->curve_count, sizeof(struct metric_verdict *));
	size_t count = 0;

	for (size_t i = 0; i < j->curve_count; i++) {
		if (!j->curves[i].mean->why_not)
			family[count++] = &j->curves[i].mean->v;
	}
	families_adjust_by_holm(family, count);
	for (size_t i = 0; i < count; i++)
		rule_decide(family[i], t->e->margin, t->when, NULL, t->e->seed);
}

/* ---- scaling ---- */

/* Rounds in which both points have figures, none of them zero, of which there is no ratio. */
static void collect_scaling(const struct metric_verdict *first, const struct metric_verdict *point,
			    double tasks_ratio, struct metric_verdict *v)
{
	size_t k = 0, most = point->pairs;

	v->a = memory_array(most, sizeof(*v->a));
	v->b = memory_array(most, sizeof(*v->b));
	v->numbers = memory_array(most, sizeof(*v->numbers));
	for (size_t i = 0; i < most; i++) {
		while (k < first->pairs && first->numbers[k] < point->numbers[i])
			k++;
		if (k == first->pairs)
			break;
		if (first->numbers[k] != point->numbers[i])
			continue;
		if (!(first->a[k] > 0 && first->b[k] > 0 && point->a[i] > 0 && point->b[i] > 0)) {
			if (!v->refused++)
				v->refusal = memory_string("a figure is zero");
			continue;
		}
		v->numbers[v->pairs] = point->numbers[i];
		v->a[v->pairs] = point->a[i] / first->a[k] / tasks_ratio;
		v->b[v->pairs++] = point->b[i] / first->b[k] / tasks_ratio;
	}
}

static void make_scalings(const struct curve_terms *t, const struct judgement *j,
			  struct curve_verdict *cv)
{
	const struct curve *c = cv->curve;
	const struct metric_verdict *first = &curve_comparison(j, t->e, c, 0, cv->arm)->metrics[0];
	double tasks = (double)experiment_point(t->e, c->first);

	cv->scaling = (struct metric){
		.name = "scaling",
		.unit = "ratio",
		.better = first->metric->better,
		.summary = SUMMARY_RATIO,
		.of = "",
		.help = "",
	};
	cv->scaling_count = c->count - 1;
	cv->scalings = memory_array(cv->scaling_count, sizeof(*cv->scalings));
	for (size_t i = 0; i < cv->scaling_count; i++) {
		struct metric_verdict *v = &cv->scalings[i];
		double more = (double)experiment_point(t->e, c->first + i + 1) / tasks;

		*v = (struct metric_verdict){.metric = &cv->scaling, .level = t->e->alpha};
		collect_scaling(first, &curve_comparison(j, t->e, c, i + 1, cv->arm)->metrics[0],
				first->metric->summary == SUMMARY_RATE ? more : 1, v);
		if (t->plan)
			v->plan = *t->plan;
		rule_measure(v, t->plan != NULL, RULE_WHOLE, t->e->alpha, t->e->seed);
	}
}

static void judge_scalings(const struct curve_terms *t, struct curve_verdict *cv)
{
	struct metric_verdict **family __free(memory) =
		memory_array(cv->scaling_count, sizeof(struct metric_verdict *));
	size_t count = 0;

	for (size_t i = 0; i < cv->scaling_count; i++) {
		struct metric_verdict *v = &cv->scalings[i];

		v->verdict = VERDICT_NONE;
		if (v->pairs && !metric_is_scarce(v))
			family[count++] = v;
	}
	families_adjust_by_holm(family, count);
	for (size_t i = 0; i < count; i++)
		rule_decide(family[i], t->e->margin, t->when, NULL, t->e->seed);
}

/* ---- all of them ---- */

void curves_judge(const struct curve_terms *t, struct judgement *j)
{
	size_t others = (size_t)t->e->arm_count - 1;

	j->curve_count = t->e->curve_count * others;
	j->curves = memory_array(j->curve_count, sizeof(*j->curves));
	for (size_t i = 0; i < j->curve_count; i++) {
		struct curve_verdict *cv = &j->curves[i];

		cv->curve = &t->e->curves[i / others];
		cv->arm = ARM_B + (int)(i % others);
		cv->mean = make_mean(t, j, cv->curve, cv->arm);
		make_scalings(t, j, cv);
		judge_scalings(t, cv);
	}
	judge_means(t, j);
}

void curves_free(struct curve_verdict *curves, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		overall_free(curves[i].mean);
		for (size_t k = 0; k < curves[i].scaling_count; k++)
			metric_verdict_done(&curves[i].scalings[k]);
		free(curves[i].scalings);
	}
	free(curves);
}

const struct curve_verdict *curve_verdict_of(const struct judgement *j, const struct curve *c,
					     int arm)
{
	for (size_t i = 0; i < j->curve_count; i++) {
		if (j->curves[i].curve == c && j->curves[i].arm == arm)
			return &j->curves[i];
	}
	return NULL;
}
