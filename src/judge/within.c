// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/within.h"

#include "base/memory.h"
#include "stats/order.h"
#include "stats/quantiles.h"

/* The metrics of a series that its samples are enough for. */
struct group {
	size_t *metrics; /* indices in the description */
	size_t count;
};

static void bound_by_samples(struct within *list, const struct group *g, const double *values,
			     size_t n, const struct description *d, double level)
{
	struct quantile *found __free(memory) = memory_array(g->count, sizeof(*found));

	for (size_t i = 0; i < g->count; i++)
		found[i].q = summary_quantile_of(d->metrics[g->metrics[i]].summary);
	quantiles_find(values, n, level, found, g->count, NULL);
	for (size_t i = 0; i < g->count; i++) {
		struct within *w = &list[g->metrics[i]];

		w->exact = true;
		w->value = found[i].value;
		w->interval = found[i].interval;
		w->coverage = found[i].ranks.coverage;
	}
}

static void bound_by_buckets(struct within *w, const struct histogram *h, double q, double level)
{
	struct order_ranks ranks = order_find_ranks(h->count, q, level);
	int64_t low, high, inner;

	histogram_rank(h, ranks.low, &low, &inner);
	histogram_rank(h, ranks.high, &inner, &high);
	w->value = histogram_quantile(h, q);
	w->interval = (struct interval){(double)low, (double)high};
	w->coverage = ranks.coverage;
}

int64_t within_least_samples(enum summary summary, double level)
{
	double q = summary_quantile_of(summary);

	return q > 0 ? (int64_t)order_smallest_n_interval(q, level) : 0;
}

/* All quantiles of the series that the metric `first` has. */
static void bound_series(struct within *list, const struct run *r, const struct description *d,
			 size_t first, double level)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	size_t *metrics __free(memory) = memory_array(d->metric_count, sizeof(*metrics));
	double *values __free(memory) = NULL;
	struct group g = {.metrics = metrics};
	struct error ignored;
	size_t n;

	if (!run_histogram(r, d->metrics[first].of, h, &ignored))
		return;
	for (size_t i = first; i < d->metric_count; i++) {
		int64_t needs = within_least_samples(d->metrics[i].summary, level);

		if (!needs || !metric_shares_shift(&d->metrics[first], &d->metrics[i]))
			continue;
		list[i].known = h->count >= (uint64_t)needs;
		if (list[i].known)
			metrics[g.count++] = i;
	}
	if (!g.count)
		return;
	values = run_raw_values(r, d->metrics[first].of, &n);
	if (values) {
		bound_by_samples(list, &g, values, n, d, level);
		return;
	}
	for (size_t i = 0; i < g.count; i++)
		bound_by_buckets(&list[metrics[i]], h,
				 summary_quantile_of(d->metrics[metrics[i]].summary), level);
}

struct within *within_run(const struct run *r, const struct description *d, double level)
{
	struct within *list = memory_array(d->metric_count, sizeof(*list));

	for (size_t i = 0; i < d->metric_count; i++) {
		if (description_opens_shift(d, i))
			bound_series(list, r, d, i, level);
	}
	return list;
}
