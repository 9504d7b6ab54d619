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

/* Of a block A's figure and those of the arms of a set that are there, in some order. */
struct block {
	size_t count;
	size_t arms[BLOCKS_MOST_ARMS]; /* ascending: A is the first */
	double y[BLOCKS_MOST_ARMS];    /* divided by the largest magnitude of all differences */
};

/* The blocks that have A and any of a set. */
struct set {
	size_t arms; /* A is one of them */
	size_t count;
	struct block *blocks;
};

static bool is_in(size_t set, size_t arm)
{
	return arm == 0 || set >> (arm - 1) & 1;
}

static void take_blocks(struct set *s, const double *y, size_t arms, size_t blocks, size_t set)
{
	double largest = 0;

	*s = (struct set){.blocks = memory_array(blocks, sizeof(*s->blocks))};
	for (size_t arm = 0; arm < arms; arm++)
		s->arms += is_in(set, arm);
	for (size_t i = 0; i < blocks; i++) {
		struct block *b = &s->blocks[s->count];

		b->count = 0;
		for (size_t arm = 0; arm < arms && !isnan(y[i]); arm++) {
			double figure = y[arm * blocks + i];

			assert(!isinf(figure));
			if (!is_in(set, arm) || isnan(figure))
				continue;
			b->arms[b->count] = arm;
			/* Differences are all that matters: relative to A, rounding is least. */
			b->y[b->count] = figure - y[i];
			largest = fmax(largest, fabs(b->y[b->count++]));
		}
		s->count += b->count > 1;
	}
	for (size_t i = 0; i < s->count && largest > 0; i++)
		for (size_t k = 0; k < s->blocks[i].count; k++)
			s->blocks[i].y[k] /= largest;
}

static void set_done(struct set *s)
{
	free(s->blocks);
}

/* The largest r of the set, each over the blocks of its arm; the figures stand in some order. */
static double largest_r(const struct set *s)
{
	double sums[BLOCKS_MOST_ARMS] = {0}, squares[BLOCKS_MOST_ARMS] = {0}, largest = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct block *b = &s->blocks[i];

		for (size_t k = 1; k < b->count; k++) {
			double d = b->y[k] - b->y[0];

			sums[b->arms[k]] += d;
			squares[b->arms[k]] += d * d;
		}
	}
	for (size_t arm = 1; arm < BLOCKS_MOST_ARMS; arm++)
		if (squares[arm] > 0)
			largest = fmax(largest, fabs(sums[arm]) / sqrt(squares[arm]));
	return largest;
}

/* Fisher and Yates, in every block. Also from an order that is not the first one. */
static void permute(struct set *s, struct random *r)
{
	for (size_t block = 0; block < s->count; block++) {
		double *y = s->blocks[block].y;

		for (size_t i = s->blocks[block].count - 1; i > 0; i--) {
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
	if (!s.count)
		return 1;
	if (s.arms > 2)
		return test_by_permutation(&s, seed, set);
	d = memory_array(s.count, sizeof(*d));
	for (size_t block = 0; block < s.count; block++)
		d[block] = s.blocks[block].y[1] - s.blocks[block].y[0];
	return sign_flip_p(d, s.count, seed);
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
