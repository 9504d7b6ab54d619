// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/variance_components.h"

#include <assert.h>
#include <math.h>

#include "stats/distribution.h"
#include "stats/summary.h"

struct variance_components variance_components(const double *x, const size_t *sizes, size_t groups)
{
	struct variance_components v = {.groups = groups};
	double mean, scale, squared_sizes = 0, ss_between = 0, ss_within = 0, sum;
	const double *from = x;

	assert(groups > 1);
	for (size_t i = 0; i < groups; i++) {
		assert(sizes[i] > 0);
		v.values += sizes[i];
		squared_sizes += (double)sizes[i] * (double)sizes[i];
	}
	assert(v.values > groups && summary_is_finite(x, v.values));
	/* Squares of the values themselves may be no doubles. */
	scale = summary_scale(x, v.values);
	mean = summary_mean(x, v.values) * scale;
	for (size_t i = 0; i < groups; from += sizes[i++]) {
		double of_group = summary_mean(from, sizes[i]) * scale;

		ss_between += (double)sizes[i] * (of_group - mean) * (of_group - mean);
		for (size_t k = 0; k < sizes[i]; k++) {
			double deviation = from[k] * scale - of_group;

			ss_within += deviation * deviation;
		}
	}
	v.group_size = ((double)v.values - squared_sizes / (double)v.values) / (double)(groups - 1);
	v.ms_between = ss_between / (double)(groups - 1);
	v.ms_within = ss_within / (double)(v.values - groups);
	v.p = 1;
	if (v.ms_between > 0) {
		v.f = v.ms_between / v.ms_within;
		v.p = distribution_f_above(v.f, (double)(groups - 1), (double)(v.values - groups));
	}
	v.within = v.ms_within;
	v.between = fmax(0, (v.ms_between - v.ms_within) / v.group_size);
	sum = v.within + v.between;
	v.icc = sum > 0 ? v.between / sum : 0;
	v.ms_between = v.ms_between / scale / scale;
	v.ms_within = v.ms_within / scale / scale;
	v.within = v.within / scale / scale;
	v.between = v.between / scale / scale;
	return v;
}

double variance_components_design_effect(double icc, double n)
{
	assert(icc >= 0 && icc <= 1 && n >= 1);
	return 1 + (n - 1) * icc;
}

double variance_components_pooled_level(double alpha, double design_effect)
{
	assert(alpha > 0 && alpha < 1 && design_effect > 0);
	return 2 * distribution_normal_above(distribution_normal_critical(alpha / 2) /
					     sqrt(design_effect));
}

double variance_components_cheapest_n(const struct variance_components *v, double group_cost,
				      double value_cost)
{
	assert(group_cost > 0 && value_cost > 0);
	if (v->between == 0)
		return INFINITY;
	return fmax(1, sqrt(group_cost / value_cost * v->within / v->between));
}
