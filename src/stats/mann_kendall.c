// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/mann_kendall.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/summary.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The sizes of the groups of equal values, 1 for a value without an equal. Owned by the caller. */
static size_t *tie_groups(const double *x, size_t n, size_t *ret_count)
{
	double *sorted __free(memory) = memory_array(n, sizeof(*sorted));
	size_t *groups = memory_array(n, sizeof(*groups));
	size_t count = 0;

	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	for (size_t i = 0; i < n; i++) {
		if (!i || sorted[i] != sorted[i - 1])
			count++;
		groups[count - 1]++;
	}
	*ret_count = count;
	return groups;
}

static double pairs_of(size_t n)
{
	return (double)n * (double)(n - 1) / 2;
}

/*
 * The distribution of the Mann-Whitney U of `size` values against `others`, size * others + 1
 * probabilities: the largest of all is one of the `size` with the chance of their share, and is
 * then above all others. Owned by the caller.
 */
static double *u_distribution(size_t size, size_t others)
{
	size_t length = size * others + 1;
	double *rows __free(memory) = memory_array((size + 1) * length, sizeof(*rows));
	double *last = memory_array(length, sizeof(*last));

	for (size_t m = 0; m <= others; m++) {
		rows[0] = 1;
		for (size_t t = 1; t <= size; t++) {
			double *row = &rows[t * length];
			const double *shorter = row - length;
			double share = (double)t / (double)(m + t);

			/* From the end, so that what is read was not written yet. */
			for (size_t u = t * m + 1; u-- > 0;)
				row[u] = (1 - share) * row[u] +
					 (u >= m ? share * shorter[u - m] : 0);
		}
	}
	memcpy(last, &rows[size * length], length * sizeof(*last));
	return last;
}

/*
 * P(|S| >= |s|): the number of falling pairs D is the sum over the groups, each against those
 * before it, and S = untied - 2 D.
 */
static double exact_p(const size_t *groups, size_t count, double untied, double s)
{
	double *d = memory_array(1, sizeof(*d));
	size_t length = 1, before = 0;
	double p = 0;

	d[0] = 1;
	for (size_t g = 0; g < count; g++) {
		double *u __free(memory) = u_distribution(groups[g], before);
		size_t u_length = groups[g] * before + 1;
		double *sum = memory_array(length + u_length - 1, sizeof(*sum));

		for (size_t i = 0; i < length; i++)
			for (size_t k = 0; k < u_length; k++)
				sum[i + k] += d[i] * u[k];
		free(d);
		d = sum;
		length += u_length - 1;
		before += groups[g];
	}
	for (size_t i = 0; i < length; i++)
		if (fabs(untied - 2 * (double)i) >= fabs(s))
			p += d[i];
	free(d);
	return fmin(1, p);
}

static double weight(double n)
{
	return n * (n - 1) * (2 * n + 5) / 18;
}

static double normal_p(const size_t *groups, size_t count, size_t n, double s)
{
	double variance = weight((double)n);

	for (size_t g = 0; g < count; g++)
		variance -= weight((double)groups[g]);
	return erfc(fmax(0, fabs(s) - 1) / sqrt(variance) / M_SQRT2);
}

struct mann_kendall mann_kendall_test(const double *x, size_t n)
{
	struct mann_kendall result = {.n = n, .p = 1, .exact = n <= MANN_KENDALL_EXACT};
	size_t *groups __free(memory) = NULL;
	double untied;
	size_t count;

	assert(n > 0 && summary_is_finite(x, n));
	groups = tie_groups(x, n, &count);
	untied = pairs_of(n);
	for (size_t g = 0; g < count; g++)
		untied -= pairs_of(groups[g]);
	if (untied == 0)
		return result;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			result.s += (x[k] > x[i]) - (x[k] < x[i]);
	/*
	 * Times are never tied. One root of the product is exact where they agree: tau is 1 at
	 * most.
	 */
	result.tau = result.s / sqrt(pairs_of(n) * untied);
	result.p = result.exact ? exact_p(groups, count, untied, result.s)
				: normal_p(groups, count, n, result.s);
	return result;
}
