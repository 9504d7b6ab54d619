// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"

bool summary_is_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

double summary_min(const double *x, size_t n)
{
	double min;

	assert(n > 0 && summary_is_finite(x, n));
	min = x[0];
	for (size_t i = 1; i < n; i++)
		min = x[i] < min ? x[i] : min;
	return min;
}

double summary_max(const double *x, size_t n)
{
	double max;

	assert(n > 0 && summary_is_finite(x, n));
	max = x[0];
	for (size_t i = 1; i < n; i++)
		max = x[i] > max ? x[i] : max;
	return max;
}

double summary_scale(const double *x, size_t n)
{
	double largest = fmax(fabs(summary_min(x, n)), fabs(summary_max(x, n)));
	int exponent;

	frexp(largest, &exponent);
	/* 2^1000 is enough for the denormals and keeps the inverse a normal number. */
	if (exponent > 1000)
		exponent = 1000;
	if (exponent < -1000)
		exponent = -1000;
	return ldexp(1, -exponent);
}

/*
 * The mean of x * scale. Deviations from the first value instead of plain sums, so that equal
 * values have exactly their value as the mean; once more from there takes the rounding out.
 */
static double scaled_mean(const double *x, size_t n, double scale)
{
	double mean = x[0] * scale;

	for (int pass = 0; pass < 2; pass++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += x[i] * scale - mean;
		mean += sum / (double)n;
	}
	return mean;
}

double summary_mean(const double *x, size_t n)
{
	double scale;

	assert(n > 0 && summary_is_finite(x, n));
	scale = summary_scale(x, n);
	return scaled_mean(x, n, scale) / scale;
}

double summary_sd(const double *x, size_t n)
{
	double scale, mean, sum = 0, squares = 0;

	assert(n > 1 && summary_is_finite(x, n));
	scale = summary_scale(x, n);
	mean = scaled_mean(x, n, scale);
	for (size_t i = 0; i < n; i++) {
		double deviation = x[i] * scale - mean;

		sum += deviation;
		squares += deviation * deviation;
	}
	/* The sum would be 0 but for the rounding of the mean: take that out again. */
	squares -= sum * sum / (double)n;
	return sqrt(fmax(squares, 0) / (double)(n - 1)) / scale;
}

/*
 * Puts the k-th smallest value (from 0) at x[k], no larger ones before it and no smaller ones
 * after it: Hoare's FIND, in linear time on average and for sorted data.
 */
static void select_kth(double *x, size_t n, size_t k)
{
	ptrdiff_t wanted = (ptrdiff_t)k, first = 0, last = (ptrdiff_t)n - 1;

	while (first < last) {
		double pivot = x[wanted];
		ptrdiff_t i = first, j = last;

		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i <= j) {
				double swap = x[i];

				x[i++] = x[j];
				x[j--] = swap;
			}
		}
		/* x[first..j] <= pivot <= x[i..last], and what lies between is the pivot. */
		if (j < wanted)
			first = i;
		if (wanted < i)
			last = j;
	}
}

static double quantile_in_place(double *x, size_t n, double q)
{
	double position = (double)(n - 1) * q;
	size_t below = (size_t)position;
	double fraction = position - (double)below;
	double low, high;

	select_kth(x, n, below);
	low = x[below];
	if (fraction == 0)
		return low;
	/* What lies behind x[below] is no smaller, so the next order statistic is its minimum. */
	high = x[below + 1];
	for (size_t i = below + 2; i < n; i++)
		if (x[i] < high)
			high = x[i];
	/* A weighted sum cannot overflow as high - low can; equal ends must give that value. */
	return low == high ? low : low * (1 - fraction) + high * fraction;
}

double summary_select_in_place(double *x, size_t n, size_t k)
{
	assert(k < n);
	select_kth(x, n, k);
	return x[k];
}

double summary_median_in_place(double *x, size_t n)
{
	assert(n > 0);
	return quantile_in_place(x, n, .5);
}

double summary_median(const double *x, size_t n)
{
	return summary_quantile(x, n, .5);
}

double summary_quantile(const double *x, size_t n, double q)
{
	double *copy __free(memory) = NULL;

	assert(n > 0 && summary_is_finite(x, n) && q >= 0 && q <= 1);
	copy = memory_array(n, sizeof(*copy));
	memcpy(copy, x, n * sizeof(*copy));
	return quantile_in_place(copy, n, q);
}
