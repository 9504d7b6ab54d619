// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sequential.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/group_sequential.h"
#include "stats/summary.h"

/* As in sign_flip.c: sums this near to each other, as a share of all magnitudes, are tied. */
#define TIE 1e-11

enum {
	EXACT_PAIRS = 13,
	WORD = 64,
	FIRST_LOOK = 8, /* earlier, 5 % of O'Brien and Fleming's kind are less than any pattern */
};

struct sequential_plan sequential_plan(size_t max_pairs, uint64_t seed)
{
	struct sequential_plan plan = {.max_pairs = max_pairs, .seed = seed};
	size_t step = (max_pairs + 4) / 5;

	if (max_pairs == 0 || max_pairs > SEQUENTIAL_MOST_PAIRS)
		return plan;
	for (size_t n = step; n < max_pairs; n += step)
		if (n >= FIRST_LOOK)
			plan.looks[plan.look_count++] = n;
	plan.looks[plan.look_count++] = max_pairs;
	return plan;
}

void sequential_plan_end(struct sequential_plan *plan, size_t n)
{
	assert(n > 0 && n <= plan->max_pairs);
	if (!plan->look_count)
		return;
	while (plan->look_count && plan->looks[plan->look_count - 1] >= n)
		plan->look_count--;
	plan->looks[plan->look_count++] = n;
}

/* The shape of spending is that for 5 % at every alpha, so that more alpha is more at each look. */
double sequential_share(const struct sequential_plan *plan, size_t look)
{
	const double level = .05;
	double t;

	assert(look < plan->look_count);
	t = (double)plan->looks[look] / (double)plan->max_pairs;

	if (look + 1 == plan->look_count)
		t = 1;
	return (1 - SEQUENTIAL_E_PROCESS_SHARE) *
	       group_sequential_spent(GROUP_SEQUENTIAL_TWO_SIDED, level, t) / level;
}

/* The e-process's threshold at a level. */
static double threshold(const struct sequential_plan *plan, double level)
{
	return 1 / (level * (plan->look_count ? SEQUENTIAL_E_PROCESS_SHARE : 1));
}

/* One look at all patterns. */
struct look {
	double *statistics; /* the larger the further from H0 */
	double *greatest_e; /* of each pattern's e-process so far */
	double tie;
	double share; /* of alpha */
};

/*
 * The series d - theta with all its signs: pattern 0 are those that were observed. Buffers are used
 * again for another theta.
 */
struct patterns {
	const struct sequential_plan *plan;
	const double *d;
	size_t n;
	enum e_process_side side;
	size_t count, words; /* patterns, and words of WORD signs for them */
	bool exact;
	struct look looks[SEQUENTIAL_MOST_LOOKS];
	size_t look_count; /* looks that were reached */
	size_t last_look;  /* pairs up to the last of these */
	double *sums, *greatest, *bets, *left;
	bool *gone;
	struct e_process e;
};

static void patterns_init(struct patterns *p, const struct sequential_plan *plan, const double *d,
			  size_t n, enum e_process_side side)
{
	double spent = 0;

	assert(n > 0 && summary_is_finite(d, n));
	*p = (struct patterns){.plan = plan, .d = d, .n = n, .side = side};
	while (p->look_count < plan->look_count && plan->looks[p->look_count] <= n)
		p->look_count++;
	if (!p->look_count)
		return;
	p->last_look = plan->looks[p->look_count - 1];
	p->exact = plan->looks[plan->look_count - 1] <= EXACT_PAIRS;
	p->count = p->exact ? (size_t)1 << p->last_look : SEQUENTIAL_PATTERNS;
	p->words = (p->count + WORD - 1) / WORD;
	p->sums = memory_array(p->words * WORD, sizeof(double));
	p->greatest = memory_array(p->words * WORD, sizeof(double));
	p->bets = memory_array(p->words * WORD, 2 * E_PROCESS_BETS * sizeof(double));
	p->left = memory_array(p->count, sizeof(double));
	p->gone = memory_array(p->count, sizeof(bool));
	for (size_t k = 0; k < p->look_count; k++) {
		double until = sequential_share(plan, k);

		p->looks[k].share = until - spent;
		p->looks[k].statistics = memory_array(p->count, sizeof(double));
		p->looks[k].greatest_e = memory_array(p->count, sizeof(double));
		spent = until;
	}
}

static void patterns_done(struct patterns *p)
{
	e_process_done(&p->e);
	free(p->sums);
	free(p->greatest);
	free(p->bets);
	free(p->left);
	free(p->gone);
	for (size_t k = 0; k < p->look_count; k++) {
		free(p->looks[k].statistics);
		free(p->looks[k].greatest_e);
	}
}

/* The signs that WORD patterns give pair i: +1 or -1 each. Pattern 0 changes none. */
static void draw_signs(const struct patterns *p, struct random *r, size_t pair, size_t word,
		       double signs[WORD])
{
	uint64_t flips = p->exact ? 0 : random_next(r);

	/* Exact: the pair's own bit of the pattern's number. */
	if (p->exact)
		for (size_t k = 0; k < WORD; k++)
			flips |= (uint64_t)((word * WORD + k) >> pair & 1) << k;
	if (word == 0)
		flips &= ~UINT64_C(1);
	for (size_t k = 0; k < WORD; k++)
		signs[k] = 1 - 2 * (double)(int)(flips >> k & 1);
}

/* Lets WORD patterns take a pair: x is the difference, z as in e_process.h, tanh of lambda z. */
static void take_pair(struct patterns *p, size_t word, double x, const double tanhs[E_PROCESS_BETS],
		      const double *restrict signs)
{
	double *restrict sums = p->sums + word * WORD;
	double *restrict greatest = p->greatest + word * WORD;
	double *bets = p->bets + word * WORD * 2 * E_PROCESS_BETS;
	double values[WORD] = {0};

	for (size_t bet = 0; bet < E_PROCESS_BETS; bet++) {
		double *restrict up = bets + 2 * bet * WORD;
		double *restrict down = bets + (2 * bet + 1) * WORD;

		for (size_t k = 0; k < WORD; k++) {
			up[k] *= 1 + signs[k] * tanhs[bet];
			down[k] *= 1 - signs[k] * tanhs[bet];
		}
		if (p->side == E_PROCESS_TWO_SIDED)
			for (size_t k = 0; k < WORD; k++)
				values[k] += up[k] + down[k];
		else
			for (size_t k = 0; k < WORD; k++)
				values[k] += 2 * down[k];
	}
	for (size_t k = 0; k < WORD; k++) {
		values[k] /= 2 * E_PROCESS_BETS;
		greatest[k] = values[k] > greatest[k] ? values[k] : greatest[k];
		sums[k] += signs[k] * x;
	}
}

static void keep_look(struct patterns *p, struct look *look, double magnitudes)
{
	for (size_t i = 0; i < p->count; i++)
		look->statistics[i] =
			p->side == E_PROCESS_TWO_SIDED ? fabs(p->sums[i]) : -p->sums[i];
	memcpy(look->greatest_e, p->greatest, p->count * sizeof(double));
	look->tie = TIE * magnitudes;
}

/* Goes through all pairs for H0: theta. */
static void patterns_run(struct patterns *p, double theta)
{
	double magnitudes = 0;
	size_t look = 0;

	e_process_done(&p->e);
	e_process_init(&p->e, theta, p->side);
	if (p->look_count)
		memset(p->sums, 0, p->words * WORD * sizeof(double));
	for (size_t i = 0; i < p->words * WORD; i++)
		p->greatest[i] = 1;
	for (size_t i = 0; i < p->words * WORD * 2 * E_PROCESS_BETS; i++)
		p->bets[i] = 1;
	for (size_t pair = 0; pair < p->n; pair++) {
		double tanhs[E_PROCESS_BETS];
		struct random r;

		e_process_push(&p->e, p->d[pair]);
		if (pair >= p->last_look)
			continue;
		for (size_t bet = 0; bet < E_PROCESS_BETS; bet++)
			tanhs[bet] = tanh(e_process_lambdas[bet] * p->e.z);
		magnitudes += fabs(p->d[pair] - theta);
		/* A stream for each pair: the patterns of a seed begin alike at every length. */
		random_seed(&r, p->plan->seed, pair);
		for (size_t word = 0; word < p->words; word++) {
			double signs[WORD];

			draw_signs(p, &r, pair, word, signs);
			take_pair(p, word, p->d[pair] - theta, tanhs, signs);
		}
		if (pair + 1 == p->plan->looks[look])
			keep_look(p, &p->looks[look++], magnitudes);
	}
}

/*
 * Lets a look reject at a level, and says whether the observed pattern is among the rejected. A
 * group of tied patterns goes whole or not at all.
 */
static bool look_rejects(struct patterns *p, const struct look *look, double level)
{
	/* A hair more, for a product that should be a whole number. */
	size_t quota = (size_t)(level * look->share * (double)p->count * (1 + 1e-12));
	double limit = threshold(p->plan, level), bar = -INFINITY;
	size_t left = 0;

	for (size_t i = 0; i < p->count; i++) {
		p->gone[i] |= look->greatest_e[i] >= limit;
		if (!p->gone[i])
			p->left[left++] = look->statistics[i];
	}
	if (!quota)
		return false;
	/* The first that is too many stays, and with it what is tied to it. */
	if (left > quota)
		bar = summary_select_in_place(p->left, left, left - 1 - quota) + look->tie;
	/* As far out as 0 is nothing: without this, differences that are all 0 would be rejected. */
	bar = fmax(bar, 0);
	for (size_t i = 0; i < p->count; i++)
		p->gone[i] |= look->statistics[i] > bar;
	return p->gone[0];
}

/* The look that rejects at a level, counted from 1; 0: none. The e-process is not asked. */
static size_t find_look(struct patterns *p, double level)
{
	if (p->look_count)
		memset(p->gone, 0, p->count * sizeof(bool));
	for (size_t k = 0; k < p->look_count; k++)
		if (look_rejects(p, &p->looks[k], level))
			return p->plan->looks[k];
	return 0;
}

static bool rejects(struct patterns *p, double level)
{
	return e_process_max(&p->e) >= threshold(p->plan, level) || find_look(p, level);
}

/* The smallest level at which there is a rejection, to a thousandth of it, and never too small. */
static double find_p(struct patterns *p, double alpha)
{
	double high = fmin(1, e_process_p(&p->e) * threshold(p->plan, 1));
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

/* After how many pairs the e-process on d - theta reached a value; 0: it did not. */
static size_t find_e_process(const double *d, size_t n, double theta, enum e_process_side side,
			     double value)
{
	struct e_process e __cleanup(e_process_done);

	e_process_init(&e, theta, side);
	for (size_t i = 0; i < n; i++)
		if (e_process_push(&e, d[i]) >= value)
			return i + 1;
	return 0;
}

struct sequential sequential_test(const struct sequential_plan *plan, const double *d, size_t n,
				  double theta, enum e_process_side side, double alpha)
{
	struct patterns p __cleanup(patterns_done);
	struct sequential result = {0};
	size_t e_process, look;

	assert(alpha > 0 && alpha < 1);
	patterns_init(&p, plan, d, n, side);
	patterns_run(&p, theta);
	result.e_process_largest = e_process_max(&p.e);
	result.p = find_p(&p, alpha);
	e_process = find_e_process(d, n, theta, side, threshold(plan, alpha));
	look = find_look(&p, alpha);
	if (e_process && (!look || e_process <= look)) {
		result.by = SEQUENTIAL_E_PROCESS;
		result.rejected_at = e_process;
	} else if (look) {
		result.by = SEQUENTIAL_LOOK;
		result.rejected_at = look;
	}
	return result;
}

size_t sequential_rejected_at(const struct sequential_plan *plan, const double *d, size_t n,
			      double theta, enum e_process_side side, double alpha)
{
	struct patterns p __cleanup(patterns_done) = {0};
	size_t e_process, look = 0;

	assert(n > 0 && alpha > 0 && alpha < 1);
	e_process = find_e_process(d, n, theta, side, threshold(plan, alpha));
	/* Only a look before that could change it. */
	if (e_process)
		n = e_process - 1;
	if (n > 0) {
		patterns_init(&p, plan, d, n, side);
		patterns_run(&p, theta);
		look = find_look(&p, alpha);
	}
	return look ? look : e_process;
}

static bool rejects_theta(struct patterns *p, double theta, double alpha)
{
	patterns_run(p, theta);
	return rejects(p, alpha);
}

/*
 * The end on the side of `outside`, which is rejected or infinite. Returns NAN when all on the way to
 * the middle is rejected.
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
		if ((theta - rejected) * (theta - kept) >= 0)
			continue;
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
	struct interval wide, interval;
	double middle;

	patterns_init(&p, plan, d, n, E_PROCESS_TWO_SIDED);
	if (!e_process_interval(d, n, 1 / threshold(plan, alpha), &wide))
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
