// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/e_process.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/summary.h"

/*
 * exp(+-lambda z)/cosh(lambda z) = 2/(1 + exp(-+2 lambda z)), and all that is needed is 2 lambda.
 */
static const double exponents[E_PROCESS_BETS] = {1, 2, 4, 8};

const double e_process_lambdas[E_PROCESS_BETS] = {.5, 1, 2, 4};

void e_process_init(struct e_process *e, double theta, enum e_process_side side)
{
	assert(isfinite(theta));
	*e = (struct e_process){.theta = theta, .side = side};
}

void e_process_done(struct e_process *e)
{
	free(e->magnitudes);
}

static void insert_magnitude(struct e_process *e, double magnitude)
{
	size_t low = 0, high = e->n;

	if (e->n == e->capacity) {
		e->capacity = e->capacity ? 2 * e->capacity : 64;
		e->magnitudes = memory_grow(e->magnitudes, e->capacity * sizeof(*e->magnitudes));
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->magnitudes[middle] <= magnitude)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(e->magnitudes + low + 1, e->magnitudes + low,
		(e->n - low) * sizeof(*e->magnitudes));
	e->magnitudes[low] = magnitude;
	e->n++;
	e->zeros += magnitude == 0;
}

static double middle_of_sorted(const double *x, size_t n)
{
	/* Halves first: the sum of two huge magnitudes may overflow. */
	return n % 2 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
}

/* The scale s_n, 0 while every magnitude is 0. */
static double scale_of(const struct e_process *e)
{
	double scale = middle_of_sorted(e->magnitudes, e->n);

	if (scale > 0 || e->zeros == e->n)
		return scale;
	return middle_of_sorted(e->magnitudes + e->zeros, e->n - e->zeros);
}

/* log of the mean of the exponentials. */
static double log_of_mean(const double *logs, size_t n)
{
	double largest = logs[0], sum = 0;

	for (size_t i = 1; i < n; i++)
		largest = fmax(largest, logs[i]);
	if (largest == -INFINITY)
		return largest;
	for (size_t i = 0; i < n; i++)
		sum += exp(logs[i] - largest);
	return largest + log(sum / (double)n);
}

double e_process_push(struct e_process *e, double d)
{
	double x = d - e->theta, scale, z;
	double logs[2 * E_PROCESS_BETS];
	size_t n = 0;

	assert(isfinite(x));
	insert_magnitude(e, fabs(x));
	scale = scale_of(e);
	e->z = x == 0 ? 0 : x / scale;
	if (x == 0)
		return exp(e->log_value);
	z = fabs(e->z);
	for (size_t bet = 0; bet < E_PROCESS_BETS; bet++) {
		/* z may be infinite: the bet against the sign is then lost for good. */
		double gain = M_LN2 - log1p(exp(-exponents[bet] * z));
		double loss = gain - exponents[bet] * z;

		e->log_up[bet] += x > 0 ? gain : loss;
		e->log_down[bet] += x > 0 ? loss : gain;
		logs[n++] = e->log_down[bet];
		if (e->side == E_PROCESS_TWO_SIDED)
			logs[n++] = e->log_up[bet];
	}
	e->log_value = log_of_mean(logs, n);
	e->log_max = fmax(e->log_max, e->log_value);
	return exp(e->log_value);
}

void e_process_change_unit(struct e_process *e, const double *d, size_t n)
{
	assert(n == e->n && e->theta == 0);
	e->n = e->zeros = 0;
	for (size_t i = 0; i < n; i++)
		insert_magnitude(e, fabs(d[i]));
}

double e_process_value(const struct e_process *e)
{
	return exp(e->log_value);
}

double e_process_max(const struct e_process *e)
{
	return exp(e->log_max);
}

double e_process_p(const struct e_process *e)
{
	return fmax(exp(-e->log_max), DBL_MIN);
}

/*
 * The interval.
 *
 * E as a function of theta jumps at each d_i that is the scale, has a kink wherever two magnitudes
 * change places, and need not be unimodal: stepping inwards until E falls below 1/alpha, or halving
 * between a point outside and one inside, can pass over a theta that belongs to the set. So the
 * low end is found by excluding: the line is cut into cells, from the left, and a cell is left
 * behind only when a lower bound of E_n over the *whole* cell reaches 1/alpha for some n. Otherwise
 * it is halved, down to cells so small that it no longer matters. The low end is the left edge of
 * the first cell that could not be excluded; all theta to the left of it are proven not to be in
 * the set, so the interval cannot be too narrow. The high end is the low end of -d, mirrored.
 *
 * The bound. Inside a cell (a, b) that holds no d_i every x_i = d_i - theta keeps its sign, and
 * 1/|z_i| = s_i / |x_i| is the median over j <= i of |x_j| / |x_i|. As a function of theta such a
 * ratio is (d_j - theta)/(d_i - theta) with no pole inside the cell, so it is monotone and its
 * range is given by its ends (equal d have exactly the ratio 1, also where both vanish). A median
 * rises with each of its values, so the medians of the low and of the high ends enclose 1/|z_i|;
 * each factor is monotone in z_i, and the product of the lowest factors bounds E_n from below.
 *
 * The cells begin where the first and the last d are, at a distance beyond which no bound needs to
 * be evaluated: for theta below all d, z_i >= (min d - theta)/(max d - theta) for every i, a ratio
 * that rises to 1 as theta falls.
 *
 * The d themselves, where z jumps, are points between cells and are tried one by one.
 */
struct search {
	const double *d; /* in the order of arrival */
	size_t n;
	double threshold; /* 1/alpha */
	double least_width;
	double *low, *high; /* n each: ratios of magnitudes at the ends of a cell */
};

/* Whether the e-process on d - theta has reached the threshold. */
static bool is_excluded(const struct search *s, double theta)
{
	struct e_process e __cleanup(e_process_done);

	e_process_init(&e, theta, E_PROCESS_TWO_SIDED);
	for (size_t i = 0; i < s->n; i++)
		if (e_process_push(&e, s->d[i]) >= s->threshold)
			return true;
	return false;
}

/* The range of |z_i| over the cell from a to b. */
static void bound_magnitude(const struct search *s, size_t i, double a, double b, double *ret_low,
			    double *ret_high)
{
	double at_a = fabs(s->d[i] - a), at_b = fabs(s->d[i] - b);

	for (size_t j = 0; j <= i; j++) {
		/* Divisions by 0 at an edge that is d_i itself give the limit, +INFINITY. */
		double ratio_a = s->d[j] == s->d[i] ? 1 : fabs(s->d[j] - a) / at_a;
		double ratio_b = s->d[j] == s->d[i] ? 1 : fabs(s->d[j] - b) / at_b;

		s->low[j] = fmin(ratio_a, ratio_b);
		s->high[j] = fmax(ratio_a, ratio_b);
	}
	*ret_low = 1 / summary_median_in_place(s->high, i + 1);
	*ret_high = 1 / summary_median_in_place(s->low, i + 1);
}

/* Whether the bound proves that every theta between a and b is excluded. */
static bool is_cell_excluded(const struct search *s, double a, double b)
{
	double up[E_PROCESS_BETS] = {1, 1, 1, 1}, down[E_PROCESS_BETS] = {1, 1, 1, 1};

	for (size_t i = 0; i < s->n; i++) {
		double low, high, least_gain, least_loss, sum = 0;

		bound_magnitude(s, i, a, b, &low, &high);
		/* Raised to the next power by squaring: the exponents are 1, 2, 4, 8. */
		least_gain = exp(-low);
		least_loss = exp(-high);
		for (size_t bet = 0; bet < E_PROCESS_BETS; bet++) {
			double gain = 2 / (1 + least_gain);
			double loss = 2 * least_loss / (1 + least_loss);

			up[bet] *= s->d[i] >= b ? gain : loss;
			down[bet] *= s->d[i] >= b ? loss : gain;
			sum += up[bet] + down[bet];
			least_gain *= least_gain;
			least_loss *= least_loss;
		}
		/* A hair more than the threshold, for the rounding of the bound itself. */
		if (sum / (2 * E_PROCESS_BETS) >= s->threshold * (1 + 1e-12))
			return true;
	}
	return false;
}

/* Finds the least theta in the cell that is not proven to be excluded. */
static bool find_least_in_cell(const struct search *s, double a, double b, double *ret_theta)
{
	double middle = a + (b - a) / 2;
	/* Rounding ends the halving where the d are close together but far from 0. */
	bool least = b - a <= s->least_width || middle <= a || middle >= b;
	bool found = !is_excluded(s, middle);

	if (!found && is_cell_excluded(s, a, b))
		return false;
	if (least) {
		*ret_theta = a;
		return true;
	}
	if (find_least_in_cell(s, a, middle, ret_theta))
		return true;
	if (!found)
		return find_least_in_cell(s, middle, b, ret_theta);
	*ret_theta = middle;
	return true;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The ratio of smallest to largest magnitude from which on E_n >= threshold when all signs are
 * equal; above 1 when no ratio is enough. Rounded up.
 */
static double find_sufficient_ratio(size_t n, double threshold)
{
	double low = 0, high = 1 + 1e-6;

	for (int step = 0; step < 60; step++) {
		double ratio = low + (high - low) / 2, sum = 0;

		for (size_t bet = 0; bet < E_PROCESS_BETS; bet++)
			sum += pow(2 / (1 + exp(-exponents[bet] * ratio)), (double)n);
		if (sum / (2 * E_PROCESS_BETS) >= threshold)
			high = ratio;
		else
			low = ratio;
	}
	return high;
}

/* Finds the low end of the hull; false when the set is empty. */
static bool find_least(const struct search *s, double alpha, double *ret_theta)
{
	double *sorted __free(memory) = memory_array(s->n, sizeof(*sorted));
	double ratio = find_sufficient_ratio(s->n, 1 / alpha);
	double edge, range;

	memcpy(sorted, s->d, s->n * sizeof(*sorted));
	qsort(sorted, s->n, sizeof(*sorted), compare);
	range = sorted[s->n - 1] - sorted[0];
	/*
	 * So near 1 the distance would be a million ranges. The set may end out there, or it may
	 * not: to say "unbounded" is on the safe side, and as useful.
	 */
	if (ratio > 1 - 1e-6) {
		*ret_theta = -INFINITY;
		return true;
	}
	edge = sorted[0] - ratio / (1 - ratio) * range;
	for (size_t i = 0; i < s->n; i++) {
		if (edge < sorted[i] && find_least_in_cell(s, edge, sorted[i], ret_theta))
			return true;
		edge = sorted[i];
		if (!is_excluded(s, edge)) {
			*ret_theta = edge;
			return true;
		}
	}
	edge = sorted[s->n - 1];
	return range > 0 &&
	       find_least_in_cell(s, edge, edge + ratio / (1 - ratio) * range, ret_theta);
}

/*
 * Writes d / unit with values that differ by rounding only made equal. Two cells of one rounding
 * error, and the ratios of such errors, would say nothing about the data.
 */
static void scale_and_merge(const double *d, size_t n, double unit, double *ret_scaled)
{
	double *sorted __free(memory) = memory_array(n, sizeof(*sorted));
	size_t groups = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = d[i] / unit;
	memcpy(ret_scaled, sorted, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	/* Keeps the first of each group. The largest magnitude lies between 0.5 and 1. */
	for (size_t i = 0; i < n; i++)
		if (groups == 0 || sorted[i] - sorted[groups - 1] > 1e-12)
			sorted[groups++] = sorted[i];
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = groups;

		/* The last group that begins at or below the value. */
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			if (sorted[middle] <= ret_scaled[i])
				low = middle;
			else
				high = middle;
		}
		ret_scaled[i] = sorted[low];
	}
}

bool e_process_interval(const double *d, size_t n, double alpha, struct interval *ret_interval)
{
	double *scaled __free(memory) = memory_array(n, sizeof(*scaled));
	double *low __free(memory) = memory_array(n, sizeof(*low));
	double *high __free(memory) = memory_array(n, sizeof(*high));
	struct search s = {.d = scaled, .n = n, .threshold = 1 / alpha, .low = low, .high = high};
	double unit, least, greatest;
	int exponent;

	assert(n > 0 && summary_is_finite(d, n) && alpha > 0 && alpha < 1);
	frexp(fmax(fabs(summary_min(d, n)), fabs(summary_max(d, n))), &exponent);
	unit = ldexp(1, exponent < 1000 ? exponent : 1000);
	scale_and_merge(d, n, unit, scaled);
	s.least_width = 1e-7 * (summary_max(scaled, n) - summary_min(scaled, n));
	if (!find_least(&s, alpha, &least))
		return false;
	for (size_t i = 0; i < n; i++)
		scaled[i] = -scaled[i];
	if (!find_least(&s, alpha, &greatest))
		return false;
	ret_interval->low = least * unit;
	ret_interval->high = -greatest * unit;
	return true;
}
