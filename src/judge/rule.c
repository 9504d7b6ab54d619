// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/futility.h"
#include "judge/looks.h"
#include "judge/need.h"
#include "stats/e_process.h"
#include "stats/hodges_lehmann.h"
#include "stats/paired.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

enum {
	/*
	 * Up to here an e-process interval takes no time (10 ms); the cost grows with the square.
	 */
	GLANCE_PAIRS = 100,
};

/* Less than this is rounding: no test has such steps. */
static const double least_level = 1e-9;

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
	/*
	 * The logarithm of a ratio near 1 is the more exact one, but a double may not hold the
	 * ratio.
	 */
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

static const char *const no_events_in[ARM_MOST] = {"no events in A", "no events in B",
						   "no events in C", "no events in D"};

/* What leaves a metric without a ratio or a spread. */
static void remark_on(struct metric_verdict *v, const struct paired *t)
{
	bool none_in_a = summary_max(v->a, v->pairs) == 0;
	bool none_in_b = summary_max(v->b, v->pairs) == 0;

	if (none_in_a || none_in_b)
		v->remark = !none_in_b	 ? no_events_in[ARM_A]
			    : !none_in_a ? no_events_in[v->arm]
					 : "no events";
	else if (t->kind == PAIRED_IDENTICAL || (v->pairs == 1 && t->estimate == 0))
		v->remark = "identical";
	else if (t->kind == PAIRED_CONSTANT)
		v->remark = "all pairs differ alike: there is no spread";
}

/*
 * The differences as they were looked at. Whoever looked before the first zero saw logarithms: what
 * was won with them stays, and the rule goes on with differences. To begin again on the other scale
 * would be a second chance. *ret_before is the caller's to free.
 */
static struct sequential_series series_of(const struct metric_verdict *v, const double *d,
					  double **ret_before)
{
	size_t zero = first_zero(v);
	struct sequential_series series = {.d = d, .n = v->pairs};

	*ret_before = NULL;
	if (zero == 0 || zero == v->pairs)
		return series;
	*ret_before = memory_array(zero, sizeof(**ret_before));
	for (size_t i = 0; i < zero; i++)
		(*ret_before)[i] = difference(v, i, SCALE_LOG);
	series.before = *ret_before;
	series.before_count = zero;
	return series;
}

/* The evidence against no change. */
static void gather_evidence(const struct metric_verdict *v, const double *d,
			    struct e_process *process)
{
	double *before __free(memory) = NULL;
	struct sequential_series series = series_of(v, d, &before);

	e_process_init(process, 0, E_PROCESS_TWO_SIDED);
	for (size_t i = 0; i < v->pairs; i++) {
		if (i && i == series.before_count)
			e_process_change_unit(process, d, i);
		e_process_push(process, i < series.before_count ? before[i] : d[i]);
	}
}

static enum judge_rule looks_rule(const struct sequential_plan *plan)
{
	if (!plan->look_count)
		return RULE_E_PROCESS;
	return plan->looks[plan->look_count - 1] < plan->max_pairs ? RULE_SEQUENTIAL_END
								   : RULE_SEQUENTIAL;
}

/*
 * The interval of the rule; in a glance without a rejection that of its e-process, which is wider.
 */
static bool invert(const struct metric_verdict *v, const double *d, enum rule_depth depth,
		   struct interval *ret_interval)
{
	double share = v->plan.look_count ? SEQUENTIAL_E_PROCESS_SHARE : 1;

	if (depth == RULE_WHOLE || v->p <= v->level)
		return sequential_interval(&v->plan, d, v->pairs, v->level, ret_interval);
	return v->pairs > GLANCE_PAIRS ||
	       e_process_interval(d, v->pairs, share * v->level, ret_interval);
}

/* Everything inverted from the rule: an ordinary interval after looks covers too little. */
static void measure_with_looks(struct metric_verdict *v, const double *d, enum rule_depth depth)
{
	double *before __free(memory) = NULL;
	struct sequential_series series = series_of(v, d, &before);
	struct interval interval = {-INFINITY, INFINITY};
	struct sequential test;

	v->looks_spent = looks_spent(&v->plan, v->pairs);
	v->estimate = shown(v, hodges_lehmann(d, v->pairs));
	test = sequential_test_series(&v->plan, &series, 0, E_PROCESS_TWO_SIDED,
				      fmax(v->level, least_level));
	v->evidence = test.e_process_largest;
	v->p = test.p;
	if (v->level < least_level)
		return;
	v->rejected_by = test.by;
	v->rejected_at = test.rejected_at;
	v->rejected_side = test.side;
	if (!invert(v, d, depth, &interval))
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

	v->rule = looks ? looks_rule(&v->plan) : RULE_PAIRED_T;
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

/* Differences by how much worse (way 1) or better (-1) they are. Owned by the caller. */
static double *worsenings(const struct metric_verdict *v, const double *d, int way)
{
	double *worse = memory_array(v->pairs, sizeof(*worse));

	for (size_t i = 0; i < v->pairs; i++)
		worse[i] = way * worsening(v, d[i]);
	return worse;
}

/* The largest E so far against a centre of `limit` or more. */
static double evidence_against(const double *d, size_t n, double limit)
{
	struct e_process process __cleanup(e_process_done) = {0};

	e_process_init(&process, limit, E_PROCESS_SMALLER);
	for (size_t i = 0; i < n; i++)
		e_process_push(&process, d[i]);
	return e_process_max(&process);
}

/*
 * The one-sided bound on worsening: the larger of those by Student's t and by the sign-flip test.
 * The first alone contradicts the interval that is printed, and where rare pairs are far worse than
 * the rest, so that few of them were seen, it is too low much more often than `share` allows.
 */
static double upper_bound(const double *worse, size_t n, double share, uint64_t seed)
{
	/*
	 * One side of an interval at twice the share; a share of half or more needs no less than
	 * that.
	 */
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

	if (v->scale != SCALE_LOG || v->rule == RULE_PAIRED_T || v->level < least_level)
		return false;
	worse = worsenings(v, d, 1);
	if (judge_rule_is_sequential(v->rule)) {
		v->clearing = evidence_against(worse, v->pairs, limit);
		v->cleared_at = sequential_rejected_at(&v->plan, worse, v->pairs, limit,
						       E_PROCESS_SMALLER, share);
		return v->cleared_at > 0;
	}
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
	double *better __free(memory) = NULL;

	if (v->verdict != VERDICT_CLEARED)
		return v->verdict == VERDICT_IMPROVED || v->verdict == VERDICT_REGRESSED;
	/* An extension that can win nothing keeps what was won. */
	if (v->worse || v->level < least_level)
		return true;
	better = worsenings(v, d, -1);
	return sequential_rejected_at(&v->plan, better, v->pairs, limit, E_PROCESS_SMALLER,
				      v->level / (double)v->comparisons) > 0;
}

/*
 * Which way a rejected metric went, as worse (1) or better (-1). Under a sequential rule: where its
 * differences were when it was rejected, for what was won then stays, wherever they drift and
 * whatever becomes of the interval. At the end of a plan: by the side of zero on which its interval
 * lies, for a mean can be pulled across by one pair.
 */
static int direction(const struct metric_verdict *v)
{
	int up = v->interval.low > 0 ? 1 : v->interval.high < 0 ? -1 : 0;

	if (judge_rule_is_sequential(v->rule))
		up = v->rejected_side;

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
		v->settled = !judge_rule_is_sequential(v->rule);
		v->won_before = before && (way_of(before) || before->verdict == VERDICT_CLEARED);
		return;
	}
	/* There is nothing to judge; a primary is a question that was asked. */
	if (!v->primary && metric_has_no_events(v))
		v->verdict = VERDICT_NONE;
	if (v->verdict == VERDICT_NONE || !v->pairs)
		return;
	d = differences(v);
	if (when == JUDGE_END || when == JUDGE_CUT || judge_rule_is_sequential(v->rule)) {
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
		v->settled = !judge_rule_is_sequential(v->rule) || settled(v, d, limit);
	}
	if (v->verdict == VERDICT_UNDECIDED && when != JUDGE_GLANCE && v->level >= least_level)
		v->more_pairs = need_more_pairs(v, d, limit);
}

bool rule_is_futile(const struct metric_verdict *v, double margin)
{
	double *d __free(memory) = NULL;

	if (v->verdict != VERDICT_UNDECIDED || !v->pairs || metric_is_scarce(v))
		return false;
	d = rule_differences(v);
	return futility_chance(v, d, log1p(margin)) < FUTILITY_CHANCE;
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
