// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/histogram.h"

/*
 * What it costs to record a sample: latencies between 30 ns and 30 us, most of them short, as a
 * workload has them. The best of several rounds: all that can go wrong makes one longer.
 */
enum { SAMPLES = 1 << 16, ROUNDS = 50, REPEATS = 10 };

int main(void)
{
	struct histogram *h = memory_alloc(sizeof(*h));
	int64_t *latencies = memory_array(SAMPLES, sizeof(*latencies));
	int64_t best_ns = INT64_MAX;
	struct random r;

	random_seed(&r, 1, 0);
	for (int i = 0; i < SAMPLES; i++) {
		double u = random_unit(&r);

		latencies[i] = 30 + (int64_t)(30000 * u * u * u * u);
	}
	for (int round = 0; round < ROUNDS; round++) {
		int64_t start_ns = clock_now_ns(), took_ns;

		for (int repeat = 0; repeat < REPEATS; repeat++) {
			for (int i = 0; i < SAMPLES; i++)
				histogram_record(h, latencies[i]);
		}
		took_ns = clock_now_ns() - start_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	/* Reading the count keeps the compiler from leaving the work out. */
	if (h->count != (uint64_t)ROUNDS * REPEATS * SAMPLES)
		return 1;
	printf("%.2f\n", (double)best_ns / ((double)REPEATS * SAMPLES));
	free(latencies);
	free(h);
	return 0;
}
