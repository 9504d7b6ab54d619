// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/rounds.h"

#include <assert.h>
#include <math.h>

size_t rounds_average(const double *d, size_t workloads, size_t rounds, double *ret_means)
{
	size_t n = 0;

	assert(workloads > 0);
	for (size_t round = 0; round < rounds; round++) {
		double mean = 0;

		/* Each divided first: the sum of huge ones may overflow. NAN stays NAN. */
		for (size_t workload = 0; workload < workloads; workload++)
			mean += d[workload * rounds + round] / (double)workloads;
		if (!isnan(mean))
			ret_means[n++] = mean;
	}
	return n;
}
