// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "judge/calibration.h"
#include "stats/forecast.h"
#include "stats/plan.h"

enum { MOST_PAIRS = 40 };

/* What there is to put into a workload's description. */
static const char one_role[] = "{\"name\":\"task\",\"help\":\"\"}";
static const char two_roles[] =
	"{\"name\":\"task\",\"help\":\"\"},{\"name\":\"other\",\"help\":\"\"}";
static const char delay_param[] =
	"{\"name\":\"delay\",\"type\":\"percent\",\"preset\":\"0%\",\"help\":\"\"}";

/* A calibration while it is made. */
struct bench {
	struct random random;
	struct experiment *e[6];
	struct entries runs[6];
	struct judgement *j[6];
	size_t count;
	struct calibration_answer *answer;
};

static void bench_done(struct bench *b)
{
	calibration_answer_free(b->answer);
	for (size_t i = 0; i < b->count; i++) {
		judgement_free(b->j[i]);
		entries_done(&b->runs[i]);
		experiment_free(b->e[i]);
	}
}

#define __bench __cleanup(bench_done) = {0}

static struct description *describe(const char *roles, const char *params)
{
	char *text __free(memory) = text_format(
		"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
		"\"roles\":[%s],\"params\":["
		"{\"name\":\"window\",\"type\":\"duration\",\"preset\":\"1s\",\"help\":\"\"}%s%s],"
		"\"metrics\":["
		"{\"name\":\"latency_p50\",\"unit\":\"ns\",\"better\":\"lower\","
		"\"summary\":\"p50\",\"of\":\"task.latency\",\"primary\":false,"
		"\"multitask\":false,\"help\":\"\"},"
		"{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\","
		"\"summary\":\"rate\",\"of\":\"task.operations\",\"primary\":true,"
		"\"multitask\":false,\"help\":\"\"},"
		"{\"name\":\"cpu\",\"unit\":\"ns/op\",\"better\":\"lower\",\"summary\":\"ratio\","
		"\"of\":\"task.cpu_ns\",\"per\":\"task.operations\",\"primary\":false,"
		"\"multitask\":false,\"help\":\"\"},"
		"{\"name\":\"sum\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
		"\"of\":\"task.operations\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
		"{\"name\":\"fairness\",\"unit\":\"ratio\",\"better\":\"higher\","
		"\"summary\":\"fairness\",\"of\":\"task.operations\",\"primary\":false,"
		"\"multitask\":true,\"help\":\"\"}]}",
		roles, *params ? "," : "", params);
	json_t *object __free(json) = NULL;
	struct description *d = NULL;
	struct error err;

	if (!json_parse(text, strlen(text), &object, &err) ||
	    !description_from_json(object, &d, &err))
		fail_msg("%s", err.text);
	return d;
}

/* Another experiment; delay NULL: A/A. */
static struct experiment *add(struct bench *b, const char *primary, const char *delay, double alpha,
			      int64_t pairs)
{
	struct experiment *e = b->e[b->count++] = experiment_new();
	struct subject *s = e->subjects = memory_array(1, sizeof(*s));

	e->id = 10 + (int64_t)b->count;
	e->subject_count = 1;
	s->description = describe(one_role, delay_param);
	s->primary = description_metric(s->description, primary)->name;
	s->params[ARM_A] = json_object();
	s->params[ARM_B] = delay ? json_pack("{s:s}", "delay", delay) : json_object();
	e->plan = delay ? PLAN_DECIDED : PLAN_PAIRS;
	e->pairs = pairs;
	e->alpha = alpha;
	e->seed = 7;
	return e;
}

/* What a run looked like besides its speed. */
struct look_of_run {
	size_t tasks;
	int64_t switches;
	int64_t others_ns; /* that others had the CPU */
};

static void add_run(struct bench *b, int64_t pair, int arm, double operations,
		    struct look_of_run how)
{
	struct entries *runs = &b->runs[b->count - 1];
	json_t *tasks = json_array();
	json_t *record __free(json) =
		json_pack("{s:s, s:s, s:o, s:[], s:[], s:{s:s}}", "outcome", "ok", "reason", "",
			  "tasks", tasks, "series", "notes", "host", "kernel", "6.18.44");
	struct run *run = NULL;
	struct error err;

	for (size_t i = 0; i < how.tasks; i++)
		json_array_append_new(
			tasks, json_pack("{s:s, s:i, s:I, s:I, s:I, s:{s:I}}", "role", "task",
					 "task", (int)i, "window_ns", (json_int_t)1000000000,
					 "cpu_ns", (json_int_t)(1000000000 - how.others_ns),
					 "voluntary_switches", (json_int_t)how.switches, "counters",
					 "operations", (json_int_t)operations));
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	run->started_ns = 1 + (int64_t)runs->count * 1000;
	run->ended_ns = run->started_ns + 500;
	entries_add(runs, (struct entry){.pair = pair, .arm = arm, .run = run});
}

static double normal(struct bench *b)
{
	double u = random_unit(&b->random), v = random_unit(&b->random);

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/*
 * Pairs of which B makes `ratio` times the operations of A; sd: of the logarithms of their ratios.
 */
static void add_pairs(struct bench *b, int64_t pairs, double ratio, double sd,
		      struct look_of_run how)
{
	for (int64_t i = 0; i < pairs; i++) {
		add_run(b, i, ARM_A, 1e9 * exp(sd * normal(b) / M_SQRT2), how);
		add_run(b, i, ARM_B, 1e9 * ratio * exp(sd * normal(b) / M_SQRT2), how);
	}
}

static const struct look_of_run usual = {.tasks = 1};

/* An A/A of so many pairs and one shift for each of the delays. */
static void judge_last(struct bench *b)
{
	b->j[b->count - 1] = judge(b->e[b->count - 1], &b->runs[b->count - 1], JUDGE_END);
}

static const struct calibration_answer *answer(struct bench *b, size_t planned)
{
	struct calibration_part parts[6];

	for (size_t i = 0; i < b->count; i++)
		parts[i] = (struct calibration_part){b->e[i], &b->runs[i], b->j[i]};
	calibration_answer_free(b->answer);
	b->answer = calibration_judge(parts, b->count, planned, MOST_PAIRS);
	return b->answer;
}

static void check_near(double value, double wanted, double tolerance)
{
	if (!(fabs(value - wanted) <= tolerance))
		fail_msg("%.12g, not %.12g", value, wanted);
}

static void start(struct bench *b, uint64_t seed)
{
	random_seed(&b->random, seed, 0);
}

/* A machine with an sd of 0.5 %, and shifts as they should be. */
static void sound(void **state)
{
	static const struct {
		const char *delay;
		double share;
	} delays[] = {{"5%", 0.05}, {"2%", 0.02}, {"1%", 0.01}, {"0.5%", 0.005}};
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 1);
	add(&b, "operations", NULL, 0.05, 33);
	add_pairs(&b, 33, 1, 0.005, usual);
	judge_last(&b);
	for (size_t i = 0; i < 4; i++) {
		add(&b, "operations", delays[i].delay, 0.05, 40);
		add_pairs(&b, 30, 1 / (1 + delays[i].share), 0.005, usual);
		judge_last(&b);
	}
	a = answer(&b, 5);

	assert_null(a->unseen);
	assert_null(a->open);
	assert_null(a->unplanned);
	assert_int_equal(a->missing, 0);
	assert_false(a->aa.found);
	assert_true(a->aa.held);
	assert_int_equal(a->aa.experiment, 11);
	assert_int_equal(a->runs, 66 + 4 * 60);
	assert_int_equal(a->took_ns, 500 * (66 + 4 * 60));
	assert_int_equal(a->shift_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(a->shifts[i].delay, delays[i].delay);
		check_near(a->shifts[i].expected, 1 / (1 + delays[i].share) - 1, 1e-12);
		assert_true(a->shifts[i].found);
		assert_false(a->shifts[i].backwards);
		assert_int_equal(a->shifts[i].pairs, 30);
		assert_true(a->shifts[i].held);
	}
	/* Five of six pairs, 33 / 6; qbinom(c(.025, .975), 5, 1/32) is 0 and 1. */
	assert_int_equal(a->cuts.pairs, 6);
	assert_int_equal(a->cuts.count, 5);
	check_near(a->cuts.level, 0.03125, 0);
	assert_int_equal(a->cuts.low, 0);
	assert_int_equal(a->cuts.high, 1);
	assert_int_equal(a->cuts.rejected, 0);
	check_near(a->cuts.rate_bound, 0.45071, 1e-5);
	assert_false(calibration_alarms(a));
	/* The limit of the sd: R's sqrt(32 / qchisq(.2, 32)) is 1.128. */
	check_near(a->sd_upper / a->sd, 1.128, 0.001);
	check_near(a->sd, 0.005, 0.002);
	check_near(forecast(MOST_PAIRS, log1p(a->effect), a->sd_upper, 0.05).power, 0.8, 1e-3);
	check_near(a->effect_pairs, forecast(MOST_PAIRS, log1p(a->effect), a->sd_upper, 0.05).pairs,
		   1e-3);
	check_near((double)a->effect_ns, a->effect_pairs * 1000, 1);
	assert_int_equal(a->known, 4);
	assert_int_equal(a->held, 4);
	assert_int_equal(a->due, 4);
	assert_int_equal(a->due_found, 4);
	assert_int_equal(a->check, CALIBRATION_CONFIRMED);
}

/* CPU time of an operation grows by the share itself. */
static void cpu_time(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 2);
	add(&b, "cpu", NULL, 0.05, 12);
	add_pairs(&b, 12, 1, 0.005, usual);
	judge_last(&b);
	add(&b, "cpu", "2%", 0.05, 40);
	add_pairs(&b, 20, 1 / 1.02, 0.005, usual);
	judge_last(&b);
	a = answer(&b, 2);
	check_near(a->shifts[0].expected, 0.02, 1e-12);
	assert_true(a->shifts[0].found && a->shifts[0].held);
	assert_int_equal(a->check, CALIBRATION_CONFIRMED);
}

/* A rate goes by the clock as the delay does, whoever has the CPU meanwhile. */
static void rate_beside_others(void **state)
{
	static const struct look_of_run busy = {.tasks = 1, .others_ns = 400000000};
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 12);
	add(&b, "operations", NULL, 0.05, 12);
	add_pairs(&b, 12, 1, 0.005, busy);
	judge_last(&b);
	add(&b, "operations", "2%", 0.05, 40);
	add_pairs(&b, 20, 1 / 1.02, 0.005, busy);
	judge_last(&b);
	a = answer(&b, 2);
	assert_null(a->open);
	assert_true(a->shifts[0].held);
}

/* Nothing differs in A/A: there is nothing to plan with, and nothing is made up. */
static void no_spread(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 3);
	add(&b, "operations", NULL, 0.05, 12);
	add_pairs(&b, 12, 1, 0, usual);
	judge_last(&b);
	add(&b, "operations", "5%", 0.05, 40);
	add_pairs(&b, 12, 1 / 1.05, 0, usual);
	judge_last(&b);
	a = answer(&b, 2);
	assert_non_null(strstr(a->unplanned, "no spread"));
	check_near(a->sd, 0, 0);
	assert_true(isnan(a->effect) && isnan(a->effect_pairs) && isnan(a->sd_upper));
	assert_int_equal(a->effect_ns, 0);
	assert_false(a->aa.found);
	assert_int_equal(a->cuts.count, 2);
	assert_int_equal(a->cuts.rejected, 0);
	assert_true(a->shifts[0].found);
	assert_true(isnan(a->shifts[0].power));
	assert_int_equal(a->check, CALIBRATION_UNCHECKED);
	assert_int_equal(a->missing, 0);
}

/* An arm that is slower for another reason, in each of the small experiments. */
static void all_rejected(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 4);
	add(&b, "operations", NULL, 0.05, 26);
	add_pairs(&b, 26, 0.97, 0.001, usual);
	judge_last(&b);
	a = answer(&b, 1);
	assert_true(a->aa.found);
	assert_false(a->aa.held);
	assert_int_equal(a->cuts.count, 4);
	assert_int_equal(a->cuts.rejected, 4);
	assert_true(isnan(a->cuts.rate_bound));
	assert_true(calibration_alarms(a));
	/* What such a machine resolves is nothing that anybody should quote. */
	assert_non_null(strstr(a->unplanned, "rejected"));
	assert_true(isnan(a->effect));
}

/* Six pairs cannot reject at 1 %, eight can: 2/2^8. */
static void small_alpha(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 5);
	add(&b, "operations", NULL, 0.01, 25);
	add_pairs(&b, 25, 1, 0.01, usual);
	judge_last(&b);
	a = answer(&b, 1);
	assert_int_equal(a->cuts.pairs, 8);
	assert_int_equal(a->cuts.count, 3);
	check_near(a->cuts.level, 2.0 / 256, 1e-15);
	assert_true(a->effect > 0);
}

/* Too few pairs for anything but a count of them. */
static void few_pairs(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 6);
	add(&b, "operations", NULL, 0.05, 12);
	add_pairs(&b, 5, 1, 0.01, usual);
	judge_last(&b);
	a = answer(&b, 1);
	assert_int_equal(a->cuts.count, 0);
	assert_non_null(a->unplanned);
	assert_false(calibration_alarms(a));
}

/* Most pairs of A/A have no figure: those that have one are no random part, and are not cut. */
static void scarce_figures(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 6);
	add(&b, "operations", NULL, 0.05, 40);
	add_pairs(&b, 18, 1, 0.01, usual);
	judge_last(&b);
	assert_int_equal(answer(&b, 1)->cuts.count, 3);
	b.j[0]->comparisons[0].metrics[0].refused = 22;
	a = answer(&b, 1);
	assert_int_equal(a->cuts.count, 0);
	assert_false(calibration_alarms(a));
}

/* A shift that should be seen and is not, or is seen on the other side. */
static void contradicted(void **state)
{
	static const double ratios[] = {1, 1.05};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bench b __bench;
		const struct calibration_answer *a;

		start(&b, 7);
		add(&b, "operations", NULL, 0.05, 20);
		add_pairs(&b, 20, 1, 0.01, usual);
		judge_last(&b);
		add(&b, "operations", "5%", 0.05, 40);
		add_pairs(&b, 40, ratios[i], 0.01, usual);
		judge_last(&b);
		a = answer(&b, 2);
		assert_int_equal(a->due, 1);
		assert_int_equal(a->due_found, 0);
		assert_int_equal(a->shifts[0].found, i);
		assert_int_equal(a->shifts[0].backwards, i);
		assert_false(a->shifts[0].held);
		assert_int_equal(a->check, CALIBRATION_CONTRADICTED);
	}
}

/* Of four that were due by a power that is not near 1 one may be missed. */
static void missed_by_chance(void **state)
{
	static const double factors[] = {1 / 1.02, 1 / 1.02, 1 / 1.02, 1};
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 10);
	add(&b, "operations", NULL, 0.05, 20);
	add_pairs(&b, 20, 1, 0.0165, usual);
	judge_last(&b);
	for (size_t i = 0; i < 4; i++) {
		add(&b, "operations", "1%", 0.05, 40);
		add_pairs(&b, 40, factors[i], 0.017, usual);
		judge_last(&b);
	}
	a = answer(&b, 5);
	print_message("# power %.3f, chance %.3f\n", a->shifts[0].power, a->due_chance);
	assert_int_equal(a->due, 4);
	assert_int_equal(a->due_found, 3);
	/* Not all of four are found with the rest of their powers. */
	assert_float_equal(a->due_chance, 1 - pow(a->shifts[0].power, 4), 1e-9);
	assert_int_equal(a->check, CALIBRATION_UNCLEAR);
}

/* One that its pairs cannot be expected to show says nothing about the plan. */
static void not_due(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 8);
	add(&b, "operations", NULL, 0.05, 20);
	add_pairs(&b, 20, 1, 0.05, usual);
	judge_last(&b);
	add(&b, "operations", "0.5%", 0.05, 8);
	add_pairs(&b, 8, 1 / 1.005, 0.05, usual);
	judge_last(&b);
	a = answer(&b, 2);
	assert_true(a->shifts[0].power > 0 && a->shifts[0].power < 0.8);
	assert_int_equal(a->due, 0);
	assert_int_equal(a->check, CALIBRATION_UNCHECKED);
}

/* What was interrupted is missing, and what there is is judged. */
static void incomplete(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;

	(void)state;
	start(&b, 9);
	add(&b, "operations", NULL, 0.05, 20);
	add_pairs(&b, 20, 1, 0.01, usual);
	judge_last(&b);
	add(&b, "operations", "5%", 0.05, 40);
	add_pairs(&b, 3, 1, 0.01, usual);
	a = answer(&b, 5);
	assert_int_equal(a->missing, 4);
	assert_null(a->unplanned);
	assert_int_equal(a->shift_count, 1);
	assert_false(a->shifts[0].ended);
	assert_null(a->shifts[0].v);
	assert_int_equal(a->shifts[0].runs, 6);
	assert_true(isnan(a->shifts[0].expected));
	assert_int_equal(a->check, CALIBRATION_UNCHECKED);

	judgement_free(b.j[0]);
	b.j[0] = NULL;
	a = answer(&b, 5);
	assert_int_equal(a->missing, 5);
	assert_non_null(a->unplanned);
	assert_int_equal(a->cuts.count, 0);
}

/* Where it is not known what a delay comes to, and why. */
static void open_questions(void **state)
{
	static const struct {
		const char *primary, *why;
		struct look_of_run how;
		bool two_roles;
	} cases[] = {
		{"operations", "several tasks", {.tasks = 2}, false},
		{"operations", "sleep", {1, 20000000, 0}, false},
		{"operations", "several roles", {.tasks = 1}, true},
		{"sum", "neither a rate", {.tasks = 1}, false},
		{"cpu", "always have their CPU", {1, 0, 30000000}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b __bench;
		const struct calibration_answer *a;

		start(&b, 10);
		add(&b, cases[i].primary, NULL, 0.05, 12);
		if (cases[i].two_roles) {
			struct subject *s = &b.e[0]->subjects[0];

			description_free(s->description);
			s->description = describe(two_roles, delay_param);
			s->primary = description_metric(s->description, cases[i].primary)->name;
		}
		add_pairs(&b, 12, 1, 0.01, cases[i].how);
		judge_last(&b);
		add(&b, cases[i].primary, "5%", 0.05, 40);
		add_pairs(&b, 20, 0.9, 0.01, cases[i].how);
		judge_last(&b);
		a = answer(&b, 2);
		assert_null(a->unseen);
		assert_non_null(a->open);
		if (!strstr(a->open, cases[i].why))
			fail_msg("'%s', not '%s'", a->open, cases[i].why);
		assert_true(a->shifts[0].found);
		assert_true(isnan(a->shifts[0].expected));
		assert_false(a->shifts[0].held);
		assert_int_equal(a->known, 0);
		assert_int_equal(a->check, CALIBRATION_UNCHECKED);
		/* A/A is known to come to nothing all the same. */
		assert_true(a->aa.held);
	}
}

static void unseen(void **state)
{
	struct bench b __bench;
	struct subject *s;
	const char *instead;

	(void)state;
	s = &add(&b, "latency_p50", NULL, 0.05, 12)->subjects[0];
	assert_non_null(strstr(calibration_unseen(s, &instead), "latency"));
	assert_string_equal(instead, "operations");
	s->primary = description_metric(s->description, "fairness")->name;
	assert_non_null(strstr(calibration_unseen(s, &instead), "fairness"));
	s->primary = description_metric(s->description, "operations")->name;
	assert_null(calibration_unseen(s, &instead));
	assert_null(instead);
	description_free(s->description);
	s->description = describe(one_role, "");
	s->primary = description_metric(s->description, "operations")->name;
	assert_non_null(strstr(calibration_unseen(s, &instead), "no delay="));
	assert_null(instead);
}

static void summary(void **state)
{
	struct bench b __bench;
	const struct calibration_answer *a;
	struct calibration *c __free(calibration) = NULL;

	(void)state;
	start(&b, 11);
	json_object_set_new(add(&b, "operations", NULL, 0.05, 12)->subjects[0].params[ARM_A],
			    "window", json_string("50ms"));
	add_pairs(&b, 12, 1, 0.01, usual);
	judge_last(&b);
	add(&b, "operations", "5%", 0.05, 40);
	add_pairs(&b, 20, 1 / 1.05, 0.01, usual);
	judge_last(&b);
	a = answer(&b, 2);

	const struct calibration_part parts[] = {{b.e[0], &b.runs[0], b.j[0]},
						 {b.e[1], &b.runs[1], b.j[1]}};

	c = calibration_summary(a, parts, 2, "contend calibrate made", 77);
	assert_string_equal(c->workload, "made");
	assert_string_equal(c->primary, "operations");
	assert_string_equal(json_string_value(json_object_get(c->params, "window")), "50ms");
	assert_null(json_object_get(c->params, "delay"));
	assert_string_equal(json_string_value(json_object_get(c->host, "kernel")), "6.18.44");
	assert_int_equal(c->experiment_count, 2);
	assert_int_equal(c->experiments[1], 12);
	assert_int_equal(c->made_ns, 77);
	assert_int_equal(c->pairs, 12);
	check_near(c->sd, a->sd, 0);
	check_near(c->effect, a->effect, 0);
	assert_int_equal(c->check, CALIBRATION_CONFIRMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),
		cmocka_unit_test(cpu_time),
		cmocka_unit_test(rate_beside_others),
		cmocka_unit_test(no_spread),
		cmocka_unit_test(all_rejected),
		cmocka_unit_test(small_alpha),
		cmocka_unit_test(few_pairs),
		cmocka_unit_test(scarce_figures),
		cmocka_unit_test(contradicted),
		cmocka_unit_test(missed_by_chance),
		cmocka_unit_test(not_due),
		cmocka_unit_test(incomplete),
		cmocka_unit_test(open_questions),
		cmocka_unit_test(unseen),
		cmocka_unit_test(summary),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
