// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "made.h"
#include "model/experiment.h"

static const char description_text[] =
	"{'name':'proc_maps','summary':'reads maps','needs':'',"
	"'roles':[{'name':'writer','help':''}],"
	"'params':["
	"{'name':'file','type':'choice','preset':'maps','choices':'maps|smaps','help':''},"
	"{'name':'window','type':'duration','preset':'1s','help':''},"
	"{'name':'tasks','type':'count','preset':'1','low':1,'high':4,'help':''},"
	"{'name':'seed','type':'count','preset':'0','help':''},"
	"{'name':'label','type':'text','preset':'1','help':''}],"
	"'metrics':["
	"{'name':'rate','unit':'1/s','better':'higher','summary':'rate',"
	"'of':'writer.operations','primary':true,'multitask':false,'help':''},"
	"{'name':'p50','unit':'ns','better':'lower','summary':'p50',"
	"'of':'writer.latency','primary':false,'multitask':false,'help':''}],"
	"'later':[1.5,{'x':null}]}";

static void add_subject(struct experiment *e, const char *primary, const char *a, const char *b)
{
	json_t *object __free(json) = made(description_text);
	struct subject *s;
	struct error err;

	e->subjects = memory_grow(e->subjects, (e->subject_count + 1) * sizeof(*e->subjects));
	s = &e->subjects[e->subject_count++];
	*s = (struct subject){0};
	if (!description_from_json(object, &s->description, &err))
		fail_msg("%s", err.text);
	s->params[ARM_A] = a ? made(a) : NULL;
	s->params[ARM_B] = b ? made(b) : NULL;
	s->primary = description_metric(s->description, primary)->name;
}

static struct experiment *made_experiment(void)
{
	struct experiment *e = experiment_new();

	e->created_ns = INT64_C(1700000000123456789);
	e->command = memory_string("contend ab proc_maps --a file=smaps --b 'file=maps' \xc3\xa9");
	e->labels[ARM_A] = memory_string("file=smaps");
	e->labels[ARM_B] = memory_string("file=maps");
	e->plan = PLAN_BUDGET;
	e->pairs = 40;
	e->budget_ns = INT64_C(600000000000);
	e->margin = 0.1;
	e->alpha = 0.05;
	e->seed = 4021;
	e->strict = true;
	add_subject(e, "rate", "{'file':'smaps'}", "{'file':'maps','window':'2s'}");
	add_subject(e, "p50", "{}", "{}");
	return e;
}

/* Through a line of JSON and back. */
static struct experiment *passed_on(const struct experiment *e, json_t **ret_object)
{
	json_t *object __free(json) = experiment_to_json(e);
	char *line __free(memory) = json_line(object);
	struct experiment *back = NULL;
	json_t *parsed = NULL;
	struct error err;

	assert_true(json_parse(line, strlen(line), &parsed, &err));
	assert_true(json_equal(object, parsed));
	if (!experiment_from_json(parsed, &back, &err))
		fail_msg("%s", err.text);
	*ret_object = parsed;
	return back;
}

static void same(const struct experiment *a, const struct experiment *b)
{
	assert_int_equal(a->created_ns, b->created_ns);
	assert_string_equal(a->command, b->command);
	assert_int_equal(a->arm_count, b->arm_count);
	for (int arm = 0; arm < a->arm_count; arm++)
		assert_string_equal(a->labels[arm], b->labels[arm]);
	assert_int_equal(a->plan, b->plan);
	assert_int_equal(a->pairs, b->pairs);
	assert_int_equal(a->budget_ns, b->budget_ns);
	assert_true(a->margin == b->margin);
	assert_true(a->alpha == b->alpha);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->strict, b->strict);
	assert_int_equal(a->subject_count, b->subject_count);
	for (size_t i = 0; i < a->subject_count; i++) {
		const struct subject *x = &a->subjects[i];
		const struct subject *y = &b->subjects[i];

		assert_true(json_equal(x->description->object, y->description->object));
		assert_string_equal(x->primary, y->primary);
		for (int arm = 0; arm < a->arm_count; arm++)
			assert_true(json_equal(x->params[arm], y->params[arm]));
	}
}

static void test_round_trip(void **state)
{
	struct experiment *e __free(experiment) = made_experiment();
	json_t *object __free(json) = NULL;
	json_t *again __free(json) = NULL;
	struct experiment *back __free(experiment) = passed_on(e, &object);
	struct experiment *twice __free(experiment) = NULL;

	(void)state;
	same(e, back);
	assert_int_equal(back->id, 0);
	/* The primary's name is the description's own. */
	assert_ptr_equal(back->subjects[1].primary, back->subjects[1].description->metrics[1].name);
	twice = passed_on(back, &again);
	assert_true(json_equal(object, again));
}

static void test_extremes(void **state)
{
	static const uint64_t seeds[] = {
		0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX, UINT64_C(9007199254740993),
	};
	static const double ratios[] = {0, 0.02, 1.0 / 3, 5e-324, 0.1 + 0.2, 0.99999999999999989};

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct experiment *e __free(experiment) = made_experiment();
		struct experiment *back __free(experiment) = NULL;
		json_t *object __free(json) = NULL;

		e->seed = seeds[i];
		e->margin = ratios[i];
		/* No level at all goes with a single arm only. */
		e->alpha = i ? ratios[i] : 0.05;
		e->plan = (enum plan)(i % 4);
		e->arm_count = e->plan == PLAN_SINGLE ? 1 : 2;
		e->pairs = i ? EXPERIMENT_PAIRS_MAX : 0;
		e->budget_ns = i ? INT64_MAX : 0;
		e->strict = i % 2;
		back = passed_on(e, &object);
		same(e, back);
	}
}

/* Of two arms the format is the one that it always was, so that older programs read it. */
static void test_arms(void **state)
{
	(void)state;
	for (int arms = 2; arms <= ARM_MOST; arms++) {
		struct experiment *e __free(experiment) = made_experiment();
		struct experiment *back __free(experiment) = NULL;
		json_t *object __free(json) = NULL;

		e->arm_count = arms;
		for (int arm = ARM_C; arm < arms; arm++) {
			e->labels[arm] = text_format("file=%s", arm_words[arm]);
			for (size_t i = 0; i < e->subject_count; i++)
				e->subjects[i].params[arm] =
					json_pack("{s:s}", "file", arm_words[arm]);
		}
		back = passed_on(e, &object);
		same(e, back);
		assert_int_equal(json_integer_value(json_object_get(object, "version")),
				 arms == 2 ? 1 : 2);
		assert_int_equal(json_object_size(json_object_get(object, "labels")), arms);
		assert_int_equal(!json_object_get(object, "arms"), arms == 2);
	}
}

/* What was never set comes back as what it counts as. */
static void test_unset(void **state)
{
	struct experiment *e __free(experiment) = experiment_new();
	struct experiment *back __free(experiment) = NULL;
	json_t *object __free(json) = NULL;

	(void)state;
	add_subject(e, "rate", NULL, NULL);
	e->plan = PLAN_SINGLE;
	e->arm_count = 1;
	back = passed_on(e, &object);
	assert_string_equal(back->command, "");
	assert_string_equal(back->labels[ARM_A], "");
	assert_string_equal(back->labels[ARM_B], "");
	assert_int_equal(json_object_size(back->subjects[0].params[ARM_A]), 0);
	assert_int_equal(json_object_size(back->subjects[0].params[ARM_B]), 0);
	experiment_free(NULL);
}

/* A file name need not be UTF-8. Its experiment is stored all the same. */
static void test_odd_command(void **state)
{
	struct experiment *e __free(experiment) = made_experiment();
	struct experiment *back __free(experiment) = NULL;
	json_t *object __free(json) = NULL;

	(void)state;
	free(e->command);
	e->command = memory_string("contend run command -- ./\xe9t\xe9");
	back = passed_on(e, &object);
	assert_string_equal(back->command, "contend run command -- ./\xef\xbf\xbdt\xef\xbf\xbd");
}

/* Of three subjects the last two are points of one curve. */
static struct experiment *made_curve(void)
{
	struct experiment *e = made_experiment();

	experiment_remove_subject(e, 1);
	add_subject(e, "rate", "{'tasks':'2'}", "{'tasks':'2','file':'smaps'}");
	add_subject(e, "rate", "{'tasks':'4'}", "{'tasks':'4','file':'smaps'}");
	experiment_add_curve(e, 1, 2, "50%,100%", 4);
	return e;
}

static void test_curve(void **state)
{
	struct experiment *e __free(experiment) = made_curve();
	struct experiment *back __free(experiment) = NULL;
	json_t *object __free(json) = NULL;

	(void)state;
	back = passed_on(e, &object);
	assert_int_equal(back->curve_count, 1);
	assert_null(experiment_curve(back, 0));
	assert_ptr_equal(experiment_curve(back, 2), &back->curves[0]);
	assert_string_equal(back->curves[0].asked, "50%,100%");
	assert_int_equal(back->curves[0].cpus, 4);
	assert_int_equal(experiment_point(back, 2), 4);
}

/* Subjects that a curve is said to be of, and that are none of it. */
static void test_no_curve(void **state)
{
	static const struct {
		const char *curve, *why;
	} cases[] = {
		{"{}", "field 'first' is not an integer"},
		{"{'first':1,'count':1,'asked':'','cpus':0}", "1 subjects from 1 on"},
		{"{'first':1,'count':3,'asked':'','cpus':0}", "3 subjects from 1 on"},
		{"{'first':9,'count':2,'asked':'','cpus':0}", "2 subjects from 9 on"},
		{"{'first':9223372036854775807,'count':9223372036854775807,'asked':'','cpus':0}",
		 "9223372036854775807 subjects from 9223372036854775807 on"},
		{"{'first':1,'count':2,'asked':'','cpus':-1}", "field 'cpus' is negative"},
	};
	struct experiment *back = NULL;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct experiment *e __free(experiment) = made_curve();
		json_t *object __free(json) = experiment_to_json(e);
		char *why __free(memory) = text_format("experiment: curve 0: %s", cases[i].why);
		json_t *curves = json_array();

		json_array_append_new(curves, made(cases[i].curve));
		json_object_set_new(object, "curves", curves);
		assert_false(experiment_from_json(object, &back, &err));
		assert_string_equal(err.text, why);
	}
	/* The same number twice, arms that differ in it, one that cannot be. */
	for (int i = 0; i < 3; i++) {
		static const char *const values[] = {"2", "3", "x"};
		struct experiment *e __free(experiment) = made_curve();
		json_t *object __free(json) = experiment_to_json(e);

		json_object_set_new(e->subjects[2].params[ARM_A], "tasks", json_string(values[i]));
		assert_false(experiment_from_json(object, &back, &err));
		assert_string_equal(err.text, "experiment: curve 0: subject 2 is no point of it");
	}
	assert_null(back);
}

static void refuse(const char *key, json_t *value, const char *why)
{
	struct experiment *e __free(experiment) = made_experiment();
	json_t *object __free(json) = experiment_to_json(e);
	struct experiment *back = NULL;
	struct error err;

	if (value)
		json_object_set_new(object, key, value);
	else
		json_object_del(object, key);
	if (experiment_from_json(object, &back, &err))
		fail_msg("taken, but: %s", why);
	assert_null(back);
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, why);
}

/* The subjects with one key of the second one changed. */
static json_t *subjects(const char *key, json_t *value)
{
	struct experiment *e __free(experiment) = made_experiment();
	json_t *object __free(json) = experiment_to_json(e);
	json_t *list = json_object_get(object, "subjects");

	json_object_set_new(json_array_get(list, 1), key, value);
	return json_incref(list);
}

static void test_refuses(void **state)
{
	(void)state;
	refuse("version", NULL, "experiment: field 'version' is not an integer");
	refuse("version", json_integer(3), "experiment: version 3, this program knows 1 to 2");
	refuse("version", json_integer(2), "experiment: field 'arms' is not an integer");
	refuse("created_ns", json_integer(-1), "experiment: field 'created_ns' is negative");
	refuse("command", NULL, "experiment: field 'command' is not a string");
	refuse("plan", json_string("later"), "experiment: field 'plan': unknown word 'later'");
	refuse("pairs", json_real(40), "experiment: field 'pairs' is not an integer");
	refuse("budget_ns", json_integer(-1), "experiment: field 'budget_ns' is negative");
	refuse("margin", json_string("2%"), "experiment: field 'margin' is not a number");
	refuse("margin", json_real(-0.1), "experiment: margin -0.1, alpha 0.05");
	refuse("alpha", json_integer(1), "experiment: margin 0.1, alpha 1");
	refuse("seed", json_real(1), "experiment: field 'seed' is not an integer");
	refuse("strict", json_integer(1), "experiment: field 'strict' is not true or false");
	refuse("labels", json_array(), "experiment: field 'labels' is not an object");
	refuse("labels", made("{'a':''}"), "experiment: labels: field 'b' is not a string");
	refuse("subjects", NULL, "experiment: field 'subjects' is not an array");
	refuse("subjects", json_array(), "experiment: 0 subjects, not 1 to 256");
	refuse("subjects", subjects("description", json_null()),
	       "experiment: subject 1: field 'description' is not an object");
	refuse("subjects", subjects("description", json_object()),
	       "experiment: subject 1: workload: field 'name' is not a string");
	refuse("subjects", subjects("primary", json_string("p51")),
	       "experiment: subject 1: no metric 'p51' to be the primary one");
	refuse("subjects", subjects("params", made("{'a':{}}")),
	       "experiment: subject 1: params: field 'b' is not an object");
	refuse("subjects", subjects("params", made("{'a':{},'b':{'file':1}}")),
	       "experiment: subject 1: params: field 'b': 'file' is not a string");
}

static bool is_aa(const char *a, const char *b)
{
	struct experiment *e __free(experiment) = experiment_new();

	e->plan = PLAN_DECIDED;
	add_subject(e, "rate", NULL, NULL);
	add_subject(e, "rate", a, b);
	assert_true(subject_is_aa(&e->subjects[0], ARM_B));
	return subject_is_aa(&e->subjects[1], ARM_B);
}

static void test_aa(void **state)
{
	(void)state;
	assert_true(is_aa(NULL, NULL));
	assert_true(is_aa("{}", NULL));
	assert_true(is_aa("{'file':'smaps'}", "{'file':'smaps'}"));
	assert_false(is_aa("{'file':'smaps'}", "{'file':'maps'}"));
	assert_false(is_aa("{'file':'smaps'}", "{}"));
	assert_false(is_aa(NULL, "{'file':'smaps'}"));
	/* The default, spelled out. */
	assert_true(is_aa("{'file':'maps'}", "{}"));
	assert_true(is_aa(NULL, "{'file':'maps','window':'1s'}"));
	/* The same number, written differently. */
	assert_true(is_aa("{'window':'2s'}", "{'window':'2000ms'}"));
	assert_true(is_aa("{'window':'1000ms'}", NULL));
	assert_false(is_aa("{'window':'2s'}", "{'window':'2001ms'}"));
	assert_false(is_aa("{'seed':'9007199254740992'}", "{'seed':'9007199254740993'}"));
	/* A text is what it is. */
	assert_false(is_aa("{'label':'1'}", "{'label':'1.0'}"));
	assert_true(is_aa("{'label':'1'}", "{}"));
	/* Parameters that are not the workload's. */
	assert_true(is_aa("{'kernel':'a'}", "{'kernel':'a'}"));
	assert_false(is_aa("{'kernel':'a'}", "{'kernel':'b'}"));
	assert_false(is_aa("{'kernel':'a'}", "{}"));
	assert_false(is_aa(NULL, "{'kernel':'a'}"));
	/* What nobody checked does not count as the same. */
	assert_false(is_aa("{'window':'x'}", "{'window':'1s'}"));
}

static void test_entries(void **state)
{
	struct entries list = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct entry entry = {.id = i, .pair = i / 2, .arm = i % 2};

		entry.run = run_without_record(OUTCOME_TIMEOUT, "no answer");
		entries_add(&list, entry);
		assert_int_equal(list.count, i + 1);
	}
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(list.list[i].id, i);
		assert_string_equal(list.list[i].run->reason, "no answer");
	}
	entries_done(&list);
	assert_null(list.list);
	assert_int_equal(list.count, 0);
	entries_done(&list);
	entries_add(&list, (struct entry){.id = 7});
	assert_int_equal(list.list[0].id, 7);
	entries_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_arms),
		cmocka_unit_test(test_unset),
		cmocka_unit_test(test_odd_command),
		cmocka_unit_test(test_curve),
		cmocka_unit_test(test_no_curve),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_aa),
		cmocka_unit_test(test_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
