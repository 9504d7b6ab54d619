// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiment/calibrate.h"

static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":["
	"{\"name\":\"window\",\"type\":\"duration\",\"preset\":\"1s\",\"help\":\"\"},"
	"{\"name\":\"warmup\",\"type\":\"duration\",\"preset\":\"100ms\",\"help\":\"\"},"
	"{\"name\":\"delay\",\"type\":\"percent\",\"preset\":\"0%\",\"help\":\"\"}],\"metrics\":["
	"{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
	"\"of\":\"task.operations\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";

/* With the windows of a run of `window` ms. */
static struct experiment *made(const char *window)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	e->subjects = memory_array(1, sizeof(*e->subjects));
	e->subject_count = 1;
	assert_true(description_from_json(object, &e->subjects[0].description, &err));
	e->subjects[0].primary = "operations";
	for (int arm = 0; arm < ARM_MOST; arm++)
		e->subjects[0].params[arm] =
			window ? json_pack("{s:s}", "window", window) : json_object();
	e->margin = 0;
	e->alpha = 0.05;
	e->seed = 41;
	return e;
}

static void time_is_shared(void **state)
{
	static const struct {
		const char *window;
		int64_t budget_s;
		size_t shifts;
		int64_t pairs; /* 0: refused */
	} cases[] = {
		/* Pairs of 2 * (1 + .1 + .05) s: 0.3 * 270 / 2.3. */
		{NULL, 270, 4, 35},
		{NULL, 600, 4, 40},
		/* 52 pairs are the least: 119.6 s. */
		{NULL, 120, 4, 15},
		{NULL, 119, 4, 0},
		/* Of 2 * .2 s: 0.3 * 21 / .4 = 15. */
		{"50ms", 21, 4, 15},
		/* Nothing else: all of it, and enough is enough. */
		{NULL, 270, 0, 117},
		{NULL, 1000, 0, 120},
		{NULL, 28, 0, 12},
		{NULL, 27, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct experiment *e __free(experiment) = made(cases[i].window);
		struct error err = {0};
		int64_t pairs = 0;
		bool ok = calibrate_aa_pairs(&e->subjects[0], cases[i].budget_s * NS_PER_SEC,
					     cases[i].shifts, &pairs, &err);

		assert_int_equal(pairs, cases[i].pairs);
		assert_int_equal(ok, cases[i].pairs > 0);
		if (ok)
			continue;
		assert_int_equal(err.code, ERROR_USAGE);
		assert_non_null(strstr(err.text, "--budget"));
	}
}

static void what_is_left_is_shared(void **state)
{
	(void)state;
	/* 100 s for two: 50 s, or 25 pairs of 2 s. */
	assert_int_equal(calibrate_shift_pairs(100 * NS_PER_SEC, 2, 2 * NS_PER_SEC, 40), 25);
	assert_int_equal(calibrate_shift_pairs(100 * NS_PER_SEC, 1, 2 * NS_PER_SEC, 40), 40);
	/* However late it is, it is looked at once. */
	assert_int_equal(calibrate_shift_pairs(-NS_PER_SEC, 2, 2 * NS_PER_SEC, 40),
			 EXPERIMENT_LEAST_MAXIMUM);
	assert_int_equal(calibrate_shift_pairs(NS_PER_SEC, 1, 0, 40), 40);
}

static void experiments(void **state)
{
	struct experiment *of __free(experiment) = made("50ms");
	struct experiment *aa __free(experiment) = calibrate_experiment(of, 0, 0, NULL, 33);
	struct experiment *shift __free(experiment) = calibrate_experiment(of, 0, 2, "2%", 17);

	(void)state;
	assert_int_equal(aa->plan, PLAN_PAIRS);
	assert_int_equal(aa->pairs, 33);
	assert_true(subject_is_aa(&aa->subjects[0], ARM_B));
	assert_string_equal(aa->subjects[0].primary, "operations");
	assert_string_equal(
		json_string_value(json_object_get(aa->subjects[0].params[ARM_B], "window")),
		"50ms");
	assert_int_equal(shift->plan, PLAN_DECIDED);
	assert_int_equal(shift->pairs, 17);
	assert_false(subject_is_aa(&shift->subjects[0], ARM_B));
	assert_null(json_object_get(shift->subjects[0].params[ARM_A], "delay"));
	assert_string_equal(
		json_string_value(json_object_get(shift->subjects[0].params[ARM_B], "delay")),
		"2%");
	assert_string_equal(shift->labels[ARM_B], "delay=2%");
	/* Each has coins of its own. */
	assert_int_equal(aa->seed, 41);
	assert_int_equal(shift->seed, 43);
	/* What it was made of is as it was. */
	assert_null(json_object_get(of->subjects[0].params[ARM_B], "delay"));
}

static void expect_command(const struct experiment *of, int64_t budget_ns, const char *wanted)
{
	char *command __free(memory) = NULL;
	struct error err;

	if (!calibrate_command(of, 0, budget_ns, &command, &err))
		fail_msg("%s", err.text);
	assert_string_equal(command, wanted);
}

static void commands(void **state)
{
	struct experiment *of __free(experiment) = made("50ms");

	(void)state;
	expect_command(of, CALIBRATE_BUDGET_NS, "contend calibrate made window=50ms --seed 41");
	of->margin = 0.02;
	of->alpha = 0.01;
	of->subjects[0].primary = "cost";
	expect_command(of, 90 * NS_PER_SEC,
		       "contend calibrate made window=50ms --budget 90s --margin 2% --alpha 0.01 "
		       "--primary cost --seed 41");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_shared),
		cmocka_unit_test(what_is_left_is_shared),
		cmocka_unit_test(experiments),
		cmocka_unit_test(commands),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
