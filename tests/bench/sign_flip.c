// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "base/clock.h"
#include "base/random.h"
#include "stats/sign_flip.h"

/*
 * What the judgement of a planned experiment costs where it costs most: the exact test and its
 * inversion for each of 25 metrics at 20 pairs, 2^20 sign patterns.
 */
enum { METRICS = 25, PAIRS = SIGN_FLIP_EXACT_PAIRS };

int main(void)
{
	int64_t start_ns;
	double sum = 0;
	struct random r;

	random_seed(&r, 1, 0);
	start_ns = clock_now_ns();
	for (int metric = 0; metric < METRICS; metric++) {
		struct interval interval;
		double d[PAIRS];

		for (int i = 0; i < PAIRS; i++)
			d[i] = random_unit(&r) - 0.45;
		interval = sign_flip_interval(d, PAIRS, 0.05, 1);
		sum += sign_flip_p(d, PAIRS, 1) + interval.low + interval.high;
	}
	printf("%.1f\n", (double)(clock_now_ns() - start_ns) / NS_PER_MS);
	/* Using the results keeps the compiler from leaving the work out. */
	return sum == 0;
}
