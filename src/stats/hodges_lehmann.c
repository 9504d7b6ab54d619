// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/hodges_lehmann.h"

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

/* Never infinite. */
static double mean_of(double a, double b)
{
	return a / 2 + b / 2;
}

/* How many of the means are `limit` or less. x ascends. */
static size_t count_up_to(const double *x, size_t n, double limit)
{
	size_t count = 0, partners = n;

	/* The partners of a larger value are fewer. */
	for (size_t i = 0; i < n; i++) {
		while (partners && mean_of(x[i], x[partners - 1]) > limit)
			partners--;
		count += partners > i ? partners - i : 0;
	}
	return count;
}

/*
 * The k-th smallest mean, k from 1: the smallest number with so many up to it. Halving finds it in
 * some sixty steps, in a thousand where it is 0, around which numbers are dense.
 */
static double find_mean(const double *x, size_t n, size_t k)
{
	double below = nextafter(x[0], -INFINITY), reached = x[n - 1];

	for (;;) {
		double middle = mean_of(below, reached);

		/* No number lies between them. */
		if (!(middle > below && middle < reached))
			return reached;
		if (count_up_to(x, n, middle) >= k)
			reached = middle;
		else
			below = middle;
	}
}

double hodges_lehmann(const double *x, size_t n)
{
	double *sorted __free(memory) = memory_array(n, sizeof(*sorted));
	size_t means = n * (n + 1) / 2;

	assert(n > 0 && summary_is_finite(x, n));
	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	return mean_of(find_mean(sorted, n, (means + 1) / 2), find_mean(sorted, n, means / 2 + 1));
}
