// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PER_POWER = 1 << HISTOGRAM_BITS };

int64_t histogram_lower(unsigned int index)
{
	unsigned int shift;

	if (index < 2 * PER_POWER)
		return index;
	shift = (index >> HISTOGRAM_BITS) - 1;
	return (int64_t)(PER_POWER + index % PER_POWER) << shift;
}

int64_t histogram_width(unsigned int index)
{
	return index < 2 * PER_POWER ? 1 : INT64_C(1) << ((index >> HISTOGRAM_BITS) - 1);
}

/* Largest value of a bucket; the last one also holds what is longer. */
static int64_t upper(unsigned int index)
{
	if (index == HISTOGRAM_BUCKETS - 1)
		return INT64_MAX;
	return histogram_lower(index) + histogram_width(index) - 1;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	if (__builtin_add_overflow(into->count, from->count, &into->count))
		into->count = UINT64_MAX;
	if (__builtin_add_overflow(into->sum, from->sum, &into->sum))
		into->sum = INT64_MAX;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (__builtin_add_overflow(into->buckets[i], from->buckets[i], &into->buckets[i]))
			into->buckets[i] = UINT64_MAX;
	}
}

double histogram_quantile(const struct histogram *h, double q)
{
	/* 0.07 * 100 is 7.000000000000001 in doubles: take the rounding back before the ceiling. */
	double rank = ceil(q * (double)h->count * (1 - 4 * DBL_EPSILON));
	uint64_t seen = 0;
	unsigned int index = 0;
	double middle;

	if (rank <= 1)
		return (double)h->min;
	if (rank >= (double)h->count)
		return (double)h->max;
	while (index < HISTOGRAM_BUCKETS - 1) {
		seen += h->buckets[index];
		if ((double)seen >= rank)
			break;
		index++;
	}
	middle = (double)histogram_lower(index) + (double)(histogram_width(index) - 1) / 2;
	/* The extremes are known better than their buckets. */
	return fmin(fmax(middle, (double)h->min), (double)h->max);
}

void histogram_rank(const struct histogram *h, uint64_t rank, int64_t *ret_low, int64_t *ret_high)
{
	unsigned int index = 0;
	uint64_t seen = h->buckets[0];

	while (index < HISTOGRAM_BUCKETS - 1 && seen < rank)
		seen += h->buckets[++index];
	*ret_low = rank >= h->count ? h->max : larger(histogram_lower(index), h->min);
	*ret_high = rank <= 1 ? h->min : smaller(upper(index), h->max);
}

json_t *histogram_to_json(const struct histogram *h)
{
	json_t *object = json_object();
	json_t *buckets = json_array();

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		json_t *pair;

		if (!h->buckets[i])
			continue;
		pair = json_array();
		json_array_append_new(pair, json_integer(i));
		json_array_append_new(pair, json_integer((json_int_t)h->buckets[i]));
		json_array_append_new(buckets, pair);
	}
	json_object_set_new(object, "count", json_integer((json_int_t)h->count));
	json_object_set_new(object, "sum", json_integer(h->sum));
	json_object_set_new(object, "min", json_integer(h->min));
	json_object_set_new(object, "max", json_integer(h->max));
	json_object_set_new(object, "buckets", buckets);
	return object;
}

/* The four exact figures, and what the buckets make of them. */
struct claim {
	int64_t count, sum, min, max;
	int64_t counted; /* values in the buckets read so far */
	__int128 least_sum, largest_sum;
	unsigned int first, last; /* occupied buckets */
};

static bool read_bucket(const json_t *pair, struct claim *c, struct error *err)
{
	const json_t *index_value = json_array_get(pair, 0);
	const json_t *count_value = json_array_get(pair, 1);
	int64_t index, count;

	if (json_array_size(pair) != 2 || !json_is_integer(index_value) ||
	    !json_is_integer(count_value))
		return error_set(err, ERROR_DATA, "not [index,count]");
	index = json_integer_value(index_value);
	count = json_integer_value(count_value);
	if (index < 0 || index >= HISTOGRAM_BUCKETS)
		return error_set(err, ERROR_DATA, "index out of range");
	if (c->counted && index <= (int64_t)c->last)
		return error_set(err, ERROR_DATA, "index out of order");
	if (count < 1 || count > c->count - c->counted)
		return error_set(err, ERROR_DATA, "counts do not add up");
	if (!c->counted)
		c->first = (unsigned int)index;
	c->last = (unsigned int)index;
	c->counted += count;
	c->least_sum += (__int128)count * larger(histogram_lower(c->last), c->min);
	c->largest_sum += (__int128)count * smaller(upper(c->last), c->max);
	return true;
}

static bool check_claim(struct claim *c, struct error *err)
{
	if (c->counted != c->count)
		return error_set(err, ERROR_DATA, "counts do not add up");
	if (!c->count) {
		if (c->sum || c->min || c->max)
			return error_set(err, ERROR_DATA, "empty, but not zero");
		return true;
	}
	if (c->min > c->max || histogram_index((uint64_t)c->min) != c->first ||
	    histogram_index((uint64_t)c->max) != c->last)
		return error_set(err, ERROR_DATA, "an extreme is outside its bucket");
	/* One value is the minimum and one the maximum, wherever the others lie. */
	c->least_sum += c->max - larger(histogram_lower(c->last), c->min);
	c->largest_sum -= smaller(upper(c->first), c->max) - c->min;
	if (c->sum < c->least_sum || c->sum > c->largest_sum)
		return error_set(err, ERROR_DATA, "the sum does not fit the buckets");
	return true;
}

bool histogram_from_json(const json_t *object, struct histogram *ret, struct error *err)
{
	struct claim c = {0};
	json_t *buckets, *pair;
	size_t i;

	if (!json_get_count(object, "count", &c.count, err) ||
	    !json_get_count(object, "sum", &c.sum, err) ||
	    !json_get_count(object, "min", &c.min, err) ||
	    !json_get_count(object, "max", &c.max, err) ||
	    !json_get_array(object, "buckets", &buckets, err))
		return error_wrap(err, "histogram");
	json_array_foreach(buckets, i, pair) {
		if (!read_bucket(pair, &c, err))
			return error_wrap(err, "histogram: bucket %zu", i);
	}
	if (!check_claim(&c, err))
		return error_wrap(err, "histogram");

	memset(ret, 0, sizeof(*ret));
	ret->count = (uint64_t)c.count;
	ret->sum = c.sum;
	ret->min = c.min;
	ret->max = c.max;
	json_array_foreach(buckets, i, pair) {
		json_int_t index = json_integer_value(json_array_get(pair, 0));

		ret->buckets[index] = (uint64_t)json_integer_value(json_array_get(pair, 1));
	}
	return true;
}
