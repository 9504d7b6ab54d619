// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "base/text.h"

static const char *const names[] = {"tasks", "seed", "window", "label", "file", "raw"};

static void near_to(const char *typed, const char *expected)
{
	struct nearest n = {.name = typed};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		nearest_try(&n, names[i]);
	if (strcmp(n.found, expected ? expected : ""))
		fail_msg("'%s' is near to '%s'", typed, n.found);
}

static void test_nearest(void **state)
{
	char *long_name __free(memory) = text_format("%0200d", 0);

	(void)state;
	near_to("tasks", "tasks");
	near_to("task", "tasks");
	near_to("taskss", "tasks");
	near_to("tassk", "tasks");
	near_to("atsks", "tasks");
	near_to("atsk", "tasks");
	near_to("taxks", "tasks");
	near_to("windwo", "window");
	near_to("widow", "window");
	near_to("wnidwo", "window");
	near_to("lable", "label");
	near_to("fiel", "file");
	near_to("Tasks", "tasks");
	/* Three steps are too many. */
	near_to("tas_ks_x", NULL);
	near_to("threads", NULL);
	near_to("xxndow_", NULL);
	/* As many steps as the name has letters is another name. */
	near_to("", NULL);
	near_to("x", NULL);
	near_to("ab", NULL);
	near_to("abc", NULL);
	near_to("ra", "raw");
	near_to(long_name, NULL);
}

static void near_among(const char *typed, const char *expected)
{
	static const char *const several[] = {"map", "maps", "mops", "n"};
	struct nearest n = {.name = typed};

	for (size_t i = 0; i < sizeof(several) / sizeof(*several); i++)
		nearest_try(&n, several[i]);
	assert_string_equal(n.found, expected);
}

static void test_nearest_of_several(void **state)
{
	(void)state;
	/* The nearest one, neither the first nor the last that is near; the first of equals. */
	near_among("mapss", "maps");
	near_among("mxps", "maps");
	/* Nothing is near to a name of one letter. */
	near_among("abn", "");
	near_among("nn", "");
}

static void test_words(void **state)
{
	struct nearest near = {.name = "taks"}, far = {.name = "elephant"}, alone = {.name = "a"};
	char longest[NEAREST_ROOM + 1];
	char other[NEAREST_ROOM + 1];
	struct error err;

	(void)state;
	nearest_try(&near, "tasks");
	nearest_try(&far, "tasks");
	assert_false(nearest_refuse(&near, "parameter", &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.text, "no parameter 'taks'; did you mean 'tasks'?");
	assert_false(nearest_refuse(&far, "parameter", &err));
	assert_string_equal(err.text, "no parameter 'elephant'");
	assert_false(nearest_refuse(&alone, "parameter", &err));
	assert_string_equal(err.text, "no parameter 'a'");

	memset(longest, 'x', NEAREST_ROOM);
	longest[NEAREST_ROOM] = '\0';
	memcpy(other, longest, sizeof(longest));
	other[0] = 'y';
	near = (struct nearest){.name = other};
	nearest_try(&near, longest);
	assert_string_equal(near.found, longest);
	assert_int_equal(strlen(nearest_hint(&near)), strlen("; did you mean ''?") + NEAREST_ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_nearest_of_several),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
