/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_HISTOGRAM_H
#define CONTEND_MODEL_HISTOGRAM_H

#include <stdint.h>

#include "model/json.h"

/*
 * A log-linear histogram of durations: each power of two is cut into 128 equal buckets, values
 * below 256 have a bucket each. A value read back is the middle of its bucket, so it is wrong by
 * at most 1/256 = 0.39 %. Count, sum, minimum and maximum are exact.
 *
 * Everything lies in one flat piece of memory that can be shared between processes and needs no
 * allocation while recording. Zeroed memory is an empty histogram.
 */
enum {
	HISTOGRAM_BITS = 7,
	HISTOGRAM_LIMIT_BITS =
		42, /* 2^42 ns is 73 minutes; longer values count in the last bucket */
	HISTOGRAM_BUCKETS = (HISTOGRAM_LIMIT_BITS - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS,
};

struct histogram {
	uint64_t count;
	int64_t sum;
	int64_t min; /* 0 while empty */
	int64_t max;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline unsigned int histogram_index(uint64_t value)
{
	unsigned int shift;

	if (value < (2U << HISTOGRAM_BITS))
		return (unsigned int)value;
	if (value >> HISTOGRAM_LIMIT_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63U - (unsigned int)__builtin_clzll(value) - HISTOGRAM_BITS;
	return (shift << HISTOGRAM_BITS) + (unsigned int)(value >> shift);
}

/* Records one value; negative ones (a clock that went backwards) count as 0. */
static inline void histogram_record(struct histogram *h, int64_t value)
{
	if (value < 0)
		value = 0;
	if (value < h->min || !h->count)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->count++;
	h->sum += value;
	h->buckets[histogram_index((uint64_t)value)]++;
}

/* Smallest value and number of values of a bucket. */
int64_t histogram_lower(unsigned int index);
int64_t histogram_width(unsigned int index);

/*
 * Adds what the other one holds. Counts and sum stay at their largest value rather than overflow.
 */
void histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * The value of rank ceil(q * count) from below, 0 < q <= 1; exact for the lowest and the highest
 * rank. The histogram must not be empty.
 */
double histogram_quantile(const struct histogram *h, double q);

/*
 * Between what the value of a rank lies, 1 to count, from below: both ends of its bucket, or what
 * is known better of the extremes. They are equal where the value is known exactly.
 */
void histogram_rank(const struct histogram *h, uint64_t rank, int64_t *ret_low, int64_t *ret_high);

/* {"count":…,"sum":…,"min":…,"max":…,"buckets":[[index,count],…]}, empty buckets left out. */
json_t *histogram_to_json(const struct histogram *h);

/*
 * Fills *ret (zeroed by the callee; untouched on failure). Refuses what cannot be: indices out of
 * order or range, counts that do not add up, an extreme outside its bucket, a sum that no values in
 * these buckets have.
 */
bool histogram_from_json(const json_t *object, struct histogram *ret, struct error *err);

#endif
