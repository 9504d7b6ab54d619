// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cli/options.h"

enum { KEY_DEPTH = KEY_COMMAND, KEY_DEEP };

static const struct argp_option options[] = {
	{.name = "depth", .key = KEY_DEPTH, .arg = "N"},
	{.name = "deep", .key = KEY_DEEP},
	OPTION_FORMAT,
	OPTION_HELP,
	OPTION_QUIET,
	OPTION_SEED,
	OPTION_STORE,
	{0},
};

struct own {
	struct common common;
	const char *depth;
	bool deep;
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
	common_done(&own->common);
	text_done(&own->words);
}

#define __own __cleanup(own_done)

/* Parses words that are written with blanks between them; "~" is an empty one. */
static bool parse_words(struct own *own, const char *line, struct error *err)
{
	char *copy __free(memory) = memory_string(line);
	char *argv[16], *rest = NULL;
	static char kept[16][64];
	int argc = 0;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
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
	if (!parse_words(&own, "x one --depth 3 two --deep -q three=4 --seed 12 --store f", &err))
		fail_msg("%s", err.text);
	assert_string_equal(own.depth, "3");
	assert_true(own.deep);
	assert_true(own.common.quiet);
	assert_true(own.common.seeded);
	assert_int_equal(own.common.seed, 12);
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

static void remembers_what_repeats_it(void **state)
{
	struct own own __own = {0};
	struct error err;

	(void)state;
	assert_true(parse_words(
		&own, "x a --store f b=$c --depth=3 -q --format json --seed 4 --deep", &err));
	/* Neither how it is shown nor where it is kept; the seed is added by who knows it. */
	assert_string_equal(text_string(&own.common.repeat), "x a 'b=$c' --depth 3 --deep");
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
	check_refused("x --see 3", "no option '--see'; did you mean '--seed'?");
	check_refused("x --nothing=3", "no option '--nothing'");
	check_refused("x -qq", "no option '-qq'");
	check_refused("x -x", "no option '-x'");
	check_refused("x --", "'--' begins a command to be measured, and nothing here takes one");
	check_refused("x --depth", "--depth needs a value: --depth N");
	check_refused("x --depth --deep", "--depth needs a value: --depth N");
	check_refused("x --deep=yes", "--deep takes no value");
	check_refused("x --format text", "no format 'text'");
	check_refused("x --seed -1", "--seed: '-1' is not a whole number");
	check_refused("x --store=", "--store: no file");
	check_refused("x bad", "a bad word");
}

static void quotes_for_a_shell(void **state)
{
	static const char *const cases[][2] = {
		{"file=smaps", " file=smaps"},
		{"a.b=1,2:3%", " a.b=1,2:3%"},
		{"", " ''"},
		{"two words", " 'two words'"},
		{"it's", " 'it'\\''s'"},
		{"$HOME", " '$HOME'"},
		{"a\\,b", " 'a\\,b'"},
		{"~", " '~'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text t __text = {0};

		options_quote(&t, cases[i][0]);
		assert_string_equal(text_string(&t), cases[i][1]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_options_anywhere),
		cmocka_unit_test(values_behind_equals),
		cmocka_unit_test(a_dash_is_a_word),
		cmocka_unit_test(remembers_what_repeats_it),
		cmocka_unit_test(refuses_what_argp_would_guess),
		cmocka_unit_test(quotes_for_a_shell),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
