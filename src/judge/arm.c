// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/arm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/judge.h"
#include "stats/family.h"
#include "stats/order.h"
#include "stats/paired.h"
#include "stats/summary.h"

const char *const arm_centre_words[] = {
	[ARM_NONE] = NULL,
	[ARM_MEAN] = "mean",
	[ARM_GEOMETRIC_MEAN] = "geometric_mean",
	[ARM_MEDIAN] = "median",
};

static void collect(const struct entries *runs, size_t subject, struct arm_metric *m)
{
	double *samples __free(memory) = memory_array(runs->count, sizeof(*samples));

	m->values = memory_array(runs->count, sizeof(*m->values));
	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *e = &runs->list[i];
		struct error why;

		if (e->subject != subject || e->set_aside || e->run->outcome != OUTCOME_OK)
			continue;
		if (!run_figure(e->run, m->metric, &m->values[m->n], &why)) {
			if (!m->refused++)
				m->refusal = memory_string(why.text);
			continue;
		}
		samples[m->n++] = (double)run_figure_count(e->run, m->metric);
	}
	/* The largest count is no double; beyond 2^53 nobody counts anyway. */
	if (m->n)
		m->samples = (int64_t)fmin(summary_median(samples, m->n), 0x1p53);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void bound_median(struct arm_metric *m, const struct order_ranks *ranks)
{
	double *sorted __free(memory) = memory_array(m->n, sizeof(*sorted));

	memcpy(sorted, m->values, m->n * sizeof(*sorted));
	qsort(sorted, m->n, sizeof(*sorted), ascending);
	m->centre = ARM_MEDIAN;
	m->rank = ranks->low;
	m->coverage = ranks->coverage;
	m->interval = (struct interval){sorted[ranks->low - 1], sorted[ranks->high - 1]};
}

/*
 * On logarithms, for rates and times are positive, and by the figures themselves an interval of a
 * few may reach below zero. Student's t is the same for values as for differences, and so is what
 * has no spread.
 */
static void bound_mean(struct arm_metric *m, double alpha)
{
	double *values __free(memory) = memory_array(m->n, sizeof(*values));
	bool positive = m->min > 0;
	struct paired t;

	for (size_t i = 0; i < m->n; i++)
		values[i] = positive ? log(m->values[i]) : m->values[i];
	t = paired_test(values, m->n, alpha);
	if (!isfinite(t.interval.low) || !isfinite(t.interval.high))
		return;
	m->coverage = 1 - alpha;
	m->centre = positive ? ARM_GEOMETRIC_MEAN : ARM_MEAN;
	m->interval = t.interval;
	if (positive)
		m->interval = (struct interval){exp(t.interval.low), exp(t.interval.high)};
	else if (m->min == 0)
		/* No figure is below zero, so no mean of them is. */
		m->interval.low = fmax(m->interval.low, 0);
}

static void measure(struct arm_metric *m, double alpha)
{
	struct order_ranks ranks;

	m->median = m->mean = m->sd = m->min = m->max = m->error_ratio = m->coverage = NAN;
	m->interval = (struct interval){-INFINITY, INFINITY};
	m->drift_p_adjusted = 1;
	if (!m->n)
		return;
	m->median = summary_median(m->values, m->n);
	m->mean = summary_mean(m->values, m->n);
	m->min = summary_min(m->values, m->n);
	m->max = summary_max(m->values, m->n);
	if (m->n > 1)
		m->sd = summary_sd(m->values, m->n);
	if (m->mean != 0)
		m->error_ratio = m->sd / sqrt((double)m->n) / fabs(m->mean);
	if (m->n < ARM_LEAST_RUNS)
		return;
	ranks = order_find_ranks(m->n, .5, 1 - alpha);
	if (ranks.low > 0 && ranks.high <= m->n)
		bound_median(m, &ranks);
	else
		bound_mean(m, alpha);
	m->drift = mann_kendall_test(m->values, m->n);
}

/* The primary is asked for itself; one of a dozen others would drift by chance half of the time. */
static void find_drifts(struct arm_description *d, double alpha)
{
	double *p __free(memory) = memory_array(d->metric_count, sizeof(*p));
	size_t count = 0;

	for (size_t i = 1; i < d->metric_count; i++) {
		if (d->metrics[i].drift.n)
			p[count++] = d->metrics[i].drift.p;
	}
	family_adjust_holm(p, count, p);
	count = 0;
	for (size_t i = 0; i < d->metric_count; i++) {
		struct arm_metric *m = &d->metrics[i];

		if (!m->drift.n)
			continue;
		m->drift_p_adjusted = i ? p[count++] : m->drift.p;
		m->drifts = m->drift_p_adjusted <= alpha;
	}
}

static void arm_metric_done(struct arm_metric *m)
{
	free(m->values);
	free(m->refusal);
}

static void describe_metrics(struct arm_description *d, const struct entries *runs, size_t subject,
			     double alpha)
{
	const struct description *what = d->subject->description;

	d->metrics = memory_array(what->metric_count, sizeof(*d->metrics));
	for (int primary = 1; primary >= 0; primary--) {
		for (size_t i = 0; i < what->metric_count; i++) {
			const struct metric *metric = &what->metrics[i];
			struct arm_metric m = {.metric = metric, .primary = primary};

			if (text_equal(metric->name, d->subject->primary) != (primary == 1))
				continue;
			collect(runs, subject, &m);
			/* That a single task has no fairness goes without saying. */
			if (!primary && metric->multitask && !m.n && m.refused) {
				arm_metric_done(&m);
				continue;
			}
			measure(&m, alpha);
			d->metrics[d->metric_count++] = m;
		}
	}
}

struct arm_description *arm_describe(const struct experiment *e, const struct entries *runs,
				     size_t subject)
{
	struct arm_description *d = memory_alloc(sizeof(*d));

	d->subject = &e->subjects[subject];
	for (size_t i = 0; i < runs->count; i++) {
		enum outcome outcome = runs->list[i].run->outcome;

		if (runs->list[i].subject != subject || runs->list[i].set_aside)
			continue;
		d->runs++;
		d->ok += outcome == OUTCOME_OK;
		if (outcome == OUTCOME_OK)
			d->failures_in_row = 0;
		else if (outcome != OUTCOME_INTERRUPTED)
			d->failures_in_row++;
	}
	describe_metrics(d, runs, subject, e->alpha);
	find_drifts(d, e->alpha);
	return d;
}

void arm_description_free(struct arm_description *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->metric_count; i++)
		arm_metric_done(&d->metrics[i]);
	free(d->metrics);
	free(d);
}

int arm_status(const struct arm_description *d)
{
	return !d->ok || d->failures_in_row >= JUDGE_GIVE_UP_RUNS ? 4 : 0;
}
