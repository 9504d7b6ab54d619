// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/figures.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/summary.h"

enum { WINDOWS_AGREE_PERCENT = 1 }; /* see run_window_ns() */

/* Maxima grow with the time measured: they are comparable between equal windows only. */
static bool windows_agree(const struct pair *p, const struct metric *m, struct error *err)
{
	char *role __free(memory) = memory_string(m->of);
	double a, b;

	role[strcspn(role, ".")] = '\0';
	a = (double)run_window_ns(p->a, role);
	b = (double)run_window_ns(p->b, role);
	if (fabs(a - b) * 100 <= fmin(a, b) * WINDOWS_AGREE_PERCENT)
		return true;
	return error_set(err, ERROR_DATA,
			 "windows of %.1f and %.1f ms differ by more than %d %%: no maxima",
			 a / 1e6, b / 1e6, WINDOWS_AGREE_PERCENT);
}

static bool figures_of(const struct pair *p, int arm, const struct metric *m, double *ret_a,
		       double *ret_b, struct error *err)
{
	/* Where one arm has a figure and the other has none, that is a finding of its own. */
	if (!run_figure(p->a, m, ret_a, err)) {
		struct error ignored;

		return run_figure(p->b, m, ret_b, &ignored) ? error_wrap(err, "in A") : false;
	}
	if (!run_figure(p->b, m, ret_b, err))
		return error_wrap(err, "in %s", arm_words[arm]);
	return m->summary != SUMMARY_MAX || windows_agree(p, m, err);
}

static int64_t median_count(const struct pairs *pairs, bool of_a, const struct metric *m)
{
	double *counts __free(memory) = memory_array(pairs->count, sizeof(*counts));

	if (!pairs->count)
		return 0;
	for (size_t i = 0; i < pairs->count; i++)
		counts[i] = (double)run_figure_count(of_a ? pairs->list[i].a : pairs->list[i].b, m);
	/* The largest count is no double; beyond 2^53 nobody counts anyway. */
	return (int64_t)fmin(summary_median(counts, pairs->count), 0x1p53);
}

void figures_collect(const struct pairs *pairs, struct metric_verdict *v)
{
	v->arm = pairs->arm;
	v->a = memory_array(pairs->count, sizeof(*v->a));
	v->b = memory_array(pairs->count, sizeof(*v->b));
	v->numbers = memory_array(pairs->count, sizeof(*v->numbers));
	for (size_t i = 0; i < pairs->count; i++) {
		struct error why;

		v->numbers[v->pairs] = pairs->list[i].number;
		if (figures_of(&pairs->list[i], pairs->arm, v->metric, &v->a[v->pairs],
			       &v->b[v->pairs], &why))
			v->pairs++;
		else if (!v->refused++)
			v->refusal = memory_string(why.text);
	}
	v->samples_a = median_count(pairs, true, v->metric);
	v->samples_b = median_count(pairs, false, v->metric);
}

size_t figures_before(const struct metric_verdict *v, int64_t number)
{
	size_t count = 0;

	while (count < v->pairs && v->numbers[count] < number)
		count++;
	return count;
}
