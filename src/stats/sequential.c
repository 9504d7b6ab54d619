// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sequential.h"

#include <assert.h>
#include <math.h>

#include "base/cleanup.h"
#include "stats/patterns.h"
#include "stats/summary.h"

static bool rejects(struct patterns *p, double level)
{
	return e_process_max(&p->e) >= patterns_threshold(p->plan, level) ||
	       patterns_find_look(p, level);
}

/* The smallest level at which there is a rejection, to a thousandth of it, and never too small. */
static double find_p(struct patterns *p, double alpha)
{
	double high = fmin(1, e_process_p(&p->e) * patterns_threshold(p->plan, 1));
	double low = 1e-3 / (double)SEQUENTIAL_PATTERNS;

	if (!p->look_count)
		return high;
	/* alpha first, so that p cannot come to lie on the other side of it. */
	for (double level = alpha; high > low * 1.001; level = sqrt(low * high)) {
		if (level >= high)
			level = high / 1.001;
		if (rejects(p, level))
			high = level;
		else
			low = level;
	}
	return high;
}

/* The side on which more of the evidence is: of each bet the two differ by the same sum of z. */
static int side_of(const struct e_process *e)
{
	return e->side == E_PROCESS_TWO_SIDED && e->log_up[0] > e->log_down[0] ? 1 : -1;
}

/*
 * After how many pairs the e-process on d - theta reached a value, and on which side; 0: it did
 * not, and *ret_side is left alone.
 */
static size_t find_e_process(const struct sequential_series *s, double theta,
			     enum e_process_side side, double value, int *ret_side)
{
	struct e_process e __cleanup(e_process_done);

	e_process_init(&e, theta, side);
	for (size_t i = 0; i < s->n; i++) {
		if (i && i == s->before_count)
			e_process_change_unit(&e, s->d, i);
		if (e_process_push(&e, patterns_difference(s, i, i + 1)) >= value) {
			*ret_side = side_of(&e);
			return i + 1;
		}
	}
	return 0;
}

/* The side of the observed sum at a look, which rejected. */
static int side_at_look(const struct patterns *p, size_t pairs, double theta)
{
	size_t k = 0;

	while (p->plan->looks[k] != pairs)
		k++;
	return p->looks[k].sums[0] - (theta - p->centre) * p->looks[k].counts[0] > 0 ? 1 : -1;
}

struct sequential sequential_test_series(const struct sequential_plan *plan,
					 const struct sequential_series *series, double theta,
					 enum e_process_side side, double alpha)
{
	struct patterns p __cleanup(patterns_done);
	struct sequential result = {0};
	size_t e_process, look;
	int side_then = 0;

	assert(alpha > 0 && alpha < 1 && (theta == 0 || !series->before_count));
	patterns_init(&p, plan, series, series->n, side, theta);
	patterns_center(&p, theta);
	result.e_process_largest = e_process_max(&p.e);
	result.p = find_p(&p, alpha);
	e_process =
		find_e_process(series, theta, side, patterns_threshold(plan, alpha), &side_then);
	look = patterns_find_look(&p, alpha);
	if (e_process && (!look || e_process <= look)) {
		result.by = SEQUENTIAL_E_PROCESS;
		result.rejected_at = e_process;
		result.side = side_then;
	} else if (look) {
		result.by = SEQUENTIAL_LOOK;
		result.rejected_at = look;
		result.side = side_at_look(&p, look, theta);
	}
	return result;
}

struct sequential sequential_test(const struct sequential_plan *plan, const double *d, size_t n,
				  double theta, enum e_process_side side, double alpha)
{
	const struct sequential_series series = {.d = d, .n = n};

	return sequential_test_series(plan, &series, theta, side, alpha);
}

size_t sequential_rejected_at(const struct sequential_plan *plan, const double *d, size_t n,
			      double theta, enum e_process_side side, double alpha)
{
	struct patterns p __cleanup(patterns_done) = {0};
	const struct sequential_series series = {.d = d, .n = n};
	size_t e_process, look = 0;
	int unused;

	assert(n > 0 && alpha > 0 && alpha < 1);
	e_process = find_e_process(&series, theta, side, patterns_threshold(plan, alpha), &unused);
	/* Only a look before that could change it. */
	if (e_process)
		n = e_process - 1;
	if (n > 0) {
		patterns_init(&p, plan, &series, n, side, theta);
		patterns_center(&p, theta);
		look = patterns_find_look(&p, alpha);
	}
	return look ? look : e_process;
}

static bool rejects_theta(struct patterns *p, double theta, double alpha)
{
	patterns_center(p, theta);
	return rejects(p, alpha);
}

/*
 * The end on the side of `outside`, which is rejected or infinite. Returns NAN when all on the way
 * to the middle is rejected.
 */
static double find_end(struct patterns *p, double outside, double middle, double alpha)
{
	enum { STEPS = 16 };
	double step, rejected = outside, kept = NAN;

	if (isinf(outside))
		return outside;
	step = (middle - outside) / STEPS;
	for (int i = 0; i <= STEPS && isnan(kept); i++) {
		double theta = i < STEPS ? outside + i * step : middle;

		if (rejects_theta(p, theta, alpha))
			rejected = theta;
		else
			kept = theta;
	}
	if (isnan(kept))
		return kept;
	for (int first = 1; fabs(kept - rejected) > 1e-5 * fabs(middle - outside); first = 0) {
		double theta = first ? 0 : kept + (rejected - kept) / 2;

		/* At 0 first, so that the end lies on the side of it on which its p puts it. */
		if (theta <= fmin(kept, rejected) || theta >= fmax(kept, rejected)) {
			if (first)
				continue;
			/* No double lies between. */
			break;
		}
		if (rejects_theta(p, theta, alpha))
			rejected = theta;
		else
			kept = theta;
	}
	return kept;
}

bool sequential_interval(const struct sequential_plan *plan, const double *d, size_t n,
			 double alpha, struct interval *ret_interval)
{
	struct patterns p __cleanup(patterns_done);
	const struct sequential_series series = {.d = d, .n = n};
	struct interval wide, interval;
	double middle;

	patterns_init(&p, plan, &series, n, E_PROCESS_TWO_SIDED, summary_median(d, n));
	if (!e_process_interval(d, n, 1 / patterns_threshold(plan, alpha), &wide))
		return false;
	if (!p.look_count) {
		*ret_interval = wide;
		return true;
	}
	middle = summary_median(d, n);
	if (middle < wide.low || middle > wide.high)
		middle = wide.low + (wide.high - wide.low) / 2;
	interval.low = find_end(&p, wide.low, middle, alpha);
	interval.high = find_end(&p, wide.high, middle, alpha);
	if (isnan(interval.low) && isnan(interval.high))
		return false;
	if (isnan(interval.low))
		interval.low = middle;
	if (isnan(interval.high))
		interval.high = middle;
	if (!rejects_theta(&p, 0, alpha)) {
		interval.low = fmin(interval.low, 0);
		interval.high = fmax(interval.high, 0);
	}
	*ret_interval = interval;
	return true;
}
