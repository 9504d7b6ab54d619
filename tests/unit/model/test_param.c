// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "made.h"
#include "model/param.h"

enum { TASKS, GAIN, WINDOW, ROOM, SHARE, FILE_WORD, RAW, LABEL, SEED, KEEP, EXACT };

static const struct param declared[] = {
	[TASKS] = {"tasks", PARAM_COUNT, "1", 1, 4096, NULL, .help = "how many"},
	[GAIN] = {"gain", PARAM_NUMBER, "0.5", -1.5, 2.5, NULL, .help = ""},
	[WINDOW] = {"window", PARAM_DURATION, "1s", 1e6, 3600e9, NULL, .help = "how long"},
	[ROOM] = {"room", PARAM_BYTES, "64k", 4096, INFINITY, NULL, .help = ""},
	[SHARE] = {"share", PARAM_PERCENT, "10%", -INFINITY, 1, NULL, .help = ""},
	[FILE_WORD] = {"file", PARAM_CHOICE, "maps", 0, 0, "maps|smaps|smaps_rollup", .help = ""},
	[RAW] = {"raw", PARAM_SWITCH, "no", 0, 0, NULL, .help = ""},
	[LABEL] = {"label", PARAM_TEXT, "", 0, 0, NULL, .help = ""},
	[SEED] = {"seed", PARAM_COUNT, "0", 0, 0, NULL, .help = ""},
	[KEEP] = {"keep", PARAM_DURATION, "0", 0, 0, NULL, .help = "", .needs = "window=1s"},
	[EXACT] = {"exact", PARAM_COUNT, "0", 0, 0x1p53, NULL, .help = ""},
	{.name = NULL},
};

static void accept(int which, const char *text, double expected)
{
	double value = -77;
	struct error err;

	if (!param_check(&declared[which], text, &value, &err))
		fail_msg("%s", err.text);
	assert_true(value == expected);
}

static void refuse(int which, const char *text, const char *message)
{
	double value = -77;
	struct error err;

	if (param_check(&declared[which], text, &value, &err))
		fail_msg("'%s' was taken for %g", text, value);
	assert_true(value == -77);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.text, message);
}

static void test_check(void **state)
{
	(void)state;
	accept(TASKS, "1", 1);
	accept(TASKS, "4096", 4096);
	accept(GAIN, "-1.5", -1.5);
	accept(GAIN, "0", 0);
	accept(WINDOW, "1ms", 1e6);
	accept(WINDOW, "1h", 3600e9);
	accept(WINDOW, "1.5s", 1.5e9);
	accept(ROOM, "4096", 4096);
	accept(ROOM, "1T", 0x1p40);
	accept(SHARE, "0%", 0);
	accept(SHARE, "100%", 1);
	accept(FILE_WORD, "maps", 0);
	accept(FILE_WORD, "smaps", 1);
	accept(FILE_WORD, "smaps_rollup", 2);
	accept(RAW, "yes", 1);
	accept(RAW, "no", 0);
	accept(LABEL, "", 0);
	accept(LABEL, "any = thing, at all", 0);
	/* No range: anything that the type can hold. */
	accept(SEED, "0", 0);
	accept(SEED, "9223372036854775807", 0x1p63);
	accept(EXACT, "9007199254740992", 0x1p53);
}

static void test_check_refuses(void **state)
{
	(void)state;
	refuse(TASKS, "0", "tasks=0: must be 1 to 4096");
	refuse(TASKS, "4097", "tasks=4097: must be 1 to 4096");
	refuse(TASKS, "12x", "tasks=12x: '12x' is not a whole number");
	refuse(TASKS, "", "tasks=: '' is not a whole number");
	refuse(TASKS, "08", "tasks=08: '08' is not a whole number");
	refuse(GAIN, "-1.6", "gain=-1.6: must be -1.5 to 2.5");
	refuse(GAIN, "nan", "gain=nan: 'nan' is not a number");
	/* A range of durations in durations. */
	refuse(WINDOW, "999us", "window=999us: must be 1ms to 1h");
	refuse(WINDOW, "0", "window=0: must be 1ms to 1h");
	refuse(WINDOW, "61m", "window=61m: must be 1ms to 1h");
	refuse(WINDOW, "5", "window=5: '5' is not a duration (as 50ms, 1.5s, 10m)");
	refuse(ROOM, "4095", "room=4095: must be at least 4k");
	refuse(ROOM, "1x", "room=1x: '1x' is not a size (as 4096, 64k, 768M, 10G)");
	refuse(SHARE, "101%", "share=101%: must be at most 100%");
	refuse(SHARE, "5", "share=5: '5' is not a percentage (as 2%)");
	refuse(FILE_WORD, "map", "file=map: must be maps, smaps or smaps_rollup");
	refuse(FILE_WORD, "mapsx", "file=mapsx: must be maps, smaps or smaps_rollup");
	refuse(FILE_WORD, "maps|smaps", "file=maps|smaps: must be maps, smaps or smaps_rollup");
	refuse(FILE_WORD, "", "file=: must be maps, smaps or smaps_rollup");
	refuse(RAW, "1", "raw=1: must be yes or no");
	refuse(RAW, "Yes", "raw=Yes: must be yes or no");
	refuse(RAW, "", "raw=: must be yes or no");
	/* As a double it is the limit. */
	refuse(EXACT, "9007199254740993", "exact=9007199254740993: must be 0 to 9007199254740992");
	refuse(SEED, "9223372036854775808",
	       "seed=9223372036854775808: '9223372036854775808' is too large");
}

/* Limits are written as they would be typed, without a rest. */
static void test_range_words(void **state)
{
	static const struct {
		enum param_type type;
		double low, high;
		const char *value, *words;
	} cases[] = {
		{PARAM_DURATION, 0, 90e9, "2m", "0 to 90s"},
		{PARAM_DURATION, 1, 1500, "1ms", "1ns to 1500ns"},
		{PARAM_DURATION, 60e9, 7200e9, "3h", "1m to 2h"},
		{PARAM_BYTES, 0, 1536, "2k", "0 to 1536"},
		{PARAM_BYTES, 0x1p20, 0x1p40, "2T", "1M to 1T"},
		{PARAM_BYTES, 0x1p30, 1536 * 0x1p20, "1M", "1G to 1536M"},
		{PARAM_PERCENT, 0.001, 0.07, "8%", "0.1% to 7%"},
		{PARAM_COUNT, 0, 1e15, "9000000000000000", "0 to 1000000000000000"},
		{PARAM_NUMBER, 0.1, 0.25, "0.3", "0.1 to 0.25"},
		{PARAM_COUNT, 2, 2, "1", "2 to 2"},
		{PARAM_COUNT, 1, INFINITY, "0", "at least 1"},
		{PARAM_NUMBER, -INFINITY, 0, "1", "at most 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct param p = {
			.name = "x",
			.type = cases[i].type,
			.low = cases[i].low,
			.high = cases[i].high,
		};
		char *expected __free(memory) =
			text_format("x=%s: must be %s", cases[i].value, cases[i].words);
		struct error err;
		double value;

		assert_false(param_check(&p, cases[i].value, &value, &err));
		assert_string_equal(err.text, expected);
	}
}

/* The reason survives a value of any length. */
static void test_long_value(void **state)
{
	char *value __free(memory) = text_format("%0600d", 0);
	struct error err;
	double number;

	(void)state;
	assert_false(param_check(&declared[RAW], value, &number, &err));
	assert_true(strlen(err.text) < 200);
	assert_non_null(strstr(err.text, "...: must be yes or no"));
}

static void same(const struct param *a, const struct param *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->type, b->type);
	assert_string_equal(a->preset, b->preset);
	assert_true(a->low == b->low);
	assert_true(a->high == b->high);
	assert_int_equal(!a->choices, !b->choices);
	if (a->choices)
		assert_string_equal(a->choices, b->choices);
	assert_string_equal(a->help, b->help);
	assert_int_equal(!a->needs, !b->needs);
	if (a->needs)
		assert_string_equal(a->needs, b->needs);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (const struct param *p = declared; p->name; p++) {
		json_t *object __free(json) = param_to_json(p);
		json_t *back __free(json) = NULL;
		char *line __free(memory) = json_line(object);
		struct param again;
		struct error err;

		assert_true(json_parse(line, strlen(line), &back, &err));
		if (!param_from_json(back, &again, &err))
			fail_msg("%s", err.text);
		same(p, &again);
	}
}

static void test_round_trip_sides(void **state)
{
	static const double sides[][2] = {
		{0, INFINITY}, {-INFINITY, 0}, {0, 5}, {-5, 0}, {1, 1}, {-INFINITY, INFINITY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
		struct param p = {
			.name = "x",
			.type = PARAM_NUMBER,
			.preset = sides[i][0] > 0 ? "1" : "0",
			.low = sides[i][0],
			.high = sides[i][1],
			.help = "",
		};
		json_t *object __free(json) = param_to_json(&p);
		struct param again;
		struct error err;

		if (!param_from_json(object, &again, &err))
			fail_msg("%s", err.text);
		/* No limit at all has one spelling. */
		if (isinf(p.low) && isinf(p.high))
			p.low = p.high = 0;
		same(&p, &again);
	}
}

static void refuse_json(const char *text, const char *message)
{
	json_t *object __free(json) = made(text);
	struct param p = {.name = "untouched"};
	struct error err;

	if (param_from_json(object, &p, &err))
		fail_msg("taken: %s", text);
	assert_string_equal(p.name, "untouched");
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, message);
}

/* No default, and a name with a dot: only a setup's has either. */
static void test_json_of_setup(void **state)
{
	static const char text[] =
		"{'name':'memcg.swap','type':'bytes','low':1.0,'high':2.0,'help':'',"
		"'setup':'memcg'}";
	json_t *object __free(json) = made(text);
	json_t *values __free(json) = json_object(), *again __free(json) = NULL;
	struct param p[2] = {{0}};
	struct error err;

	(void)state;
	assert_true(param_from_json(object, p, &err));
	assert_string_equal(p->name, "memcg.swap");
	assert_string_equal(p->setup, "memcg");
	assert_null(p->preset);
	assert_null(params_string(values, p, "memcg.swap"));
	assert_true(param_same(p, NULL, NULL));
	assert_false(param_same(p, NULL, "1"));
	again = param_to_json(p);
	assert_true(json_equal(object, again));
	refuse_json("{'name':'a.b.c','type':'text','help':'','setup':'a'}",
		    "parameter: field 'name' is no name of a parameter");
	refuse_json("{'name':'a.','type':'text','help':'','setup':'a'}",
		    "parameter: field 'name' is no name of a parameter");
	refuse_json("{'name':'a.b','type':'text','preset':'','help':''}",
		    "parameter: field 'name' is not a name (letters, digits, _ and -)");
}

static void test_json_refuses(void **state)
{
	(void)state;
	refuse_json("{}", "parameter: field 'name' is not a string");
	refuse_json("{'name':'a=b'}",
		    "parameter: field 'name' is not a name (letters, digits, _ and -)");
	refuse_json("{'name':'x','type':'integer'}",
		    "parameter 'x': field 'type': unknown word 'integer'");
	refuse_json("{'name':'x','type':'count','help':''}", "parameter 'x' has no default");
	refuse_json("{'name':'x','type':'count','preset':'1'}",
		    "parameter 'x': field 'help' is not a string");
	refuse_json("{'name':'x','type':'count','preset':'1','low':'1','help':''}",
		    "parameter 'x': field 'low' is not a number");
	refuse_json("{'name':'x','type':'count','preset':'1','low':2,'high':1,'help':''}",
		    "parameter 'x': an empty range");
	refuse_json("{'name':'x','type':'text','preset':'','low':1,'high':2,'help':''}",
		    "parameter 'x': a text has no range");
	refuse_json("{'name':'x','type':'choice','preset':'a','help':''}",
		    "parameter 'x': field 'choices' is not a string");
	refuse_json("{'name':'x','type':'choice','preset':'a','choices':'a||b','help':''}",
		    "parameter 'x': field 'choices' has an empty word");
	refuse_json("{'name':'x','type':'choice','preset':'a','choices':'a|','help':''}",
		    "parameter 'x': field 'choices' has an empty word");
	refuse_json("{'name':'x','type':'choice','preset':'c','choices':'a|b','help':''}",
		    "parameter 'x': default 'c': must be a or b");
	refuse_json("{'name':'x','type':'count','preset':'0','help':'','needs':1}",
		    "parameter 'x': field 'needs' is not a string");
	refuse_json("{'name':'x','type':'count','preset':'0','low':1,'high':2,'help':''}",
		    "parameter 'x': default '0': must be 1 to 2");
}

static void together(const char *text, const char *message)
{
	json_t *values __free(json) = made(text);
	struct error err = {.text = ""};

	assert_int_equal(params_check(values, declared, &err), !message);
	if (!message)
		return;
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.text, message);
}

static void test_needs(void **state)
{
	(void)state;
	together("{}", NULL);
	together("{'keep':'5ms'}", NULL);
	together("{'window':'2s'}", NULL);
	/* It is what a value means that counts, here and there. */
	together("{'keep':'0ms','window':'2s'}", NULL);
	together("{'keep':'5ms','window':'1000ms'}", NULL);
	together("{'keep':'5ms','window':'2s'}", "keep=5ms needs window=1s");
}

static void declared_needs(const char *needs, const char *message)
{
	const struct param list[] = {
		{"mode", PARAM_CHOICE, "slow", .choices = "slow|fast", .help = ""},
		{"x", PARAM_COUNT, "0", .help = "", .needs = needs},
		{.name = NULL},
	};
	struct error err;

	assert_int_equal(params_check_declared(list, &err), !message);
	if (!message)
		return;
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, message);
}

static void test_needs_declared(void **state)
{
	(void)state;
	declared_needs(NULL, NULL);
	declared_needs("mode=fast", NULL);
	declared_needs("mode=quick", "parameter 'x' needs 'mode=quick', which cannot be given");
	declared_needs("mood=fast", "parameter 'x' needs 'mood=fast', which cannot be given");
	declared_needs("mode", "parameter 'x' needs 'mode', which cannot be given");
	declared_needs("", "parameter 'x' needs '', which cannot be given");
	declared_needs("x=1", "parameter 'x' needs 'x=1', which cannot be given");
}

static void test_look_up(void **state)
{
	json_t *values __free(json) = made("{'tasks':'4','window':'250ms','file':'smaps',"
					   "'raw':'yes','gain':'2.5','seed':'9007199254740993'}");

	(void)state;
	assert_int_equal(params_integer(values, declared, "tasks"), 4);
	assert_true(params_number(values, declared, "tasks") == 4);
	assert_int_equal(params_integer(values, declared, "window"), 250000000);
	assert_int_equal(params_integer(values, declared, "file"), 1);
	assert_string_equal(params_string(values, declared, "file"), "smaps");
	assert_int_equal(params_integer(values, declared, "raw"), 1);
	assert_true(params_number(values, declared, "gain") == 2.5);
	/* More than a double holds. */
	assert_int_equal(params_integer(values, declared, "seed"), INT64_C(9007199254740993));

	/* Absent means default. */
	assert_int_equal(params_integer(values, declared, "room"), 65536);
	assert_true(params_number(values, declared, "share") == 0.1);
	assert_string_equal(params_string(values, declared, "label"), "");
	assert_int_equal(params_integer(NULL, declared, "tasks"), 1);
	assert_string_equal(params_string(NULL, declared, "file"), "maps");
	assert_true(params_number(NULL, declared, "label") == 0);
}

static void test_find(void **state)
{
	static const struct param none[] = {{.name = NULL}};

	(void)state;
	assert_ptr_equal(param_find(declared, "tasks"), &declared[TASKS]);
	assert_ptr_equal(param_find(declared, "seed"), &declared[SEED]);
	assert_null(param_find(declared, "task"));
	assert_null(param_find(declared, ""));
	assert_null(param_find(none, "tasks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_check_refuses),
		cmocka_unit_test(test_range_words),
		cmocka_unit_test(test_long_value),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_sides),
		cmocka_unit_test(test_json_of_setup),
		cmocka_unit_test(test_json_refuses),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_needs_declared),
		cmocka_unit_test(test_look_up),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
