// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "import/importer.h"
#include "model/reading.h"

static json_t *metric_of(const char *text)
{
	struct reading r __cleanup(reading_done) = {0};
	struct error err;
	json_t *metric;

	if (!reading_parse(text, &r, &err))
		fail_msg("%s", err.text);
	metric = reading_metric(&r, "program");
	json_object_set_new(metric, "primary", json_true());
	return metric;
}

/* Of a workload with that one figure. */
static struct description *describe(const char *reading)
{
	json_t *object __free(json) =
		json_pack("{s:s,s:s,s:s,s:[{s:s,s:s}],s:[],s:[o]}", "name", "command", "summary",
			  "", "needs", "", "roles", "name", "program", "help", "", "params",
			  "metrics", metric_of(reading));
	struct description *d;
	struct error err;

	if (!description_from_json(object, &d, &err))
		fail_msg("%s", err.text);
	return d;
}

/* A run that printed that. NULL: it has no such stream. */
static struct run *printed(const char *out, const char *errors)
{
	struct run *run = run_without_record(OUTCOME_OK, "");
	json_t *outputs = json_array();

	run->record = json_object();
	if (out)
		json_array_append_new(outputs, json_pack("{s:s,s:s,s:s}", "role", "program",
							 "stream", "stdout", "text", out));
	if (errors)
		json_array_append_new(outputs, json_pack("{s:s,s:s,s:s}", "role", "program",
							 "stream", "stderr", "text", errors));
	json_object_set_new(run->record, "outputs", outputs);
	return run;
}

static void reads(const char *reading, const char *out, const char *errors, double expected)
{
	struct description *d __free(description) = describe(reading);
	struct run *run __free(run) = printed(out, errors);
	double value = 0;
	struct error err;

	if (!importer_read_run(run, d, &err) || !run_figure(run, &d->metrics[0], &value, &err))
		fail_msg("%s", err.text);
	if (fabs(value - expected) > 1e-12 * fabs(expected))
		fail_msg("%s: %g", reading, value);
	assert_int_equal(run_figure_count(run, &d->metrics[0]), 1);
}

static void test_reads(void **state)
{
	(void)state;
	reads("a:= ([0-9.e+]+):u:higher", "a = 1.5\n", "", 1.5);
	reads("a:= ([0-9.e+]+):u:higher", "a = 1\na = 2e+3\n", "a = 7", 2000);
	/* The other stream where the first one has none. */
	reads("a:= ([0-9.e+]+):u:higher", "nothing\n", "a = 7", 7);
	reads("a:= ([0-9.e+]+):u:higher", NULL, "a = 7", 7);
	reads("a:= ([0-9.e+]+):ms:lower", "a = 2.5\n", "", 2.5e6);
	reads("a:= (-?[0-9]+):u:lower", "a = -3\n", "", -3);
}

static void refuses(const char *reading, const char *out, const char *errors, const char *words)
{
	struct description *d __free(description) = describe(reading);
	struct run *run __free(run) = printed(out, errors);
	struct error err = {0};

	assert_false(importer_read_run(run, d, &err));
	assert_int_equal(err.code, ERROR_DATA);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void test_refusals(void **state)
{
	(void)state;
	refuses("a:= ([0-9]+):u:higher", "one\ntwo\nthree\nfour\n\n", "",
		"no line of the output matches = ([0-9]+), for a; it ends with: two | three | four");
	refuses("a:= ([0-9]+):u:higher", "", "broken\n", "it ends with: broken");
	refuses("a:= ([0-9]+):u:higher", "", "", "for a; there is none");
	refuses("a:= ([0-9]+):u:higher", NULL, NULL, "for a; there is none");
	refuses("a:= (.*):u:higher", "a = x\n", "", "= (.*) matches 'x', which is no number");
	refuses("a:= (.*):u:higher", "a = \n", "", "matches '', which is no number");
	refuses("a:= (.*):u:higher", "a = nan\n", "", "matches 'nan', which is no number");
	refuses("a:= (.*):s:higher", "a = 1e308\n", "", "which is no number");
}

/* Whose figures nobody wants. */
static void test_not_ok(void **state)
{
	struct description *d __free(description) = describe("a:= ([0-9]+):u:higher");
	struct run *run __free(run) = printed("", "");
	struct error err;
	double value;

	(void)state;
	run->outcome = OUTCOME_FAILED;
	assert_true(importer_read_run(run, d, &err));
	assert_null(run->readings);
	run->outcome = OUTCOME_OK;
	assert_false(run_figure(run, &d->metrics[0], &value, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_not_ok),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
