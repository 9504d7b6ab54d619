// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/random.h"
#include "stats/sign_flip.h"

/*
 * What the judgement of a planned experiment costs where it costs most: the exact test of each of
 * 25 metrics at 20 pairs, 2^20 sign patterns, and its inversion; beside them a plain loop over all
 * patterns. Prints the ms of the three, then a line for each metric: p and the differences.
 */
enum { METRICS = 25, PAIRS = SIGN_FLIP_EXACT_PAIRS };

static double ms_since(int64_t start_ns)
{
	return (double)(clock_now_ns() - start_ns) / NS_PER_MS;
}

static double plain_loop(const double d[PAIRS])
{
	double observed = 0;
	uint64_t as_far = 0;

	for (int i = 0; i < PAIRS; i++)
		observed += d[i];
	for (uint64_t pattern = 0; pattern < UINT64_C(1) << PAIRS; pattern++) {
		double sum = 0;

		for (int i = 0; i < PAIRS; i++)
			sum += pattern >> i & 1 ? -d[i] : d[i];
		as_far += fabs(sum) >= fabs(observed) - 1e-12;
	}
	return (double)as_far / (double)(UINT64_C(1) << PAIRS);
}

int main(void)
{
	double d[METRICS][PAIRS], p[METRICS], ours, interval, plain, ends = 0;
	bool alike = true;
	int64_t start_ns;
	struct random r;

	random_seed(&r, 1, 0);
	for (int metric = 0; metric < METRICS; metric++)
		for (int i = 0; i < PAIRS; i++)
			d[metric][i] = random_unit(&r) - 0.45;
	start_ns = clock_now_ns();
	for (int metric = 0; metric < METRICS; metric++)
		p[metric] = sign_flip_p(d[metric], PAIRS, 1);
	ours = ms_since(start_ns);
	start_ns = clock_now_ns();
	for (int metric = 0; metric < METRICS; metric++)
		ends += sign_flip_interval(d[metric], PAIRS, 0.05, 1).low;
	interval = ms_since(start_ns);
	start_ns = clock_now_ns();
	for (int metric = 0; metric < METRICS; metric++)
		alike &= plain_loop(d[metric]) == p[metric];
	plain = ms_since(start_ns);
	printf("%.1f %.1f %.1f\n", ours, interval, plain);
	for (int metric = 0; metric < METRICS; metric++) {
		printf("%.17g", p[metric]);
		for (int i = 0; i < PAIRS; i++)
			printf(" %.17g", d[metric][i]);
		printf("\n");
	}
	/* Using the results keeps the compiler from leaving the work out. */
	return !alike || isnan(ends);
}
