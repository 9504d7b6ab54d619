// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "experiment/terms.h"

static const struct terms none = {0};

static void refuse(enum term term, const char *value, const char *message)
{
	struct terms t __cleanup(terms_done) = {0};
	struct error err = {0};

	assert_false(terms_set(&t, term, value, &err));
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_false(t.said[term]);
}

static void refused(void **state)
{
	(void)state;
	refuse(TERM_ALPHA, "0", "must be 0.000001 to 0.5, not 0");
	refuse(TERM_ALPHA, "0.6", "must be 0.000001 to 0.5, not 0.6");
	refuse(TERM_ALPHA, "5%", "'5%' is not a number");
	refuse(TERM_BUDGET, "0s", "must be above 0, not 0s");
	refuse(TERM_BUDGET, "10", "'10' is not a duration (as 50ms, 1.5s, 10m)");
	refuse(TERM_MARGIN, "-2%", "'-2%' is not a percentage (as 2%)");
	refuse(TERM_PAIRS, "0", "must be 1 to 1000000, not 0");
	refuse(TERM_PAIRS, "1000001", "must be 1 to 1000000, not 1000001");
	refuse(TERM_PAIRS, "-1", "must be 1 to 1000000, not -1");
	refuse(TERM_SEED, "x", "'x' is not a whole number");
	refuse(TERM_SEED, "-x", "'-x' is not a whole number");
	refuse(TERM_SEED, "-4", "must be 0 to 9223372036854775807, not -4");
	refuse(TERM_STRICT, "Yes", "must be yes or no, not 'Yes'");
}

static void ends_exclude_each_other(void **state)
{
	struct terms t __cleanup(terms_done) = {0};
	struct error err = {0};

	(void)state;
	assert_true(terms_set(&t, TERM_PAIRS, "6", &err));
	assert_false(terms_set(&t, TERM_BUDGET, "1m", &err));
	assert_string_equal(err.text, "excludes --pairs: either says when to end");
	t.of_file = true;
	assert_false(terms_set(&t, TERM_BUDGET, "1m", &err));
	assert_string_equal(err.text, "excludes pairs: either says when to end");
	/* Said again it is another number. */
	assert_true(terms_set(&t, TERM_PAIRS, "7", &err));
	assert_int_equal(t.pairs, 7);
}

static void applied(void **state)
{
	struct terms upper __cleanup(terms_done) = {0}, lower __cleanup(terms_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	(void)state;
	e->seed = 9;
	terms_apply(&none, &none, e);
	assert_int_equal(e->plan, PLAN_DECIDED);
	assert_int_equal(e->pairs, 40);
	assert_true(e->margin == 0.02 && e->alpha == 0.05 && !e->strict);
	assert_int_equal(e->seed, 9);

	assert_true(terms_set(&lower, TERM_PAIRS, "6", &err));
	assert_true(terms_set(&lower, TERM_MARGIN, "3%", &err));
	assert_true(terms_set(&lower, TERM_STRICT, "yes", &err));
	terms_apply(&upper, &lower, e);
	assert_int_equal(e->plan, PLAN_PAIRS);
	assert_int_equal(e->pairs, 6);
	assert_true(e->margin == 0.03 && e->strict);

	/* Also what is the default is said. */
	assert_true(terms_set(&upper, TERM_MARGIN, "2%", &err));
	assert_true(terms_set(&upper, TERM_STRICT, "no", &err));
	assert_true(terms_set(&upper, TERM_BUDGET, "1500us", &err));
	terms_apply(&upper, &lower, e);
	assert_int_equal(e->plan, PLAN_BUDGET);
	assert_int_equal(e->pairs, 0);
	assert_int_equal(e->budget_ns, 1500000);
	assert_true(e->margin == 0.02 && !e->strict);
}

/* Ends of the command line and of a file: which of the file's still hold. */
static void ends_of_both(void **state)
{
	static const struct {
		enum term upper, lower[2]; /* TERM_COUNT: none */
		enum plan plan;
		int64_t pairs, budget_ns;
		bool looks;
	} cases[] = {
		{TERM_UNTIL_DECIDED,
		 {TERM_BUDGET, TERM_COUNT},
		 PLAN_BUDGET,
		 0,
		 60 * NS_PER_SEC,
		 false},
		{TERM_BUDGET,
		 {TERM_UNTIL_DECIDED, TERM_COUNT},
		 PLAN_BUDGET,
		 0,
		 9 * NS_PER_SEC,
		 false},
		{TERM_BUDGET,
		 {TERM_UNTIL_DECIDED, TERM_BUDGET},
		 PLAN_BUDGET,
		 0,
		 9 * NS_PER_SEC,
		 false},
		{TERM_BUDGET, {TERM_BUDGET, TERM_COUNT}, PLAN_BUDGET, 0, 9 * NS_PER_SEC, true},
		{TERM_BUDGET, {TERM_PAIRS, TERM_COUNT}, PLAN_BUDGET, 0, 9 * NS_PER_SEC, true},
		{TERM_PAIRS, {TERM_UNTIL_DECIDED, TERM_BUDGET}, PLAN_PAIRS, 11, 0, false},
		{TERM_MAX_PAIRS, {TERM_UNTIL_DECIDED, TERM_BUDGET}, PLAN_DECIDED, 12, 0, true},
		{TERM_UNTIL_DECIDED, {TERM_MAX_PAIRS, TERM_COUNT}, PLAN_DECIDED, 0, 0, false},
		{TERM_COUNT,
		 {TERM_UNTIL_DECIDED, TERM_BUDGET},
		 PLAN_BUDGET,
		 0,
		 60 * NS_PER_SEC,
		 false},
		{TERM_COUNT, {TERM_MAX_PAIRS, TERM_COUNT}, PLAN_DECIDED, 15, 0, true},
	};
	static const char *const upper_values[TERM_COUNT] = {
		[TERM_BUDGET] = "9s",
		[TERM_PAIRS] = "11",
		[TERM_MAX_PAIRS] = "12",
		[TERM_UNTIL_DECIDED] = "yes",
	};
	static const char *const lower_values[TERM_COUNT] = {
		[TERM_BUDGET] = "60s",
		[TERM_PAIRS] = "14",
		[TERM_MAX_PAIRS] = "15",
		[TERM_UNTIL_DECIDED] = "yes",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct terms upper __cleanup(terms_done) = {0}, lower __cleanup(terms_done) = {0};
		struct experiment *e __free(experiment) = experiment_new();
		struct error err = {0};

		if (cases[i].upper != TERM_COUNT)
			assert_true(terms_set(&upper, cases[i].upper, upper_values[cases[i].upper],
					      &err));
		for (size_t k = 0; k < 2 && cases[i].lower[k] != TERM_COUNT; k++)
			assert_true(terms_set(&lower, cases[i].lower[k],
					      lower_values[cases[i].lower[k]], &err));
		terms_apply(&upper, &lower, e);
		assert_int_equal(e->plan, cases[i].plan);
		assert_int_equal(e->pairs, cases[i].pairs);
		assert_int_equal(e->budget_ns, cases[i].budget_ns);
		assert_int_equal(e->planned_pairs || e->planned_budget_ns, cases[i].looks);
	}
}

static void expect_text(enum term term, const char *value, const char *text)
{
	struct terms t __cleanup(terms_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	assert_true(terms_set(&t, term, value, &err));
	terms_apply(&t, &none, e);

	char *found __free(memory) = terms_text(e, term);

	assert_string_equal(found, text);
}

static void texts(void **state)
{
	(void)state;
	expect_text(TERM_MARGIN, "2%", "2%");
	expect_text(TERM_MARGIN, "0%", "0%");
	expect_text(TERM_MARGIN, "0.1%", "0.1%");
	expect_text(TERM_MARGIN, "7.50%", "7.5%");
	expect_text(TERM_MARGIN, "250%", "250%");
	expect_text(TERM_ALPHA, "0.05", "0.05");
	expect_text(TERM_ALPHA, "0.000001", "0.000001");
	expect_text(TERM_BUDGET, "120s", "2m");
	expect_text(TERM_BUDGET, "90s", "90s");
	expect_text(TERM_BUDGET, "1.5s", "1500ms");
	expect_text(TERM_BUDGET, "2h", "2h");
	expect_text(TERM_BUDGET, "1ns", "1ns");
	expect_text(TERM_PAIRS, "1000000", "1000000");
	expect_text(TERM_SEED, "4294967295", "4294967295");
	expect_text(TERM_STRICT, "yes", "yes");

	struct experiment *e __free(experiment) = experiment_new();

	terms_apply(&none, &none, e);
	assert_null(terms_text(e, TERM_PAIRS));
	assert_null(terms_text(e, TERM_BUDGET));
}

/* Whatever ratio was read is written so that it is read again. */
static void exact_numbers(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 3, 0);
	for (int i = 0; i < 20000; i++) {
		struct experiment *e __free(experiment) = experiment_new();
		struct terms t __cleanup(terms_done) = {0};
		struct error err = {0};

		e->margin = 1000 * random_unit(&random) / 100;
		e->alpha = 1e-6 + 0.49 * random_unit(&random);

		char *margin __free(memory) = terms_text(e, TERM_MARGIN);
		char *alpha __free(memory) = terms_text(e, TERM_ALPHA);

		if (!terms_set(&t, TERM_MARGIN, margin, &err) ||
		    !terms_set(&t, TERM_ALPHA, alpha, &err))
			fail_msg("%s", err.text);
		assert_true(t.margin == e->margin);
		assert_true(t.alpha == e->alpha);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused), cmocka_unit_test(ends_exclude_each_other),
		cmocka_unit_test(applied), cmocka_unit_test(ends_of_both),
		cmocka_unit_test(texts),   cmocka_unit_test(exact_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
