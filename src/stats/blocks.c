// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/blocks.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/sign_flip.h"

/* As in max_t.c: r as near to each other as this are tied. */
#define TIE 1e-10

/* A and the arms of a set, in the blocks that have them all. */
struct set {
	size_t arms; /* A is the first */
	size_t blocks;
	double *y; /* [block * arms + arm], divided by the largest magnitude of all differences */
};

static bool is_in(size_t set, size_t arm)
{
	return arm == 0 || set >> (arm - 1) & 1;
}

static void take_blocks(struct set *s, const double *y, size_t arms, size_t blocks, size_t set)
{
	double largest = 0;

	*s = (struct set){.y = memory_array(blocks, arms * sizeof(*s->y))};
	for (size_t arm = 0; arm < arms; arm++)
		s->arms += is_in(set, arm);
	for (size_t block = 0; block < blocks; block++) {
		double *to = s->y + s->blocks * s->arms;
		bool whole = true;

		for (size_t arm = 0; arm < arms; arm++) {
			if (!is_in(set, arm))
				continue;
			assert(!isinf(y[arm * blocks + block]));
			/* Differences are all that matters: relative to A, rounding is least. */
			*to++ = y[arm * blocks + block] - y[block];
			whole &= !isnan(to[-1]);
		}
		s->blocks += whole;
	}
	for (size_t i = 0; i < s->blocks * s->arms; i++)
		largest = fmax(largest, fabs(s->y[i]));
	for (size_t i = 0; i < s->blocks * s->arms && largest > 0; i++)
		s->y[i] /= largest;
}

static void set_done(struct set *s)
{
	free(s->y);
}

/* The largest r of the set; the figures of each block stand in s->y in some order. */
static double largest_r(const struct set *s)
{
	double largest = 0;

	for (size_t arm = 1; arm < s->arms; arm++) {
		double sum = 0, squares = 0;

		for (size_t block = 0; block < s->blocks; block++) {
			double d = s->y[block * s->arms + arm] - s->y[block * s->arms];

			sum += d;
			squares += d * d;
		}
		if (squares > 0)
			largest = fmax(largest, fabs(sum) / sqrt(squares));
	}
	return largest;
}

/* Fisher and Yates, in every block. Also from an order that is not the first one. */
static void permute(struct set *s, struct random *r)
{
	for (size_t block = 0; block < s->blocks; block++) {
		double *y = s->y + block * s->arms;

		for (size_t i = s->arms - 1; i > 0; i--) {
			size_t k = random_below(r, i + 1);
			double swap = y[i];

			y[i] = y[k];
			y[k] = swap;
		}
	}
}

static double test_by_permutation(struct set *s, uint64_t seed, size_t stream)
{
	double observed = largest_r(s);
	size_t reached = 1;
	struct random r;

	random_seed(&r, seed, stream);
	for (int b = 0; b < BLOCKS_DRAWS; b++) {
		permute(s, &r);
		reached += largest_r(s) >= observed - TIE;
	}
	return (double)reached / (BLOCKS_DRAWS + 1);
}

static double test_set(const double *y, size_t arms, size_t blocks, size_t set, uint64_t seed)
{
	struct set s __cleanup(set_done);
	double *d __free(memory) = NULL;

	take_blocks(&s, y, arms, blocks, set);
	if (!s.blocks)
		return 1;
	if (s.arms > 2)
		return test_by_permutation(&s, seed, set);
	d = memory_array(s.blocks, sizeof(*d));
	for (size_t block = 0; block < s.blocks; block++)
		d[block] = s.y[2 * block + 1] - s.y[2 * block];
	return sign_flip_p(d, s.blocks, seed);
}

/* Whether any block has both A and the arm. */
static bool is_comparable(const double *y, size_t blocks, size_t arm)
{
	for (size_t block = 0; block < blocks; block++)
		if (!isnan(y[block]) && !isnan(y[arm * blocks + block]))
			return true;
	return false;
}

void blocks_compare(const double *y, size_t arms, size_t blocks, uint64_t seed, double *ret_p)
{
	size_t absent = 0;

	assert(arms >= 2 && arms <= BLOCKS_MOST_ARMS);
	for (size_t arm = 1; arm < arms; arm++) {
		bool comparable = is_comparable(y, blocks, arm);

		ret_p[arm - 1] = comparable ? 0 : 1;
		absent |= (size_t)!comparable << (arm - 1);
	}
	for (size_t set = 1; set < (size_t)1 << (arms - 1); set++) {
		double p;

		if (set & absent)
			continue;
		p = test_set(y, arms, blocks, set, seed);
		for (size_t arm = 1; arm < arms; arm++)
			if (is_in(set, arm))
				ret_p[arm - 1] = fmax(ret_p[arm - 1], p);
	}
}
