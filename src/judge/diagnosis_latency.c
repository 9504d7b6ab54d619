// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/diagnosis_material.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "model/histogram.h"
#include "stats/summary.h"

/*
 * A median between two heaps of latencies. Where the density has one peak the distance between two
 * quantiles around the median is not above that of both its neighbours: it lies on a slope, or
 * holds the peak. So with q35 .. q65 in steps of a tenth, a middle step far above the others is a
 * valley, and what moves a few per cent of the operations from one side to the other moves the
 * median across it.
 */
static const double VALLEY_LEAST = 0.1;	 /* of the middle step, as a difference of logarithms */
static const double VALLEY_TIMES = 3;	 /* the larger of its neighbours */
static const double BUCKET_RATIO = 0.01; /* what two buckets of a histogram may be apart */
/* So many of the runs of an arm have it before it is said. */
static const double VALLEY_SHARE = 0.5;
enum { VALLEY_SAMPLES = 1000 };

static bool find_valley(const struct histogram *h, double *ret_low, double *ret_high)
{
	double q[4], middle, beside;

	for (int i = 0; i < 4; i++)
		q[i] = histogram_quantile(h, .35 + .1 * i);
	if (q[0] <= 0)
		return false;
	middle = log(q[2] / q[1]);
	beside = fmax(fmax(log(q[1] / q[0]), log(q[3] / q[2])), BUCKET_RATIO);
	*ret_low = q[1];
	*ret_high = q[2];
	return middle >= VALLEY_LEAST && middle > VALLEY_TIMES * beside;
}

/*
 * The runs of an arm, behind `valleys` that were found in those before. Returns how many there are.
 */
static size_t look_at(const struct material *m, const struct metric *metric, int arm,
		      size_t *valleys, double *low, double *high)
{
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct run *r = m->rows[i].run[arm];
		struct error ignored;

		if (!r || !run_histogram(r, metric->of, h, &ignored) || h->count < VALLEY_SAMPLES)
			continue;
		n++;
		*valleys += find_valley(h, &low[*valleys], &high[*valleys]);
	}
	return n;
}

static void find_valleys(struct material *m, const struct metric *metric, double *low, double *high)
{
	struct diagnosis *d = material_add(m, DIAGNOSIS_VALLEY, ARM_A);
	size_t valleys = 0;

	d->metric = metric;
	for (int arm = 0; arm < m->arms; arm++) {
		size_t before = valleys, n = look_at(m, metric, arm, &valleys, low, high);

		d->n += n;
		if (n)
			d->by_arm[arm] = (double)(valleys - before) / (double)n;
		d->found |= d->by_arm[arm] >= VALLEY_SHARE;
	}
	d->untested = d->n ? "no test is needed" : "too few latencies";
	d->matters = d->found;
	if (!valleys)
		return;
	d->low = summary_median(low, valleys);
	d->high = summary_median(high, valleys);
	d->size = d->high / d->low - 1;
	d->low_runs = d->high_runs = valleys;
}

void diagnosis_of_latencies(struct material *m)
{
	const struct description *what = m->subject->description;
	size_t most = m->count * (size_t)m->arms + 1;
	double *low __free(memory) = memory_array(most, sizeof(*low));
	double *high __free(memory) = memory_array(most, sizeof(*high));

	for (size_t i = 0; i < what->metric_count; i++) {
		if (what->metrics[i].summary == SUMMARY_P50)
			find_valleys(m, &what->metrics[i], low, high);
	}
}
