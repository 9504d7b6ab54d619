// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/two_means.h"

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

struct two_means two_means_split(const double *x, size_t n)
{
	double *sorted __free(memory) = memory_array(n, sizeof(*sorted));
	double mean = summary_mean(x, n), below = 0, best = -1;
	struct two_means split = {.lower = n / 2};

	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	/*
	 * What is left within is least where what lies between, k (n - k) / n times the squared
	 * distance of the means, is most. With the sum S of the k lowest less the mean of all that
	 * is S^2 n / (k (n - k)).
	 */
	for (size_t k = 1; k < n; k++) {
		double between;

		below += sorted[k - 1] - mean;
		between = below * below / ((double)k * (double)(n - k));
		if (sorted[k - 1] < sorted[k] && between > best) {
			best = between;
			split.lower = k;
		}
	}
	split.low = summary_median(sorted, split.lower);
	split.high = summary_median(sorted + split.lower, n - split.lower);
	split.cut = sorted[split.lower - 1] / 2 + sorted[split.lower] / 2;
	return split;
}
