// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "kernel/seq_file.h"

/* What mangle_path() of fs/seq_file.c writes, and what it does not. */
static void test_unescape(void **state)
{
	static const struct {
		const char *written, *meant;
	} cases[] = {
		{"", ""},
		{"/dev/zram0", "/dev/zram0"},
		{"/a\\040b\\011c\\012d\\134e\\043f", "/a b\tc\nd\\e#f"},
		{"\\040", " "},
		/* A backslash itself is always escaped: this is damaged, and ends where it ends. */
		{"/a\\", "/a\\"},
		{"/a\\04", "/a\\04"},
		{"/a\\4", "/a\\4"},
		{"/a\\x40", "/a\\x40"},
		{"/a\\ 40", "/a\\ 40"},
		/* Once: what comes of it is not looked at again. */
		{"\\134040", "\\040"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		/* What lies behind the end must not be taken for digits. */
		memset(text, '0', sizeof(text));
		strcpy(text, cases[i].written);
		seq_file_unescape(text);
		assert_string_equal(text, cases[i].meant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unescape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
