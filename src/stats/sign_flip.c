// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sign_flip.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/summary.h"

/*
 * Two sums count as tied when they differ by less than this share of the sum of all magnitudes.
 *
 * Ties are common (counters, clocks with coarse ticks, equal differences) and a tie that rounding
 * breaks to the wrong side makes p too small. Rounding of a sum of n terms is below n * 1.1e-16 of
 * that share; the differences themselves are logarithms, each off by about 2e-16, which is 1e-11 of
 * a difference of 0.00002. On the other side the tolerance can do no harm: an arrangement counted
 * in error only makes p larger, and one of 2^20 sums falls this near the observed one once in 10^5
 * series. It depends on the magnitudes of d alone, which no flip changes, so the test stays exact.
 */
#define TIE 1e-11

/* One random sign pattern: the sum of the differences that it flips, and how many these are. */
struct draw {
	double sum;
	double flipped;
};

/*
 * All that is needed to count arrangements for d - theta, again and again. An arrangement is
 * described by the set F of differences that it flips: its sum is S - 2 sum(F), with S the sum of
 * all. So it reaches S exactly when sum(F) <= 0, which the empty set, the observed arrangement
 * itself, always does. Exact: sums of subsets of the halves of d, 2^(n/2) each. Random: the draws.
 */
struct arrangements {
	size_t n;
	double *d;    /* scaled by 1/unit */
	double unit;  /* a power of two near the largest magnitude, so that nothing overflows */
	double total; /* number of arrangements, the observed one included */
	double *shifted, *left, *right, *spare; /* exact */
	struct draw *draws;
	double origin; /* draws are of d - origin: their sums would cancel far from 0 */
};

static void arrangements_done(struct arrangements *a)
{
	free(a->d);
	free(a->shifted);
	free(a->left);
	free(a->right);
	free(a->spare);
	free(a->draws);
}

/* Eight differences at a time: the sum of each of their 256 subsets. */
static void sum_groups(const struct arrangements *a, double (*sums)[256])
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t set = 0; set < (size_t)1 << i % 8; set++)
			sums[i / 8][set | (size_t)1 << i % 8] =
				sums[i / 8][set] + (a->d[i] - a->origin);
}

static void make_draws(struct arrangements *a, uint64_t seed)
{
	double(*sums)[256] __free(memory) = memory_array(a->n / 8 + 1, sizeof(*sums));
	struct random random;

	random_seed(&random, seed, a->n);
	a->origin = a->d[0];
	a->draws = memory_array(SIGN_FLIP_DRAWS, sizeof(*a->draws));
	sum_groups(a, sums);
	for (size_t b = 0; b < SIGN_FLIP_DRAWS; b++) {
		struct draw *draw = &a->draws[b];

		for (size_t first = 0; first < a->n; first += 64) {
			uint64_t set = random_next(&random);

			if (a->n - first < 64)
				set &= (UINT64_C(1) << (a->n - first)) - 1;
			draw->flipped += __builtin_popcountll(set);
			for (size_t group = first / 8; set; group++, set >>= 8)
				draw->sum += sums[group][set & 255];
		}
	}
}

static void arrangements_init(struct arrangements *a, const double *d, size_t n, uint64_t seed)
{
	int exponent;

	assert(n > 0 && summary_is_finite(d, n));
	*a = (struct arrangements){.n = n};
	frexp(fmax(fabs(summary_min(d, n)), fabs(summary_max(d, n))), &exponent);
	a->unit = ldexp(1, exponent < 1000 ? exponent : 1000);
	a->d = memory_array(n, sizeof(*a->d));
	for (size_t i = 0; i < n; i++)
		a->d[i] = d[i] / a->unit;
	if (n > SIGN_FLIP_EXACT_PAIRS) {
		a->total = SIGN_FLIP_DRAWS + 1;
		make_draws(a, seed);
		return;
	}
	a->total = ldexp(1, (int)n);
	a->shifted = memory_array(n, sizeof(double));
	a->left = memory_array((size_t)1 << (n / 2), sizeof(double));
	a->right = memory_array((size_t)1 << (n - n / 2), sizeof(double));
	a->spare = memory_array((size_t)1 << (n - n / 2), sizeof(double));
}

/* Writes the sums of all 2^n subsets of x in ascending order. */
static void sum_subsets(const double *x, size_t n, double *sums, double *spare)
{
	size_t count = 1;

	sums[0] = 0;
	for (size_t i = 0; i < n; i++, count *= 2) {
		size_t without = 0, with = 0;

		/* Merge the sums so far with the same ones plus x[i]: both are in order. */
		for (size_t k = 0; k < 2 * count; k++) {
			if (with == count ||
			    (without < count && sums[without] <= sums[with] + x[i]))
				spare[k] = sums[without++];
			else
				spare[k] = sums[with++] + x[i];
		}
		memcpy(sums, spare, 2 * count * sizeof(*sums));
	}
}

/* How many of the subsets of a->shifted have a sum of at most `bound`. */
static double count_subsets(struct arrangements *a, double bound)
{
	size_t half = a->n / 2;
	size_t right = (size_t)1 << (a->n - half);
	size_t count = 0;

	sum_subsets(a->shifted, half, a->left, a->spare);
	sum_subsets(a->shifted + half, a->n - half, a->right, a->spare);
	/* The larger the left sum, the fewer of the right ones go with it. */
	for (size_t left = 0; left < (size_t)1 << half; left++) {
		while (right > 0 && a->left[left] + a->right[right - 1] > bound)
			right--;
		count += right;
	}
	return (double)count;
}

/*
 * How many random arrangements of d - theta reach the observed sum, when `sign` makes that
 * positive. Flipping the others instead turns the sum around, so for either of the two the
 * magnitude is as large as the observed one when sum(F) <= bound for F or for its complement.
 */
static double count_draws(const struct arrangements *a, double theta, double sign, double all,
			  double bound)
{
	double shift = theta - a->origin;
	size_t count = 0;

	for (size_t b = 0; b < SIGN_FLIP_DRAWS; b++) {
		double sum = sign * (a->draws[b].sum - a->draws[b].flipped * shift);

		count += (sum <= bound) | (all - sum <= bound);
	}
	return (double)count;
}

/*
 * The number of arrangements of d - theta, the observed one included, whose sum is as far from 0.
 */
static double count_extreme(struct arrangements *a, double theta)
{
	double sum = 0, magnitudes = 0, sign, bound;

	for (size_t i = 0; i < a->n; i++) {
		sum += a->d[i] - theta;
		magnitudes += fabs(a->d[i] - theta);
	}
	if (fabs(sum) <= TIE * magnitudes)
		return a->total;
	sign = copysign(1, sum);
	/* |S - 2 sum(F)| >= |S| - tolerance */
	bound = TIE * magnitudes / 2;
	if (a->draws)
		return 1 + count_draws(a, theta, sign, fabs(sum), bound);
	for (size_t i = 0; i < a->n; i++)
		a->shifted[i] = sign * (a->d[i] - theta);
	/* As many sums lie on the other side of 0, and none on both, for S is not 0. */
	return 2 * count_subsets(a, bound);
}

double sign_flip_p(const double *d, size_t n, uint64_t seed)
{
	struct arrangements a __cleanup(arrangements_done);

	arrangements_init(&a, d, n, seed);
	return count_extreme(&a, 0) / a.total;
}

static bool rejects(struct arrangements *a, double theta, double alpha)
{
	/* The total is a power of two or 10^5: the product is as exact as alpha is. */
	return count_extreme(a, theta) <= alpha * a->total;
}

/*
 * The end of the interval on the side of `outside`, a theta beyond all of d. From there to the mean
 * the count only grows (every sum(F) of d - theta falls, for theta below the mean, as theta
 * grows), from its least value to all. Halve between a theta that is rejected and one that is not,
 * until they are 1e-13 of the range of d apart, well inside the tolerance for ties.
 */
static double find_end(struct arrangements *a, double outside, double mean, double alpha)
{
	double rejected = outside, kept = mean;

	if (!rejects(a, outside, alpha))
		return copysign(INFINITY, outside - mean);
	/* First at 0, so that rounding cannot put the end on the other side of it than the p. */
	for (int step = 0; step < 44; step++) {
		double theta = step == 0 ? 0 : kept + (rejected - kept) / 2;

		if ((theta - rejected) * (theta - kept) >= 0)
			continue;
		if (rejects(a, theta, alpha))
			rejected = theta;
		else
			kept = theta;
	}
	return kept;
}

struct interval sign_flip_interval(const double *d, size_t n, double alpha, uint64_t seed)
{
	struct arrangements a __cleanup(arrangements_done);
	struct interval interval = {-INFINITY, INFINITY};
	double min, max, mean;

	assert(alpha > 0 && alpha < 1);
	arrangements_init(&a, d, n, seed);
	if (sign_flip_smallest_p(n) > alpha)
		return interval;
	min = summary_min(a.d, n);
	max = summary_max(a.d, n);
	if (min == max)
		return (struct interval){d[0], d[0]};
	mean = summary_mean(a.d, n);
	interval.low = find_end(&a, min - (max - min), mean, alpha) * a.unit;
	interval.high = find_end(&a, max + (max - min), mean, alpha) * a.unit;
	return interval;
}

double sign_flip_smallest_p(size_t n)
{
	assert(n > 0);
	return n > SIGN_FLIP_EXACT_PAIRS ? 1.0 / (SIGN_FLIP_DRAWS + 1) : ldexp(2, -(int)n);
}

size_t sign_flip_least_pairs(double level)
{
	size_t least = 1;

	while (least < SIGN_FLIP_EXACT_PAIRS && sign_flip_smallest_p(least) > level)
		least++;
	return least;
}

double sign_flip_attained_level(size_t n, double alpha)
{
	double step = sign_flip_smallest_p(n);

	assert(alpha > 0 && alpha < 1);
	if (n > SIGN_FLIP_EXACT_PAIRS)
		return floor(alpha * (SIGN_FLIP_DRAWS + 1)) / (SIGN_FLIP_DRAWS + 1);
	return floor(alpha / step) * step;
}
