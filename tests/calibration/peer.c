// SPDX-License-Identifier: GPL-2.0-or-later
#include "peer.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/distribution.h"
#include "stats/paired.h"
#include "stats/sequential.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"

static const double alpha = .05;

static int sign(double x)
{
	return (x > 0) - (x < 0);
}

/* Mean and sd of an arm, of all iterations or of its boots. */
struct moments {
	double n, mean, sd;
};

static struct moments moments_of(const double *x, size_t n)
{
	return (struct moments){(double)n, summary_mean(x, n), summary_sd(x, n)};
}

static struct moments of_iterations(const struct peer_data *data, int arm)
{
	return moments_of(data->values[arm], data->boots * data->iterations);
}

static struct moments of_boots(const struct peer_data *data, int arm)
{
	return moments_of(data->means[arm], data->boots);
}

static int welch(struct moments a, struct moments b)
{
	double va = a.sd * a.sd / a.n, vb = b.sd * b.sd / b.n;
	double df = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
	double t = (b.mean - a.mean) / sqrt(va + vb);

	return distribution_t_two_sided(t, df) <= alpha ? sign(t) : 0;
}

static int welch_iterations(const struct peer_data *data)
{
	return welch(of_iterations(data, 0), of_iterations(data, 1));
}

static int welch_boots(const struct peer_data *data)
{
	return welch(of_boots(data, 0), of_boots(data, 1));
}

static int welch_log_boots(const struct peer_data *data)
{
	double *logs __free(memory) = memory_array(2 * data->boots, sizeof(*logs));

	for (size_t i = 0; i < data->boots; i++) {
		logs[i] = log(data->means[0][i]);
		logs[data->boots + i] = log(data->means[1][i]);
	}
	return welch(moments_of(logs, data->boots), moments_of(logs + data->boots, data->boots));
}

struct ranked {
	double value;
	bool is_b;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Mann and Whitney's U of B: pairs of one of each in which B is larger. No ties in these data. */
static double mann_whitney_u(const double *a, const double *b, size_t n)
{
	struct ranked *all __free(memory) = memory_array(2 * n, sizeof(*all));
	double u = 0, below = 0;

	for (size_t i = 0; i < n; i++) {
		all[i] = (struct ranked){a[i], false};
		all[n + i] = (struct ranked){b[i], true};
	}
	qsort(all, 2 * n, sizeof(*all), compare);
	for (size_t i = 0; i < 2 * n; i++) {
		u += all[i].is_b ? below : 0;
		below += all[i].is_b ? 0 : 1;
	}
	return u;
}

static int mann_whitney_iterations(const struct peer_data *data)
{
	size_t n = data->boots * data->iterations;
	double u = mann_whitney_u(data->values[0], data->values[1], n), m = (double)n;
	double away = u - m * m / 2;
	double z = (fabs(away) - .5) / sqrt(m * m * (2 * m + 1) / 12);

	return 2 * distribution_normal_above(z) <= alpha ? sign(away) : 0;
}

/*
 * P(U <= u) for n of each: of all C(2n, n) orders those are counted by U, one value after another.
 */
static double mann_whitney_below(size_t n, size_t u)
{
	/* ways[k][v]: orders of the values so far with k of B among them and U = v. */
	size_t most = n * n + 1;
	double *ways __free(memory) = memory_array((n + 1) * most, sizeof(*ways));
	double below = 0, all = 0;

	ways[0] = 1;
	for (size_t i = 0; i < 2 * n; i++)
		/* From the most B on, so that each value is taken once. A B adds the A below it. */
		for (size_t k = n < i + 1 ? n : i + 1; k > 0; k--)
			for (size_t v = 0; v < most && i + 1 - k <= n; v++) {
				size_t adds = i + 1 - k;

				if (v >= adds)
					ways[k * most + v] += ways[(k - 1) * most + v - adds];
			}
	for (size_t v = 0; v < most; v++) {
		all += ways[n * most + v];
		below += v <= u ? ways[n * most + v] : 0;
	}
	return below / all;
}

static int mann_whitney_boots(const struct peer_data *data)
{
	size_t n = data->boots;
	double u = mann_whitney_u(data->medians[0], data->medians[1], n);
	double smaller = fmin(u, (double)(n * n) - u);

	return 2 * mann_whitney_below(n, (size_t)smaller) <= alpha ? sign(u - (double)(n * n) / 2)
								   : 0;
}

static int two_sds_iterations(const struct peer_data *data)
{
	struct moments a = of_iterations(data, 0), b = of_iterations(data, 1);
	double d = b.mean - a.mean;

	return fabs(d) > 2 * sqrt((a.sd * a.sd + b.sd * b.sd) / 2) ? sign(d) : 0;
}

/* What a noise band of the baseline comes to. */
static int beyond_two_sds_of_a(const struct peer_data *data)
{
	struct moments a = of_boots(data, 0), b = of_boots(data, 1);
	double d = b.mean - a.mean;

	return fabs(d) > 2 * a.sd ? sign(d) : 0;
}

static int disjoint_bars(const struct peer_data *data)
{
	struct moments a = of_iterations(data, 0), b = of_iterations(data, 1);
	double d = b.mean - a.mean;

	return fabs(d) > a.sd + b.sd ? sign(d) : 0;
}

/* hyperfine prints a ratio and its sd, not its standard error. */
static int ratio_beyond_its_sd(const struct peer_data *data)
{
	struct moments a = of_iterations(data, 0), b = of_iterations(data, 1);
	double ratio = b.mean / a.mean;

	return fabs(ratio - 1) > ratio * hypot(a.sd / a.mean, b.sd / b.mean) ? sign(ratio - 1) : 0;
}

/* poop: pooled variance, the whole interval beyond 1 % of A's mean. */
static int beyond_a_percent(struct moments a, struct moments b)
{
	double df = a.n + b.n - 2;
	double variance = ((a.n - 1) * a.sd * a.sd + (b.n - 1) * b.sd * b.sd) / df;
	double reach =
		distribution_t_critical(alpha / 2, df) * sqrt(variance * (1 / a.n + 1 / b.n));
	double d = b.mean - a.mean;

	return fabs(d) - reach > .01 * a.mean ? sign(d) : 0;
}

static int poop_iterations(const struct peer_data *data)
{
	return beyond_a_percent(of_iterations(data, 0), of_iterations(data, 1));
}

static int poop_boots(const struct peer_data *data)
{
	return beyond_a_percent(of_boots(data, 0), of_boots(data, 1));
}

/*
 * tango: differences of single iterations less those beyond five interquartile ranges, z and 0.5 %.
 */
static int tango(const struct peer_data *data)
{
	size_t n = data->boots * data->iterations, kept = 0;
	double *d __free(memory) = memory_array(n, sizeof(*d));
	double low, high, range;
	struct moments m;

	for (size_t i = 0; i < n; i++)
		d[i] = data->values[1][i] - data->values[0][i];
	low = summary_quantile(d, n, .25);
	high = summary_quantile(d, n, .75);
	range = 5 * (high - low);
	for (size_t i = 0; i < n; i++)
		if (d[i] >= low - range && d[i] <= high + range)
			d[kept++] = d[i];
	m = moments_of(d, kept);
	return fabs(m.mean) >= 2.6 * m.sd / sqrt(m.n) &&
			       fabs(m.mean) > .005 * of_iterations(data, 0).mean
		       ? sign(m.mean)
		       : 0;
}

/* LKP: the range of one beyond the (upper) median of the other, and the other way round. */
static int lkp(const struct peer_data *data)
{
	size_t n = data->boots;
	double *copy __free(memory) = memory_array(n, sizeof(*copy));
	double medians[2];

	for (int arm = 0; arm < 2; arm++) {
		memcpy(copy, data->means[arm], n * sizeof(*copy));
		medians[arm] = summary_select_in_place(copy, n, n / 2);
	}
	if (summary_min(data->means[1], n) > medians[0] &&
	    medians[1] > summary_max(data->means[0], n))
		return 1;
	return summary_max(data->means[1], n) < medians[0] &&
			       medians[1] < summary_min(data->means[0], n)
		       ? -1
		       : 0;
}

/* mmtests: "confidence intervals" of 1.96 sd that do not overlap. */
static int mmtests(const struct peer_data *data)
{
	struct moments a = of_boots(data, 0), b = of_boots(data, 1);
	double d = b.mean - a.mean;

	return fabs(d) > 1.96 * (a.sd + b.sd) ? sign(d) : 0;
}

static int paired_t_medians(const struct peer_data *data)
{
	struct paired t = paired_test(data->log_medians, data->boots, alpha);

	return t.p <= alpha ? sign(t.estimate) : 0;
}

static int paired_t_means(const struct peer_data *data)
{
	struct paired t = paired_test(data->log_means, data->boots, alpha);

	return t.p <= alpha ? sign(t.estimate) : 0;
}

static int sign_flip_means(const struct peer_data *data)
{
	return sign_flip_p(data->log_means, data->boots, 0) <= alpha
		       ? sign(summary_mean(data->log_means, data->boots))
		       : 0;
}

/* The judge itself: see rules.c. */
static int planned_pairs(const struct peer_data *data)
{
	return data->planned;
}

/* At most as many pairs as there are boots, looked at on the way. */
static int with_looks(const struct peer_data *data)
{
	struct sequential_plan plan = sequential_plan(data->boots, 1);
	size_t at = sequential_rejected_at(&plan, data->log_medians, data->boots, 0,
					   E_PROCESS_TWO_SIDED, alpha);

	return at ? sign(summary_median(data->log_medians, at)) : 0;
}

const struct peer peers[PEERS] = {
	{"Welch, iterations", PEER_PRACTICE, false, welch_iterations},
	{"Mann-Whitney, iterations (benchstat)", PEER_PRACTICE, false, mann_whitney_iterations},
	{"means 2 sd apart", PEER_PRACTICE, false, two_sds_iterations},
	{"sd bars disjoint", PEER_PRACTICE, false, disjoint_bars},
	{"ratio off 1 by its sd (hyperfine)", PEER_PRACTICE, false, ratio_beyond_its_sd},
	{"interval beyond 1 % (poop)", PEER_PRACTICE, false, poop_iterations},
	{"paired z 2.6 and 0.5 % (tango)", PEER_PRACTICE, false, tango},
	{"ranges and medians of runs (LKP)", PEER_PRACTICE, true, lkp},
	{"1.96 sd bars of runs (mmtests)", PEER_PRACTICE, true, mmtests},
	{"beyond 2 sd of A's runs", PEER_PRACTICE, true, beyond_two_sds_of_a},
	{"interval beyond 1 %, runs", PEER_TEXTBOOK, true, poop_boots},
	{"Welch, runs", PEER_TEXTBOOK, true, welch_boots},
	{"Welch, logs of runs", PEER_TEXTBOOK, true, welch_log_boots},
	{"Mann-Whitney, medians of runs", PEER_TEXTBOOK, true, mann_whitney_boots},
	{"paired t, logs of means", PEER_TEXTBOOK, true, paired_t_means},
	{"paired t, logs of medians", PEER_TEXTBOOK, true, paired_t_medians},
	{"sign-flip, logs of means", PEER_TEXTBOOK, true, sign_flip_means},
	{"contend, pairs planned", PEER_OURS, true, planned_pairs},
	{"contend, looks on the way", PEER_OURS, true, with_looks},
};
