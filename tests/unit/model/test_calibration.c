// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "model/calibration.h"

static const char description_text[] =
	"{'name':'maps','summary':'reads maps','needs':'','roles':[{'name':'task','help':''}],"
	"'params':["
	"{'name':'file','type':'choice','preset':'maps','choices':'maps|smaps|stat','help':''},"
	"{'name':'window','type':'duration','preset':'1s','help':''},"
	"{'name':'delay','type':'percent','preset':'0%','help':''},"
	"{'name':'memcg','type':'bytes','help':'','setup':'memcg'}],'metrics':["
	"{'name':'rate','unit':'1/s','better':'higher','summary':'rate','of':'task.operations',"
	"'primary':true,'multitask':false,'help':''},"
	"{'name':'p50','unit':'ns','better':'lower','summary':'p50','of':'task.latency',"
	"'primary':false,'multitask':false,'help':''}]}";

/* A subject alone, for what it is compared with. */
struct place {
	struct description *description;
	struct subject subject;
};

static void place_done(struct place *p)
{
	description_free(p->description);
	for (int arm = 0; arm < ARM_MOST; arm++)
		json_decref(p->subject.params[arm]);
}

static void place_init(struct place *p, const char *a, const char *b)
{
	json_t *object __free(json) = made(description_text);
	struct error err;

	if (!description_from_json(object, &p->description, &err))
		fail_msg("%s", err.text);
	p->subject = (struct subject){
		.description = p->description,
		.params = {made(a), made(b)},
		.primary = description_primary(p->description)->name,
	};
}

static struct calibration *made_calibration(const char *workload, const char *params,
					    int64_t made_ns)
{
	struct calibration *c = memory_alloc(sizeof(*c));

	c->made_ns = made_ns;
	c->workload = memory_string(workload);
	c->params = made(params);
	c->primary = memory_string("rate");
	return c;
}

static void whose_it_is(void **state)
{
	static const struct {
		const char *a, *b, *params;
		bool same;
	} cases[] = {
		{"{}", "{}", "{'file':'maps','window':'1s'}", true},
		/* As it is meant, not as it is typed; a default that is spelled out. */
		{"{'window':'1000ms'}", "{'window':'1s'}", "{'file':'maps','window':'1s'}", true},
		{"{'window':'2s'}", "{'window':'2s'}", "{'file':'maps','window':'1s'}", false},
		{"{'file':'stat'}", "{'file':'stat'}", "{'file':'maps','window':'1s'}", false},
		/* Either arm, where they differ; both, where they do not. */
		{"{'file':'stat'}", "{}", "{'file':'maps','window':'1s'}", true},
		{"{}", "{'file':'stat'}", "{'file':'maps','window':'1s'}", true},
		{"{'file':'stat'}", "{'file':'smaps'}", "{'file':'maps','window':'1s'}", false},
		{"{'file':'stat','window':'2s'}", "{'window':'2s'}",
		 "{'file':'maps','window':'1s'}", false},
		/* What was slowed is the same workload. */
		{"{}", "{'delay':'2%'}", "{'file':'maps','window':'1s'}", true},
		/* What has no default is the same where it was not given, or was given the same. */
		{"{'memcg':'64M'}", "{'memcg':'64M'}", "{'file':'maps','window':'1s'}", false},
		{"{}", "{}", "{'file':'maps','window':'1s','memcg':'64M'}", false},
		{"{'memcg':'64M'}", "{'memcg':'65536K'}",
		 "{'file':'maps','window':'1s','memcg':'64M'}", true},
		/* One of a version with other parameters is not. */
		{"{}", "{}", "{'file':'maps'}", false},
		{"{}", "{}", "{'file':'maps','window':'1s','more':'1'}", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct place p __cleanup(place_done) = {0};
		struct calibration *c __free(calibration) =
			made_calibration("maps", cases[i].params, 1);

		place_init(&p, cases[i].a, cases[i].b);
		if (calibration_is_of(c, &p.subject) != cases[i].same)
			fail_msg("case %zu", i);
	}
}

static void another_primary_or_workload(void **state)
{
	struct place p __cleanup(place_done) = {0};
	struct calibration *c __free(calibration) =
		made_calibration("maps", "{'file':'maps','window':'1s'}", 1);

	(void)state;
	place_init(&p, "{}", "{}");
	assert_true(calibration_is_of(c, &p.subject));
	p.subject.primary = "p50";
	assert_false(calibration_is_of(c, &p.subject));
	p.subject.primary = "rate";
	free(c->workload);
	c->workload = memory_string("map");
	assert_false(calibration_is_of(c, &p.subject));
}

static void params_are_whole(void **state)
{
	struct place p __cleanup(place_done) = {0};
	json_t *params __free(json) = NULL;
	json_t *wanted __free(json) = made("{'file':'stat','window':'1s'}");

	(void)state;
	place_init(&p, "{'file':'stat'}", "{'file':'stat','delay':'1%'}");
	params = calibration_params(&p.subject);
	assert_true(json_equal(params, wanted));
}

/* The last one before the experiment counts, in the order in which they were stored. */
static void the_last_one_counts(void **state)
{
	static const char usual[] = "{'file':'maps','window':'1s'}";
	struct calibrations all __cleanup(calibrations_done) = {0};
	struct place p __cleanup(place_done) = {0};

	(void)state;
	place_init(&p, "{}", "{}");
	assert_null(calibrations_find(&all, &p.subject, 100));
	calibrations_add(&all, made_calibration("maps", usual, 10));
	calibrations_add(&all, made_calibration("maps", usual, 20));
	calibrations_add(&all, made_calibration("other", usual, 25));
	calibrations_add(&all, made_calibration("maps", usual, 30));
	assert_null(calibrations_find(&all, &p.subject, 9));
	assert_int_equal(calibrations_find(&all, &p.subject, 10)->made_ns, 10);
	assert_int_equal(calibrations_find(&all, &p.subject, 29)->made_ns, 20);
	assert_int_equal(calibrations_find(&all, &p.subject, 100)->made_ns, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_it_is),
		cmocka_unit_test(another_primary_or_workload),
		cmocka_unit_test(params_are_whole),
		cmocka_unit_test(the_last_one_counts),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
