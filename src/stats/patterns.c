// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/patterns.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "stats/distribution.h"
#include "stats/summary.h"

/* As in sign_flip.c: sums this near to each other, as a share of all magnitudes, are tied. */
#define TIE 1e-11

enum {
	EXACT_PAIRS = 13,
	WORD = 64,
};

double patterns_threshold(const struct sequential_plan *plan, double level)
{
	return 1 / (level * (plan->look_count ? SEQUENTIAL_E_PROCESS_SHARE : 1));
}

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

double patterns_difference(const struct sequential_series *s, size_t i, size_t pairs)
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
		double x = patterns_difference(p->series, pair, pair + 1) - p->centre;

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

void patterns_init(struct patterns *p, const struct sequential_plan *plan,
		   const struct sequential_series *series, size_t n, enum e_process_side side,
		   double centre)
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

void patterns_done(struct patterns *p)
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

static void center_look(struct patterns *p, struct patterns_look *look, size_t pairs, double theta)
{
	const double *restrict sums = look->sums, *restrict counts = look->counts;
	double *restrict statistics = look->statistics;
	double shift = theta - p->centre, magnitudes = 0, squares = 0;

	for (size_t i = 0; i < pairs; i++) {
		double x = patterns_difference(p->series, i, pairs) - theta;

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

void patterns_center(struct patterns *p, double theta)
{
	e_process_done(&p->e);
	e_process_init(&p->e, theta, p->side);
	for (size_t pair = 0; pair < p->n; pair++) {
		if (pair && pair == p->series->before_count)
			e_process_change_unit(&p->e, p->series->d, pair);
		e_process_push(&p->e, patterns_difference(p->series, pair, pair + 1));
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
	struct patterns_look *look = &p->looks[number];
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
static void prepare_level(struct patterns *p, double level)
{
	double C[E_PROCESS_BETS] = {0};

	for (size_t pair = 0; pair < p->last_look; pair++) {
		for (size_t bet = 0; bet < E_PROCESS_BETS; bet++)
			C[bet] += log_cosh(e_process_lambdas[bet] * p->z[pair]);
		p->reach[pair] = find_reach(p->side, C, patterns_threshold(p->plan, level));
	}
	memset(p->gone_at, UNKNOWN, p->count);
	p->many_asked = level > .1;
}

size_t patterns_find_look(struct patterns *p, double level)
{
	if (!p->look_count)
		return 0;
	prepare_level(p, level);
	for (size_t k = 0; k < p->look_count; k++) {
		find_bar(p, k, level);
		if (p->looks[k].statistics[0] > p->looks[k].bar)
			return p->plan->looks[k];
	}
	return 0;
}
