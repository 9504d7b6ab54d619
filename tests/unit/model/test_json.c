// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "made.h"

static int set_up(void **state)
{
	(void)state;
	json_use_memory();
	return 0;
}

static void refuse(const char *bytes, size_t length, const char *why)
{
	json_t *value = NULL;
	struct error err;

	if (json_parse(bytes, length, &value, &err))
		fail_msg("'%.*s' was taken", (int)length, bytes);
	assert_null(value);
	assert_int_equal(err.code, ERROR_DATA);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_parse(void **state)
{
	json_t *value __free(json) = NULL;
	struct error err;
	static const char text[] = " {\"a\":[1,2.5,\"x\",null,true]}\n";

	(void)state;
	assert_true(json_parse(text, sizeof(text) - 1, &value, &err));
	assert_int_equal(json_array_size(json_object_get(value, "a")), 5);
}

static void test_parse_refuses(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "line"},
		{"   ", "line"},
		{"{", "line 1 column 1"},
		{"{\"a\":1}x", "line 1 column 8: end of file expected"},
		{"{\"a\":1}{}", "end of file expected"},
		{"{\"a\":1,\"a\":2}", "duplicate"},
		{"{\"a\":1,}", "line 1"},
		{"[1,\n2,\n!]", "line 3 column 1"},
		{"[\"\\u0000\"]", "\\u0000"},
		{"[\"\x80\"]", "unable to decode byte 0x80"},
		{"[\"\xed\xa0\x80\"]", "unable to decode byte 0xed"},
		{"[\"\\ud800\"]", "Unicode"},
		{"[9223372036854775808]", "too big"},
		{"[1e999]", "overflow"},
		{"[NaN]", "line 1"},
		{"[Infinity]", "line 1"},
		{"[01]", "line 1"},
		{"[+1]", "line 1"},
		{"[.5]", "line 1"},
		{"['a']", "line 1"},
		{"[1] // no", "end of file expected"},
		{"[\"\t\"]", "control character"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		refuse(cases[i].text, strlen(cases[i].text), cases[i].why);
	/* A zero byte ends nothing. */
	refuse("{}\0", 3, "line 1");
	refuse("[\"a\0b\"]", 7, "line 1");
	refuse(NULL, 0, "");
}

/* Deep nesting is refused, so that whoever walks or frees a value does not run out of stack. */
static void test_parse_depth(void **state)
{
	char *deep __free(memory) = memory_alloc(20001);
	json_t *value __free(json) = NULL;
	struct error err;

	(void)state;
	memset(deep, '[', 10000);
	memset(deep + 10000, ']', 10000);
	refuse(deep, 20000, "maximum parsing depth");
	assert_true(json_parse(deep + 9000, 2000, &value, &err));
}

static void test_line(void **state)
{
	json_t *value __free(json) =
		made("{'z':1,'a':[true,null,0.1,-5,1e300],'m':{'é':'\\\\ \\n'}}");
	char *line __free(memory) = json_line(value);

	(void)state;
	/* Keys as they came, one line. */
	assert_string_equal(line, "{\"z\":1,\"a\":[true,null,0.10000000000000001,-5,"
				  "1.0000000000000001e300],\"m\":{\"é\":\"\\\\ \\n\"}}");
}

static void test_line_round_trip(void **state)
{
	struct random r;

	(void)state;
	random_seed(&r, 4021, 0);
	for (int i = 0; i < 20000; i++) {
		json_t *list __free(json) = json_array();
		json_t *back __free(json) = NULL;
		char *line __free(memory) = NULL;
		uint64_t bits = random_next(&r);
		struct error err;
		double number;

		memcpy(&number, &bits, sizeof(number));
		if (!isfinite(number))
			continue;
		json_array_append_new(list, json_real(number));
		json_array_append_new(list, json_real((double)(int64_t)bits));
		json_array_append_new(list, json_integer((json_int_t)bits));
		line = json_line(list);
		if (!json_parse(line, strlen(line), &back, &err))
			fail_msg("%s: %s", line, err.text);
		assert_true(json_equal(list, back));
	}
}

static void says(const struct error *err, const char *text)
{
	assert_int_equal(err->code, ERROR_DATA);
	assert_string_equal(err->text, text);
}

static void test_get(void **state)
{
	json_t *o __free(json) = made("{'s':'x','i':-5,'r':2.5,'t':true,'f':false,'n':null,"
				      "'o':{},'a':[]}");
	const char *string = "old";
	json_t *part = NULL;
	int64_t integer = 7;
	double number = 7;
	bool truth = true;
	struct error err;

	(void)state;
	assert_true(json_get_string(o, "s", &string, &err));
	assert_string_equal(string, "x");
	assert_true(json_get_integer(o, "i", &integer, &err));
	assert_int_equal(integer, -5);
	assert_true(json_get_number(o, "r", &number, &err));
	assert_true(number == 2.5);
	assert_true(json_get_number(o, "i", &number, &err));
	assert_true(number == -5);
	assert_true(json_get_bool(o, "f", &truth, &err));
	assert_false(truth);
	assert_true(json_get_bool(o, "t", &truth, &err));
	assert_true(truth);
	assert_true(json_get_object(o, "o", &part, &err));
	assert_true(json_is_object(part));
	assert_true(json_get_array(o, "a", &part, &err));
	assert_true(json_is_array(part));
}

static void test_get_refuses(void **state)
{
	json_t *o __free(json) = made("{'s':'x','i':1,'r':2.0,'t':true,'n':null,'o':{},'a':[]}");
	const char *string = "old";
	json_t *part = NULL;
	int64_t integer = 7;
	double number = 7;
	bool truth = true;
	struct error err;

	(void)state;
	assert_false(json_get_string(o, "none", &string, &err));
	says(&err, "field 'none' is not a string");
	assert_false(json_get_string(o, "n", &string, &err));
	assert_false(json_get_string(o, "i", &string, &err));
	assert_string_equal(string, "old");
	/* 2.0 is no integer, and true no 1. */
	assert_false(json_get_integer(o, "r", &integer, &err));
	says(&err, "field 'r' is not an integer");
	assert_false(json_get_integer(o, "t", &integer, &err));
	assert_false(json_get_integer(o, "s", &integer, &err));
	assert_int_equal(integer, 7);
	assert_false(json_get_number(o, "s", &number, &err));
	says(&err, "field 's' is not a number");
	assert_true(number == 7);
	assert_false(json_get_bool(o, "i", &truth, &err));
	says(&err, "field 'i' is not true or false");
	assert_false(json_get_object(o, "a", &part, &err));
	says(&err, "field 'a' is not an object");
	assert_false(json_get_array(o, "o", &part, &err));
	says(&err, "field 'o' is not an array");
	assert_null(part);

	/* What is no object at all has no fields. */
	assert_false(json_get_string(NULL, "s", &string, &err));
	assert_false(json_get_string(json_object_get(o, "a"), "s", &string, &err));
	assert_false(json_get_integer(json_object_get(o, "s"), "s", &integer, &err));
}

static void test_get_word(void **state)
{
	static const char *const words[] = {"lower", "higher", NULL};
	json_t *o __free(json) = made("{'w':'higher','x':'highest','e':'','n':1}");
	struct error err;
	int word = -1;

	(void)state;
	assert_true(json_get_word(o, "w", words, &word, &err));
	assert_int_equal(word, 1);
	assert_false(json_get_word(o, "x", words, &word, &err));
	says(&err, "field 'x': unknown word 'highest'");
	assert_false(json_get_word(o, "e", words, &word, &err));
	assert_false(json_get_word(o, "n", words, &word, &err));
	says(&err, "field 'n' is not a string");
	assert_int_equal(word, 1);
}

static void test_is_name(void **state)
{
	char longest[65];

	(void)state;
	assert_true(json_is_name("proc_maps", 9));
	assert_true(json_is_name("a", 1));
	assert_true(json_is_name("2mb-pages", 9));
	assert_true(json_is_name("a.b", 1));
	assert_false(json_is_name("", 0));
	assert_false(json_is_name("_a", 2));
	assert_false(json_is_name("-a", 2));
	assert_false(json_is_name("a.b", 3));
	assert_false(json_is_name("a b", 3));
	assert_false(json_is_name("a=b", 3));
	assert_false(json_is_name("a\n", 2));
	assert_false(json_is_name("\x1b[1m", 4));
	assert_false(json_is_name("\xc3\xa9", 2));
	memset(longest, 'x', sizeof(longest));
	assert_true(json_is_name(longest, 63));
	assert_false(json_is_name(longest, 64));
}

static void test_get_strict(void **state)
{
	json_t *o __free(json) = made("{'name':'brk1','bad':'a b','zero':0,'minus':-1,"
				      "'none':{},'strings':{'a':'1','b':''},"
				      "'mixed':{'a':'1','b':2}}");
	const char *name = NULL;
	json_t *part = NULL;
	int64_t count = 7;
	struct error err;

	(void)state;
	assert_true(json_get_name(o, "name", &name, &err));
	assert_string_equal(name, "brk1");
	assert_false(json_get_name(o, "bad", &name, &err));
	says(&err, "field 'bad' is not a name (letters, digits, _ and -)");
	assert_false(json_get_name(o, "zero", &name, &err));
	assert_string_equal(name, "brk1");

	assert_false(json_get_count(o, "minus", &count, &err));
	says(&err, "field 'minus' is negative");
	assert_false(json_get_count(o, "name", &count, &err));
	assert_int_equal(count, 7);
	assert_true(json_get_count(o, "zero", &count, &err));
	assert_int_equal(count, 0);

	assert_false(json_get_strings(o, "mixed", &part, &err));
	says(&err, "field 'mixed': 'b' is not a string");
	assert_false(json_get_strings(o, "name", &part, &err));
	assert_null(part);
	assert_true(json_get_strings(o, "strings", &part, &err));
	assert_int_equal(json_object_size(part), 2);
	assert_true(json_get_strings(o, "none", &part, &err));
	assert_int_equal(json_object_size(part), 0);
}

#define BAD "\xef\xbf\xbd"

static void test_text(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{NULL, ""},
		{"", ""},
		{"plain\n", "plain\n"},
		{"\x7f", "\x7f"},
		{"\xc3\xa9", "\xc3\xa9"},
		{"\xe2\x82\xac", "\xe2\x82\xac"},
		{"\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7"},
		{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
		/* A continuation without a beginning, and the other way round. */
		{"a\x80z", "a" BAD "z"},
		{"a\xc3", "a" BAD},
		{"a\xc3z", "a" BAD "z"},
		{"\xe2\x82", BAD BAD},
		{"\xf0\x9f\x90", BAD BAD BAD},
		/* Longer than needed, a surrogate, above U+10FFFF, no UTF-8 at all. */
		{"\xc0\xaf", BAD BAD},
		{"\xe0\x80\xaf", BAD BAD BAD},
		{"\xed\xa0\x80", BAD BAD BAD},
		{"\xf4\x90\x80\x80", BAD BAD BAD BAD},
		{"\xff\xfe", BAD BAD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *value __free(json) = json_text(cases[i].in);

		assert_non_null(value);
		assert_string_equal(json_string_value(value), cases[i].out);
	}
}

/* Agrees with jansson about what UTF-8 is, and never fails where jansson does. */
static void test_text_random(void **state)
{
	static const unsigned char edges[] = {
		'a',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
		0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xfe, 0xff,
	};
	struct random r;
	int valid = 0;

	(void)state;
	random_seed(&r, 4021, 1);
	for (int i = 0; i < 300000; i++) {
		json_t *ours __free(json) = NULL;
		json_t *theirs __free(json) = NULL;
		size_t length = random_below(&r, 6);
		char text[6];

		for (size_t j = 0; j < length; j++)
			text[j] = (char)edges[random_below(&r, sizeof(edges))];
		text[length] = '\0';
		ours = json_text(text);
		theirs = json_string(text);
		assert_non_null(ours);
		if (theirs)
			assert_true(json_equal(ours, theirs));
		else
			assert_non_null(strstr(json_string_value(ours), BAD));
		valid += theirs && length > 1;
	}
	assert_true(valid > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_refuses),
		cmocka_unit_test(test_parse_depth),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_line_round_trip),
		cmocka_unit_test(test_get),
		cmocka_unit_test(test_get_refuses),
		cmocka_unit_test(test_get_word),
		cmocka_unit_test(test_is_name),
		cmocka_unit_test(test_get_strict),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_random),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
