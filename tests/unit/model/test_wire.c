// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "model/wire.h"

static void test_run_job(void **state)
{
	json_t *params __free(json) = made("{'file':'maps','tasks':'2'}");
	struct wire_request request = {
		.job = WIRE_RUN,
		.id = "pair 3, A",
		.workload = "proc_maps",
		.params = params,
	};
	json_t *line __free(json) = wire_request_to_json(&request);
	char *text __free(memory) = json_line(line);
	struct wire_request back;
	struct error err;

	(void)state;
	assert_string_equal(text, "{\"contend\":1,\"job\":\"run\",\"id\":\"pair 3, A\","
				  "\"workload\":\"proc_maps\","
				  "\"params\":{\"file\":\"maps\",\"tasks\":\"2\"}}");
	if (!wire_request_from_json(line, &back, &err))
		fail_msg("%s", err.text);
	assert_int_equal(back.job, WIRE_RUN);
	assert_string_equal(back.id, "pair 3, A");
	assert_string_equal(back.workload, "proc_maps");
	assert_true(json_equal(back.params, params));
}

static void test_other_jobs(void **state)
{
	static const enum wire_job jobs[] = {WIRE_DESCRIBE, WIRE_UNDO, WIRE_DOCTOR};

	(void)state;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		struct wire_request request = {.job = jobs[i], .id = "7"};
		json_t *line __free(json) = wire_request_to_json(&request);
		struct wire_request back = {.workload = "old"};
		struct error err;

		assert_true(wire_request_from_json(line, &back, &err));
		assert_int_equal(back.job, jobs[i]);
		assert_string_equal(back.id, "7");
		assert_null(back.workload);
		assert_null(back.params);
		assert_null(json_object_get(line, "params"));
	}
}

static void test_no_params(void **state)
{
	struct wire_request request = {.job = WIRE_RUN, .id = "1", .workload = "brk1"};
	json_t *line __free(json) = wire_request_to_json(&request);
	struct wire_request back;
	struct error err;

	(void)state;
	assert_true(wire_request_from_json(line, &back, &err));
	assert_int_equal(json_object_size(back.params), 0);
}

static void test_job_holder(void **state)
{
	struct wire_request request = {
		.job = WIRE_RUN, .id = "1", .workload = "brk1", .holder = 4711};
	json_t *line __free(json) = wire_request_to_json(&request);
	struct wire_request back;
	struct error err;

	(void)state;
	assert_true(wire_request_from_json(line, &back, &err));
	assert_int_equal(back.holder, 4711);
	/* Only a run belongs to an experiment. */
	request.job = WIRE_UNDO;
	json_t *undo __free(json) = wire_request_to_json(&request);

	assert_null(json_object_get(undo, "holder"));
}

static void refuse_job(const char *text, const char *why)
{
	json_t *line __free(json) = made(text);
	struct wire_request request = {.id = "old"};
	struct error err;

	assert_false(wire_request_from_json(line, &request, &err));
	assert_string_equal(request.id, "old");
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, why);
}

static void test_job_refuses(void **state)
{
	(void)state;
	refuse_job("[]", "job: field 'contend' is not an integer");
	refuse_job("{'job':'run'}", "job: field 'contend' is not an integer");
	refuse_job("{'contend':2}", "job: line format 2, this program speaks 1");
	refuse_job("{'contend':'1'}", "job: field 'contend' is not an integer");
	refuse_job("{'contend':1}", "job: field 'job' is not a string");
	refuse_job("{'contend':1,'job':'stop','id':'1'}", "job: field 'job': unknown word 'stop'");
	refuse_job("{'contend':1,'job':'undo'}", "job: field 'id' is not a string");
	refuse_job("{'contend':1,'job':'undo','id':1}", "job: field 'id' is not a string");
	refuse_job("{'contend':1,'job':'run','id':'1'}", "job: field 'workload' is not a string");
	refuse_job("{'contend':1,'job':'run','id':'1','workload':'../x'}",
		   "job: field 'workload' is not a name (letters, digits, _ and -)");
	refuse_job("{'contend':1,'job':'run','id':'1','workload':'x'}",
		   "job: field 'params' is not an object");
	refuse_job("{'contend':1,'job':'run','id':'1','workload':'x','params':{'a':1}}",
		   "job: field 'params': 'a' is not a string");
	refuse_job("{'contend':1,'job':'run','id':'1','workload':'x','params':{},'holder':-1}",
		   "job: field 'holder' is negative");
}

static void test_lines(void **state)
{
	(void)state;
	for (int i = 0; wire_type_words[i]; i++) {
		json_t *line __free(json) = wire_line_new((enum wire_type)i, "pair 3, A");
		enum wire_type type;
		const char *id;
		struct error err;

		json_object_set_new(line, "share", json_real(0.5));
		assert_true(wire_line_type(line, &type, &id, &err));
		assert_int_equal(type, i);
		assert_string_equal(id, "pair 3, A");
	}
	assert_null(wire_type_words[WIRE_END + 1]);
	assert_null(wire_job_words[WIRE_HOLD + 1]);
}

static void refuse_line(const char *text, const char *why)
{
	json_t *line __free(json) = made(text);
	enum wire_type type = WIRE_END;
	const char *id = "old";
	struct error err;

	assert_false(wire_line_type(line, &type, &id, &err));
	assert_int_equal(type, WIRE_END);
	assert_string_equal(id, "old");
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, why);
}

static void test_line_refuses(void **state)
{
	(void)state;
	refuse_line("[1]", "line: field 'contend' is not an integer");
	refuse_line("{'contend':0,'type':'begin','id':'1'}",
		    "line: line format 0, this program speaks 1");
	refuse_line("{'contend':1,'type':'job','id':'1'}",
		    "line: field 'type': unknown word 'job'");
	refuse_line("{'contend':1,'type':'end'}", "line: field 'id' is not a string");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_job),
		cmocka_unit_test(test_other_jobs),
		cmocka_unit_test(test_no_params),
		cmocka_unit_test(test_job_holder),
		cmocka_unit_test(test_job_refuses),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_line_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
