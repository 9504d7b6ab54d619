// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/order.h"

#include "near.h"

/* Method (b): n, q, ranks at 95 %, coverage. */
static void test_ranks(void **state)
{
	static const struct {
		size_t n;
		double q;
		size_t low, high;
		double coverage;
	} worked[] = {
		{20, .5, 6, 15, .958611},
		{10, .5, 2, 9, .978516},
		{100, .5, 40, 61, .964800},
		{100, .95, 90, 100, .982607},
		{1000, .99, 983, 997, .976095},
		{10000, .99, 9880, 9920, .955755},
		{10000, .999, 9983, 9997, .975457},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(worked) / sizeof(*worked); i++) {
		struct order_ranks ranks = order_find_ranks(worked[i].n, worked[i].q, .95);

		assert_int_equal(ranks.low, worked[i].low);
		assert_int_equal(ranks.high, worked[i].high);
		assert_near(ranks.coverage, worked[i].coverage, 5.1e-7);
	}
}

static void test_unbounded(void **state)
{
	struct order_ranks ranks = order_find_ranks(1, .5, .95);

	(void)state;
	assert_int_equal(ranks.low, 0);
	assert_int_equal(ranks.high, 2);
	assert_near(ranks.coverage, 1, 1e-15);
	/* 20 values do not bound a p99 from above. */
	ranks = order_find_ranks(20, .99, .95);
	assert_true(ranks.low > 0);
	assert_int_equal(ranks.high, 21);
	ranks = order_find_ranks(20, .01, .95);
	assert_int_equal(ranks.low, 0);
	assert_true(ranks.high < 21);
}

static void test_smallest_n(void **state)
{
	static const double q[] = {.5, .9, .95, .99, .999, .9999};
	static const size_t bound[] = {6, 29, 59, 299, 2995, 29956};
	static const size_t interval[] = {6, 36, 72, 368, 3688, 36887};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(order_smallest_n_bound(q[i], .95), bound[i]);
		assert_int_equal(order_smallest_n_interval(q[i], .95), interval[i]);
	}
	/* The low quantiles are mirrored. */
	assert_int_equal(order_smallest_n_bound(.01, .95), 299);
	assert_int_equal(order_smallest_n_interval(.01, .95), 368);
	assert_int_equal(order_smallest_n_bound(.5, .01), 2);
}

static void test_rank(void **state)
{
	(void)state;
	assert_int_equal(order_rank(1, .5), 1);
	assert_int_equal(order_rank(10, .5), 5);
	assert_int_equal(order_rank(11, .5), 6);
	/* A product that rounding lifts above the whole number that it is. */
	assert_int_equal(order_rank(100, .07), 7);
	assert_int_equal(order_rank(1000, .999), 999);
	assert_int_equal(order_rank(1001, .999), 1000);
	assert_int_equal(order_rank(10000000, .999), 9990000);
}

/* Method (b): 13.91 % of 20. */
static void test_exceedance(void **state)
{
	(void)state;
	assert_near(order_exceedance_bound(20, .95), .1391, 5.1e-5);
	assert_near(order_exceedance_bound(1, .95), .95, 1e-15);
	assert_near(order_exceedance_bound(10, .95), 1 - pow(.05, .1), 1e-15);
}

/* No smaller n does, whatever the closed form that the search starts from. */
static void test_none_smaller(void **state)
{
	(void)state;
	for (int i = 1; i < 21; i++)
		for (int k = 10; k < 21; k++) {
			double q = .0477 * i, level = .0499 * k;
			size_t n = 1, m = 1;

			while (1 - pow(q, (double)n) - pow(1 - q, (double)n) < level)
				n++;
			assert_int_equal(order_smallest_n_bound(q, level), n);
			for (;; m++) {
				struct order_ranks ranks = order_find_ranks(m, q, level);

				if (ranks.low > 0 && ranks.high <= m)
					break;
			}
			assert_int_equal(order_smallest_n_interval(q, level), m);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_unbounded),
		cmocka_unit_test(test_smallest_n),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_exceedance),
		cmocka_unit_test(test_none_smaller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
