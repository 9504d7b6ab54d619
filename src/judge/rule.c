// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/need.h"
#include "stats/e_process.h"
#include "stats/paired.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

enum {
	WINDOWS_AGREE_PERCENT = 1, /* see run_window_ns() */
	/* Up to here an e-process interval takes no time (10 ms); the cost grows with the square. */
	GLANCE_PAIRS = 100,
};

/* Less than this is rounding: no test has such steps. */
static const double least_level = 1e-9;

/* Maxima grow with the time watched: they are comparable between equal windows only. */
static bool windows_agree(const struct pair *p, const struct metric *m, struct error *err)
{
	char *role __free(memory) = memory_string(m->of);
	double a, b;

	role[strcspn(role, ".")] = '\0';
	a = (double)run_window_ns(p->a, role);
	b = (double)run_window_ns(p->b, role);
	if (fabs(a - b) * 100 <= fmin(a, b) * WINDOWS_AGREE_PERCENT)
		return true;
	return error_set(err, ERROR_DATA,
			 "windows of %.1f and %.1f ms differ by more than %d %%: no maxima",
			 a / 1e6, b / 1e6, WINDOWS_AGREE_PERCENT);
}

static bool figures_of(const struct pair *p, int arm, const struct metric *m, double *ret_a,
		       double *ret_b, struct error *err)
{
	if (m->summary == SUMMARY_MAX && !windows_agree(p, m, err))
		return false;
	/* Where one arm has a figure and the other has none, that is a finding of its own. */
	if (!run_figure(p->a, m, ret_a, err)) {
		struct error ignored;

		return run_figure(p->b, m, ret_b, &ignored) ? error_wrap(err, "in A") : false;
	}
	return run_figure(p->b, m, ret_b, err) || error_wrap(err, "in %s", arm_words[arm]);
}

static int64_t median_count(const struct pairs *pairs, bool of_a, const struct metric *m)
{
	double *counts __free(memory) = memory_array(pairs->count, sizeof(*counts));

	if (!pairs->count)
		return 0;
	for (size_t i = 0; i < pairs->count; i++)
		counts[i] = (double)run_figure_count(of_a ? pairs->list[i].a : pairs->list[i].b, m);
	/* The largest count is no double; beyond 2^53 nobody counts anyway. */
	return (int64_t)fmin(summary_median(counts, pairs->count), 0x1p53);
}

void rule_collect(const struct pairs *pairs, struct metric_verdict *v)
{
	v->a = memory_array(pairs->count, sizeof(*v->a));
	v->b = memory_array(pairs->count, sizeof(*v->b));
	v->numbers = memory_array(pairs->count, sizeof(*v->numbers));
	for (size_t i = 0; i < pairs->count; i++) {
		struct error why;

		v->numbers[v->pairs] = pairs->list[i].number;
		if (figures_of(&pairs->list[i], pairs->arm, v->metric, &v->a[v->pairs],
			       &v->b[v->pairs], &why))
			v->pairs++;
		else if (!v->refused++)
			v->refusal = memory_string(why.text);
	}
	v->samples_a = median_count(pairs, true, v->metric);
	v->samples_b = median_count(pairs, false, v->metric);
}

bool metric_has_no_events(const struct metric_verdict *v)
{
	for (size_t i = 0; i < v->pairs; i++) {
		if (v->a[i] != 0 || v->b[i] != 0)
			return false;
	}
	return v->pairs > 0;
}

bool metric_is_scarce(const struct metric_verdict *v)
{
	return v->pairs && v->pairs < v->refused;
}

static double worsening(const struct metric_verdict *v, double difference)
{
	return v->metric->better == BETTER_HIGHER ? -difference : difference;
}

/* The first pair with a figure that has no logarithm; the number of pairs: there is none. */
static size_t first_zero(const struct metric_verdict *v)
{
	size_t i = 0;

	while (i < v->pairs && v->a[i] > 0 && v->b[i] > 0)
		i++;
	return i;
}

static double difference(const struct metric_verdict *v, size_t i, enum judge_scale scale)
{
	double ratio = v->b[i] / v->a[i];

	if (scale == SCALE_DIFFERENCE)
		return v->b[i] - v->a[i];
	/* The logarithm of a ratio near 1 is the more exact one, but a double may not hold the ratio. */
	return isnormal(ratio) ? log(ratio) : log(v->b[i]) - log(v->a[i]);
}

/* Differences by pair on the scale that the figures allow. Owned by the caller. */
static double *differences(struct metric_verdict *v)
{
	double *d = memory_array(v->pairs, sizeof(*d));

	v->scale = first_zero(v) == v->pairs ? SCALE_LOG : SCALE_DIFFERENCE;
	for (size_t i = 0; i < v->pairs; i++)
		d[i] = difference(v, i, v->scale);
	return d;
}

double *rule_differences(const struct metric_verdict *v)
{
	struct metric_verdict copy = *v;

	return differences(&copy);
}

static double shown(const struct metric_verdict *v, double d)
{
	return v->scale == SCALE_LOG ? expm1(d) : d;
}

static struct interval shown_interval(const struct metric_verdict *v, struct interval d)
{
	return (struct interval){shown(v, d.low), shown(v, d.high)};
}

/* What leaves a metric without a ratio or a spread. */
static void remark_on(struct metric_verdict *v, const struct paired *t)
{
	bool none_in_a = summary_max(v->a, v->pairs) == 0;
	bool none_in_b = summary_max(v->b, v->pairs) == 0;

	if (none_in_a || none_in_b)
		v->remark = !none_in_b	 ? "no events in A"
			    : !none_in_a ? "no events in B"
					 : "no events";
	else if (t->kind == PAIRED_IDENTICAL || (v->pairs == 1 && t->estimate == 0))
		v->remark = "identical";
	else if (t->kind == PAIRED_CONSTANT)
		v->remark = "all pairs differ alike: there is no spread";
}

/*
 * The evidence against no change. Whoever looked before the first zero saw logarithms: what was won
 * with them stays, and the process goes on with differences. To begin again on the other scale would
 * be a second chance.
 */
static void gather_evidence(const struct metric_verdict *v, const double *d,
			    struct e_process *process)
{
	size_t zero = first_zero(v);

	e_process_init(process, 0, E_PROCESS_TWO_SIDED);
	for (size_t i = 0; i < v->pairs; i++) {
		if (i == zero)
			e_process_change_unit(process, d, i);
		e_process_push(process, i < zero ? difference(v, i, SCALE_LOG) : d[i]);
	}
}

/* Everything inverted from the process: an ordinary interval after looks covers too little. */
static void measure_with_looks(struct metric_verdict *v, const double *d, enum rule_depth depth)
{
	struct e_process process __cleanup(e_process_done) = {0};
	struct interval interval = {-INFINITY, INFINITY};

	v->rule = RULE_E_PROCESS;
	/* Its bets are bounded: a few pairs far out do not move the interval, but a mean. */
	v->estimate = shown(v, summary_median(d, v->pairs));
	gather_evidence(v, d, &process);
	v->evidence = e_process_max(&process);
	v->p = e_process_p(&process);
	if (v->level < least_level ||
	    (depth == RULE_GLANCE && v->pairs > GLANCE_PAIRS && v->p > v->level))
		return;
	if (!e_process_interval(d, v->pairs, v->level, &interval))
		v->remark = "no common centre: the differences drifted";
	v->interval = shown_interval(v, interval);
}

static void measure_at_end(struct metric_verdict *v, const double *d, double alpha, uint64_t seed)
{
	v->sign_flip = shown_interval(v, sign_flip_interval(d, v->pairs, alpha, seed));
	if (v->pairs < JUDGE_LEAST_PAIRS) {
		v->rule = RULE_PAIRED_T;
		v->interval = v->paired_t;
		return;
	}
	v->rule = RULE_SIGN_FLIP;
	v->p = sign_flip_p(d, v->pairs, seed);
	v->interval = v->sign_flip;
}

void rule_measure(struct metric_verdict *v, bool looks, enum rule_depth depth, double alpha,
		  uint64_t seed)
{
	const struct interval unknown = {-INFINITY, INFINITY};
	double *d __free(memory) = NULL;
	struct paired t;

	v->rule = looks ? RULE_E_PROCESS : RULE_PAIRED_T;
	v->interval = v->sign_flip = v->paired_t = unknown;
	v->estimate = v->middle_a = v->middle_b = v->spread = NAN;
	v->bound = v->evidence = v->clearing = NAN;
	v->p = v->p_adjusted = 1;
	if (!v->pairs)
		return;
	v->middle_a = summary_median(v->a, v->pairs);
	v->middle_b = summary_median(v->b, v->pairs);
	d = differences(v);
	if (metric_is_scarce(v))
		return;
	t = paired_test(d, v->pairs, alpha);
	v->estimate = shown(v, t.estimate);
	v->paired_t = shown_interval(v, t.interval);
	/* Without a spread it is 0, and not the rounding of logarithms. */
	if (v->pairs > 1)
		v->spread = t.sd;
	remark_on(v, &t);
	if (looks)
		measure_with_looks(v, d, depth);
	else
		measure_at_end(v, d, v->level, seed);
}

/*
 * The largest E so far against a change of the margin or more, in the worse direction (way 1) or in
 * the better one (way -1).
 */
static double evidence_against(const struct metric_verdict *v, const double *d, int way,
			       double limit)
{
	struct e_process process __cleanup(e_process_done) = {0};

	e_process_init(&process, limit, E_PROCESS_SMALLER);
	for (size_t i = 0; i < v->pairs; i++)
		e_process_push(&process, way * worsening(v, d[i]));
	return e_process_max(&process);
}

/*
 * The one-sided bound on worsening: the larger of those by Student's t and by the sign-flip test. The
 * first alone contradicts the interval that is printed, and where rare pairs are far worse than the
 * rest, so that few of them were seen, it is too low much more often than `share` allows.
 */
static double upper_bound(const double *worse, size_t n, double share, uint64_t seed)
{
	/* One side of an interval at twice the share; a share of half or more needs no less than that. */
	struct interval flip = sign_flip_interval(worse, n, fmin(2 * share, 0.999), seed);

	return fmax(paired_upper_bound(worse, n, share), flip.high);
}

/* Is worsening by the margin or more excluded, at this metric's share of alpha? */
static bool cleared(struct metric_verdict *v, const double *d, double limit, enum judge_when when,
		    uint64_t seed)
{
	double *worse __free(memory) = NULL;
	double share = v->level / (double)v->comparisons;
	double bound;

	if (v->scale != SCALE_LOG || v->rule == RULE_PAIRED_T)
		return false;
	if (v->rule == RULE_E_PROCESS) {
		v->clearing = evidence_against(v, d, 1, limit);
		return v->clearing >= 1 / share;
	}
	worse = memory_array(v->pairs, sizeof(*worse));
	for (size_t i = 0; i < v->pairs; i++)
		worse[i] = worsening(v, d[i]);
	bound = upper_bound(worse, v->pairs, share, seed);
	v->bound = expm1(bound);
	/* An ordinary bound holds at the end that was planned, and at no other. */
	return when == JUDGE_END && bound < limit;
}

/*
 * Would more pairs change what is known? `cleared` alone is no reason to stop: it comes early when
 * there is a large improvement, which a few more pairs would show to be one. It is when the effect
 * lies within the margin on the other side as well.
 */
static bool settled(const struct metric_verdict *v, const double *d, double limit)
{
	if (v->verdict == VERDICT_CLEARED)
		return v->worse ||
		       evidence_against(v, d, -1, limit) >= (double)v->comparisons / v->level;
	return v->verdict == VERDICT_IMPROVED || v->verdict == VERDICT_REGRESSED;
}

/*
 * Which way a rejected metric went, as worse (1) or better (-1): by the side of zero on which its
 * interval lies, for a mean can be pulled across by one pair. 0 when the interval holds zero, which
 * the hull of an e-process interval may although zero itself is excluded.
 */
static int direction(const struct metric_verdict *v)
{
	int up = v->interval.low > 0 ? 1 : v->interval.high < 0 ? -1 : 0;

	return v->metric->better == BETTER_HIGHER ? -up : up;
}

/* Which way a verdict went, as direction() has it; 0: it did not. */
static int way_of(const struct metric_verdict *v)
{
	return v->verdict == VERDICT_IMPROVED		     ? -1
	       : v->verdict == VERDICT_REGRESSED || v->worse ? 1
							     : 0;
}

void rule_decide(struct metric_verdict *v, double margin, enum judge_when when,
		 const struct metric_verdict *before, uint64_t seed)
{
	double limit = log1p(margin);
	double *d __free(memory) = NULL;
	int way = 0;

	v->verdict = v->metric->better == BETTER_NEITHER ? VERDICT_NONE : VERDICT_UNDECIDED;
	if (metric_is_scarce(v)) {
		/* What was won before stays, and a primary is a question that was asked. */
		if (before)
			v->verdict = before->verdict;
		else if (!v->primary)
			v->verdict = VERDICT_NONE;
		v->worse = before && before->worse;
		v->settled = v->rule != RULE_E_PROCESS;
		v->won_before = before && (way_of(before) || before->verdict == VERDICT_CLEARED);
		return;
	}
	/* There is nothing to judge; a primary is a question that was asked. */
	if (!v->primary && metric_has_no_events(v))
		v->verdict = VERDICT_NONE;
	if (v->verdict == VERDICT_NONE || !v->pairs)
		return;
	d = differences(v);
	if (when == JUDGE_END || when == JUDGE_CUT || v->rule == RULE_E_PROCESS) {
		/* Also where a large alpha would allow a verdict from fewer. */
		bool enough = v->pairs >= JUDGE_LEAST_PAIRS;
		/* The bound that clears had all of alpha at the first end. */
		bool within = before ? before->verdict == VERDICT_CLEARED
				     : cleared(v, d, limit, when, seed) && enough;

		if (before && way_of(before))
			way = way_of(before);
		else if (v->rule != RULE_PAIRED_T && enough && v->p_adjusted <= v->level)
			way = direction(v);
		if (way < 0)
			v->verdict = VERDICT_IMPROVED;
		else if (within)
			v->verdict = VERDICT_CLEARED;
		else if (way > 0)
			v->verdict = VERDICT_REGRESSED;
		v->worse = way > 0 && within;
		v->won_before = before && v->verdict != VERDICT_UNDECIDED &&
				v->verdict == before->verdict && v->worse == before->worse;
		v->settled = v->rule != RULE_E_PROCESS || settled(v, d, limit);
	}
	if (v->verdict == VERDICT_UNDECIDED)
		v->more_pairs = v->level < least_level ? 0 : need_more_pairs(v, d, limit, 0);
}

void rule_join(struct metric_verdict *v, const struct metric_verdict *before)
{
	struct interval both = {fmax(v->interval.low, before->interval.low),
				fmin(v->interval.high, before->interval.high)};

	/* Under so few pairs it was another interval, and on another scale another unit. */
	if (before->rule != RULE_SIGN_FLIP || before->scale != v->scale)
		return;
	if (both.low <= both.high)
		v->interval = both;
	else
		v->remark = "the intervals of both looks exclude each other: the differences "
			    "drifted";
}

int64_t rule_pairs_to_reject(const struct metric_verdict *v, double level)
{
	struct e_process process __cleanup(e_process_done) = {0};
	double up = 0, down = 0, missing;

	e_process_init(&process, 0, E_PROCESS_TWO_SIDED);
	if (v->pairs) {
		double *d __free(memory) = rule_differences(v);

		gather_evidence(v, d, &process);
	}
	for (size_t bet = 0; bet < E_PROCESS_BETS; bet++) {
		up += exp(process.log_up[bet]);
		down += exp(process.log_down[bet]);
	}
	/* A pair doubles a bet at the most. */
	missing = ceil(log2(2.0 * E_PROCESS_BETS / (level * fmax(up, down))));
	return missing > 1 ? (int64_t)fmin(missing, EXPERIMENT_PAIRS_MAX) : 1;
}
