// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures that have no spread, no ratio, no event or no partner: what the whole judge makes of
 * them. Wherever there is no spread p is a count of sign patterns, 2 of 2^n, and never comes from a
 * t that is infinite.
 */
#include "many.h"

#include <time.h>

#include "judge/explore.h"
#include "judge/rule.h"

/* Figures of pair k, for the primary and a copy of it; another metric, m2, is ordinary. */
struct kind {
	const char *name;
	double a, b;		 /* of all pairs but these: */
	size_t others;		 /* how many of the first pairs have */
	double other_a, other_b; /* these */
};

static const struct kind identical = {.name = "identical", .a = 1000, .b = 1000};
static const struct kind separated = {.name = "separated", .a = 1000, .b = 1100};
static const struct kind no_events = {.name = "no events", .a = 0, .b = 0};
static const struct kind none_in_a = {.name = "none in A", .a = 0, .b = 3};
static const struct kind none_in_b = {.name = "none in B", .a = 3, .b = 0};
static const struct kind one_zero = {
	.name = "one zero", .a = 5, .b = 7, .others = 1, .other_a = 0, .other_b = 7};
static const struct kind ties = {
	.name = "ties", .a = 1000, .b = 1100, .others = 3, .other_a = 1000, .other_b = 1000};
static const struct kind huge = {.name = "huge", .a = 1, .b = 0x1p62};
static const struct kind tiny = {.name = "tiny", .a = 0x1p62, .b = 1};
static const struct kind absent_in_a = {.name = "absent in A", .a = NAN, .b = 7};
static const struct kind absent_in_b = {.name = "absent in B", .a = 7, .b = NAN};

static const struct kind *const kinds[] = {
	&identical, &separated, &no_events, &none_in_a,	  &none_in_b,	&one_zero,
	&ties,	    &huge,	&tiny,	    &absent_in_a, &absent_in_b,
};

static struct judgement *judged(enum plan plan, const struct kind *kind, size_t pairs)
{
	struct experiment *e __free(experiment) = many_experiment(plan, 40, 1, 3);
	struct entries runs __cleanup(entries_done) = {0};

	for (size_t k = 0; k < pairs; k++) {
		bool other = k < kind->others;
		double a = other ? kind->other_a : kind->a, b = other ? kind->other_b : kind->b;
		const double in_a[] = {a, a, 1000 + (double)(k % 3)};
		const double in_b[] = {b, b, 1000 + (double)(k % 5)};

		many_add(&runs, 0, (int64_t)k, ARM_A, in_a, 3);
		many_add(&runs, 0, (int64_t)k, ARM_B, in_b, 3);
	}
	return judge(e, &runs, JUDGE_END);
}

/* What is borrowed from the experiment is gone: only the primary's own figures are looked at. */
static const struct metric_verdict *primary(const struct judgement *j)
{
	return &j->comparisons[0].metrics[0];
}

static const struct metric_verdict *secondary(const struct judgement *j)
{
	return &j->comparisons[0].metrics[1];
}

static void check_interval(struct interval i, double low, double high)
{
	if (!(fabs(i.low - low) <= 1e-9 * fmax(1, fabs(low)) &&
	      fabs(i.high - high) <= 1e-9 * fmax(1, fabs(high))))
		fail_msg("%.17g .. %.17g, not %.17g .. %.17g", i.low, i.high, low, high);
}

/* No number of a verdict is what no number can be. */
static void check_sane(const char *name, size_t pairs, const struct metric_verdict *v)
{
	bool sane = v->p > 0 && v->p <= 1 && v->p_adjusted >= v->p && v->p_adjusted <= 1 &&
		    !isnan(v->interval.low) && !isnan(v->interval.high) &&
		    v->interval.low <= v->interval.high && isnan(v->estimate) == !v->pairs &&
		    !isinf(v->estimate) && isnan(v->spread) == (v->pairs < 2) &&
		    (isnan(v->spread) || (v->spread >= 0 && isfinite(v->spread))) &&
		    v->more_pairs >= 0;

	if (!sane)
		fail_msg("%s, %zu pairs: estimate %g, %g .. %g, sd %g, p %g, %g", name, pairs,
			 v->estimate, v->interval.low, v->interval.high, v->spread, v->p,
			 v->p_adjusted);
	if (v->verdict == VERDICT_REGRESSED || v->verdict == VERDICT_IMPROVED ||
	    v->verdict == VERDICT_CLEARED)
		assert_true(v->pairs >= JUDGE_LEAST_PAIRS);
}

static void nothing_is_infinite_that_is_known(void **state)
{
	static const size_t lengths[] = {1, 2, 3, 5, 6, 8, 20, 21};
	static const enum plan plans[] = {PLAN_PAIRS, PLAN_DECIDED, PLAN_BUDGET};

	(void)state;
	for (size_t p = 0; p < 3; p++) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
				struct judgement *j __free(judgement) =
					judged(plans[p], kinds[i], lengths[n]);

				for (size_t m = 0; m < 3; m++)
					check_sane(kinds[i]->name, lengths[n],
						   &j->comparisons[0].metrics[m]);
			}
		}
	}
}

/* Planned pairs, n of which can (6, 8) or cannot (1, 2, 5) reject at 5 %. */
static void without_spread_p_counts_patterns(void **state)
{
	static const struct {
		const struct kind *kind;
		double estimate; /* and both ends of the interval */
		enum judge_scale scale;
		enum verdict verdict;
		const char *remark;
	} cases[] = {
		{&identical, 0, SCALE_LOG, VERDICT_CLEARED, "identical"},
		{&separated, 0.1, SCALE_LOG, VERDICT_REGRESSED,
		 "all pairs differ alike: there is no spread"},
		{&no_events, 0, SCALE_DIFFERENCE, VERDICT_UNDECIDED, "no events"},
		{&none_in_a, 3, SCALE_DIFFERENCE, VERDICT_REGRESSED, "no events in A"},
		{&none_in_b, -3, SCALE_DIFFERENCE, VERDICT_IMPROVED, "no events in B"},
		{&huge, 0x1p62, SCALE_LOG, VERDICT_REGRESSED,
		 "all pairs differ alike: there is no spread"},
		{&tiny, -1, SCALE_LOG, VERDICT_IMPROVED,
		 "all pairs differ alike: there is no spread"},
	};
	static const size_t lengths[] = {1, 2, 5, 6, 8, 20, 21};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
			size_t pairs = lengths[n];
			struct judgement *j __free(judgement) =
				judged(PLAN_PAIRS, cases[i].kind, pairs);
			const struct metric_verdict *v = primary(j);
			bool differs = cases[i].estimate != 0;
			double unbounded = v->scale == SCALE_LOG ? -1 : -INFINITY;

			assert_int_equal(v->scale, cases[i].scale);
			check_interval((struct interval){v->estimate, v->estimate},
				       cases[i].estimate, cases[i].estimate);
			if (pairs < 6) {
				assert_int_equal(v->rule, RULE_PAIRED_T);
				assert_int_equal(v->verdict, VERDICT_UNDECIDED);
				assert_true(v->p == 1);
				assert_true(v->interval.low == unbounded);
				assert_true(v->interval.high == INFINITY);
				continue;
			}
			assert_true(v->spread == 0);
			assert_true(v->p == (!differs	  ? 1
					     : pairs > 20 ? 1e-5
							  : ldexp(2, -(int)pairs)));
			check_interval(v->interval, cases[i].estimate, cases[i].estimate);
			check_interval(v->paired_t, cases[i].estimate, cases[i].estimate);
			assert_int_equal(v->verdict, cases[i].verdict);
			assert_string_equal(v->remark, cases[i].remark);
		}
	}
}

/* 0, 0, 0 and five times the same: the zeros have no sign, so it is 2 of 2^5. */
static void ties_are_counted(void **state)
{
	struct judgement *j __free(judgement) = judged(PLAN_PAIRS, &ties, 8);
	const struct metric_verdict *v = primary(j);

	(void)state;
	assert_true(v->p == 2.0 / 32);
	assert_int_equal(v->verdict, VERDICT_UNDECIDED);
	check_interval(v->interval, 0, 0.1);
	assert_null(v->remark);
	assert_true(v->more_pairs > 0);
}

/* One figure of zero has no logarithm: all differences are in the unit then. */
static void a_zero_changes_the_scale(void **state)
{
	struct judgement *j __free(judgement) = judged(PLAN_PAIRS, &one_zero, 8);
	const struct metric_verdict *v = primary(j);

	(void)state;
	assert_int_equal(v->scale, SCALE_DIFFERENCE);
	check_interval((struct interval){v->estimate, v->estimate}, (7 + 7 * 2) / 8.0,
		       (7 + 7 * 2) / 8.0);
	assert_true(v->p == 2.0 / 256);
	assert_int_equal(v->verdict, VERDICT_REGRESSED);
	assert_true(isnan(v->bound));
	assert_null(v->remark);
}

/* Nothing happened: a secondary asked nothing and burdens no other; a primary is undecided. */
static void no_events_are_not_judged(void **state)
{
	static const enum plan plans[] = {PLAN_PAIRS, PLAN_DECIDED};

	(void)state;
	for (size_t p = 0; p < 2; p++) {
		struct judgement *j __free(judgement) = judged(plans[p], &no_events, 8);

		assert_int_equal(primary(j)->verdict, VERDICT_UNDECIDED);
		assert_int_equal(primary(j)->more_pairs, 0);
		assert_false(judgement_decided(j) && plans[p] == PLAN_DECIDED);
		assert_int_equal(judgement_status(j, false), 3);
		assert_int_equal(secondary(j)->verdict, VERDICT_NONE);
		assert_int_equal(secondary(j)->comparisons, 0);
		assert_int_equal(j->comparisons[0].metrics[2].comparisons, 1);
	}
}

/* A figure in one arm only: which, is said; the workload can do no more. */
static void absent_in_one_arm(void **state)
{
	static const struct {
		const struct kind *kind;
		const char *refusal;
	} cases[] = {
		{&absent_in_a, "in A: task.m0: no such counter"},
		{&absent_in_b, "in B: task.m0: no such counter"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct judgement *j __free(judgement) = judged(PLAN_PAIRS, cases[i].kind, 8);
		const struct metric_verdict *v = primary(j);

		assert_int_equal(v->pairs, 0);
		assert_int_equal(v->refused, 8);
		assert_string_equal(v->refusal, cases[i].refusal);
		assert_true(j->comparisons[0].impossible);
		assert_int_equal(judgement_status(j, false), 4);
		assert_int_equal(secondary(j)->comparisons, 0);
		assert_int_equal(j->comparisons[0].metrics[2].comparisons, 1);
		assert_int_equal(j->comparisons[0].explored->found, 0);
	}
}

/* ---- figures that no counter has ---- */

static const struct metric cost = {
	.name = "cost",
	.unit = "ns",
	.better = BETTER_LOWER,
	.summary = SUMMARY_TOTAL,
	.of = "task.cost",
	.help = "",
};

static void measured(struct metric_verdict *v, const double *a, const double *b, size_t pairs,
		     bool looks)
{
	*v = (struct metric_verdict){
		.metric = &cost, .primary = true, .pairs = pairs, .level = 0.05};
	v->a = memory_array(pairs, sizeof(*a));
	v->b = memory_array(pairs, sizeof(*b));
	memcpy(v->a, a, pairs * sizeof(*a));
	memcpy(v->b, b, pairs * sizeof(*b));
	rule_measure(v, looks, RULE_WHOLE, 0.05, 1);
	v->p_adjusted = v->p;
	v->comparisons = 1;
	rule_decide(v, 0.02, JUDGE_END, NULL, 1);
}

/* From 1e-300 to 1e300: the ratio itself is no double, its logarithm is. */
static void the_whole_range_of_doubles(void **state)
{
	static const double small[] = {1e-300, 2e-300, 1e-300, 3e-300, 1e-300, 1e-300, 2e-300};
	static const double large[] = {1e300, 1e300, 2e300, 1e300, 3e300, 1e300, 1e300};

	(void)state;
	for (int looks = 0; looks < 2; looks++) {
		struct metric_verdict up, down, same, zero;
		static const double zeros[7] = {0};
		double *d __free(memory) = NULL;

		measured(&up, small, large, 7, looks);
		d = rule_differences(&up);
		assert_true(fabs(d[0] - 600 * M_LN10) < 1e-9);
		assert_int_equal(up.verdict, VERDICT_REGRESSED);
		assert_true(up.interval.low > 1e300);
		measured(&down, large, small, 7, looks);
		assert_int_equal(down.verdict, VERDICT_IMPROVED);
		assert_true(down.estimate == -1 && down.interval.high == -1);
		measured(&same, large, large, 7, looks);
		assert_true(same.estimate == 0 && same.p == 1);
		assert_int_equal(same.verdict, VERDICT_CLEARED);
		measured(&zero, zeros, large, 7, looks);
		assert_int_equal(zero.scale, SCALE_DIFFERENCE);
		assert_true(isfinite(zero.estimate) && isfinite(zero.spread));
		assert_int_equal(zero.verdict, VERDICT_REGRESSED);
		metric_verdict_done(&up);
		metric_verdict_done(&down);
		metric_verdict_done(&same);
		metric_verdict_done(&zero);
	}
}

/* Twenty-five secondaries of 20 pairs, by all patterns, and of 1000, by random ones. */
static void many_metrics_and_pairs(void **state)
{
	static const int lengths[] = {20, 1000};

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct experiment *e __free(experiment) =
			many_experiment(PLAN_PAIRS, lengths[n], 1, MANY_METRICS);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;
		struct random random;
		clock_t began;

		random_seed(&random, 1, n);
		for (int k = 0; k < lengths[n]; k++) {
			double d[MANY_METRICS];

			for (size_t m = 0; m < MANY_METRICS; m++)
				d[m] = 0.01 * many_normal(&random) + (m == 7 ? 0.02 : 0);
			many_pair(&runs, 0, k, d, MANY_METRICS);
		}
		began = clock();
		j = judge(e, &runs, JUDGE_END);
		print_message("# %d metrics, %d pairs: %.2f s of CPU\n", MANY_METRICS, lengths[n],
			      (double)(clock() - began) / CLOCKS_PER_SEC);
		assert_int_equal(j->comparisons[0].metrics[7].verdict, VERDICT_REGRESSED);
		assert_int_equal(j->comparisons[0].metrics[7].comparisons, MANY_METRICS - 1);
		assert_true(j->comparisons[0].metrics[7].p_adjusted < 0.001);
		for (size_t m = 0; m < MANY_METRICS; m++)
			check_sane("many", (size_t)lengths[n], &j->comparisons[0].metrics[m]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_infinite_that_is_known),
		cmocka_unit_test(without_spread_p_counts_patterns),
		cmocka_unit_test(ties_are_counted),
		cmocka_unit_test(a_zero_changes_the_scale),
		cmocka_unit_test(no_events_are_not_judged),
		cmocka_unit_test(absent_in_one_arm),
		cmocka_unit_test(the_whole_range_of_doubles),
		cmocka_unit_test(many_metrics_and_pairs),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
