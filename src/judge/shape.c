// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/shape.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "model/slices.h"
#include "stats/autocorrelation.h"
#include "stats/mann_kendall.h"
#include "stats/summary.h"

/* Operations a second over some slices. */
static double rate_of(const struct slice *s, size_t count)
{
	double operations = 0;

	for (size_t i = 0; i < count; i++)
		operations += (double)s[i].operations;
	return operations / (double)(s[count - 1].end_ns - s[0].begin_ns);
}

/* Slices that end in the first tenth, or hardly behind it. */
static size_t count_head(const struct slice *s, size_t count)
{
	double limit_ns =
		(double)s[0].begin_ns + 0.11 * (double)(s[count - 1].end_ns - s[0].begin_ns);
	size_t n = 1;

	while (n < count && (double)s[n].end_ns <= limit_ns)
		n++;
	return n;
}

/* The mean midrank of the first `head` slices, from -1 to 1. */
static double head_rank(const struct slice *s, size_t count, size_t head)
{
	double above = 0;

	for (size_t i = 0; i < head; i++) {
		for (size_t k = head; k < count; k++)
			above += (s[i].rate > s[k].rate) - (s[i].rate < s[k].rate);
	}
	return above / ((double)head * (double)(count - head));
}

/* Rates that are all equal do not depend on each other. */
static double dependence(const double *rates, size_t n)
{
	if (summary_min(rates, n) == summary_max(rates, n))
		return 0;
	return autocorrelation(rates, n, 1) + 1 / (double)n;
}

bool shape_read(const struct run *r, const char *role, struct shape *ret)
{
	struct slice *s __free(memory) = memory_array(SLICES_MAX, sizeof(*s));
	double *rates __free(memory) = memory_array(SLICES_MAX, sizeof(*rates));
	size_t count = run_slices(r, role, s), head, rest;
	double operations = 0, first_third, last_third;

	if (count < SHAPE_LEAST_SLICES)
		return false;
	for (size_t i = 0; i < count; i++)
		operations += (double)s[i].operations;
	if (operations < (double)count * SHAPE_LEAST_OPERATIONS)
		return false;
	head = count_head(s, count);
	rest = count - head;
	if (rest < SHAPE_LEAST_SLICES / 2)
		return false;
	for (size_t i = 0; i < rest; i++)
		rates[i] = s[head + i].rate;
	first_third = rate_of(s + head, rest / 3);
	last_third = rate_of(s + count - rest / 3, rest / 3);
	if (first_third <= 0 || rate_of(s + head, rest) <= 0)
		return false;
	*ret = (struct shape){
		.head_rank = head_rank(s, count, head),
		.head_ratio = rate_of(s, head) / rate_of(s + head, rest) - 1,
		.head_ns = s[head - 1].end_ns - s[0].begin_ns,
		.trend = mann_kendall_test(rates, rest).tau,
		.trend_ratio = last_third / first_third - 1,
		.dependence = dependence(rates, rest),
		.slice_ns = (s[count - 1].end_ns - s[head].begin_ns) / (int64_t)rest,
	};
	return true;
}
