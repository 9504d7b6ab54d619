// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "target/target.h"

/* A target that answers what the test says. */
static struct {
	const char *answer; /* JSON; NULL: the error below */
	enum error_code code;
	bool crashed;
	enum wire_job job;
	int64_t limit_ns;
} fake;

static bool fake_ask(const struct wire_request *request, int64_t limit_ns,
		     const struct target_watch *watch, json_t **ret_answer, bool *ret_crashed,
		     struct error *err)
{
	assert_non_null(request->id);
	assert_non_null(watch);
	fake.job = request->job;
	fake.limit_ns = limit_ns;
	*ret_crashed = fake.crashed;
	if (!fake.answer)
		return error_set(err, fake.code, "the reason");
	if (!json_parse(fake.answer, strlen(fake.answer), ret_answer, err))
		fail_msg("%s", err->text);
	return true;
}

static const struct target target_fake = {.name = "fake", .ask = fake_ask};

static struct run *run_once(void)
{
	const struct wire_request request = {.job = WIRE_RUN, .id = "1", .workload = "null"};
	const struct target_watch watch = {.stop_fd = -1};
	int64_t before = clock_wall_ns();
	struct run *run = target_run(&target_fake, &request, 42, &watch);

	assert_int_equal(fake.job, WIRE_RUN);
	assert_int_equal(fake.limit_ns, 42);
	assert_true(before <= run->started_ns && run->started_ns <= run->ended_ns);
	return run;
}

static void what_goes_wrong_is_an_outcome(void **state)
{
	static const struct {
		enum error_code code;
		bool crashed;
		enum outcome outcome;
	} cases[] = {
		{ERROR_USAGE, false, OUTCOME_FAILED},
		{ERROR_UNSUPPORTED, false, OUTCOME_UNSUPPORTED},
		{ERROR_SYSTEM, false, OUTCOME_FAILED},
		{ERROR_SYSTEM, true, OUTCOME_CRASHED},
		{ERROR_DATA, false, OUTCOME_FAILED},
		{ERROR_TIMEOUT, false, OUTCOME_TIMEOUT},
		{ERROR_INTERRUPTED, false, OUTCOME_INTERRUPTED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run *run __free(run) = NULL;

		fake.answer = NULL;
		fake.code = cases[i].code;
		fake.crashed = cases[i].crashed;
		run = run_once();
		assert_int_equal(run->outcome, cases[i].outcome);
		assert_string_equal(run->reason, "the reason");
		assert_null(run->record);
	}
	fake.crashed = false;
}

static void an_answer_is_a_record(void **state)
{
	struct run *run __free(run) = NULL;

	(void)state;
	fake.answer = "{\"outcome\":\"invalid\",\"reason\":\"no scan\"}";
	run = run_once();
	assert_int_equal(run->outcome, OUTCOME_INVALID);
	assert_string_equal(run->reason, "no scan");
	assert_non_null(run->record);
}

static void an_answer_that_is_no_record(void **state)
{
	static const char *const answers[] = {
		"[]",
		"{}",
		"{\"outcome\":\"great\",\"reason\":\"\"}",
		"{\"outcome\":\"ok\",\"reason\":\"\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		struct run *run __free(run) = NULL;

		fake.answer = answers[i];
		run = run_once();
		assert_int_equal(run->outcome, OUTCOME_FAILED);
		assert_true(text_starts(run->reason, "agent's answer: run record: "));
		assert_null(run->record);
	}
}

/* An agent that did something else has not done what was asked for. */
static void an_answer_about_something_else(void **state)
{
	static const struct {
		const char *about, *reason; /* NULL: it is taken */
	} cases[] = {
		{"", NULL},
		{",\"workload\":\"null\"", NULL},
		{",\"params\":{\"tasks\":\"2\",\"window\":\"1s\"}", NULL},
		{",\"workload\":\"brk1\"",
		 "agent's answer: it is about brk1, and null was asked for"},
		{",\"params\":{\"tasks\":\"1\",\"window\":\"1s\"}",
		 "agent's answer: it is about tasks=1, and tasks=2 was asked for"},
		{",\"params\":{\"window\":\"1s\"}",
		 "agent's answer: it is about tasks=(no value), and tasks=2 was asked for"},
		{",\"params\":{\"tasks\":2}",
		 "agent's answer: it is about tasks=(no value), and tasks=2 was asked for"},
	};
	json_t *params __free(json) = json_pack("{s:s}", "tasks", "2");
	const struct wire_request request = {
		.job = WIRE_RUN,
		.id = "1",
		.workload = "null",
		.params = params,
	};
	const struct target_watch watch = {.stop_fd = -1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *answer __free(memory) = text_format(
			"{\"outcome\":\"invalid\",\"reason\":\"no scan\"%s}", cases[i].about);
		struct run *run __free(run) = NULL;

		fake.answer = answer;
		run = target_run(&target_fake, &request, 42, &watch);
		fake.answer = NULL;
		assert_string_equal(run->reason, cases[i].reason ? cases[i].reason : "no scan");
		assert_int_equal(run->outcome, cases[i].reason ? OUTCOME_FAILED : OUTCOME_INVALID);
	}
}

#define WORKLOAD(name)                                                                             \
	"{\"name\":\"" name "\",\"summary\":\"\",\"needs\":\"\",\"roles\":[{\"name\":\"task\","    \
	"\"help\":\"\"}],\"params\":[],\"metrics\":[{\"name\":\"cost\",\"unit\":\"ns\","           \
	"\"better\":\"lower\",\"summary\":\"total\",\"of\":\"task.cost\",\"primary\":true,"        \
	"\"multitask\":false,\"help\":\"\"}]}"

static void descriptions(void **state)
{
	struct inventory list __cleanup(inventory_done) = {0};
	struct error err = {0};

	(void)state;
	fake.answer = "{\"workloads\":[" WORKLOAD("one") "," WORKLOAD(
		"two") "],\"setups\":[],\"probes\":[{\"name\":\"perf\",\"summary\":\"counts\"}],\"cpus\":4}";
	if (!target_describe(&target_fake, -1, &list, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fake.job, WIRE_DESCRIBE);
	assert_int_equal(fake.limit_ns, 10 * NS_PER_SEC);
	assert_string_equal(list.workloads[0]->name, "one");
	assert_string_equal(list.workloads[1]->name, "two");
	assert_null(list.workloads[2]);
	assert_null(list.setups[0].name);
	assert_string_equal(list.probes[0].name, "perf");
	assert_string_equal(list.probes[0].summary, "counts");
	assert_null(list.probes[1].name);
	assert_int_equal(list.cpus, 4);
}

static void no_workload(void **state)
{
	struct inventory list __cleanup(inventory_done) = {0};
	struct error err = {0};

	(void)state;
	fake.answer = "{\"workloads\":[],\"setups\":[],\"probes\":[]}";
	assert_true(target_describe(&target_fake, -1, &list, NULL, &err));
	assert_null(list.workloads[0]);
	assert_int_equal(list.cpus, 0);
	assert_null(list.setups[0].name);
	assert_null(list.probes[0].name);
}

static void damaged_descriptions(void **state)
{
	static const struct {
		const char *answer, *message;
	} cases[] = {
		{"[]", "agent's answer: field 'workloads' is not an array"},
		{"{\"workloads\":{}}", "agent's answer: field 'workloads' is not an array"},
		{"{\"workloads\":[3]}", "agent's answer: workload 1: "},
		{"{\"workloads\":[" WORKLOAD("one") ",{}]}", "agent's answer: workload 2: "},
		{"{\"workloads\":[" WORKLOAD("one") "," WORKLOAD("one") "]}",
		 "agent's answer: workload one is there twice"},
		{"{\"workloads\":[]}", "agent's answer: field 'setups' is not an array"},
		{"{\"workloads\":[],\"setups\":[{}]}",
		 "agent's answer: setups 1: field 'name' is not"},
		{"{\"workloads\":[],\"setups\":[],\"probes\":[{\"name\":\"x\"}]}",
		 "agent's answer: probes 1: field 'summary' is not"},
		{"{\"workloads\":[],\"setups\":[],\"probes\":[],\"cpus\":-2}",
		 "agent's answer: field 'cpus' is negative"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct inventory list = {0};
		struct error err = {0};

		fake.answer = cases[i].answer;
		assert_false(target_describe(&target_fake, -1, &list, NULL, &err));
		if (!text_starts(err.text, cases[i].message))
			fail_msg("'%s' is not '%s'", err.text, cases[i].message);
		assert_int_equal(err.code, ERROR_DATA);
		assert_null(list.answer);
	}
}

static void more_than_anybody_has(void **state)
{
	struct inventory list __cleanup(inventory_done) = {0};
	struct text answer __text = {0};
	struct error err = {0};

	(void)state;
	text_puts(&answer, "{\"workloads\":[],\"setups\":[{}");
	for (int i = 0; i < DESCRIPTION_LIST_MAX; i++)
		text_puts(&answer, ",{}");
	text_puts(&answer, "],\"probes\":[]}");
	fake.answer = text_string(&answer);
	assert_false(target_describe(&target_fake, -1, &list, NULL, &err));
	assert_string_equal(err.text, "agent's answer: 257 setups, more than 256");
	assert_int_equal(err.code, ERROR_DATA);
}

static void failed_description(void **state)
{
	struct inventory list = {0};
	struct error err = {0};

	(void)state;
	fake.answer = NULL;
	fake.code = ERROR_SYSTEM;
	assert_false(target_describe(&target_fake, -1, &list, NULL, &err));
	assert_string_equal(err.text, "ask the agent what it has: the reason");
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_null(list.answer);
}

static void the_list(void **state)
{
	const struct target *const *all = target_all();
	bool local = false;

	(void)state;
	for (; *all; all++) {
		local = local || *all == &target_local;
		assert_non_null((*all)->name);
		assert_non_null((*all)->summary);
		assert_non_null((*all)->ask);
	}
	assert_true(local);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_wrong_is_an_outcome),
		cmocka_unit_test(an_answer_is_a_record),
		cmocka_unit_test(an_answer_that_is_no_record),
		cmocka_unit_test(an_answer_about_something_else),
		cmocka_unit_test(descriptions),
		cmocka_unit_test(no_workload),
		cmocka_unit_test(damaged_descriptions),
		cmocka_unit_test(more_than_anybody_has),
		cmocka_unit_test(failed_description),
		cmocka_unit_test(the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
