// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench.h"
#include "workload/crew/errand.h"

/* A blank in a word of the command is a tab, \t: values_of() takes words apart at blanks. */
static struct run *execute(const char *words)
{
	return run_workload(workload_find("command"), words);
}

static void test_ok(void **state)
{
	struct run *run __free(run) =
		execute("argv=[\"sh\",\"-c\",\"echo\\tthis;echo\\tthat>&2\"]");
	json_t *outputs = json_object_get(run->record, "outputs");

	(void)state;
	assert_run(run, OUTCOME_OK, "");
	assert_int_equal(tasks_in(run), 1);
	assert_int_equal(counter_of(task_of(run, 0), "operations"), 1);
	assert_int_equal(counter_of(task_of(run, 0), "failures"), 0);
	assert_true(counter_of(task_of(run, 0), "real_ns") > 0);
	assert_true(counter_of(task_of(run, 0), "minor_faults") > 0);
	assert_int_equal(field_of(task_of(run, 0), "window_ns"),
			 counter_of(task_of(run, 0), "real_ns"));
	assert_int_equal(json_array_size(outputs), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(outputs, 0), "text")),
			    "this\n");
	assert_string_equal(json_string_value(json_object_get(json_array_get(outputs, 1), "text")),
			    "that\n");
	assert_null(json_object_get(run->record, "window_ns"));
	assert_int_equal(json_array_size(json_object_get(run->record, "notes")), 0);
}

static void ends(const char *words, enum outcome outcome, const char *reason)
{
	struct run *run __free(run) = execute(words);

	assert_run(run, outcome, reason);
	/* Whatever was measured of it is not the program's time. */
	assert_int_equal(tasks_in(run), 0);
}

static void test_ends(void **state)
{
	(void)state;
	ends("argv=[\"false\"]", OUTCOME_FAILED, "false: exit status 1");
	ends("argv=[\"sh\",\"-c\",\"kill\\t-ABRT\\t$$\"]", OUTCOME_FAILED, "sh: killed by SIGABRT");
	ends("argv=[\"sleep\",\"1000\"] timeout=50ms", OUTCOME_TIMEOUT,
	     "sleep had not ended after timeout=50ms");
	ends("argv=[\"no_such_program\"]", OUTCOME_UNSUPPORTED, "not found in PATH");
	ends("argv=[\"true\"] reset=false", OUTCOME_FAILED, "reset=: false: exit status 1");
}

/* run_watched() sees that no process is left here; those of the program are of other parents. */
static void test_left(void **state)
{
	struct run *run __free(run) =
		execute("argv=[\"sh\",\"-c\",\"setsid\\tsleep\\t1000&\\tsleep\\t1000&\"]");

	(void)state;
	assert_run(run, OUTCOME_OK, "");
	assert_true(has_note(run, "it left 2 processes behind, which were ended"));
}

static bool stop(void *context, const char *phase, double share_done __attribute__((unused)))
{
	int *ticks = context;

	assert_non_null(phase);
	return (*ticks)++ < 2;
}

/* Nobody wants it any more, though it does not care for signals. */
static void test_stopped(void **state)
{
	int ticks = 0;
	const struct crew_watch watch = {.fd = -1, .tick = stop, .context = &ticks};
	struct run *run __free(run) = run_watched(
		workload_find("command"),
		"argv=[\"sh\",\"-c\",\"trap\\t''\\tTERM;while\\t:;do\\tsleep\\t1;done\"]", &watch);

	(void)state;
	assert_run(run, OUTCOME_INTERRUPTED, "stopped");
	assert_int_equal(ticks, 3);
}

static void finds(const char *name, const char *folder, const char *path)
{
	char *found __free(memory) = NULL;
	struct error err = {0};

	if (!errand_find_program(name, folder, &found, &err))
		fail_msg("%s", err.text);
	assert_string_equal(found, path);
}

static void lacks(const char *name, const char *folder, const char *reason)
{
	char *found __free(memory) = NULL;
	struct error err = {0};

	assert_false(errand_find_program(name, folder, &found, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_string_equal(err.text, reason);
}

static void test_find_program(void **state)
{
	char *before __free(memory) = text_format("%s", getenv("PATH"));

	(void)state;
	setenv("PATH", "/nowhere:/bin:/usr/bin", 1);
	finds("sh", NULL, "/bin/sh");
	finds("sh", "/nowhere", "/bin/sh");
	finds("/bin/sh", "/etc", "/bin/sh");
	finds("bin/sh", "/", "//bin/sh");
	lacks("no_such_program", "", "program no_such_program: not found in PATH");
	lacks("/etc/passwd", "", "program /etc/passwd: is not executable");
	lacks("/etc", "", "program /etc: is a folder");
	lacks("no/such", "/etc", "program /etc/no/such: No such file or directory");
	/* One that is there, and cannot be executed, is the better reason. */
	setenv("PATH", "/nowhere:/etc", 1);
	lacks("passwd", "", "program passwd: is not executable");
	setenv("PATH", before, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ok),	     cmocka_unit_test(test_ends),
		cmocka_unit_test(test_left),	     cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_find_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
