// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/max_t.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"

/*
 * Two r as near to each other as this count as tied: they are sums of at most some hundred terms of
 * magnitude 1 or less, and the terms themselves logarithms that are off by 1e-11 of a small one.
 */
#define TIE 1e-10

struct metric {
	size_t place; /* in d */
	double r;
};

/* The metrics that are not all zeros, by falling r; pattern sums of all of them side by side. */
struct table {
	struct metric *metrics;
	size_t count, pairs;
	double *d;	/* [pair * count + metric], each metric divided by its root of sum d^2 */
	double *sums;	/* of one pattern */
	double *floors; /* r less the tolerance */
	size_t *reached;
};

static void table_done(struct table *t)
{
	free(t->metrics);
	free(t->d);
	free(t->sums);
	free(t->floors);
	free(t->reached);
}

static int compare(const void *a, const void *b)
{
	const struct metric *x = a, *y = b;

	/* Equal r in the order of place, so that the result does not depend on qsort(). */
	if (x->r != y->r)
		return x->r < y->r ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Root of sum d^2 and r, without overflow or underflow; 0 for zeros only. */
static double measure(const double *d, size_t pairs, double *ret_r)
{
	double largest = 0, sum = 0, squares = 0;

	*ret_r = 0;
	for (size_t i = 0; i < pairs; i++) {
		assert(!isinf(d[i]));
		if (!isnan(d[i]))
			largest = fmax(largest, fabs(d[i]));
	}
	if (largest == 0)
		return 0;
	for (size_t i = 0; i < pairs; i++) {
		double x = isnan(d[i]) ? 0 : d[i] / largest;

		sum += x;
		squares += x * x;
	}
	*ret_r = fabs(sum) / sqrt(squares);
	return largest * sqrt(squares);
}

static void table_init(struct table *t, const double *d, size_t metrics, size_t pairs)
{
	*t = (struct table){.pairs = pairs};
	t->metrics = memory_array(metrics, sizeof(*t->metrics));
	for (size_t m = 0; m < metrics; m++) {
		double r;

		if (measure(d + m * pairs, pairs, &r) > 0)
			t->metrics[t->count++] = (struct metric){m, r};
	}
	qsort(t->metrics, t->count, sizeof(*t->metrics), compare);
	t->d = memory_array(pairs * t->count, sizeof(*t->d));
	t->sums = memory_array(t->count, sizeof(*t->sums));
	t->floors = memory_array(t->count, sizeof(*t->floors));
	t->reached = memory_array(t->count, sizeof(*t->reached));
	for (size_t m = 0; m < t->count; m++) {
		const double *from = d + t->metrics[m].place * pairs;
		double r, root = measure(from, pairs, &r);

		t->floors[m] = r - TIE;
		for (size_t i = 0; i < pairs; i++)
			t->d[i * t->count + m] = isnan(from[i]) ? 0 : from[i] / root;
	}
}

/* Counts a pattern: metric m is reached when it or one after it is as far out as m was. */
static void count_pattern(struct table *t)
{
	double largest = 0;

	for (size_t m = t->count; m-- > 0;) {
		largest = fmax(largest, fabs(t->sums[m]));
		t->reached[m] += largest >= t->floors[m];
	}
}

/* Adds a pair's row times a factor to the sums. */
static void add_row(struct table *t, size_t pair, double factor)
{
	const double *restrict row = t->d + pair * t->count;
	double *restrict sums = t->sums;

	for (size_t m = 0; m < t->count; m++)
		sums[m] += factor * row[m];
}

static void sum_pattern(struct table *t, uint64_t flips)
{
	for (size_t m = 0; m < t->count; m++)
		t->sums[m] = 0;
	for (size_t i = 0; i < t->pairs; i++)
		add_row(t, i, flips >> i & 1 ? -1 : 1);
}

/*
 * All patterns in the order of the Gray code, where one sign changes at a time. The last pair keeps
 * its sign: the other half of the patterns has the same magnitudes. Now and then the sums are taken
 * anew, so that rounding does not add up.
 */
static double count_all(struct table *t)
{
	uint64_t total = UINT64_C(1) << (t->pairs - 1), flips = 0;

	for (uint64_t k = 0; k < total; k++) {
		if (k % 4096 == 0) {
			flips = k ^ k >> 1;
			sum_pattern(t, flips);
		} else {
			size_t pair = (size_t)__builtin_ctzll(k);

			flips ^= UINT64_C(1) << pair;
			add_row(t, pair, flips >> pair & 1 ? -2 : 2);
		}
		count_pattern(t);
	}
	return (double)total;
}

/*
 * Of each eight pairs in turn the sums under each of their 256 patterns, [(group * 256 + flips) *
 * count + metric]; behind the last pair there is nothing to flip. Owned by the caller.
 */
static double *sum_groups(struct table *t)
{
	size_t groups = (t->pairs + 7) / 8;
	double *sums = memory_array(groups * 256 * t->count, sizeof(*sums));

	for (size_t group = 0; group < groups; group++) {
		for (size_t flips = 0; flips < 256; flips++) {
			double *of = sums + (group * 256 + flips) * t->count;

			for (size_t i = 0; i < 8 && group * 8 + i < t->pairs; i++) {
				const double *row = t->d + (group * 8 + i) * t->count;

				for (size_t m = 0; m < t->count; m++)
					of[m] += flips >> i & 1 ? -row[m] : row[m];
			}
		}
	}
	return sums;
}

static double count_random(struct table *t, uint64_t seed)
{
	double *groups __free(memory) = sum_groups(t);
	struct random random;

	random_seed(&random, seed, t->pairs);
	for (size_t m = 0; m < t->count; m++)
		t->reached[m] = 1;
	for (size_t b = 0; b < MAX_T_DRAWS; b++) {
		uint64_t flips = 0;

		for (size_t m = 0; m < t->count; m++)
			t->sums[m] = 0;
		for (size_t group = 0; group * 8 < t->pairs; group++, flips >>= 8) {
			const double *restrict of;
			double *restrict sums = t->sums;

			if (group % 8 == 0)
				flips = random_next(&random);
			of = groups + (group * 256 + (flips & 255)) * t->count;
			for (size_t m = 0; m < t->count; m++)
				sums[m] += of[m];
		}
		count_pattern(t);
	}
	return MAX_T_DRAWS + 1;
}

void max_t_adjust(const double *d, size_t metrics, size_t pairs, uint64_t seed, double *ret_p)
{
	struct table t __cleanup(table_done);
	double total, p = 0;

	assert(pairs > 0);
	table_init(&t, d, metrics, pairs);
	total = pairs <= MAX_T_EXACT_PAIRS ? count_all(&t) : count_random(&t, seed);
	for (size_t m = 0; m < metrics; m++)
		ret_p[m] = 1;
	for (size_t m = 0; m < t.count; m++) {
		p = fmax(p, (double)t.reached[m] / total);
		ret_p[t.metrics[m].place] = p;
	}
}
