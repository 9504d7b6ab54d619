// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/quantiles.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "stats/summary.h"

/*
 * Selection by digits. The bits of a double, its sign bit turned, are an integer in the same order;
 * of that the highest bits in which the values differ are a digit. One pass counts how many values
 * have which digit, which says of each rank in which of these buckets it lies; a second pass keeps
 * the values in those buckets, and each is gone on with. A round narrows a bucket by all bits of a
 * digit, so no data makes more than 64 / DIGIT_BITS_MIN rounds, and usual data two.
 */
enum {
	DIGIT_BITS_MIN = 4,
	DIGIT_BITS_MAX = 16, /* 65536 counts fit into a cache */
};

/* A rank that is looked for. */
struct pick {
	size_t rank; /* from 0, among the values at hand */
	double *ret_value;
};

static uint64_t key_of(double value)
{
	static const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits;

	/* Minus zero becomes zero: both are one value. */
	value += 0.0;
	memcpy(&bits, &value, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}

/* How many low bits of a key are left for later rounds. */
static unsigned int digit_shift(uint64_t low, uint64_t high, size_t n)
{
	unsigned int width = 64 - (unsigned int)__builtin_clzll(low ^ high);
	unsigned int bits = DIGIT_BITS_MIN;

	while (bits < DIGIT_BITS_MAX && n >> bits)
		bits++;
	return width > bits ? width - bits : 0;
}

/* The values of one bucket, and the picks among them. */
struct part {
	double *values;
	size_t count;
	struct pick *picks;
	size_t pick_count;
};

/*
 * Finds the buckets in which picks lie, which come in ascending order: a part for each, its number
 * (from 1) in place of the bucket's count, 0 in all others. Returns how many; ret_kept: their
 * values.
 */
static size_t divide(uint32_t *counts, size_t buckets, struct pick *picks, size_t pick_count,
		     struct part *parts, size_t *ret_kept)
{
	size_t found = 0, below = 0, k = 0;

	*ret_kept = 0;
	for (size_t i = 0; i < buckets; i++) {
		size_t above = below + counts[i];
		struct part *part = &parts[found];

		*part = (struct part){.count = counts[i], .picks = &picks[k]};
		for (; k < pick_count && picks[k].rank < above; k++) {
			picks[k].rank -= below;
			part->pick_count++;
		}
		counts[i] = 0;
		below = above;
		if (!part->pick_count)
			continue;
		*ret_kept += part->count;
		counts[i] = (uint32_t)++found;
	}
	return found;
}

static void select_picks(const double *x, size_t n, struct pick *picks, size_t pick_count)
{
	double min = summary_min(x, n), max = summary_max(x, n);
	uint64_t low = key_of(min), base;
	uint32_t *counts __free(memory) = NULL;
	struct part *parts __free(memory) = NULL;
	double *kept __free(memory) = NULL;
	size_t buckets, part_count, kept_count, room = 0;
	unsigned int shift;

	if (min == max) {
		for (size_t i = 0; i < pick_count; i++)
			*picks[i].ret_value = min;
		return;
	}
	shift = digit_shift(low, key_of(max), n);
	base = low >> shift;
	buckets = (size_t)((key_of(max) >> shift) - base) + 1;
	counts = memory_array(buckets, sizeof(*counts));
	for (size_t i = 0; i < n; i++)
		counts[(key_of(x[i]) >> shift) - base]++;
	/* One more than picks: what is tried and not taken. */
	parts = memory_array(pick_count + 1, sizeof(*parts));
	part_count = divide(counts, buckets, picks, pick_count, parts, &kept_count);
	kept = memory_array(kept_count, sizeof(*kept));
	for (size_t i = 0; i < part_count; i++) {
		parts[i].values = kept + room;
		room += parts[i].count;
		parts[i].count = 0;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t number = counts[(key_of(x[i]) >> shift) - base];

		if (number) {
			struct part *part = &parts[number - 1];

			part->values[part->count++] = x[i];
		}
	}
	for (size_t i = 0; i < part_count; i++)
		select_picks(parts[i].values, parts[i].count, parts[i].picks, parts[i].pick_count);
}

static int by_rank(const void *a, const void *b)
{
	size_t x = ((const struct pick *)a)->rank, y = ((const struct pick *)b)->rank;

	return (x > y) - (x < y);
}

void quantiles_select(const double *x, size_t n, const size_t *ranks, size_t count,
		      double *ret_values)
{
	struct pick *picks __free(memory) = memory_array(count, sizeof(*picks));

	/* 32 bits count the values of a bucket. */
	assert(n > 0 && n <= UINT32_MAX);
	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		assert(ranks[i] > 0 && ranks[i] <= n);
		picks[i] = (struct pick){ranks[i] - 1, &ret_values[i]};
	}
	qsort(picks, count, sizeof(*picks), by_rank);
	select_picks(x, n, picks, count);
}

void quantiles_find(const double *x, size_t n, double level, struct quantile *list, size_t count,
		    struct quantiles *ret)
{
	size_t *ranks __free(memory) = memory_array(3 * count, sizeof(*ranks));
	double *values __free(memory) = memory_array(3 * count, sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		struct order_ranks *own = &list[i].ranks;

		*own = order_find_ranks(n, list[i].q, level);
		ranks[3 * i] = order_rank(n, list[i].q);
		/* Of an end that is not bounded any rank does. */
		ranks[3 * i + 1] = own->low ? own->low : 1;
		ranks[3 * i + 2] = own->high <= n ? own->high : n;
	}
	quantiles_select(x, n, ranks, 3 * count, values);
	for (size_t i = 0; i < count; i++) {
		const struct order_ranks *own = &list[i].ranks;

		list[i].value = values[3 * i];
		list[i].interval.low = own->low ? values[3 * i + 1] : -INFINITY;
		list[i].interval.high = own->high <= n ? values[3 * i + 2] : INFINITY;
	}
	if (ret)
		*ret = (struct quantiles){
			.min = summary_min(x, n),
			.max = summary_max(x, n),
			.mean = summary_mean(x, n),
		};
}
