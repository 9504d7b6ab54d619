// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "base/clock.h"
#include "base/random.h"
#include "stats/max_t.h"
#include "stats/sequential.h"

/*
 * What tests over many sign patterns cost, in ms: the joint test of 25 metrics of 20 pairs, all
 * 2^20 patterns; and the rule with looks at its 40th pair, p and interval.
 */
enum { METRICS = 25, PAIRS = MAX_T_EXACT_PAIRS, MOST_PAIRS = 40 };

static double ms_since(int64_t start_ns)
{
	return (double)(clock_now_ns() - start_ns) / NS_PER_MS;
}

int main(void)
{
	const struct sequential_plan plan = sequential_plan(MOST_PAIRS, 1);
	double d[METRICS * PAIRS], p[METRICS], joint, rule, inversion, sum = 0;
	struct interval interval;
	struct random r;
	int64_t start_ns;

	random_seed(&r, 1, 0);
	for (int i = 0; i < METRICS * PAIRS; i++)
		d[i] = random_unit(&r) - 0.45;
	start_ns = clock_now_ns();
	max_t_adjust(d, METRICS, PAIRS, 1, p);
	joint = ms_since(start_ns);
	start_ns = clock_now_ns();
	sum += sequential_test(&plan, d, MOST_PAIRS, 0, E_PROCESS_TWO_SIDED, .05).p;
	rule = ms_since(start_ns);
	start_ns = clock_now_ns();
	sum += sequential_interval(&plan, d, MOST_PAIRS, .05, &interval);
	inversion = ms_since(start_ns);
	printf("%.1f %.1f %.1f\n", joint, rule, inversion);
	/* Using the results keeps the compiler from leaving the work out. */
	return sum + p[0] == 0;
}
