// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/explore.h"

#include "many.h"

/*
 * A workload of one metric, operations a second, whose runs count what a test writes down. Its two
 * roles count the same; a metric of the second one covers its minor faults, and divides by grows.
 */
static const char description_text[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"writer\",\"help\":\"\"},{\"name\":\"reader\",\"help\":\"\"}],"
	"\"params\":[],\"metrics\":["
	"{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
	"\"of\":\"writer.operations\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"faults\",\"unit\":\"1/op\",\"better\":\"neither\",\"summary\":\"ratio\","
	"\"of\":\"reader.minor_faults\",\"per\":\"reader.grows\",\"primary\":false,"
	"\"multitask\":false,\"help\":\"\"}]}";

struct counts {
	int operations, minor_faults, major_faults, switches, grows, bytes;
	int64_t cpu_ns, run_delay_ns; /* run_delay_ns -1: the kernel does not tell */
};

static json_t *task(const char *role, int number, const struct counts *c)
{
	json_t *task = json_pack(
		"{s:s, s:i, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i}}", "role",
		role, "task", number, "window_ns", (json_int_t)1000000, "cpu_ns",
		(json_int_t)c->cpu_ns, "voluntary_switches", 7, "involuntary_switches", c->switches,
		"minor_faults", c->minor_faults, "major_faults", c->major_faults,
		"page_table_bytes", 4096, "counters", "operations", c->operations, "failures", 0,
		"grows", c->grows, "copied_bytes", c->bytes);

	if (c->run_delay_ns >= 0)
		json_object_set_new(task, "run_delay_ns", json_integer(c->run_delay_ns));
	return task;
}

static void add(struct entries *runs, int64_t pair, int arm, const struct counts *writer)
{
	static const struct counts still = {.operations = 100, .grows = 50, .run_delay_ns = 5};
	json_t *record __free(json) =
		json_pack("{s:s, s:s, s:[o, o, o], s:[]}", "outcome", "ok", "reason", "", "tasks",
			  task("writer", 0, writer), task("writer", 1, writer),
			  task("reader", 0, &still), "series");
	struct run *run = NULL;
	struct error err;

	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	entries_add(runs, (struct entry){.pair = pair, .arm = arm, .run = run});
}

static struct experiment *made(enum plan plan)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(description_text, strlen(description_text), &object, &err));
	e->plan = plan;
	e->pairs = 40;
	e->alpha = 0.05;
	e->margin = 0.02;
	e->subjects = memory_alloc(sizeof(*e->subjects));
	e->subject_count = 1;
	assert_true(description_from_json(object, &e->subjects[0].description, &err));
	e->subjects[0].params[ARM_A] = json_object();
	e->subjects[0].params[ARM_B] = json_object();
	e->subjects[0].primary = "operations";
	return e;
}

/* B switches three times as often, has a major fault now and then, and nothing else. */
static void add_pairs(struct entries *runs, int first, int pairs, bool alike)
{
	for (int k = first; k < first + pairs; k++) {
		struct counts a = {.operations = 1000 + k,
				   .minor_faults = 2000 + (k * 7) % 5,
				   .switches = 10 + k % 3,
				   .grows = 500,
				   .bytes = 4096 * (1000 + k),
				   .cpu_ns = 900000 + (k * 13) % 11,
				   .run_delay_ns = k == 1 ? -1 : 100 + (k * 5) % 7};
		struct counts b = a;

		b.minor_faults += k % 2 ? 1 : -1;
		b.run_delay_ns = 100 + (k * 3) % 7;
		if (!alike) {
			b.switches *= 3;
			b.major_faults = 1 + k % 2;
		}
		add(runs, k, ARM_A, &a);
		add(runs, k, ARM_B, &b);
	}
}

static bool has(const struct exploration *x, const char *of)
{
	for (size_t i = 0; i < x->count; i++) {
		if (text_equal(x->list[i].of, of))
			return true;
	}
	return false;
}

static const struct explored *find(const struct exploration *x, const char *of)
{
	size_t i = 0;

	assert_true(has(x, of));
	while (!text_equal(x->list[i].of, of))
		i++;
	return &x->list[i];
}

static void what_differs_is_found(void **state)
{
	struct experiment *e __free(experiment) = made(PLAN_PAIRS);
	struct entries runs __cleanup(entries_done) = {0};
	struct judgement *j __free(judgement) = NULL;
	const struct exploration *x;
	const struct explored *c;

	(void)state;
	add_pairs(&runs, 0, 8, false);
	j = judge(e, &runs, JUDGE_END);
	x = j->comparisons[0].explored;
	c = find(x, "writer.involuntary_switches");
	assert_string_equal(c->unit, "1/op");
	assert_string_equal(c->metric.name, "writer_involuntary_switches");
	assert_int_equal(c->v.pairs, 8);
	assert_int_equal(c->v.scale, SCALE_LOG);
	assert_float_equal(c->v.estimate, 2, 1e-6);
	assert_float_equal(c->v.middle_a, 11.0 / 1004, 1e-4);
	assert_float_equal(c->v.p, 2.0 / 256, 0);
	assert_true(c->found);
	c = find(x, "writer.major_faults");
	assert_int_equal(c->v.scale, SCALE_DIFFERENCE);
	assert_float_equal(c->v.p, 2.0 / 256, 0);
	assert_true(c->found);
	/* Signs alternate, and one run says nothing of its delay. */
	assert_false(find(x, "writer.minor_faults")->found);
	assert_int_equal(find(x, "writer.run_delay_ns")->v.pairs, 7);
	assert_string_equal(find(x, "writer.run_delay_ns")->unit, "ns/op");
	assert_string_equal(find(x, "writer.copied_bytes")->unit, "bytes/op");
	assert_int_equal(x->found, 2);
	/* Alike in all pairs: cpu_ns, the bytes, voluntary switches, grows, all of the reader. */
	assert_int_equal(find(x, "writer.cpu_ns")->v.comparisons, 0);
	assert_int_equal(find(x, "reader.cpu_ns")->v.comparisons, 0);
	assert_string_equal(find(x, "writer.failures")->v.remark, "no events");
	assert_int_equal(x->comparisons, 4);
	assert_int_equal(find(x, "writer.minor_faults")->v.comparisons, 4);
	/* By Benjamini and Hochberg: the two smallest of four, 4 p / 2. */
	assert_float_equal(c->v.p_adjusted, 4 * (2.0 / 256) / 2, 1e-9);
	/* What a metric is made of, what is counted by, and what is not counted over the window. */
	assert_false(has(x, "reader.minor_faults"));
	assert_false(has(x, "reader.grows"));
	assert_false(has(x, "writer.operations"));
	assert_false(has(x, "writer.page_table_bytes"));
}

/* Neither verdicts nor status know of it. */
static void no_verdict_goes_by_it(void **state)
{
	int status[2];

	(void)state;
	for (int alike = 0; alike < 2; alike++) {
		struct experiment *e __free(experiment) = made(PLAN_PAIRS);
		struct entries runs __cleanup(entries_done) = {0};
		struct judgement *j __free(judgement) = NULL;

		add_pairs(&runs, 0, 8, alike);
		j = judge(e, &runs, JUDGE_END);
		assert_int_equal(j->comparisons[0].explored->found, alike ? 0 : 2);
		assert_int_equal(j->comparisons[0].metric_count, 2);
		status[alike] = judgement_status(j, true);
	}
	assert_int_equal(status[0], status[1]);
}

static void when_it_is_looked_through(void **state)
{
	struct experiment *planned __free(experiment) = made(PLAN_PAIRS);
	struct experiment *decided __free(experiment) = made(PLAN_DECIDED);
	struct entries few __cleanup(entries_done) = {0}, runs __cleanup(entries_done) = {0};
	struct judgement *blind __free(judgement) = NULL, *five __free(judgement) = NULL;
	struct judgement *glance __free(judgement) = NULL, *look __free(judgement) = NULL;
	struct judgement *extended __free(judgement) = NULL;
	const struct explored *c;

	(void)state;
	add_pairs(&few, 0, 5, false);
	add_pairs(&runs, 0, 12, false);
	blind = judge(planned, &runs, JUDGE_LOOK);
	assert_null(blind->comparisons[0].explored);
	five = judge(planned, &few, JUDGE_END);
	assert_int_equal(five->comparisons[0].explored->comparisons, 0);
	glance = judge(decided, &runs, JUDGE_GLANCE);
	assert_null(glance->comparisons[0].explored);
	/* Under looks by the e-process: E doubles with each pair of one sign, up to 2^11. */
	look = judge(decided, &runs, JUDGE_LOOK);
	c = find(look->comparisons[0].explored, "writer.involuntary_switches");
	assert_int_equal(c->v.rule, RULE_E_PROCESS);
	assert_true(c->v.p >= ldexp(1, -11) && c->v.p < 0.01);
	assert_true(c->found);
	/* What was found at the end that came first, whatever the others show. */
	planned->looked = 8;
	extended = judge(planned, &runs, JUDGE_END);
	assert_int_equal(extended->first_end, 8);
	c = find(extended->comparisons[0].explored, "writer.involuntary_switches");
	assert_int_equal(c->v.pairs, 8);
	assert_int_equal(c->v.rule, RULE_SIGN_FLIP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs_is_found),
		cmocka_unit_test(no_verdict_goes_by_it),
		cmocka_unit_test(when_it_is_looked_through),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
