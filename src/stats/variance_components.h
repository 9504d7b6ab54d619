/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_VARIANCE_COMPONENTS_H
#define CONTEND_STATS_VARIANCE_COMPONENTS_H

#include <stddef.h>

/*
 * How much of the variance lies between groups (boots, runs) and how much between the values within
 * one: one-way random effects by the analysis of variance (Henderson's method 1; Searle, Casella
 * and McCulloch 1992). x = level + group + error with variances `between` and `within`.
 */
struct variance_components {
	size_t groups, values;
	double group_size; /* the common n, or (N - sum n_i^2 / N) / (groups - 1) */
	double ms_between; /* mean squares */
	double ms_within;
	double f; /* their ratio; INFINITY when all values within groups are equal */
	double p; /* of "no variance between groups" */
	double within;
	double between; /* (ms_between - ms_within) / group_size, not below 0 */
	double icc;	/* between / (between + within); 0 when there is no variance at all */
};

/*
 * x holds the values of group 0, then of group 1, ...; sizes[group] of them, each at least 1. At
 * least two groups, and more values than groups. Finite; of any unit, whose square is that of
 * variances: one above the largest double is INFINITY, one below the least 0, and what has no unit
 * is right all the same.
 */
struct variance_components variance_components(const double *x, const size_t *sizes, size_t groups);

/*
 * By what the variance of the mean of all is larger than that of as many independent values: D =
 * 1 + (n - 1) icc for n values a group; (1 + rho)/(1 - rho) for a long series with lag-1
 * autocorrelation rho.
 */
double variance_components_design_effect(double icc, double n);

/*
 * What a test at alpha that takes such values for independent really rejects at: 2 Phi(-z/sqrt D).
 */
double variance_components_pooled_level(double alpha, double design_effect);

/*
 * The number of values a group at which a mean of given precision is cheapest, when a group costs
 * group_cost (a boot) and each value value_cost: sqrt(group_cost / value_cost * within / between)
 * (Kalibera and Jones 2013). Not rounded; at least 1; INFINITY when groups do not differ.
 */
double variance_components_cheapest_n(const struct variance_components *v, double group_cost,
				      double value_cost);

#endif
