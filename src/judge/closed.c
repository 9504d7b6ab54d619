// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/closed.h"

#include <math.h>

#include "base/memory.h"
#include "stats/blocks.h"

static bool is_tested(const struct metric_verdict *m)
{
	return m->rule == RULE_SIGN_FLIP && !metric_is_scarce(m);
}

/* How many blocks there may be: their numbers are below. */
static size_t blocks_of(const struct comparison *comparisons, size_t count)
{
	int64_t blocks = 0;

	for (size_t i = 0; i < count; i++) {
		const struct metric_verdict *m = &comparisons[i].metrics[0];

		if (m->pairs && m->numbers[m->pairs - 1] >= blocks)
			blocks = m->numbers[m->pairs - 1] + 1;
	}
	return (size_t)blocks;
}

/* One scale for all: figures of different arms are exchanged. */
static bool have_logarithms(const struct comparison *comparisons, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct metric_verdict *m = &comparisons[i].metrics[0];

		if (is_tested(m) && m->scale != SCALE_LOG)
			return false;
	}
	return true;
}

static void put_figures(const struct metric_verdict *m, bool logarithms, double *a, double *other)
{
	for (size_t i = 0; i < m->pairs; i++) {
		int64_t block = m->numbers[i];

		a[block] = logarithms ? log(m->a[i]) : m->a[i];
		other[block] = logarithms ? log(m->b[i]) : m->b[i];
	}
}

void closed_adjust(const struct comparison *comparisons, size_t count, uint64_t seed, double *ret_p)
{
	size_t blocks = blocks_of(comparisons, count);
	bool logarithms = have_logarithms(comparisons, count);
	double *y __free(memory) = memory_array((count + 1) * blocks, sizeof(*y));

	for (size_t i = 0; i < (count + 1) * blocks; i++)
		y[i] = NAN;
	for (size_t i = 0; i < count; i++) {
		const struct metric_verdict *m = &comparisons[i].metrics[0];

		if (is_tested(m))
			put_figures(m, logarithms, y, y + (i + 1) * blocks);
	}
	blocks_compare(y, count + 1, blocks, seed, ret_p);
	for (size_t i = 0; i < count; i++) {
		const struct metric_verdict *m = &comparisons[i].metrics[0];

		/* Of the arm alone signs may have been drawn that are others, on another scale. */
		ret_p[i] = is_tested(m) ? fmax(ret_p[i], m->p) : 1;
	}
}
