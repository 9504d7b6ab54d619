// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cli/options.h"

enum { KEY_DEPTH = 'd', KEY_DEEP = KEY_COMMAND, KEY_SEAT };

static const struct argp_option options[] = {
	{.name = "depth", .key = KEY_DEPTH, .arg = "N"},
	{.name = "deep", .key = KEY_DEEP},
	OPTION_FORMAT,
	OPTION_HELP,
	OPTION_QUIET,
	{.name = "seat", .key = KEY_SEAT, .arg = "N", .flags = OPTION_AGAIN},
	OPTION_STORE,
	{0},
};

struct own {
	struct common common;
	const char *depth;
	bool deep;
	int seats;
	struct text words;
};

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct own *own = state->input;

	switch (key) {
	case KEY_DEPTH:
		own->depth = word;
		return 0;
	case KEY_DEEP:
		own->deep = true;
		return 0;
	case KEY_SEAT:
		own->seats++;
		return 0;
	case ARGP_KEY_ARG:
		if (text_equal(word, "bad"))
			return options_result(
				error_set(own->common.err, ERROR_USAGE, "a bad word"));
		text_printf(&own->words, "[%s]", word);
		return 0;
	default:
		return options_common(key, word, &own->common);
	}
}

static const struct argp argp = {.options = options, .parser = parse};

static void own_done(struct own *own)
{
	text_done(&own->words);
}

#define __own __cleanup(own_done)

/* Parses words that are written with blanks between them; "~" is an empty one. */
static bool parse_words(struct own *own, const char *line, struct error *err)
{
	char *copy __free(memory) = memory_string(line);
	enum { WORDS = 32 };
	char *argv[WORDS + 1], *rest = NULL;
	static char kept[WORDS][64];
	int argc = 0;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		assert_true(argc < WORDS);
		snprintf(kept[argc], sizeof(kept[argc]), "%s", text_equal(word, "~") ? "" : word);
		argv[argc] = kept[argc];
		argc++;
	}
	argv[argc] = NULL;
	return options_parse(&argp, argc, argv, &own->common, err);
}

static void takes_options_anywhere(void **state)
{
	struct own own __own = {0};
	struct error err;

	(void)state;
	if (!parse_words(&own,
			 "x one --depth 3 two --deep -q three=4 --seat 12 --store f --deep -q "
			 "--seat 13",
			 &err))
		fail_msg("%s", err.text);
	assert_string_equal(own.depth, "3");
	assert_true(own.deep);
	assert_true(own.common.quiet);
	assert_int_equal(own.seats, 2);
	assert_string_equal(own.common.store, "f");
	assert_string_equal(own.common.report->name, "mail");
	assert_string_equal(text_string(&own.words), "[one][two][three=4]");
	assert_false(own.common.help);
}

static void values_behind_equals(void **state)
{
	struct own own __own = {0};
	struct error err;

	(void)state;
	assert_true(parse_words(&own, "x --depth=--odd --format=json", &err));
	assert_string_equal(own.depth, "--odd");
	assert_string_equal(own.common.report->name, "json");
}

static void a_dash_is_a_word(void **state)
{
	struct own own __own = {0};
	struct error err;

	(void)state;
	assert_true(parse_words(&own, "x - ~", &err));
	assert_string_equal(text_string(&own.words), "[-][]");
}

static void check_refused(const char *line, const char *reason)
{
	struct own own __own = {0};
	struct error err = {0};

	assert_false(parse_words(&own, line, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.text, reason);
}

static void refuses_what_argp_would_guess(void **state)
{
	(void)state;
	check_refused("x --dept 3", "no option '--dept'; did you mean '--depth'?");
	check_refused("x --sea 3", "no option '--sea'; did you mean '--seat'?");
	check_refused("x --nothing=3", "no option '--nothing'");
	check_refused("x -qq", "no option '-qq'");
	check_refused("x -x", "no option '-x'");
	check_refused("x -q=yes", "--quiet takes no value");
	check_refused("x -q=", "--quiet takes no value");
	check_refused("x -d=3", "-d takes its value without '=': -d N or --depth=N");
	check_refused("x -d", "--depth needs a value: --depth N");
	check_refused("x --", "'--' begins a command to be measured, and nothing here takes one");
	check_refused("x --depth", "--depth needs a value: --depth N");
	check_refused("x --depth --deep", "--depth needs a value: --depth N");
	check_refused("x --deep=yes", "--deep takes no value");
	check_refused("x --format text", "no format 'text'");
	check_refused("x --format yaml", "--format yaml is for `contend ab` and `contend show`");
	check_refused("x --store=", "--store: no file");
	check_refused("x bad", "a bad word");
}

static void refuses_a_value_in_place_of_another(void **state)
{
	(void)state;
	check_refused("x --depth 3 --depth 3", "--depth is given twice");
	check_refused("x --depth=3 one -d 4", "--depth is given twice");
	check_refused("x --store f --store=", "--store is given twice");
	check_refused("x --format json --format mail", "--format is given twice");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_options_anywhere),
		cmocka_unit_test(values_behind_equals),
		cmocka_unit_test(a_dash_is_a_word),
		cmocka_unit_test(refuses_what_argp_would_guess),
		cmocka_unit_test(refuses_a_value_in_place_of_another),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
