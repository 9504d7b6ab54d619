// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/autocorrelation.h"

#include <assert.h>
#include <math.h>

#include "stats/summary.h"

/* A series with what all its autocorrelations share. */
struct series {
	const double *x;
	size_t n;
	double scale; /* of all below: squares of the values themselves may be no doubles */
	double mean;
	double squares; /* 0 when all are equal */
};

static double deviation(const struct series *s, size_t i)
{
	return s->x[i] * s->scale - s->mean;
}

static struct series series_of(const double *x, size_t n)
{
	struct series s = {.x = x, .n = n};

	assert(n > 1 && summary_is_finite(x, n));
	s.scale = summary_scale(x, n);
	s.mean = summary_mean(x, n) * s.scale;
	for (size_t i = 0; i < n; i++)
		s.squares += deviation(&s, i) * deviation(&s, i);
	return s;
}

static double at_lag(const struct series *s, size_t lag)
{
	double sum = 0;

	if (s->squares == 0)
		return 0;
	for (size_t i = lag; i < s->n; i++)
		sum += deviation(s, i) * deviation(s, i - lag);
	return sum / s->squares;
}

double autocorrelation(const double *x, size_t n, size_t lag)
{
	struct series s = series_of(x, n);

	assert(lag < n);
	return at_lag(&s, lag);
}
