// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/pattern.h"
#include "base/text.h"

/* found: NULL: no line matches, or the group has no part in it. */
static void find(const char *regex, const char *text, const char *found)
{
	struct pattern p __cleanup(pattern_done) = {0};
	char *is __free(memory) = NULL;
	struct error err;

	if (!pattern_compile(&p, regex, &err))
		fail_msg("%s: %s", regex, err.text);
	is = pattern_find_last(&p, text);
	if (!is != !found || (is && strcmp(is, found)))
		fail_msg("%s in '%s': %s", regex, text, is ? is : "nothing");
}

static void test_find(void **state)
{
	(void)state;
	find("([0-9]+)", "", NULL);
	find("([0-9]+)", "1", "1");
	find("([0-9]+)", "a 12 b 3", "12");
	/* The last line counts, complete or not, and lines have anchors of their own. */
	find("rate: ([0-9]+)", "rate: 1\nrate: 2\nend\n", "2");
	find("^([0-9]+)$", "1\n2\n3x", "2");
	find("a([0-9]+)\n", "a1\n", NULL);
	find("(.*)", "one\n\ntwo", "two");
	/* The last that matches, whatever the group has of it. */
	find("a([0-9])?", "a1\na", NULL);
	find("a(x*)", "a", "");
	find("é([0-9])", "é7\n", "7");
}

static void refuse(const char *regex, const char *words)
{
	struct pattern p __cleanup(pattern_done) = {0};
	struct error err = {0};

	assert_false(pattern_compile(&p, regex, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse("", "'' has 0 groups");
	refuse("[0-9]+", "has 0 groups, and needs one");
	refuse("(a)(b)", "has 2 groups");
	refuse("(a(b))", "has 2 groups");
	/* Where it begins to be none. */
	refuse("ab([0-9]+", "character 3, '([0-9]+': ");
	refuse("[a", "character 1, '[a': ");
	refuse("(a){2,1}", "character 4, '{2,1}': ");
	refuse("(a)\\", "character 4, '\\': ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
