// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "made.h"
#include "model/histogram.h"

/* Zeroed for each test. */
static struct histogram one, two, three;

static int clear(void **state)
{
	(void)state;
	memset(&one, 0, sizeof(one));
	memset(&two, 0, sizeof(two));
	memset(&three, 0, sizeof(three));
	return 0;
}

static bool same(const struct histogram *a, const struct histogram *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Every value has one bucket: they lie side by side, from 0 to the limit. */
static void test_buckets(void **state)
{
	(void)state;
	assert_int_equal(HISTOGRAM_BUCKETS, 4608);
	assert_int_equal(histogram_lower(0), 0);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		int64_t lower = histogram_lower(i);
		int64_t width = histogram_width(i);

		assert_true(width >= 1);
		assert_int_equal(histogram_index((uint64_t)lower), i);
		assert_int_equal(histogram_index((uint64_t)(lower + width - 1)), i);
		if (i + 1 < HISTOGRAM_BUCKETS)
			assert_int_equal(lower + width, histogram_lower(i + 1));
		else
			assert_int_equal(lower + width, INT64_C(1) << HISTOGRAM_LIMIT_BITS);
		/* Up to 255 a bucket each; behind that 128 to a power of two. */
		assert_int_equal(width == 1, lower < 256);
	}
}

static void in_bucket(uint64_t value)
{
	unsigned int index = histogram_index(value);

	if (value >> HISTOGRAM_LIMIT_BITS) {
		assert_int_equal(index, HISTOGRAM_BUCKETS - 1);
		return;
	}
	assert_true(index < HISTOGRAM_BUCKETS);
	assert_true((int64_t)value >= histogram_lower(index));
	assert_true((int64_t)value < histogram_lower(index) + histogram_width(index));
}

static void test_powers_of_two(void **state)
{
	(void)state;
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t power = UINT64_C(1) << bit;

		in_bucket(power - 1);
		in_bucket(power);
		in_bucket(power + 1);
		in_bucket(power + power / 2);
		/* A power of two begins a bucket. */
		if (bit < HISTOGRAM_LIMIT_BITS) {
			assert_int_equal(histogram_lower(histogram_index(power)), power);
			assert_int_equal(histogram_index(power), histogram_index(power - 1) + 1);
		}
	}
	in_bucket(UINT64_MAX);
}

static void test_relative_error(void **state)
{
	struct random r;
	double worst = 0;

	(void)state;
	random_seed(&r, 4021, 0);
	for (int i = 0; i < 1000000; i++) {
		/* As many small ones as large ones. */
		uint64_t value = random_next(&r) >> (64 - 1 - random_below(&r, 42));
		unsigned int index = histogram_index(value);
		double middle =
			(double)histogram_lower(index) + (double)(histogram_width(index) - 1) / 2;
		double error = fabs(middle - (double)value);

		in_bucket(value);
		if (value < 256)
			assert_true(error == 0);
		else if (error / (double)value > worst)
			worst = error / (double)value;
	}
	assert_true(worst <= 0.005);
	assert_true(worst <= 1 / 256.0);
}

/* The same through the door: the middle of three recorded values, read back. */
static void test_read_back(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 4021, 1);
	for (int i = 0; i < 3000; i++) {
		int64_t value = (int64_t)(random_next(&r) >> (64 - 1 - random_below(&r, 42)));

		clear(NULL);
		histogram_record(&one, value);
		histogram_record(&one, 0);
		histogram_record(&one, INT64_C(1) << 42);
		assert_true(fabs(histogram_quantile(&one, 0.5) - (double)value) <=
			    (double)value / 256);
	}
}

static void test_exact(void **state)
{
	int64_t sum = 0, min = INT64_MAX, max = 0;
	uint64_t in_buckets = 0;
	struct random r;

	(void)state;
	random_seed(&r, 4021, 2);
	for (int i = 0; i < 100000; i++) {
		int64_t value = (int64_t)(random_next(&r) >> (24 + random_below(&r, 40)));

		histogram_record(&one, value);
		sum += value;
		min = value < min ? value : min;
		max = value > max ? value : max;
		assert_int_equal(one.count, i + 1);
		assert_int_equal(one.min, min);
		assert_int_equal(one.max, max);
	}
	assert_int_equal(one.sum, sum);
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		in_buckets += one.buckets[i];
	assert_int_equal(in_buckets, 100000);
}

static void test_odd_values(void **state)
{
	(void)state;
	/* A clock that went backwards. */
	histogram_record(&one, -5);
	assert_int_equal(one.count, 1);
	assert_int_equal(one.min, 0);
	assert_int_equal(one.max, 0);
	assert_int_equal(one.sum, 0);
	assert_int_equal(one.buckets[0], 1);

	/* Longer than the buckets go: the extremes are exact all the same. */
	histogram_record(&one, INT64_C(1) << 50);
	assert_int_equal(one.buckets[HISTOGRAM_BUCKETS - 1], 1);
	assert_int_equal(one.max, INT64_C(1) << 50);
	assert_true(histogram_quantile(&one, 1) == 0x1p50);
	assert_true(histogram_quantile(&one, 0.5) == 0);

	/* The first value sets the minimum, whatever zeroed memory holds. */
	histogram_record(&two, 1000);
	assert_int_equal(two.min, 1000);
	assert_int_equal(two.max, 1000);
	/* A bucket's middle never lies outside the extremes. */
	assert_true(histogram_quantile(&two, 0.5) == 1000);
	histogram_record(&two, 1000);
	histogram_record(&two, 1001);
	assert_true(histogram_quantile(&two, 0.5) >= 1000);
	assert_true(histogram_quantile(&two, 0.5) <= 1001);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Values up to 255 have a bucket each: quantiles are those of the sorted values. */
static void test_quantile(void **state)
{
	/* In thousandths, to find the rank in integers. */
	static const unsigned int thousandths[] = {1, 50, 70, 250, 500, 900, 950, 990, 999, 1000};
	int64_t sorted[3000];
	struct random r;

	(void)state;
	random_seed(&r, 4021, 3);
	for (size_t n = 1; n <= 3000; n = n < 150 ? n + 1 : n + 95) {
		clear(NULL);
		for (size_t i = 0; i < n; i++) {
			sorted[i] = (int64_t)random_below(&r, 256);
			histogram_record(&one, sorted[i]);
		}
		qsort(sorted, n, sizeof(*sorted), compare);
		for (size_t i = 0; i < sizeof(thousandths) / sizeof(*thousandths); i++) {
			size_t rank = (n * thousandths[i] + 999) / 1000;
			double q = thousandths[i] / 1000.0;

			assert_true(histogram_quantile(&one, q) == (double)sorted[rank - 1]);
		}
	}
}

/* Between its ends lies the value of each rank, and they are no further apart than a bucket. */
static void test_rank(void **state)
{
	enum { N = 2000 };
	int64_t sorted[N], low, high;

	(void)state;
	for (int64_t i = 0; i < N; i++) {
		sorted[i] = i * i + i;
		histogram_record(&one, sorted[i]);
	}
	for (uint64_t rank = 1; rank <= N; rank++) {
		int64_t value = sorted[rank - 1];

		histogram_rank(&one, rank, &low, &high);
		assert_true(low <= value && value <= high);
		assert_true(high - low < histogram_width(histogram_index((uint64_t)value)));
	}
	/* The extremes are known better than their buckets. */
	histogram_rank(&one, N, &low, &high);
	assert_true(low == sorted[N - 1] && high == sorted[N - 1]);
	histogram_record(&two, 1001);
	histogram_record(&two, 1003);
	histogram_rank(&two, 1, &low, &high);
	assert_true(low == 1001 && high == 1001);
	histogram_rank(&two, 2, &low, &high);
	assert_true(low == 1003 && high == 1003);
}

static void test_merge(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 4021, 4);
	for (int i = 0; i < 10000; i++) {
		int64_t value = (int64_t)(random_next(&r) >> (20 + random_below(&r, 44)));

		histogram_record(i % 3 ? &one : &two, value);
		histogram_record(&three, value);
	}
	histogram_merge(&one, &two);
	assert_true(same(&one, &three));

	/* An empty one changes nothing, and takes over everything. */
	clear(NULL);
	histogram_record(&one, 300);
	histogram_merge(&one, &two);
	assert_int_equal(one.min, 300);
	histogram_merge(&two, &one);
	assert_true(same(&one, &two));
	histogram_merge(&three, &three);
	assert_int_equal(three.count, 0);
}

static void test_merge_saturates(void **state)
{
	(void)state;
	one.count = UINT64_MAX - 1;
	one.sum = INT64_MAX - 1;
	one.buckets[1] = UINT64_MAX - 1;
	one.min = one.max = 1;
	two = one;
	histogram_merge(&one, &two);
	assert_true(one.count == UINT64_MAX);
	assert_true(one.sum == INT64_MAX);
	assert_true(one.buckets[1] == UINT64_MAX);
}

/* To JSON, to a line, and back. */
static void round_trip(const struct histogram *h)
{
	json_t *object __free(json) = histogram_to_json(h);
	char *line __free(memory) = json_line(object);
	json_t *parsed __free(json) = NULL;
	struct error err;

	assert_true(json_parse(line, strlen(line), &parsed, &err));
	memset(&three, 0xaa, sizeof(three));
	if (!histogram_from_json(parsed, &three, &err))
		fail_msg("%s", err.text);
	assert_true(same(h, &three));
}

static void test_round_trip(void **state)
{
	struct random r;

	(void)state;
	round_trip(&one);
	histogram_record(&one, 0);
	round_trip(&one);
	histogram_record(&one, INT64_C(1) << 55);
	round_trip(&one);
	random_seed(&r, 4021, 5);
	for (int i = 0; i < 200; i++) {
		clear(NULL);
		for (uint64_t n = 1 + random_below(&r, 300); n; n--)
			histogram_record(&one,
					 (int64_t)(random_next(&r) >> (10 + random_below(&r, 54))));
		round_trip(&one);
	}
}

static void test_json(void **state)
{
	/*
	 * 1000 lies in [512, 1024), whose buckets of 4 begin at 384 (256 for the values below 256,
	 * 128 for those below 512): 384 + (1000 - 512) / 4 = 506.
	 */
	json_t *expected __free(json) =
		made("{'count':4,'sum':1513,'min':3,'max':1000,'buckets':[[3,1],[255,2],[506,1]]}");
	json_t *object __free(json) = NULL;

	(void)state;
	histogram_record(&one, 255);
	histogram_record(&one, 3);
	histogram_record(&one, 1000);
	histogram_record(&one, 255);
	object = histogram_to_json(&one);
	assert_true(json_equal(object, expected));
}

static void refuse(const char *text, const char *why)
{
	json_t *object __free(json) = made(text);
	struct error err;

	memset(&one, 0xaa, sizeof(one));
	two = one;
	if (histogram_from_json(object, &one, &err))
		fail_msg("taken: %s", text);
	assert_int_equal(err.code, ERROR_DATA);
	if (strcmp(err.text, why) != 0)
		fail_msg("%s: '%s', not '%s'", text, err.text, why);
	assert_true(same(&one, &two));
}

static void test_damaged(void **state)
{
	static const char unsorted[] = "histogram: bucket 1: index out of order";
	static const char range[] = "histogram: bucket 0: index out of range";
	static const char shape[] = "histogram: bucket 0: not [index,count]";
	static const char first[] = "histogram: bucket 0: counts do not add up";
	static const char extreme[] = "histogram: an extreme is outside its bucket";
	static const char sum[] = "histogram: the sum does not fit the buckets";

	(void)state;
	refuse("[]", "histogram: field 'count' is not an integer");
	refuse("{}", "histogram: field 'count' is not an integer");
	refuse("{'count':1.0}", "histogram: field 'count' is not an integer");
	refuse("{'count':-1}", "histogram: field 'count' is negative");
	refuse("{'count':1,'sum':-1}", "histogram: field 'sum' is negative");
	refuse("{'count':1,'sum':1,'min':-1}", "histogram: field 'min' is negative");
	refuse("{'count':1,'sum':1,'min':1,'max':'1'}", "histogram: field 'max' is not an integer");
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':{}}",
	       "histogram: field 'buckets' is not an array");
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[1]}", shape);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[1]]}", shape);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[1,1,1]]}", shape);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[['1',1]]}", shape);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[1,1.0]]}", shape);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[-1,1]]}", range);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[4608,1]]}", range);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[9223372036854775807,1]]}", range);
	refuse("{'count':2,'sum':2,'min':1,'max':1,'buckets':[[1,1],[1,1]]}", unsorted);
	refuse("{'count':2,'sum':3,'min':1,'max':2,'buckets':[[2,1],[1,1]]}", unsorted);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[1,0]]}", first);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[1,-1]]}", first);
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[[1,2]]}", first);
	refuse("{'count':0,'sum':0,'min':0,'max':0,'buckets':[[0,1]]}", first);
	refuse("{'count':2,'sum':2,'min':1,'max':1,'buckets':[[1,1]]}",
	       "histogram: counts do not add up");
	refuse("{'count':1,'sum':1,'min':1,'max':1,'buckets':[]}",
	       "histogram: counts do not add up");
	refuse("{'count':2,'sum':3,'min':1,'max':2,'buckets':[[1,1],[2,9223372036854775807]]}",
	       "histogram: bucket 1: counts do not add up");
	refuse("{'count':0,'sum':1,'min':0,'max':0,'buckets':[]}",
	       "histogram: empty, but not zero");
	refuse("{'count':0,'sum':0,'min':0,'max':1,'buckets':[]}",
	       "histogram: empty, but not zero");
	refuse("{'count':1,'sum':1,'min':0,'max':1,'buckets':[[1,1]]}", extreme);
	refuse("{'count':1,'sum':1,'min':1,'max':2,'buckets':[[1,1]]}", extreme);
	refuse("{'count':2,'sum':3,'min':2,'max':1,'buckets':[[1,1],[2,1]]}", extreme);
	/* In the same bucket, but the wrong way round: 256 and 257 share one. */
	refuse("{'count':2,'sum':513,'min':257,'max':256,'buckets':[[256,2]]}", extreme);
	refuse("{'count':1,'sum':2,'min':1,'max':1,'buckets':[[1,1]]}", sum);
	refuse("{'count':1,'sum':0,'min':1,'max':1,'buckets':[[1,1]]}", sum);
	/* One value cannot be the minimum and another the maximum. */
	refuse("{'count':1,'sum':256,'min':256,'max':257,'buckets':[[256,1]]}", sum);
	refuse("{'count':2,'sum':514,'min':256,'max':257,'buckets':[[256,2]]}", sum);
	refuse("{'count':2,'sum':512,'min':256,'max':257,'buckets':[[256,2]]}", sum);
	refuse("{'count':3,'sum':9,'min':1,'max':3,'buckets':[[1,1],[2,1],[3,1]]}", sum);
	/* Sums that would overflow on the way. */
	refuse("{'count':9223372036854775807,'sum':9223372036854775807,'min':1,"
	       "'max':4398046511103,'buckets':[[1,1],[4607,9223372036854775806]]}",
	       sum);
}

static void test_accepted(void **state)
{
	json_t *pair __free(json) =
		made("{'count':2,'sum':513,'min':256,'max':257,'buckets':[[256,2]],'more':null}");
	json_t *large __free(json) =
		made("{'count':3,'sum':9223372036854775807,'min':4398046511104,"
		     "'max':9223372036854775807,'buckets':[[4607,3]]}");
	struct error err;

	(void)state;
	assert_true(histogram_from_json(pair, &one, &err));
	assert_int_equal(one.buckets[256], 2);
	/* The maximum alone is the whole sum. */
	assert_false(histogram_from_json(large, &one, &err));
	json_object_set_new(large, "max", json_integer(INT64_MAX - 2 * (INT64_C(1) << 42)));
	if (!histogram_from_json(large, &one, &err))
		fail_msg("%s", err.text);
	histogram_merge(&one, &one);
	assert_int_equal(one.sum, INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_buckets, clear),
		cmocka_unit_test_setup(test_powers_of_two, clear),
		cmocka_unit_test_setup(test_relative_error, clear),
		cmocka_unit_test_setup(test_read_back, clear),
		cmocka_unit_test_setup(test_exact, clear),
		cmocka_unit_test_setup(test_odd_values, clear),
		cmocka_unit_test_setup(test_quantile, clear),
		cmocka_unit_test_setup(test_rank, clear),
		cmocka_unit_test_setup(test_merge, clear),
		cmocka_unit_test_setup(test_merge_saturates, clear),
		cmocka_unit_test_setup(test_round_trip, clear),
		cmocka_unit_test_setup(test_json, clear),
		cmocka_unit_test_setup(test_damaged, clear),
		cmocka_unit_test_setup(test_accepted, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
