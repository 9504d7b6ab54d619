// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/planning.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/figures.h"
#include "judge/need.h"
#include "judge/rule.h"
#include "stats/forecast.h"
#include "stats/plan.h"
#include "stats/sequential.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

/* The level of the upper limit of an sd that was measured: one in five is larger. */
static const double sd_level = .8;

const char *const planning_state_words[] = {
	[PLANNING_KNOWN] = "known",
	[PLANNING_ALIKE] = "alike",
	[PLANNING_FEW] = "few",
	[PLANNING_NOTHING] = "nothing",
};

/* ---- what an effect needs ---- */

/* An effect in the unit of d. */
static double in_unit(const struct planning_metric *m, double effect)
{
	return m->scale == SCALE_LOG ? log1p(effect) : effect * m->middle;
}

/* And back. */
static double as_ratio(const struct planning_metric *m, double d)
{
	return m->scale == SCALE_LOG ? expm1(d) : d / m->middle;
}

/* So many sds that more are no different: forecasts multiply them by other numbers. */
static double forecast_sd(double effect, double sd)
{
	return fmax(sd, effect * 1e-6);
}

static size_t named(size_t pairs)
{
	return pairs <= PLANNING_PAIRS_MAX ? pairs : 0;
}

static size_t fixed_pairs(const struct planning_metric *m, double effect, double sd, double power)
{
	const struct need need = {.rule = NEED_FIXED, .level = m->level, .power = power};

	return named(need_pairs(&need, in_unit(m, effect), sd));
}

static struct planning_row plan_row(const struct planning_metric *m, double effect, double power)
{
	double d = in_unit(m, effect), sd = forecast_sd(d, m->sd_upper);
	struct planning_row row = {
		.effect = effect,
		.fixed = fixed_pairs(m, effect, m->sd_upper, power),
		.most = forecast_max_pairs(d, sd, m->level, power),
		.used = NAN,
	};

	/* In theory fewer, with looks that cannot reject, or with none. */
	if (row.most && row.most < m->least_looks)
		row.most = m->least_looks;
	if (row.most)
		row.used = forecast(row.most, d, sd, m->level).pairs;
	return row;
}

static int by_effect(const void *a, const void *b)
{
	double x = ((const struct planning_row *)a)->effect;
	double y = ((const struct planning_row *)b)->effect;

	return (x > y) - (x < y);
}

static void plan_rows(struct planning_metric *m, const struct planning_terms *terms)
{
	static const double usual[] = {.005, .01, .02, .05};

	m->rows[m->row_count] = plan_row(m, terms->effect, terms->power);
	m->rows[m->row_count++].asked = true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		if (fabs(usual[i] - terms->effect) > 1e-9)
			m->rows[m->row_count++] = plan_row(m, usual[i], terms->power);
	}
	qsort(m->rows, m->row_count, sizeof(m->rows[0]), by_effect);
}

const struct planning_row *planning_asked(const struct planning_metric *m)
{
	for (size_t i = 0; i < m->row_count; i++) {
		if (m->rows[i].asked)
			return &m->rows[i];
	}
	return NULL;
}

/* On the log scale alone, as `cleared` is; both of its bounds must be able to exclude something. */
static void plan_margin(struct planning_metric *m, const struct planning_terms *terms)
{
	size_t least = sign_flip_least_pairs(2 * m->level), clearing, enclosing;
	double limit = log1p(terms->margin);

	if (m->scale != SCALE_LOG)
		return;
	least = least > JUDGE_LEAST_PAIRS ? least : JUDGE_LEAST_PAIRS;
	clearing = plan_pairs_for_margin(limit, m->sd_upper, m->level, terms->power);
	enclosing = plan_pairs_for_equivalence(limit, m->sd_upper, m->level, terms->power);
	m->clearing = named(clearing < least ? least : clearing);
	m->enclosing = named(enclosing < least ? least : enclosing);
}

/* ---- what a number of pairs sees ---- */

static struct planning_floor plan_floor(const struct planning_metric *m, size_t pairs, double power)
{
	struct planning_floor f = {.pairs = pairs, .fixed = INFINITY, .looks = INFINITY};

	if (pairs >= m->least_fixed)
		f.fixed = as_ratio(m, plan_detectable_effect(pairs, m->sd_upper, m->level, power));
	if (pairs >= m->least_looks && pairs <= SEQUENTIAL_MOST_PAIRS)
		f.looks = as_ratio(m,
				   forecast_detectable_effect(pairs, m->sd_upper, m->level, power));
	return f;
}

static int by_pairs(const void *a, const void *b)
{
	size_t x = ((const struct planning_floor *)a)->pairs;
	size_t y = ((const struct planning_floor *)b)->pairs;

	return (x > y) - (x < y);
}

static void plan_floors(struct planning_metric *m, double power)
{
	static const size_t usual[] = {6, 10, 20, PLANNING_PAIRS_USUAL};

	m->floors[m->floor_count] = plan_floor(m, m->pairs, power);
	m->floors[m->floor_count++].own = true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		if (usual[i] != m->pairs)
			m->floors[m->floor_count++] = plan_floor(m, usual[i], power);
	}
	qsort(m->floors, m->floor_count, sizeof(m->floors[0]), by_pairs);
}

const struct planning_floor *planning_usual(const struct planning_metric *m)
{
	for (size_t i = 0; i < m->floor_count; i++) {
		if (m->floors[i].pairs == PLANNING_PAIRS_USUAL)
			return &m->floors[i];
	}
	return NULL;
}

/* ---- one metric ---- */

static enum planning_state measure(struct planning_metric *m, const struct metric_verdict *figures)
{
	double *d __free(memory) = NULL;

	if (m->pairs < 2 || metric_is_scarce(figures))
		return PLANNING_FEW;
	m->middle = summary_median(figures->a, m->pairs);
	d = rule_differences(figures);
	if (summary_min(figures->a, m->pairs) <= 0 || summary_min(figures->b, m->pairs) <= 0)
		m->scale = SCALE_DIFFERENCE;
	if (m->scale == SCALE_DIFFERENCE && m->middle == 0)
		return PLANNING_NOTHING;
	m->sd = summary_sd(d, m->pairs);
	if (m->sd == 0)
		return PLANNING_ALIKE;
	m->sd_upper = plan_upper_sd(m->sd, m->pairs, sd_level);
	return isfinite(m->sd_upper) ? PLANNING_KNOWN : PLANNING_FEW;
}

static struct planning_metric plan_metric(const struct planning_terms *terms,
					  const struct pairs *pairs, const struct metric *metric,
					  bool primary, size_t comparisons)
{
	struct metric_verdict figures __cleanup(metric_verdict_done) = {.metric = metric};
	struct planning_metric m = {
		.metric = metric,
		.primary = primary,
		.comparisons = comparisons,
		.level = terms->alpha / (double)comparisons,
		.middle = NAN,
		.sd = NAN,
		.sd_upper = NAN,
	};
	struct need fixed = {.rule = NEED_FIXED, .level = m.level, .power = terms->power};
	struct need looks = {.rule = NEED_LOOKS, .level = m.level, .power = terms->power};

	m.least_fixed = need_least(&fixed);
	m.least_looks = need_least(&looks);
	if (m.least_looks < EXPERIMENT_LEAST_MAXIMUM)
		m.least_looks = EXPERIMENT_LEAST_MAXIMUM;
	figures_collect(pairs, &figures);
	m.pairs = figures.pairs;
	m.refused = figures.refused;
	m.refusal = take(figures.refusal);
	m.state = measure(&m, &figures);
	if (m.state != PLANNING_KNOWN)
		return m;
	plan_rows(&m, terms);
	plan_margin(&m, terms);
	if (primary)
		plan_floors(&m, terms->power);
	return m;
}

/* ---- one workload ---- */

static int64_t median_pair_ns(const struct pairs *pairs)
{
	double *took __free(memory) = memory_array(pairs->count, sizeof(*took));
	size_t count = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct run *a = pairs->list[i].a, *b = pairs->list[i].b;
		double began = fmin((double)a->started_ns, (double)b->started_ns);
		double ended = fmax((double)a->ended_ns, (double)b->ended_ns);

		if (began > 0 && ended > began)
			took[count++] = ended - began;
	}
	return count ? (int64_t)fmin(summary_median(took, count), 0x1p62) : 0;
}

/*
 * The primary with windows from a batch (a quarter) to four times of what they were. Slices show
 * how the parts of a window differ; a quantile of a part was not seen, and longer ones of neither.
 */
static void plan_windows(struct planning_subject *s, const struct planning_terms *terms)
{
	static const double factors[PLANNING_WINDOWS] = {.25, .5, 1, 2, 4};
	const struct planning_metric *m = &s->metrics[0];
	const struct windows *w = &s->windows;

	if (w->source == WINDOWS_UNKNOWN || w->window_ns <= 0)
		return;
	for (size_t i = 0; i < PLANNING_WINDOWS; i++) {
		struct planning_window *other = &s->others[s->other_count++];

		*other = (struct planning_window){
			.window_ns = factors[i] * (double)w->window_ns,
			.own = factors[i] == 1,
			.extrapolated =
				factors[i] > 1 || (factors[i] < 1 && w->source != WINDOWS_SLICES),
			.time_ns = NAN,
		};
		other->sd_upper = m->sd_upper * windows_sd_factor(w, other->window_ns);
		other->pairs = fixed_pairs(m, terms->effect, other->sd_upper, terms->power);
		/* The pair as it took its time, but for the two windows. */
		if (other->pairs && s->pair_ns > 2 * w->window_ns)
			other->time_ns = (double)other->pairs *
					 ((double)s->pair_ns +
					  2 * (other->window_ns - (double)w->window_ns));
	}
}

static bool is_judged(const struct planning_source *source, const struct metric *m)
{
	return m->better != BETTER_NEITHER || text_equal(m->name, source->primary);
}

static void plan_metrics(struct planning_subject *s, const struct planning_terms *terms,
			 const struct pairs *pairs, size_t workloads)
{
	const struct description *what = s->subject->description;
	size_t others = 0;

	for (size_t i = 0; i < what->metric_count; i++)
		others += is_judged(s->source, &what->metrics[i]);
	others = others > 1 ? others - 1 : 1;
	s->metrics = memory_array(what->metric_count, sizeof(*s->metrics));
	for (int primary = 1; primary >= 0; primary--) {
		for (size_t i = 0; i < what->metric_count; i++) {
			const struct metric *m = &what->metrics[i];
			struct planning_metric *own = &s->metrics[s->metric_count];

			if (!is_judged(s->source, m) ||
			    text_equal(m->name, s->source->primary) != (primary == 1))
				continue;
			*own = plan_metric(terms, pairs, m, primary, primary ? workloads : others);
			/* That a single task has no fairness goes without saying. */
			if (!primary && m->multitask && !own->pairs)
				free(own->refusal);
			else
				s->metric_count++;
		}
	}
}

static void plan_subject(struct planning_subject *s, const struct planning_terms *terms,
			 const struct planning_source *source, size_t workloads)
{
	struct pairs pairs __cleanup(pairs_done) = {0};
	struct comparison count = {.index = source->subject, .arm = ARM_B};

	s->source = source;
	s->subject = &source->experiment->subjects[source->subject];
	s->aa = subject_is_aa(s->subject, ARM_B);
	pairs_collect(source->runs, INT64_MAX, &pairs, &count);
	s->pairs = count.pairs;
	s->dropped = count.dropped;
	s->first_drop = count.first_drop;
	s->pair_ns = median_pair_ns(&pairs);
	plan_metrics(s, terms, &pairs, workloads);
	s->windows.why_not = s->metrics[0].state != PLANNING_KNOWN
				     ? "the spread is not known"
				     : "not known of figures that may be 0";
	if (s->metrics[0].state != PLANNING_KNOWN || s->metrics[0].scale != SCALE_LOG)
		return;
	s->windows = windows_find(&pairs, s->metrics[0].metric, s->metrics[0].sd);
	plan_windows(s, terms);
}

/* ---- */

struct planning *planning_make(const struct planning_terms *terms,
			       const struct planning_source *sources, size_t count)
{
	struct planning *p = memory_alloc(sizeof(*p));

	p->terms = *terms;
	p->subjects = memory_array(count, sizeof(*p->subjects));
	p->subject_count = count;
	for (size_t i = 0; i < count; i++)
		plan_subject(&p->subjects[i], terms, &sources[i], count);
	return p;
}

void planning_free(struct planning *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->subject_count; i++) {
		struct planning_subject *s = &p->subjects[i];

		for (size_t k = 0; k < s->metric_count; k++)
			free(s->metrics[k].refusal);
		free(s->metrics);
		free(s->first_drop);
	}
	free(p->subjects);
	free(p);
}
