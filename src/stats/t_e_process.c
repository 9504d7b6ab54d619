// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/t_e_process.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>

void t_e_process_init(struct t_e_process *e)
{
	*e = (struct t_e_process){.exponent = INT_MIN};
}

/* Keeps the sums in a unit near the largest difference, so that no square leaves a double. */
static void add(struct t_e_process *e, double d)
{
	int exponent;

	frexp(d, &exponent);
	if (d != 0 && exponent > e->exponent) {
		if (e->exponent != INT_MIN) {
			e->sum = ldexp(e->sum, e->exponent - exponent);
			e->squares = ldexp(e->squares, 2 * (e->exponent - exponent));
		}
		e->exponent = exponent;
	}
	if (d != 0) {
		d = ldexp(d, -e->exponent);
		e->sum += d;
		e->squares += d * d;
	}
	e->n++;
}

double t_e_process_push(struct t_e_process *e, double d)
{
	double n, share;

	assert(isfinite(d));
	add(e, d);
	if (e->squares > 0) {
		/*
		 * In sums, with r = (sum d)^2 / (n sum d^2): the quotient is 1/(1 - r n/(n+1)),
		 * which neither a missing spread (r = 1) nor n = 1 divides by 0.
		 */
		n = (double)e->n;
		share = fmin(1, e->sum * e->sum / (n * e->squares));
		e->log_value = -log1p(n) / 2 - n / 2 * log1p(-share * n / (n + 1));
		e->log_max = fmax(e->log_max, e->log_value);
	}
	return exp(e->log_value);
}

double t_e_process_max(const struct t_e_process *e)
{
	return exp(e->log_max);
}

double t_e_process_p(const struct t_e_process *e)
{
	return fmax(exp(-e->log_max), DBL_MIN);
}
