// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "report/facts.h"
#include "report/figure.h"

static void expect(const char *expected, struct text *got)
{
	assert_string_equal(expected, text_string(got));
	text_done(got);
}

static void test_rows(void **state)
{
	static const struct {
		const char *unit;
		double a, b;
		const char *a_text, *b_text;
	} rows[] = {
		{"ns", 27614, 8612, "27.61 us", "8.61 us"},
		{"ns", 10.17e6, 8.14e6, "10.17 ms", "8.14 ms"},
		{"ns", 742, 12, "742 ns", "12 ns"},
		{"ns", 742.5, 12.25, "742.5 ns", "12.2 ns"},
		/* Close together: four digits, or they would look the same. */
		{"ns", 27614, 27260, "27.61 us", "27.26 us"},
		{"ns", 100e6, 250e6, "100 ms", "250 ms"},
		/* Scaled by what is printed, not by what is stored. */
		{"ns", 999960, 999960, "1.000 ms", "1.000 ms"},
		/* A step down where the smaller one would be nearly nothing. */
		{"ns", 80e6, 80e3, "80000 us", "80 us"},
		{"ns", 3e9, 0, "3 s", "0 s"},
		{"ns", 0, 0, "0 ns", "0 ns"},
		{"ns/op", 684.21, 848.4, "684 ns/op", "848 ns/op"},
		{"ns/op", 68421, 84840, "68.4 us/op", "84.8 us/op"},
		{"bytes", 84000, 21000, "82.0 KiB", "20.5 KiB"},
		{"bytes", 512, 100, "512 B", "100 B"},
		{"bytes", 0x1p40, 0x1p40, "1 TiB", "1 TiB"},
		{"1/s", 1610, 15820, "1610/s", "15820/s"},
		{"1/s", 2345678, 1887654, "2.35 M/s", "1.89 M/s"},
		{"1/s", 0.25, 0.5, "0.250/s", "0.500/s"},
		{"ratio", 0.98761, 1, "0.988", "1.000"},
		{"ratio", 1, 1, "1", "1"},
		{"stalls", 3, 12, "3 stalls", "12 stalls"},
		{"", 3, 4, "3", "4"},
		{"ns", NAN, INFINITY, "-", "-"},
		{"pages", 1e39, 1e-9, "1.00e+39 pages", "1.00e-09 pages"},
		{"pages", -1e39, -5, "-1.00e+39 pages", "-5 pages"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const double values[] = {rows[i].a, rows[i].b};
		struct figure_style style = figure_style_of(rows[i].unit, values, 2);
		struct text out __text = {0};

		assert_string_equal(style.rest, "");
		figure_print(&out, &style, rows[i].a);
		expect(rows[i].a_text, &out);
		figure_print(&out, &style, rows[i].b);
		expect(rows[i].b_text, &out);
	}
}

/* A unit that would make cells wide is left to the label. */
static void test_long_unit(void **state)
{
	const double value = 84000;
	struct figure_style style = figure_style_of("bytes/scan", &value, 1);
	struct text out __text = {0};

	(void)state;
	assert_string_equal(style.rest, "/scan");
	figure_print(&out, &style, value);
	expect("82.03 KiB", &out);
	style = figure_style_of("furlongs a fortnight", &value, 1);
	assert_string_equal(style.rest, "furlongs a fortnight");
	figure_print(&out, &style, value);
	expect("84000", &out);
}

static void test_changes(void **state)
{
	static const struct {
		double estimate, low, high;
		const char *estimate_text, *low_text, *high_text;
	} rows[] = {
		{-0.688, -0.701, -0.672, "-68.8%", "-70.1", "-67.2"},
		{-0.2, -0.413, 0.088, "-20.0%", "-41.3", "+8.8"},
		{0.0142830, 0.00839771, 0.02036941, "+1.43%", "+0.84", "+2.04"},
		{0.0004, -0.0001, 0.0009, "+0.04%", "-0.01", "+0.09"},
		{8.83, 8.40, 9.29, "+883%", "+840", "+929"},
		{11.3, 10.9, 12.4, "x12.3", "x11.9", "x13.4"},
		{-0.99969, -0.9999, -0.999, "1/3230", "1/10000", "1/1000"},
		/* 1/1020.4, 1/98.04; between the two bounds of an interval that holds both. */
		{-0.99902, -0.99991, -0.9898, "1/1020", "1/11100", "1/98.0"},
		{11.3, -0.92, 120, "x12.3", "1/12.5", "x121"},
		{2e7, 1e7, 3e7, "x2.00e+07", "x1.00e+07", "x3.00e+07"},
		{-0.5, -1, INFINITY, "-50.0%", "-100", "+inf"},
		/* An end a thousand times away bounds nothing. */
		{-0.974, -0.9861, 1.33e17, "-97.4%", "-98.6", "+inf"},
		/* One notation in a row, and no -100 that is only rounded. */
		{-0.974, -0.9961, 1.33e17, "1/38.5", "1/256", "+inf"},
		{-0.999, -0.9991, -0.991, "1/1000", "1/1110", "1/111"},
		{-0.5, -0.998, 0.2, "x0.500", "1/500", "x1.20"},
		{8.83, 8.40, 11.4, "x9.83", "x9.40", "x12.4"},
		{-0.5, -0.9999, 1e9, "-50.0%", "-100", "+inf"},
		{11.3, -1, INFINITY, "x12.3", "x0", "+inf"},
		{0, 0, 0, "0.00%", "0.00", "0.00"},
		/* Rounded to nothing, so without a direction. */
		{0.0000001, -0.3, 0.3, "0.0%", "-30.0", "+30.0"},
		{0.9996, 0.9, 1.1, "+100%", "+90", "+110"},
		/* The end that is far out does not take the decimals of the rest. */
		{-0.013, -0.391, 1.09, "-1.3%", "-39.1", "+109"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct metric_verdict v = {
			.estimate = rows[i].estimate,
			.interval = {rows[i].low, rows[i].high},
		};
		struct change_style style = change_style_of(&v);
		struct text out __text = {0};

		change_print(&out, &style, v.estimate);
		expect(rows[i].estimate_text, &out);
		change_print_bound(&out, &style, v.interval.low);
		expect(rows[i].low_text, &out);
		change_print_bound(&out, &style, v.interval.high);
		expect(rows[i].high_text, &out);
		change_print(&out, &style, NAN);
		expect("-", &out);
	}
}

static void test_difference(void **state)
{
	static const struct metric time = {.unit = "ns"}, share = {.unit = "ns/s"};
	const struct metric_verdict v = {.metric = &time,
					 .scale = SCALE_DIFFERENCE,
					 .estimate = 3.625e6,
					 .interval = {-INFINITY, 4.1e6}};
	/* The median is near nothing, and its interval is not. */
	const struct metric_verdict wild = {.metric = &share,
					    .scale = SCALE_DIFFERENCE,
					    .estimate = -578,
					    .interval = {-3426256, 4016037}};
	struct change_style style = change_style_of(&v);
	struct text out __text = {0};

	(void)state;
	change_print(&out, &style, v.estimate);
	expect("+3.62 ms", &out);
	change_print_bound(&out, &style, v.interval.low);
	expect("-inf", &out);
	change_print_bound(&out, &style, v.interval.high);
	expect("+4.10", &out);
	style = change_style_of(&wild);
	change_print(&out, &style, wild.estimate);
	expect("0.00 ms/s", &out);
	change_print_bound(&out, &style, wild.interval.low);
	expect("-3.43", &out);
	change_print_bound(&out, &style, wild.interval.high);
	expect("+4.02", &out);
}

static void test_probabilities(void **state)
{
	struct text out __text = {0};

	(void)state;
	probability_print(&out, 2.0 / 256);
	expect("0.0078", &out);
	probability_print(&out, 1e-5);
	expect("1e-05", &out);
	probability_print(&out, 0.999);
	expect("1", &out);
	percent_print(&out, 0.02);
	expect("2 %", &out);
	percent_print(&out, 0.005);
	expect("0.5 %", &out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_long_unit),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_probabilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
