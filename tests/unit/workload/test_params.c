// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"
#include "model/description.h"
#include "workload/crew/params.h"

static void check(const char *workload, const char *words, const char *expected)
{
	json_t *values __free(json) = values_of(words);
	struct error err = {.text = ""};

	if (crew_check(workload_find(workload), values, &err) != !*expected)
		fail_msg("%s: '%s'", words, err.text);
	if (!*expected)
		return;
	assert_int_equal(err.code, ERROR_USAGE);
	if (!strstr(err.text, expected))
		fail_msg("'%s' has no '%s'", err.text, expected);
}

static void test_check(void **state)
{
	(void)state;
	check("null", "", "");
	check("null", "tasks=4 mode=thread window=50ms warmup=0 record=no seed=3 delay=5%", "");
	check("null", "taks=4", "null has no parameter 'taks'; did you mean 'tasks'?");
	check("null", "file=maps", "null has no parameter 'file'");
	check("null", "tasks=0", "tasks=0: must be 1 to 4096");
	check("null", "tasks=4097", "must be 1 to 4096");
	check("null", "window=1", "is not a duration");
	check("null", "window=0", "must be 1ms to 1h");
	check("null", "mode=both", "must be thread or process");
	check("null", "delay=5", "is not a percentage");
	check("null", "raw=0 record=no", "");
	check("null", "seed=9007199254740992", "");
	check("null", "seed=9007199254740993", "must be 0 to 9007199254740992");
	check("null", "raw=5 record=no", "raw=5 needs record=yes");
	check("proc_maps", "file=smaps readers=2 vmas=10 reader_rate=0 writer_rate=12.5", "");
	/* Who and how many they are is given: a value that changed nothing would mislead. */
	check("proc_maps", "tasks=2", "no parameter 'tasks'");
	check("proc_maps", "mode=thread", "no parameter 'mode'");
}

static void test_value_must_be_text(void **state)
{
	json_t *values __free(json) = json_pack("{s:i}", "tasks", 2);
	struct error err;

	(void)state;
	assert_false(crew_check(workload_find("null"), values, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

/* An own parameter of the name of a common one takes its place. */
static void test_own_comes_first(void **state)
{
	static const struct role roles[] = {{.name = "task", .alone = true}, {.name = NULL}};
	static const struct param own[] = {
		{"window", PARAM_DURATION, "5s", .help = ""},
		{.name = NULL},
	};
	static const struct workload w = {.name = "w", .roles = roles, .params = own};
	struct param *declared __free(memory) = params_declared(&w);
	unsigned int windows = 0;

	(void)state;
	for (const struct param *p = declared; p->name; p++) {
		windows += text_equal(p->name, "window");
		assert_false(text_equal(p->name, "tasks"));
	}
	assert_int_equal(windows, 1);
	assert_string_equal(declared[0].preset, "5s");
}

/* What a workload says of itself is what the other side takes. */
static void test_describe(void **state)
{
	(void)state;
	for (const struct workload *const *w = workload_all(); *w; w++) {
		json_t *object __free(json) = crew_describe(*w);
		struct description *d __free(description) = NULL;
		struct error err;

		if (!description_from_json(object, &d, &err))
			fail_msg("%s", err.text);
		assert_string_equal(d->name, (*w)->name);
		assert_non_null(description_primary(d));
		assert_non_null(param_find(d->params, (*w)->errand ? "timeout" : "window"));
		for (const struct param *p = d->params; p->name; p++)
			assert_true(*p->help);
		for (const struct metric *m = d->metrics; m->name; m++)
			assert_true(*m->help);
		assert_ptr_equal(workload_find((*w)->name), *w);
	}
	assert_null(workload_find("no-such-workload"));
}

/* Of every series that a role records, and none else, there are the five figures. */
static void check_series(const struct description *d, const char *role, const char *series)
{
	char *of __free(memory) = text_format("%s.%s", role, series);
	unsigned int found = 0;

	for (const struct metric *m = d->metrics; m->name; m++) {
		if (m->summary > SUMMARY_MAX || !text_equal(m->of, of))
			continue;
		found |= 1U << m->summary;
		assert_string_equal(m->unit, "ns");
		assert_int_equal(m->better, BETTER_LOWER);
	}
	if (found != (2U << SUMMARY_MAX) - 1)
		fail_msg("%s: p50, p95, p99, p99.9 or max of %s is missing", d->name, of);
}

static void test_quantiles(void **state)
{
	(void)state;
	for (const struct workload *const *w = workload_all(); *w; w++) {
		json_t *object __free(json) = crew_describe(*w);
		struct description *d __free(description) = NULL;
		struct error err;

		assert_true(description_from_json(object, &d, &err));
		for (const struct role *r = (*w)->roles; r->name; r++) {
			for (const struct operation *o = r->operations; o->name; o++) {
				if (o->series)
					check_series(d, r->name, o->series);
				if (o->own)
					check_series(d, r->name, o->own);
			}
		}
	}
}

static void test_fairness(void **state)
{
	json_t *null __free(json) = crew_describe(workload_find("null"));
	json_t *maps __free(json) = crew_describe(workload_find("proc_maps"));
	struct description *of_null __free(description) = NULL;
	struct description *of_maps __free(description) = NULL;
	struct error err;

	(void)state;
	assert_true(description_from_json(null, &of_null, &err));
	assert_true(description_from_json(maps, &of_maps, &err));
	assert_true(description_metric(of_null, "task_fairness")->multitask);
	assert_non_null(description_metric(of_maps, "reader_fairness"));
	/* There is never a second one. */
	assert_null(description_metric(of_maps, "writer_fairness"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_value_must_be_text),
		cmocka_unit_test(test_own_comes_first),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_fairness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
