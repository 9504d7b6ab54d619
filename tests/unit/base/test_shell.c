// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/shell.h"

static void test_put_word(void **state)
{
	static const char *const cases[][2] = {
		{"file=smaps", " file=smaps"},
		{"a.b=1,2:3%", " a.b=1,2:3%"},
		{"", " ''"},
		{"two words", " 'two words'"},
		{"it's", " 'it'\\''s'"},
		{"$HOME", " '$HOME'"},
		{"a\\,b", " 'a\\,b'"},
		{"~", " '~'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text t __text = {0};

		shell_put_word(&t, cases[i][0]);
		assert_string_equal(text_string(&t), cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
