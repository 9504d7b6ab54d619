// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void test_set(void **state)
{
	struct error err;

	(void)state;
	assert_false(error_set(&err, ERROR_USAGE, "tasks=%d", 0));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.text, "tasks=0");
	assert_false(error_set(&err, ERROR_DATA, "%s", ""));
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, "");
}

static void test_set_errno(void **state)
{
	struct error err;

	(void)state;
	errno = ENOENT;
	assert_false(error_set_errno(&err, "open %s", "/x"));
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_string_equal(err.text, "open /x: No such file or directory");
	errno = EBUSY;
	error_set_errno(&err, "swapoff");
	assert_string_equal(err.text, "swapoff: Device or resource busy");
	/* A number without a name. */
	errno = 9999;
	error_set_errno(&err, "x");
	assert_string_equal(err.text, "x: Unknown error 9999");
}

/* A message reads from outside in. */
static void test_wrap(void **state)
{
	struct error err;

	(void)state;
	errno = EACCES;
	error_set_errno(&err, "open /dev/null");
	assert_false(error_wrap(&err, "start the agent"));
	assert_false(error_wrap(&err, "run %d (arm %c)", 7, 'B'));
	assert_string_equal(err.text,
			    "run 7 (arm B): start the agent: open /dev/null: Permission denied");
	assert_int_equal(err.code, ERROR_SYSTEM);

	error_set(&err, ERROR_TIMEOUT, "no answer");
	error_wrap(&err, "agent");
	assert_int_equal(err.code, ERROR_TIMEOUT);
}

/* What is too long is cut, never written behind the end. */
static void test_truncation(void **state)
{
	struct {
		struct error err;
		char behind[8];
	} box = {.behind = "fence"};
	const size_t room = sizeof(box.err.text);
	char large[3000];

	(void)state;
	memset(large, 'y', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';

	error_set(&box.err, ERROR_DATA, "%s", large);
	assert_int_equal(strlen(box.err.text), room - 1);

	errno = ENOENT;
	error_set_errno(&box.err, "%s", large);
	assert_int_equal(strlen(box.err.text), room - 1);

	/* One byte is left for the text of errno. */
	errno = ENOENT;
	error_set_errno(&box.err, "%.*s", (int)room - 2, large);
	assert_int_equal(strlen(box.err.text), room - 1);
	assert_int_equal(box.err.text[room - 2], ':');

	/* The context stays, the end of what it is put before goes. */
	error_set(&box.err, ERROR_DATA, "%s", large);
	error_wrap(&box.err, "store");
	assert_int_equal(strlen(box.err.text), room - 1);
	assert_memory_equal(box.err.text, "store: yyy", 10);

	error_set(&box.err, ERROR_DATA, "short");
	error_wrap(&box.err, "%s", large);
	assert_int_equal(strlen(box.err.text), room - 1);
	assert_string_equal(box.behind, "fence");
}

/* The macros are expressions: both of these must compile without a warning. */
static bool fails(struct error *err)
{
	return error_set(err, ERROR_DATA, "no format arguments");
}

static void test_expression(void **state)
{
	struct error err;
	bool result = true;

	(void)state;
	if (!fails(&err))
		result = error_wrap(&err, "wrapped");
	assert_false(result);
	assert_string_equal(err.text, "wrapped: no format arguments");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_errno),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
