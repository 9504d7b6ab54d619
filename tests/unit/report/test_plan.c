// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include "golden.h"
#include "report/plan.h"

/* Plans as a mail and as JSON, compared with tests/golden/plan/NAME.mail and .json. */

static const struct fixture_run brk1 = {.tasks = 1, .operations = 2000000};

/* Two arms that differ, of which each has latencies. */
static void stored(struct fixture *x)
{
	fixture_experiment(x, PLAN_DECIDED, 40, "file=smaps", "file=maps", "");
	fixture_subject(x, fixture_proc_maps, "{\"window\":\"2s\"}", "{\"file\":\"smaps\"}",
			"{\"file\":\"maps\"}");
	x->e->id = 12;
	fixture_pairs(x, 0, 0, 9, &fixture_smaps, &fixture_maps);
	fixture_add(x, 0, 9, ARM_A, &fixture_smaps, OUTCOME_OK, "");
	fixture_add(x, 0, 9, ARM_B, &fixture_maps, OUTCOME_INVALID, "the reader made no scan");
}

/* Slices of a window of two seconds: quarters that differ from each other. */
static void add_slices(struct fixture *x)
{
	for (size_t i = 0; i < x->runs.count; i++) {
		json_t *at = json_array(), *operations = json_array();
		double count = 0;

		for (int k = 0; k <= 20; k++) {
			json_array_append_new(at, json_integer(k * 100000000));
			json_array_append_new(operations, json_integer((json_int_t)count));
			count += fixture_jitter(x, 100000 + 500. * (double)i, 0.05);
		}
		json_object_set_new(x->runs.list[i].run->record, "slices",
				    json_pack("[{s:s, s:o, s:o}]", "role", "task", "at_ns", at,
					      "operations", operations));
	}
}

static void pilot(struct fixture *x)
{
	fixture_experiment(x, PLAN_PAIRS, 8, "", "", "");
	fixture_subject(x, fixture_brk1, "{}", "{}", "{}");
	x->e->id = 13;
	x->e->looked = 8;
	fixture_pairs(x, 0, 0, 8, &brk1, &brk1);
	add_slices(x);
}

/* Runs of a version that took no slices; and so even that small effects need few pairs. */
static void old(struct fixture *x)
{
	pilot(x);
	for (size_t i = 0; i < x->runs.count; i++)
		json_object_del(x->runs.list[i].run->record, "slices");
}

static void alike(struct fixture *x)
{
	fixture_experiment(x, PLAN_PAIRS, 6, "", "", "");
	fixture_subject(x, fixture_brk1, "{}", "{}", "{}");
	x->e->id = 14;
	for (int64_t i = 0; i < 6; i++) {
		fixture_add(x, 0, i, ARM_A, &brk1, OUTCOME_OK, "");
		fixture_add(x, 0, i, ARM_B, &brk1, OUTCOME_OK, "");
	}
}

/* Stalls are none in some runs, and rare. */
static void zeros(struct fixture *x)
{
	struct fixture_run a = fixture_smaps, b = fixture_smaps;

	stored(x);
	for (int64_t i = 10; i < 18; i++) {
		a.stalls = i % 3;
		b.stalls = (i + 1) % 4;
		fixture_add(x, 0, i, ARM_A, &a, OUTCOME_OK, "");
		fixture_add(x, 0, i, ARM_B, &b, OUTCOME_OK, "");
	}
}

/* Another libm or compiler may come to another last digit. */
static void tidy(double *value)
{
	double unit;

	if (!isfinite(*value) || *value == 0)
		return;
	unit = pow(10, floor(log10(fabs(*value))) - 5);
	*value = rint(*value / unit) * unit;
	/* The nearest double to the rounded number. */
	char text[32];

	snprintf(text, sizeof(text), "%.6g", *value);
	*value = strtod(text, NULL);
}

static void tidy_metric(struct planning_metric *m)
{
	tidy(&m->sd);
	tidy(&m->sd_upper);
	tidy(&m->level);
	for (size_t i = 0; i < m->row_count; i++)
		tidy(&m->rows[i].used);
	for (size_t i = 0; i < m->floor_count; i++) {
		tidy(&m->floors[i].fixed);
		tidy(&m->floors[i].looks);
	}
}

static void tidy_all(struct planning *p)
{
	for (size_t i = 0; i < p->subject_count; i++) {
		struct planning_subject *s = &p->subjects[i];

		tidy(&s->windows.between);
		tidy(&s->windows.within);
		tidy(&s->windows.p);
		tidy(&s->windows.cheapest_ns);
		for (size_t k = 0; k < s->other_count; k++) {
			tidy(&s->others[k].sd_upper);
			tidy(&s->others[k].time_ns);
		}
		for (size_t k = 0; k < s->metric_count; k++)
			tidy_metric(&s->metrics[k]);
	}
}

static void check(const char *name, const struct planning_terms *terms,
		  const struct planning_source *sources, const struct plan_origin *origins,
		  size_t count)
{
	struct planning *p __free(planning) = planning_make(terms, sources, count);
	const struct plan_findings f = {
		.planning = p,
		.origins = origins,
		.now_ns = sources[0].experiment->created_ns + INT64_C(3 * 3600) * 1000000000,
		.version = "0.1.0",
	};
	struct text mail __text = {0}, json __text = {0};
	struct error err;

	tidy_all(p);
	if (!plan_mail(&f, &mail, &err) || !plan_json(&f, &json, &err))
		fail_msg("%s", err.text);
	golden_check_lines(name, text_string(&mail));
	golden_compare("plan", name, "mail", text_string(&mail));
	golden_compare("plan", name, "json", text_string(&json));
}

#define USUAL                                                                                      \
	{                                                                                          \
		.effect = 0.01, .power = 0.8, .margin = 0.02, .alpha = 0.05                        \
	}

static const struct planning_terms usual = USUAL;

static void test_each(void **state)
{
	static const struct {
		const char *name, *primary;
		void (*make)(struct fixture *x);
		struct plan_origin origin;
		struct planning_terms terms;
	} cases[] = {
		{"stored", "writer_latency_p50", stored, {0}, {0.03, 0.9, 0.02, 0.01}},
		{"pilot", "operations", pilot, {.pilot = true}, USUAL},
		{"old", "operations", old, {0}, {0.0001, 0.8, 0.0001, 0.05}},
		{"alike", "operations", alike, {0}, USUAL},
		{"zeros", "writer_stalls", zeros, {0}, {0.5, 0.8, 0.02, 0.05}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x __cleanup(fixture_done) = {0};

		cases[i].make(&x);

		const struct planning_source source = {x.e, &x.runs, 0, cases[i].primary};

		check(cases[i].name, &cases[i].terms, &source, &cases[i].origin, 1);
	}
}

static void test_several(void **state)
{
	struct fixture x __cleanup(fixture_done) = {0}, y __cleanup(fixture_done) = {0};
	char why[] = "not from experiment 15: the machine was in another state: governor was "
		     "powersave, is performance, and more";

	(void)state;
	stored(&x);
	pilot(&y);

	const struct planning_source sources[] = {{x.e, &x.runs, 0, "writer_latency_p50"},
						  {y.e, &y.runs, 0, "operations"}};
	const struct plan_origin origins[] = {{.passed_over = why}, {.pilot = true}};

	check("several", &usual, sources, origins, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
