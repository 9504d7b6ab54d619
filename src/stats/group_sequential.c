// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/group_sequential.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/distribution.h"

double group_sequential_spent(enum group_sequential_spending spending, double alpha, double t)
{
	double sides = spending == GROUP_SEQUENTIAL_PER_SIDE ? 2 : 1;

	assert(alpha > 0 && alpha < 1 && t >= 0 && t <= 1);
	if (t == 0)
		return 0;
	return 2 * sides *
	       distribution_normal_above(distribution_normal_critical(alpha / (2 * sides)) /
					 sqrt(t));
}

/*
 * The integration. Panels of PANEL_SDS standard deviations of the step with 16 points of Gauss and
 * Legendre each, over the part of the continuation region in which the density is not negligible:
 * beyond REACH standard deviations there is less than 1e-18.
 */
#define PANEL_SDS 4.0
#define REACH 9.0

enum { HALF_POINTS = 8 };

/* Nodes on (0, 1) and weights of the 16-point rule on (-1, 1), which is symmetric. */
static const double rule[HALF_POINTS][2] = {
	{0.095012509837637441, 0.18945061045506847},
	{0.28160355077925892, 0.18260341504492361},
	{0.45801677765722737, 0.16915651939500256},
	{0.61787624440264377, 0.14959598881657682},
	{0.755404408355003, 0.12462897125553395},
	{0.86563120238783176, 0.095158511682492897},
	{0.9445750230732326, 0.062253523938647776},
	{0.98940093499164994, 0.027152459411754058},
};

/* The density of the process at a look, of paths that no look has stopped. */
struct density {
	size_t points;
	double *s, *mass; /* points, and density times weight there */
};

static void density_done(struct density *d)
{
	free(d->s);
	free(d->mass);
}

static double normal_density(double x)
{
	return exp(-x * x / 2) / sqrt(2 * M_PI);
}

/* Lays out points between low and high; the masses are the weights. */
static void lay_out(struct density *d, double low, double high, double step_sd)
{
	size_t panels = low < high ? (size_t)ceil((high - low) / (PANEL_SDS * step_sd)) : 0;
	double half = panels ? (high - low) / (double)panels / 2 : 0;

	d->s = memory_array(panels * 2 * HALF_POINTS, sizeof(*d->s));
	d->mass = memory_array(panels * 2 * HALF_POINTS, sizeof(*d->mass));
	for (size_t panel = 0; panel < panels; panel++) {
		double middle = low + half * (double)(2 * panel + 1);

		for (size_t i = 0; i < HALF_POINTS; i++) {
			for (int side = -1; side <= 1; side += 2) {
				d->s[d->points] = middle + side * half * rule[i][0];
				d->mass[d->points++] = half * rule[i][1];
			}
		}
	}
}

/* Where look k is, and where the process goes from there. */
struct walk {
	const struct group_sequential *test;
	double drift;
	struct density density; /* at the look before; one point of mass 1 at 0 before the first */
};

static void walk_start(struct walk *w, const struct group_sequential *test, double drift)
{
	*w = (struct walk){.test = test, .drift = drift};
	w->density.points = 1;
	w->density.s = memory_array(1, sizeof(double));
	w->density.mass = memory_array(1, sizeof(double));
	w->density.mass[0] = 1;
}

static void walk_done(struct walk *w)
{
	density_done(&w->density);
}

static double step_of(const struct group_sequential *test, size_t look)
{
	return test->t[look] - (look ? test->t[look - 1] : 0);
}

/* P(no look before this one stopped, and the process is above s here), or below s. */
static double beyond(const struct walk *w, size_t look, double s, int side)
{
	double step = step_of(w->test, look), sum = 0;

	if (isinf(s))
		return s * side > 0 ? 0 : 1;
	for (size_t i = 0; i < w->density.points; i++)
		sum += w->density.mass[i] *
		       distribution_normal_above(side * (s - w->density.s[i] - w->drift * step) /
						 sqrt(step));
	return sum;
}

/* Goes on past a look whose bound is z. */
static void walk_on(struct walk *w, size_t look, double z)
{
	double t = w->test->t[look], step = step_of(w->test, look);
	double next = look + 1 < w->test->looks ? step_of(w->test, look + 1) : 1;
	double bound = z * sqrt(t), reach = REACH * sqrt(t);
	struct density d = {0};

	lay_out(&d, fmax(-bound, w->drift * t - reach), fmin(bound, w->drift * t + reach),
		sqrt(fmin(step, next)));
	for (size_t i = 0; i < d.points; i++) {
		double sum = 0;

		for (size_t j = 0; j < w->density.points; j++)
			sum += w->density.mass[j] *
			       normal_density((d.s[i] - w->density.s[j] - w->drift * step) /
					      sqrt(step));
		d.mass[i] *= sum / sqrt(step);
	}
	density_done(&w->density);
	w->density = d;
}

static void check_times(const double *t, size_t looks)
{
	for (size_t k = 0; k < looks; k++)
		assert(t[k] > (k ? t[k - 1] : 0) && t[k] <= 1);
	(void)t;
}

void group_sequential_bounds(const double *t, const double *spent, size_t looks, double *ret_z)
{
	const struct group_sequential test = {.t = t, .looks = looks};
	struct walk w __cleanup(walk_done);

	check_times(t, looks);
	walk_start(&w, &test, 0);
	for (size_t k = 0; k < looks; k++) {
		double to_spend = spent[k] - (k ? spent[k - 1] : 0);
		double low = 0, high = 40;

		assert(to_spend >= 0 && spent[k] < 1);
		/* Below what the integration can see; z would be above 37. */
		if (2 * beyond(&w, k, high * sqrt(t[k]), 1) >= to_spend) {
			ret_z[k] = INFINITY;
		} else {
			for (int step = 0; step < 60; step++) {
				double z = low + (high - low) / 2;

				if (2 * beyond(&w, k, z * sqrt(t[k]), 1) > to_spend)
					low = z;
				else
					high = z;
			}
			ret_z[k] = high;
		}
		if (k + 1 < looks)
			walk_on(&w, k, ret_z[k]);
	}
}

double group_sequential_power(const struct group_sequential *test, double drift,
			      double *ret_rejecting)
{
	struct walk w __cleanup(walk_done);
	double power = 0;

	check_times(test->t, test->looks);
	walk_start(&w, test, drift);
	for (size_t k = 0; k < test->looks; k++) {
		double bound = test->z[k] * sqrt(test->t[k]);

		ret_rejecting[k] = beyond(&w, k, bound, 1) + beyond(&w, k, -bound, -1);
		power += ret_rejecting[k];
		if (k + 1 < test->looks)
			walk_on(&w, k, test->z[k]);
	}
	return fmin(1, power);
}
