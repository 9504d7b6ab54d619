// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sequential_plan.h"

#include <assert.h>

#include "stats/group_sequential.h"

/* Earlier, 5 % of O'Brien and Fleming's kind are less than any pattern. */
enum { FIRST_LOOK = 8 };

struct sequential_plan sequential_plan(size_t max_pairs, uint64_t seed)
{
	struct sequential_plan plan = {.max_pairs = max_pairs, .seed = seed};
	size_t step = (max_pairs + 4) / 5;

	if (max_pairs == 0 || max_pairs > SEQUENTIAL_MOST_PAIRS)
		return plan;
	for (size_t n = step; n < max_pairs; n += step)
		if (n >= FIRST_LOOK)
			plan.looks[plan.look_count++] = n;
	plan.looks[plan.look_count++] = max_pairs;
	return plan;
}

void sequential_plan_end(struct sequential_plan *plan, size_t n)
{
	assert(n > 0 && n <= plan->max_pairs);
	if (!plan->look_count)
		return;
	while (plan->look_count && plan->looks[plan->look_count - 1] >= n)
		plan->look_count--;
	plan->looks[plan->look_count++] = n;
}

/* The shape of spending is that for 5 % at every alpha, so that more alpha is more at each look. */
double sequential_share(const struct sequential_plan *plan, size_t look)
{
	const double level = .05;
	double t;

	assert(look < plan->look_count);
	t = (double)plan->looks[look] / (double)plan->max_pairs;

	if (look + 1 == plan->look_count)
		t = 1;
	return (1 - SEQUENTIAL_E_PROCESS_SHARE) *
	       group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, level, t) / level;
}
