// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/units.h"

/* What a refused text leaves in its output. */
enum { UNTOUCHED = -77 };

struct integer_case {
	const char *text;
	int64_t value;
};

typedef bool integer_parser(const char *text, int64_t *ret, struct error *err);

static void accept_integers(integer_parser *parse, const struct integer_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct error err = {.text = ""};
		int64_t value = UNTOUCHED;

		if (!parse(cases[i].text, &value, &err))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (value != cases[i].value)
			fail_msg("'%s' became %lld", cases[i].text, (long long)value);
		assert_int_equal(err.code, ERROR_NONE);
	}
}

/* Of a long text the message has the start, so that the reason has its place too. */
static void check_named(const struct error *err, const char *text)
{
	char *start __free(memory) = text_format("'%.100s' is ", text);

	assert_non_null(strstr(err->text, start));
}

/* Every text is refused with words that name it and hold `why`. */
static void refuse_integers(integer_parser *parse, const char *why, const char *const *texts,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value = UNTOUCHED;
		struct error err;

		if (parse(texts[i], &value, &err))
			fail_msg("'%s' was taken for %lld", texts[i], (long long)value);
		assert_int_equal(value, UNTOUCHED);
		assert_int_equal(err.code, ERROR_USAGE);
		check_named(&err, texts[i]);
		assert_non_null(strstr(err.text, why));
	}
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* 400 digits: too large even for a double. */
static const char *digits_400(const char *suffix)
{
	static char text[420];

	memset(text, '9', 400);
	text[400] = '\0';
	strcat(text, suffix);
	return text;
}

static void test_duration(void **state)
{
	static const struct integer_case good[] = {
		{"50ms", 50000000},
		{"1.5s", 1500000000},
		{"10m", INT64_C(600000000000)},
		{"2h", INT64_C(7200000000000)},
		{"800us", 800000},
		{"20ns", 20},
		{"0", 0},
		{"0s", 0},
		{"0.5ms", 500000},
		{"0.001us", 1},
		{"0.1s", 100000000},
		{"9223372036s", INT64_C(9223372036000000000)},
	};
	static const char *const bad[] = {
		"",	"5",   "12x", "08s", "00",    "00s",  "1e3s", " 5s",  "5s ",   "5 s",
		"-5s",	"+5s", ".5s", "5.s", "1..5s", "1,5s", "5S",   "5min", "0x10s", "infs",
		"nans", "s",   "-0s", "5ss", "5sm",   "1_0s", "5M",   "\t5s", "5s\n",  "one",
	};
	static const char *const large[] = {"9223372037s", "9223372036854775808ns", "2562048h"};
	const char *huge = digits_400("s");

	(void)state;
	accept_integers(units_parse_duration, good, COUNT(good));
	refuse_integers(units_parse_duration, "is not a duration", bad, COUNT(bad));
	refuse_integers(units_parse_duration, "is too large", large, COUNT(large));
	refuse_integers(units_parse_duration, "is too large", &huge, 1);
}

static void test_bytes(void **state)
{
	static const struct integer_case good[] = {
		{"0", 0},
		{"4096", 4096},
		{"4096B", 4096},
		{"64k", 65536},
		{"64K", 65536},
		{"64kB", 65536},
		{"64KB", 65536},
		{"64kiB", 65536},
		{"64KiB", 65536},
		{"1.5k", 1536},
		{"768M", INT64_C(805306368)},
		{"768MB", INT64_C(805306368)},
		{"768MiB", INT64_C(805306368)},
		{"10G", INT64_C(10737418240)},
		{"10GB", INT64_C(10737418240)},
		{"10GiB", INT64_C(10737418240)},
		{"1T", INT64_C(1099511627776)},
		{"1TB", INT64_C(1099511627776)},
		{"1TiB", INT64_C(1099511627776)},
		{"8388607T", INT64_C(8388607) << 40},
	};
	static const char *const bad[] = {
		"",   "12x", "08", "1e3", " 5", "5 ",	 "64 k", "-1",	"+1",	"P",
		"1P", "k",   "1g", "1m",  "1t", "64kib", "64kk", ".5k", "0x10", "1Bk",
	};
	static const char *const large[] = {"8388608T", "9223372036854775808"};
	const char *huge = digits_400("");

	(void)state;
	accept_integers(units_parse_bytes, good, COUNT(good));
	refuse_integers(units_parse_bytes, "is not a size", bad, COUNT(bad));
	refuse_integers(units_parse_bytes, "is too large", large, COUNT(large));
	refuse_integers(units_parse_bytes, "is too large", &huge, 1);
}

static void test_count(void **state)
{
	static const struct integer_case good[] = {
		{"0", 0},
		{"1", 1},
		{"10", 10},
		/* More than a double can tell apart. */
		{"9007199254740993", INT64_C(9007199254740993)},
		{"9223372036854775807", INT64_MAX},
	};
	static const char *const bad[] = {
		"",   "12x", "08", "00",   "1e3",   " 5",  "5 ",  "-1", "-0",
		"+1", "1.0", "1.", "0x10", "1,000", "inf", "nan", "%",	"2%",
	};
	static const char *const large[] = {"9223372036854775808", "99999999999999999999"};
	const char *huge = digits_400("");

	(void)state;
	accept_integers(units_parse_count, good, COUNT(good));
	refuse_integers(units_parse_count, "is not a whole number", bad, COUNT(bad));
	refuse_integers(units_parse_count, "is too large", large, COUNT(large));
	refuse_integers(units_parse_count, "is too large", &huge, 1);
}

struct number_case {
	const char *text;
	double value;
};

typedef bool number_parser(const char *text, double *ret, struct error *err);

static void accept_numbers(number_parser *parse, const struct number_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = UNTOUCHED;
		struct error err;

		if (!parse(cases[i].text, &value, &err))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (value != cases[i].value)
			fail_msg("'%s' became %.17g", cases[i].text, value);
	}
}

static void refuse_numbers(number_parser *parse, const char *why, const char *const *texts,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = UNTOUCHED;
		struct error err;

		if (parse(texts[i], &value, &err))
			fail_msg("'%s' was taken for %g", texts[i], value);
		assert_true(value == UNTOUCHED);
		assert_int_equal(err.code, ERROR_USAGE);
		check_named(&err, texts[i]);
		assert_non_null(strstr(err.text, why));
	}
}

static void test_percent(void **state)
{
	static const struct number_case good[] = {
		{"2%", 0.02}, {"0%", 0}, {"100%", 1}, {"0.5%", 0.005}, {"250%", 2.5},
	};
	/* "2" could be 2 % and 200 %: it is neither. */
	static const char *const bad[] = {
		"2",   "",    "%",   "2 %",  " 2%",  "2% ", "-2%",
		"+2%", "2%%", "08%", "1e1%", "0.02", "2%x",
	};
	const char *huge = digits_400("%");

	(void)state;
	accept_numbers(units_parse_percent, good, COUNT(good));
	refuse_numbers(units_parse_percent, "is not a percentage (as 2%)", bad, COUNT(bad));
	refuse_numbers(units_parse_percent, "is too large", &huge, 1);
}

static void test_number(void **state)
{
	static const struct number_case good[] = {
		{"0", 0},  {"1.5", 1.5},     {"-1.5", -1.5},
		{"+2", 2}, {"-0.25", -0.25}, {"1000000", 1e6},
	};
	static const char *const bad[] = {
		"",    "12x", "08", "-08", "1e3",  " 5",  "5 ",	   ".5",  "5.",	   "--1",
		"+-1", "-",   "+",  "inf", "-inf", "nan", "0x1p3", "1,5", "1.2.3", "2%",
	};
	const char *huge = digits_400("");

	(void)state;
	accept_numbers(units_parse_number, good, COUNT(good));
	refuse_numbers(units_parse_number, "is not a number", bad, COUNT(bad));
	refuse_numbers(units_parse_number, "is too large", &huge, 1);
}

static void test_format(void **state)
{
	static const struct {
		double value;
		const char *unit;
		const char *text;
	} cases[] = {
		{27614, "ns", "27.61 us"},
		{-27614, "ns", "-27.61 us"},
		{0, "ns", "0 ns"},
		{0.25, "ns", "0.2500 ns"},
		{1, "ns", "1.000 ns"},
		{12, "ns", "12.00 ns"},
		{150, "ns", "150.0 ns"},
		/* Never "1000 ns": what is printed decides about the unit. */
		{999.94, "ns", "999.9 ns"},
		{999.95, "ns", "1.000 us"},
		{999.96, "ns", "1.000 us"},
		{1000, "ns", "1.000 us"},
		{999949, "ns", "999.9 us"},
		{999950, "ns", "1.000 ms"},
		{999949999, "ns", "999.9 ms"},
		{999950000, "ns", "1.000 s"},
		{9.9994, "ns", "9.999 ns"},
		{9.9996, "ns", "10.00 ns"},
		{99.994, "ns", "99.99 ns"},
		{99.996, "ns", "100.0 ns"},
		{61e9, "ns", "61.00 s"},
		{3600e9, "ns", "3600 s"},
		{22000, "bytes", "21.48 KiB"},
		{0, "bytes", "0 B"},
		{1023, "bytes", "1023 B"},
		{1023.4, "bytes", "1023 B"},
		{1023.5, "bytes", "1.000 KiB"},
		{1024, "bytes", "1.000 KiB"},
		{1048063, "bytes", "1023 KiB"},
		{1048064, "bytes", "1.000 MiB"},
		{0x1p30, "bytes", "1.000 GiB"},
		{0x1p51, "bytes", "2048 TiB"},
		{15820, "1/s", "15820/s"},
		{158.2, "1/s", "158.2/s"},
		{0.5, "ratio", "0.5000"},
		{0.99949, "ratio", "0.9995"},
		{0.99951, "ratio", "1.000"},
		{1.25, "", "1.250"},
		{12.34567, "ns/op", "12.35 ns/op"},
		{1234567, "pages", "1234567 pages"},
		{0.00001, "ratio", "1.000e-05"},
		{1e15, "ratio", "1.000e+15"},
		{NAN, "ns", "nan ns"},
		{NAN, "ratio", "nan"},
		{INFINITY, "ns", "inf s"},
		{-INFINITY, "1/s", "-inf/s"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char buffer[UNITS_TEXT];

		assert_ptr_equal(units_format(cases[i].value, cases[i].unit, buffer), buffer);
		assert_string_equal(buffer, cases[i].text);
	}
}

static void test_format_room(void **state)
{
	static const double values[] = {0,	1,	 -1.7e308,	   1.7e308,
					5e-324, -999.95, 123456789012345.0};
	static const char *const units[] = {
		"ns",
		"bytes",
		"1/s",
		"ratio",
		"",
		"a unit with a very long name indeed",
		"1/a unit with a very long name",
	};

	(void)state;
	for (size_t v = 0; v < COUNT(values); v++) {
		for (size_t u = 0; u < COUNT(units); u++) {
			char buffer[UNITS_TEXT + 1];

			memset(buffer, '#', sizeof(buffer));
			units_format(values[v], units[u], buffer);
			assert_true(strlen(buffer) < UNITS_TEXT);
			assert_int_equal(buffer[UNITS_TEXT], '#');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
