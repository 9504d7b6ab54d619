// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/sequential.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/distribution.h"
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
	double *sums;	/* of each pattern's differences less the centre, in the unit of the look */
	double *counts; /* of each pattern's signs, as a sum */
	double scale;	/* root of the sum of squares */
	double share;	/* of alpha */
	/* For a theta: */
	double *statistics; /* the larger the further from H0 */
	double tie;
	/* For a level: what exceeds it is rejected. */
	double bar;
};

/*
 * The series d - theta with all its signs: pattern 0 are those that were observed. Sums are made
 * once, statistics for each theta, and what is rejected for each level.
 *
 * With T the sum of a pattern's z (see e_process.h) its E is the mean over lambda and both signs of
 * exp(+-lambda T - sum log cosh(lambda z_i)), in which all but T is the same for all patterns. So E
 * reaches a limit where |T| (for smaller centres -T) reaches one that is found once for each pair;
 * and it is asked only of the patterns that are far enough out to matter at a look.
 */
struct patterns {
	const struct sequential_plan *plan;
	const struct sequential_series *series;
	size_t n;
	enum e_process_side side;
	double centre;	     /* near which theta will be */
	size_t count, words; /* patterns, and words of WORD signs for them */
	bool exact;
	struct look looks[SEQUENTIAL_MOST_LOOKS];
	size_t look_count; /* looks that were reached */
	size_t last_look;  /* pairs up to the last of these */
	uint64_t *flips;   /* by word, then by pair: 1 is a sign that is changed */
	double *z;	   /* by pair */
	double *reach;	   /* by pair: the T at which a pattern's E reaches the limit */
	double *left;
	unsigned char *gone_at; /* by pattern: the first look before which E reached the limit */
	bool many_asked;	/* that is asked of a good part of them */
	struct e_process e;
	double byte_signs[256][8]; /* +1 or -1 for each bit of a byte: the sign it stands for */
};

/* Values of gone_at beside the numbers of looks. */
enum { NEVER = SEQUENTIAL_MOST_LOOKS, UNKNOWN };

/* The signs that WORD patterns change of pair i. Pattern 0 changes none. */
static uint64_t draw_flips(const struct patterns *p, struct random *r, size_t pair, size_t word)
{
	uint64_t flips = p->exact ? 0 : random_next(r);

	/* Exact: the pair's own bit of the pattern's number. */
	if (p->exact)
		for (size_t k = 0; k < WORD; k++)
			flips |= (uint64_t)((word * WORD + k) >> pair & 1) << k;
	return word == 0 ? flips & ~UINT64_C(1) : flips;
}

static void draw_patterns(struct patterns *p)
{
	for (size_t byte = 0; byte < 256; byte++)
		for (size_t k = 0; k < 8; k++)
			p->byte_signs[byte][k] = byte >> k & 1 ? -1 : 1;
	p->flips = memory_array(p->last_look * p->words, sizeof(*p->flips));
	for (size_t pair = 0; pair < p->last_look; pair++) {
		struct random r;

		/* A stream for each pair: the patterns of a seed begin alike at every length. */
		random_seed(&r, p->plan->seed, pair);
		for (size_t word = 0; word < p->words; word++)
			p->flips[word * p->last_look + pair] = draw_flips(p, &r, pair, word);
	}
}

/* Difference i in the unit in which it is taken while `pairs` are there. */
static double difference(const struct sequential_series *s, size_t i, size_t pairs)
{
	return pairs <= s->before_count ? s->before[i] : s->d[i];
}

/* Adds x to the sums of WORD patterns, each with its sign. */
static void add_signed(const struct patterns *p, size_t pair, size_t word, double x,
		       double sums[WORD])
{
	uint64_t flips = p->flips[word * p->last_look + pair];

	for (size_t k = 0; k < WORD; k += 8) {
		const double *restrict signs = p->byte_signs[flips >> k & 255];
		double *restrict sum = sums + k;

		for (size_t i = 0; i < 8; i++)
			sum[i] += signs[i] * x;
	}
}

/* The sums of WORD patterns at all looks. */
static void sum_word(struct patterns *p, size_t word)
{
	double sums[WORD] = {0}, counts[WORD] = {0};
	size_t look = 0;

	for (size_t pair = 0; pair < p->last_look; pair++) {
		double x = difference(p->series, pair, pair + 1) - p->centre;

		/* In another unit all that came before is another sum. */
		if (pair && pair == p->series->before_count) {
			memset(sums, 0, sizeof(sums));
			for (size_t i = 0; i < pair; i++)
				add_signed(p, i, word, p->series->d[i], sums);
		}
		add_signed(p, pair, word, x, sums);
		add_signed(p, pair, word, 1, counts);
		if (pair + 1 != p->plan->looks[look])
			continue;
		memcpy(p->looks[look].sums + word * WORD, sums, sizeof(sums));
		memcpy(p->looks[look].counts + word * WORD, counts, sizeof(counts));
		look++;
	}
}

/* centre: a theta is near it, so that what is nearly alike is not lost in rounding. */
static void patterns_init(struct patterns *p, const struct sequential_plan *plan,
			  const struct sequential_series *series, size_t n,
			  enum e_process_side side, double centre)
{
	double spent = 0;

	assert(n > 0 && n <= series->n && summary_is_finite(series->d, n));
	memset(p, 0, offsetof(struct patterns, byte_signs));
	p->plan = plan;
	p->series = series;
	p->n = n;
	p->side = side;
	p->centre = centre;
	while (p->look_count < plan->look_count && plan->looks[p->look_count] <= n)
		p->look_count++;
	if (!p->look_count)
		return;
	p->last_look = plan->looks[p->look_count - 1];
	p->exact = plan->looks[plan->look_count - 1] <= EXACT_PAIRS;
	p->count = p->exact ? (size_t)1 << p->last_look : SEQUENTIAL_PATTERNS;
	p->words = (p->count + WORD - 1) / WORD;
	p->z = memory_array(p->last_look, sizeof(*p->z));
	p->reach = memory_array(p->last_look, sizeof(*p->reach));
	p->left = memory_array(p->count, sizeof(*p->left));
	p->gone_at = memory_array(p->count, sizeof(*p->gone_at));
	for (size_t k = 0; k < p->look_count; k++) {
		double until = sequential_share(plan, k);

		p->looks[k].share = until - spent;
		p->looks[k].sums = memory_array(p->words * WORD, sizeof(double));
		p->looks[k].counts = memory_array(p->words * WORD, sizeof(double));
		p->looks[k].statistics = memory_array(p->words * WORD, sizeof(double));
		spent = until;
	}
	draw_patterns(p);
	for (size_t word = 0; word < p->words; word++)
		sum_word(p, word);
}

static void patterns_done(struct patterns *p)
{
	e_process_done(&p->e);
	free(p->flips);
	free(p->z);
	free(p->reach);
	free(p->left);
	free(p->gone_at);
	for (size_t k = 0; k < p->look_count; k++) {
		free(p->looks[k].sums);
		free(p->looks[k].counts);
		free(p->looks[k].statistics);
	}
}

static void center_look(struct patterns *p, struct look *look, size_t pairs, double theta)
{
	const double *restrict sums = look->sums, *restrict counts = look->counts;
	double *restrict statistics = look->statistics;
	double shift = theta - p->centre, magnitudes = 0, squares = 0;

	for (size_t i = 0; i < pairs; i++) {
		double x = difference(p->series, i, pairs) - theta;

		magnitudes += fabs(x);
		squares = hypot(squares, x);
	}
	look->tie = TIE * magnitudes;
	look->scale = squares;
	for (size_t i = 0; i < p->count; i++) {
		double sum = sums[i] - shift * counts[i];

		statistics[i] = p->side == E_PROCESS_TWO_SIDED ? fabs(sum) : -sum;
	}
}

/* Takes H0: theta. */
static void patterns_center(struct patterns *p, double theta)
{
	e_process_done(&p->e);
	e_process_init(&p->e, theta, p->side);
	for (size_t pair = 0; pair < p->n; pair++) {
		if (pair && pair == p->series->before_count)
			e_process_change_unit(&p->e, p->series->d, pair);
		e_process_push(&p->e, difference(p->series, pair, pair + 1));
		if (pair < p->last_look)
			p->z[pair] = p->e.z;
	}
	for (size_t k = 0; k < p->look_count; k++)
		center_look(p, &p->looks[k], p->plan->looks[k], theta);
}

/* log E and its slope at a T, for the C of e_process_lambdas: sums of log cosh(lambda z). */
static double log_e_at(enum e_process_side side, const double C[E_PROCESS_BETS], double T,
		       double *ret_slope)
{
	double sum = 0, slope = 0, top = -INFINITY;

	for (size_t bet = 0; bet < E_PROCESS_BETS; bet++)
		top = fmax(top, e_process_lambdas[bet] * T - C[bet]);
	for (size_t bet = 0; bet < E_PROCESS_BETS; bet++) {
		double lambda = e_process_lambdas[bet];
		double up = exp(lambda * T - C[bet] - top);
		double down = side == E_PROCESS_TWO_SIDED ? exp(-lambda * T - C[bet] - top) : 0;

		sum += up + down;
		slope += lambda * (up - down);
	}
	*ret_slope = slope / sum;
	return top + log(sum / (side == E_PROCESS_TWO_SIDED ? 2 * E_PROCESS_BETS : E_PROCESS_BETS));
}

/* The T at which E reaches a limit above 1. */
static double find_reach(enum e_process_side side, const double C[E_PROCESS_BETS], double limit)
{
	double bets = side == E_PROCESS_TWO_SIDED ? 2 * E_PROCESS_BETS : E_PROCESS_BETS;
	double T = INFINITY, step = INFINITY, slope;

	/* Where one bet alone gets there: not before the T that is sought. */
	for (size_t bet = 0; bet < E_PROCESS_BETS; bet++)
		T = fmin(T, (log(bets * limit) + C[bet]) / e_process_lambdas[bet]);
	/* Newton's from the right: log E is convex and rises. */
	for (int i = 0; i < 50 && step > 1e-14 * T; i++) {
		step = (log_e_at(side, C, T, &slope) - log(limit)) / slope;
		T -= fmax(step, 0);
	}
	return T;
}

static double log_cosh(double x)
{
	return fabs(x) + log1p(exp(-2 * fabs(x))) - M_LN2;
}

/* At which look a pattern's E had reached the limit. */
static unsigned char find_gone_at(const struct patterns *p, size_t pattern)
{
	size_t word = pattern / WORD, bit = pattern % WORD;
	unsigned char look = 0;
	double T = 0;

	for (size_t pair = 0; pair < p->last_look; pair++) {
		bool flip = p->flips[word * p->last_look + pair] >> bit & 1;

		look = (unsigned char)(look + (pair == p->plan->looks[look]));
		T += flip ? -p->z[pair] : p->z[pair];
		if ((p->side == E_PROCESS_TWO_SIDED ? fabs(T) : -T) >= p->reach[pair])
			return look;
	}
	return NEVER;
}

/* The same for WORD patterns at once, which takes as long as that of some ten. */
static void find_gone_word(struct patterns *p, size_t word)
{
	double sums[WORD] = {0}, beyond[WORD];
	unsigned char gone_at[WORD];
	unsigned char look = 0;

	for (size_t k = 0; k < WORD; k++) {
		beyond[k] = -INFINITY;
		gone_at[k] = NEVER;
	}
	for (size_t pair = 0; pair < p->last_look; pair++) {
		double reach = p->reach[pair];

		add_signed(p, pair, word, p->z[pair], sums);
		for (size_t k = 0; k < WORD; k++) {
			double out = p->side == E_PROCESS_TWO_SIDED ? fabs(sums[k]) : -sums[k];

			out -= reach;
			beyond[k] = out > beyond[k] ? out : beyond[k];
		}
		if (pair + 1 != p->plan->looks[look])
			continue;
		for (size_t k = 0; k < WORD; k++)
			if (beyond[k] >= 0 && gone_at[k] == NEVER)
				gone_at[k] = look;
		look++;
	}
	for (size_t k = 0; k < WORD && word * WORD + k < p->count; k++)
		p->gone_at[word * WORD + k] = gone_at[k];
	if (word == 0)
		p->gone_at[0] = NEVER;
}

/* Was a pattern rejected before a look? The e-process of the observed one is asked elsewhere. */
static bool is_gone(struct patterns *p, size_t pattern, size_t look)
{
	if (p->gone_at[pattern] == UNKNOWN && p->many_asked)
		find_gone_word(p, pattern / WORD);
	else if (p->gone_at[pattern] == UNKNOWN)
		p->gone_at[pattern] = pattern ? find_gone_at(p, pattern) : NEVER;
	if (p->gone_at[pattern] <= look)
		return true;
	for (size_t k = 0; k < look; k++)
		if (p->looks[k].statistics[pattern] > p->looks[k].bar)
			return true;
	return false;
}

/*
 * Collects in p->left the statistics at a look that are `cut` or more and were not rejected before.
 */
static size_t collect_left(struct patterns *p, size_t look, double cut)
{
	const double *statistics = p->looks[look].statistics;
	size_t left = 0;

	for (size_t i = 0; i < p->count; i++)
		if (statistics[i] >= cut && !is_gone(p, i, look))
			p->left[left++] = statistics[i];
	return left;
}

/*
 * Lets a look reject at a level: the patterns whose statistic is above its bar. A group of tied
 * patterns goes whole or not at all.
 */
static void find_bar(struct patterns *p, size_t number, double level)
{
	struct look *look = &p->looks[number];
	/* A hair more, for a product that should be a whole number. */
	size_t quota = (size_t)(level * look->share * (double)p->count * (1 + 1e-12));
	size_t left;
	double cut, tail;

	look->bar = INFINITY;
	if (!quota)
		return;
	/*
	 * A guess, of normal sums: all that was rejected before, by the e-process too, may lie
	 * further out than the quota.
	 */
	tail = level * (SEQUENTIAL_E_PROCESS_SHARE + sequential_share(p->plan, number)) +
	       20 / (double)p->count;
	tail = fmin(.5, p->side == E_PROCESS_TWO_SIDED ? tail / 2 : tail);
	cut = look->scale * distribution_normal_critical(tail);
	left = collect_left(p, number, cut);
	while (left <= quota && cut > 0) {
		cut = cut > .3 * look->scale ? .7 * cut : 0;
		left = collect_left(p, number, cut);
	}
	/*
	 * The first that is too many stays, and with it what is tied to it. As far out as 0 is
	 * nothing: without this, differences that are all 0 would be rejected.
	 */
	look->bar = 0;
	if (left > quota)
		look->bar = fmax(0, summary_select_in_place(p->left, left, left - 1 - quota) +
					    look->tie);
}

/* The T at which E reaches the threshold of a level, and nothing known of any pattern. */
static void patterns_reach(struct patterns *p, double level)
{
	double C[E_PROCESS_BETS] = {0};

	for (size_t pair = 0; pair < p->last_look; pair++) {
		for (size_t bet = 0; bet < E_PROCESS_BETS; bet++)
			C[bet] += log_cosh(e_process_lambdas[bet] * p->z[pair]);
		p->reach[pair] = find_reach(p->side, C, threshold(p->plan, level));
	}
	memset(p->gone_at, UNKNOWN, p->count);
	p->many_asked = level > .1;
}

/* The look that rejects the observed pattern at a level, in pairs; 0: none. */
static size_t find_look(struct patterns *p, double level)
{
	if (!p->look_count)
		return 0;
	patterns_reach(p, level);
	for (size_t k = 0; k < p->look_count; k++) {
		find_bar(p, k, level);
		if (p->looks[k].statistics[0] > p->looks[k].bar)
			return p->plan->looks[k];
	}
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
		if (e_process_push(&e, difference(s, i, i + 1)) >= value) {
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
	e_process = find_e_process(series, theta, side, threshold(plan, alpha), &side_then);
	look = find_look(&p, alpha);
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
	e_process = find_e_process(&series, theta, side, threshold(plan, alpha), &unused);
	/* Only a look before that could change it. */
	if (e_process)
		n = e_process - 1;
	if (n > 0) {
		patterns_init(&p, plan, &series, n, side, theta);
		patterns_center(&p, theta);
		look = find_look(&p, alpha);
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
