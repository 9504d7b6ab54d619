// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sequential.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "near.h"
#include "stats/group_sequential.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"
#include "worked.h"

static double draw_normal(struct random *r)
{
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The ratio of two normals: no mean, no variance. */
static double draw_cauchy(struct random *r)
{
	return draw_normal(r) / draw_normal(r);
}

static void test_plan(void **state)
{
	static const size_t forty[] = {8, 16, 24, 32, 40}, seventeen[] = {8, 12, 16, 17};
	struct sequential_plan plan = sequential_plan(40, 0);

	(void)state;
	assert_int_equal(plan.look_count, 5);
	assert_memory_equal(plan.looks, forty, sizeof(forty));
	plan = sequential_plan(17, 0);
	assert_int_equal(plan.look_count, 4);
	assert_memory_equal(plan.looks, seventeen, sizeof(seventeen));
	assert_int_equal(sequential_plan(0, 0).look_count, 0);
	assert_int_equal(sequential_plan(SEQUENTIAL_MOST_PAIRS + 1, 0).look_count, 0);
	for (size_t n = 1; n <= SEQUENTIAL_MOST_PAIRS; n++) {
		plan = sequential_plan(n, 0);
		assert_int_equal(plan.looks[plan.look_count - 1], n);
	}
	plan = sequential_plan(40, 0);
	sequential_plan_end(&plan, 37);
	assert_int_equal(plan.look_count, 5);
	assert_int_equal(plan.looks[4], 37);
	sequential_plan_end(&plan, 24);
	assert_int_equal(plan.look_count, 3);
	assert_int_equal(plan.looks[2], 24);
}

/* A pattern of signs, all of its differences in another unit: the sum anew. */
static double change_unit(struct e_process *e, const double *d, size_t n, size_t pattern)
{
	double signed_d[16], sum = 0;

	for (size_t i = 0; i < n; i++) {
		signed_d[i] = pattern >> i & 1 ? -d[i] : d[i];
		sum += signed_d[i];
	}
	e_process_change_unit(e, signed_d, n);
	return sum;
}

/*
 * The rule as its header has it, in the plainest way: every pattern of up to 13 signs, the
 * statistics in order, one pattern after the other crossed out. Returns the pair, negative for a
 * look.
 */
static long brute_rejection(const struct sequential_plan *plan,
			    const struct sequential_series *series, enum e_process_side side,
			    double alpha)
{
	size_t n = series->n;
	size_t last = plan->looks[plan->look_count - 1];
	size_t used = last < n ? last : n, count = (size_t)1 << used;
	bool *gone __free(memory) = memory_array(count, sizeof(*gone));
	double *sums __free(memory) = memory_array(count, sizeof(*sums));
	struct e_process *es __free(memory) = memory_array(count, sizeof(*es));
	double reach = 1 / (alpha * SEQUENTIAL_E_PROCESS_SHARE), spent = 0;
	size_t look = 0;
	long result = 0;

	for (size_t i = 0; i < count; i++)
		e_process_init(&es[i], 0, side);
	for (size_t pair = 0; pair < used && !result; pair++) {
		size_t quota;
		double until;

		for (size_t i = 0; i < count; i++) {
			double own = pair < series->before_count ? series->before[pair]
								 : series->d[pair];
			double x = i >> pair & 1 ? -own : own;

			if (pair && pair == series->before_count)
				sums[i] = change_unit(&es[i], series->d, pair, i);
			sums[i] += x;
			gone[i] |= e_process_push(&es[i], x) >= reach;
		}
		if (e_process_max(&es[0]) >= reach)
			result = (long)pair + 1;
		if (result || pair + 1 != plan->looks[look])
			continue;
		until = look + 1 == plan->look_count
				? .05
				: group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, .05,
							 (double)(pair + 1) /
								 (double)plan->max_pairs);
		quota = (size_t)(alpha * (1 - SEQUENTIAL_E_PROCESS_SHARE) * (until - spent) / .05 *
					 (double)count +
				 1e-9);
		spent = until;
		look++;
		/* Takes the group furthest out for as long as it is no larger than what is left. */
		for (bool fits = true; fits;) {
			double furthest = 0;
			size_t group = 0;

			for (size_t i = 0; i < count; i++) {
				double out = side == E_PROCESS_TWO_SIDED ? fabs(sums[i]) : -sums[i];

				if (!gone[i])
					furthest = fmax(furthest, out);
			}
			for (size_t i = 0; i < count; i++) {
				double out = side == E_PROCESS_TWO_SIDED ? fabs(sums[i]) : -sums[i];

				group += !gone[i] && out >= furthest - 1e-9;
			}
			fits = furthest > 1e-9 && group <= quota;
			for (size_t i = 0; i < count && fits; i++) {
				double out = side == E_PROCESS_TWO_SIDED ? fabs(sums[i]) : -sums[i];

				gone[i] |= out >= furthest - 1e-9;
			}
			quota -= fits ? group : 0;
		}
		if (gone[0])
			result = -(long)pair - 1;
	}
	for (size_t i = 0; i < count; i++)
		e_process_done(&es[i]);
	return result;
}

static void test_against_definition(void **state)
{
	static const double alphas[] = {.05, .2, .4};
	struct random random;
	size_t by_look = 0, by_e_process = 0;

	(void)state;
	random_seed(&random, 1, 0);
	for (int round = 0; round < 300; round++) {
		struct sequential_plan plan = {{4, 7, 10}, 3, 10, 1};
		enum e_process_side side = round % 2 ? E_PROCESS_SMALLER : E_PROCESS_TWO_SIDED;
		double alpha = alphas[round % 3], d[10];
		size_t n = 4 + (size_t)round % 7;
		struct sequential s;
		long expected;

		if (round % 5 == 0)
			sequential_plan_end(&plan, n);
		for (size_t i = 0; i < 10; i++)
			/* Every other time whole numbers, for ties. */
			d[i] = round / 2 % 2 ? draw_normal(&random) - .8
					     : (double)random_below(&random, 5) - 3;
		expected = brute_rejection(&plan, &(struct sequential_series){.d = d, .n = n}, side,
					   alpha);
		s = sequential_test(&plan, d, n, 0, side, alpha);
		assert_int_equal(s.rejected_at, labs(expected));
		assert_int_equal(s.by, expected == 0  ? SEQUENTIAL_NOTHING
				       : expected > 0 ? SEQUENTIAL_E_PROCESS
						      : SEQUENTIAL_LOOK);
		assert_true((s.p <= alpha) == (s.rejected_at > 0));
		assert_int_equal(sequential_rejected_at(&plan, d, n, 0, side, alpha),
				 s.rejected_at);
		by_look += s.by == SEQUENTIAL_LOOK;
		by_e_process += s.by == SEQUENTIAL_E_PROCESS;
	}
	assert_true(by_look > 20 && by_e_process > 20);
}

/*
 * The first differences in another unit, with the same signs: looks and evidence stay as they were.
 */
static void test_change_of_unit(void **state)
{
	struct random random;
	size_t before_change = 0, after = 0;

	(void)state;
	random_seed(&random, 1, 3);
	for (int round = 0; round < 300; round++) {
		struct sequential_plan plan = {{4, 7, 10}, 3, 10, 1};
		double before[10], d[10], alpha = round % 2 ? .2 : .4;
		struct sequential_series series = {
			.d = d,
			.n = 4 + (size_t)round % 7,
			.before = before,
			.before_count = 1 + (size_t)round % 9,
		};
		struct sequential s;
		long expected;

		for (size_t i = 0; i < 10; i++) {
			before[i] = draw_normal(&random) + .8;
			d[i] = before[i] * exp(2 * draw_normal(&random));
		}
		expected = brute_rejection(&plan, &series, E_PROCESS_TWO_SIDED, alpha);
		s = sequential_test_series(&plan, &series, 0, E_PROCESS_TWO_SIDED, alpha);
		assert_int_equal(s.rejected_at, labs(expected));
		assert_int_equal(s.by, expected == 0  ? SEQUENTIAL_NOTHING
				       : expected > 0 ? SEQUENTIAL_E_PROCESS
						      : SEQUENTIAL_LOOK);
		before_change += s.rejected_at && s.rejected_at <= series.before_count;
		after += s.rejected_at > series.before_count;
	}
	assert_true(before_change > 20 && after > 20);
}

static void fill_magnitudes(size_t kind, struct random *r, double *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] = kind == 0   ? 1
		       : kind == 1 ? pow(3, (double)i)
		       : kind == 2 ? pow(3, -(double)i)
		       : kind == 3 ? (i == 3 ? 1000 : 1 + .1 * (double)i)
		       : kind == 4 ? draw_normal(r)
				   : draw_cauchy(r);
}

/*
 * The level, without any chance: given the magnitudes, each of the 2^n signs is as likely, so the
 * share of them that is rejected is the level. For magnitudes of every kind.
 */
static void test_exact_level(void **state)
{
	enum { PAIRS = 10, KINDS = 6 };
	static const struct {
		enum e_process_side side;
		double alpha;
	} tried[] = {
		{E_PROCESS_TWO_SIDED, .1}, {E_PROCESS_TWO_SIDED, .05}, {E_PROCESS_SMALLER, .1}};
	struct random random;
	double greatest = 0;

	(void)state;
	random_seed(&random, 1, 1);
	for (size_t kind = 0; kind < KINDS; kind++) {
		const struct sequential_plan plan = {{8, 9, PAIRS}, 3, PAIRS, 1};
		size_t rejected[3] = {0};
		double magnitudes[PAIRS], d[PAIRS];

		fill_magnitudes(kind, &random, magnitudes, PAIRS);
		for (size_t signs = 0; signs < (size_t)1 << PAIRS; signs++) {
			for (size_t i = 0; i < PAIRS; i++)
				d[i] = signs >> i & 1 ? -magnitudes[i] : magnitudes[i];
			for (size_t k = 0; k < 3; k++)
				rejected[k] +=
					sequential_rejected_at(&plan, d, PAIRS, 0, tried[k].side,
							       tried[k].alpha) > 0;
		}
		printf("# magnitudes %zu: %.2f %% at 10 %%, %.2f %% at 5 %%, one-sided %.2f %%\n",
		       kind, 100 * ldexp((double)rejected[0], -PAIRS),
		       100 * ldexp((double)rejected[1], -PAIRS),
		       100 * ldexp((double)rejected[2], -PAIRS));
		assert_true(ldexp((double)rejected[0], -PAIRS) <= .1);
		assert_true(ldexp((double)rejected[1], -PAIRS) <= .05);
		assert_true(ldexp((double)rejected[2], -PAIRS) <= .1);
		greatest = fmax(greatest, ldexp((double)rejected[0], -PAIRS));
	}
	/* And it is used. */
	assert_true(greatest > .06);
}

/* A rejection stays, and p is the smallest level with one. */
static void test_p(void **state)
{
	struct sequential_plan plan = sequential_plan(12, 3);
	struct random random;

	(void)state;
	random_seed(&random, 1, 2);
	for (int round = 0; round < 15; round++) {
		double d[16], before = 1;

		for (size_t i = 0; i < 16; i++)
			d[i] = draw_normal(&random) + .5;
		for (size_t n = 1; n <= 16; n++) {
			struct sequential s =
				sequential_test(&plan, d, n, 0, E_PROCESS_TWO_SIDED, .05);

			assert_true(s.p > 0 && s.p <= before * 1.002);
			before = s.p;
			if (s.p < .9)
				assert_true(sequential_test(&plan, d, n, 0, E_PROCESS_TWO_SIDED,
							    s.p * 1.000001)
						    .rejected_at > 0);
			if (s.p > .002)
				assert_int_equal(sequential_test(&plan, d, n, 0,
								 E_PROCESS_TWO_SIDED, s.p / 1.002)
							 .rejected_at,
						 0);
		}
	}
}

/* Without looks it is the e-process, and with them it goes on after the last one. */
static void test_open_end(void **state)
{
	struct sequential_plan open = sequential_plan(0, 1), plan = sequential_plan(12, 1);
	double d[WORKED_PAIRS], flat[60];
	struct interval interval, expected;
	struct sequential s;

	(void)state;
	worked_differences(d);
	s = sequential_test(&open, d, WORKED_PAIRS, 0, E_PROCESS_TWO_SIDED, .05);
	assert_digits(1 / s.p, 60.05039784, 10);
	assert_digits(s.e_process_largest, 60.05039784, 10);
	assert_int_equal(s.rejected_at, 7);
	assert_int_equal(s.by, SEQUENTIAL_E_PROCESS);
	assert_true(sequential_interval(&open, d, WORKED_PAIRS, .05, &interval));
	assert_true(e_process_interval(d, WORKED_PAIRS, .05, &expected));
	assert_near(interval.low, expected.low, 0);
	assert_near(interval.high, expected.high, 0);
	/* Alternating for 12 pairs, and then all one way. */
	for (size_t i = 0; i < 60; i++)
		flat[i] = i < 12 && i % 2 ? -1 : 1;
	s = sequential_test(&plan, flat, 12, 0, E_PROCESS_TWO_SIDED, .05);
	assert_int_equal(s.rejected_at, 0);
	s = sequential_test(&plan, flat, 60, 0, E_PROCESS_TWO_SIDED, .05);
	assert_true(s.rejected_at > 12);
	assert_int_equal(s.by, SEQUENTIAL_E_PROCESS);
}

/*
 * Twelve pairs were planned, forty-eight more were run because nothing was found: the level holds.
 */
static void test_extension(void **state)
{
	enum { EXPERIMENTS = 1000, PAIRS = 60 };
	const struct sequential_plan plan = sequential_plan(12, 1);
	struct random random;
	size_t rejected = 0, later = 0;

	(void)state;
	random_seed(&random, 1, 5);
	for (int e = 0; e < EXPERIMENTS; e++) {
		double d[PAIRS];
		size_t at;

		for (size_t i = 0; i < PAIRS; i++)
			d[i] = draw_normal(&random);
		at = sequential_rejected_at(&plan, d, PAIRS, 0, E_PROCESS_TWO_SIDED, .05);
		rejected += at > 0;
		later += at > 12;
	}
	printf("# rejected %zu of %d, %zu of them after the planned end\n", rejected, EXPERIMENTS,
	       later);
	/* Three standard errors. */
	assert_true(rejected <= 50 + 21);
	assert_true(later > 0);
}

/* The longest plan with looks: no product of a thousand bets overflows. */
static void test_longest(void **state)
{
	struct sequential_plan plan = sequential_plan(SEQUENTIAL_MOST_PAIRS, 1);
	double *d __free(memory) = memory_array(SEQUENTIAL_MOST_PAIRS, sizeof(*d));
	struct random random;

	(void)state;
	random_seed(&random, 1, 6);
	for (size_t i = 0; i < SEQUENTIAL_MOST_PAIRS; i++)
		d[i] = i % 2 ? 1 : -1 - 1e-9 * (double)i;
	assert_int_equal(sequential_rejected_at(&plan, d, SEQUENTIAL_MOST_PAIRS, 0,
						E_PROCESS_TWO_SIDED, .05),
			 0);
	/* A tenth of an sd, which only looks at hundreds of pairs can see. */
	for (size_t i = 0; i < SEQUENTIAL_MOST_PAIRS; i++)
		d[i] = (i % 10 == 0 ? .5 : 0) + (i % 2 ? 1 : -1) * random_unit(&random);
	assert_true(sequential_rejected_at(&plan, d, SEQUENTIAL_MOST_PAIRS, 0, E_PROCESS_TWO_SIDED,
					   .05) > 100);
}

static void test_degenerate(void **state)
{
	struct sequential_plan plan = sequential_plan(40, 1);
	double zeros[40] = {0}, equal[40], huge[40], tiny[40];
	struct interval interval;
	struct sequential s;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		equal[i] = -.1;
		huge[i] = 1e300 * (1 + .01 * (double)i);
		tiny[i] = 1e-300 * (1 + .01 * (double)i);
	}
	for (size_t n = 1; n <= 40; n += 3) {
		s = sequential_test(&plan, zeros, n, 0, E_PROCESS_TWO_SIDED, .05);
		assert_near(s.p, 1, 0);
		s = sequential_test(&plan, zeros, n, 0, E_PROCESS_SMALLER, .05);
		assert_near(s.p, 1, 0);
	}
	s = sequential_test(&plan, equal, 40, 0, E_PROCESS_TWO_SIDED, .05);
	assert_int_equal(s.rejected_at, 7);
	/* All on the wrong side of a one-sided question. */
	s = sequential_test(&plan, huge, 40, 0, E_PROCESS_SMALLER, .05);
	assert_near(s.p, 1, 0);
	assert_int_equal(sequential_test(&plan, huge, 40, 0, E_PROCESS_TWO_SIDED, .05).rejected_at,
			 7);
	assert_int_equal(sequential_test(&plan, tiny, 40, 0, E_PROCESS_TWO_SIDED, .05).rejected_at,
			 7);
	assert_true(sequential_interval(&plan, equal, 12, .05, &interval));
	assert_near(interval.low, -.1, 1e-12);
	assert_near(interval.high, -.1, 1e-12);
	assert_true(sequential_interval(&plan, equal, 4, .05, &interval));
	assert_near(interval.low, -INFINITY, 0);
}

/*
 * The interval is the same test: it excludes 0 when 0 is rejected, it is that of a shifted series
 * shifted, and it is hardly wider than the fixed test's at the end.
 */
static void test_interval(void **state)
{
	struct random random;
	size_t rejected = 0;

	(void)state;
	random_seed(&random, 1, 3);
	for (int round = 0; round < 30; round++) {
		struct sequential_plan plan = sequential_plan(12, 5);
		size_t n = round % 2 ? 12 : 9;
		struct interval interval, shifted, e_process;
		double d[12], far[12];
		struct sequential s;

		for (size_t i = 0; i < 12; i++) {
			d[i] = draw_normal(&random) + .7;
			far[i] = d[i] + 10;
		}
		s = sequential_test(&plan, d, n, 0, E_PROCESS_TWO_SIDED, .05);
		assert_true(sequential_interval(&plan, d, n, .05, &interval));
		assert_true(sequential_interval(&plan, far, n, .05, &shifted));
		assert_true(e_process_interval(d, n, .05 * SEQUENTIAL_E_PROCESS_SHARE, &e_process));
		if (s.rejected_at)
			assert_true(interval.low >= 0 || interval.high <= 0);
		else
			assert_true(interval.low <= 0 && interval.high >= 0);
		rejected += s.rejected_at > 0;
		assert_near(shifted.low - 10, interval.low, 1e-3);
		assert_near(shifted.high - 10, interval.high, 1e-3);
		assert_true(interval.low >= e_process.low && interval.high <= e_process.high);
	}
	assert_true(rejected > 5 && rejected < 25);
}

/*
 * Random patterns, 20 000 for 40 pairs: one look at the end is nothing but the sign-flip test at
 * its share of alpha.
 */
static void test_random_patterns(void **state)
{
	struct sequential_plan plan = {{40}, 1, 40, 9};
	struct random random;

	(void)state;
	random_seed(&random, 1, 4);
	for (int round = 0; round < 6; round++) {
		double d[40], p;
		struct sequential s;

		for (size_t i = 0; i < 40; i++)
			d[i] = draw_cauchy(&random) + .1 * round;
		s = sequential_test(&plan, d, 40, 0, E_PROCESS_TWO_SIDED, .05);
		p = sign_flip_p(d, 40, 1) / (1 - SEQUENTIAL_E_PROCESS_SHARE);
		/*
		 * What the e-process rejects at the level as well is not counted twice, so p may be
		 * smaller; never larger but for four standard errors.
		 */
		assert_true(s.p <= p + 4 * sqrt(p / SEQUENTIAL_PATTERNS) * 1.5 + .002);
		assert_true(s.p >=
			    fmin(p * .5, 1 / (s.e_process_largest * SEQUENTIAL_E_PROCESS_SHARE)) *
					    .99 -
				    .002);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_against_definition),
		cmocka_unit_test(test_change_of_unit),
		cmocka_unit_test(test_exact_level),
		cmocka_unit_test(test_p),
		cmocka_unit_test(test_open_end),
		cmocka_unit_test(test_extension),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_degenerate),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_random_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
