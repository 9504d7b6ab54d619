// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void test_empty(void **state)
{
	struct text t __text = {0};
	char *taken;

	(void)state;
	assert_string_equal(text_string(&t), "");
	text_append(&t, NULL, 0);
	assert_string_equal(text_string(&t), "");
	assert_int_equal(t.length, 0);
	text_puts(&t, "");
	text_printf(&t, "%s", "");
	assert_int_equal(t.length, 0);
	taken = text_take(&t);
	assert_string_equal(taken, "");
	free(taken);

	/* Taking from a text that never held anything gives a string too. */
	taken = text_take(&t);
	assert_string_equal(taken, "");
	free(taken);
	text_done(&t);
	text_done(&t);
}

static void test_growth(void **state)
{
	struct text t __text = {0};

	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		char byte = (char)('a' + i % 26);

		text_append(&t, &byte, 1);
		assert_int_equal(t.length, i + 1);
		assert_true(t.room > t.length);
		assert_int_equal(t.bytes[t.length], '\0');
	}
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(t.bytes[i], 'a' + i % 26);
	/* It doubles, so a byte more costs nothing most of the time. */
	assert_true(t.room <= 2 * (t.length + 1));
}

/* Appends whose end falls right before, on and behind the end of the room. */
static void test_growth_edges(void **state)
{
	(void)state;
	for (size_t first = 0; first < 40; first++) {
		for (size_t second = 0; second < 40; second++) {
			struct text t __text = {0};
			char bytes[40];

			memset(bytes, 'x', sizeof(bytes));
			text_append(&t, bytes, first);
			text_append(&t, bytes, second);
			assert_int_equal(t.length, first + second);
			assert_int_equal(strlen(text_string(&t)), first + second);
		}
	}
}

static void test_append_bytes(void **state)
{
	struct text t __text = {0};

	(void)state;
	text_append(&t, "a\0b", 3);
	assert_int_equal(t.length, 3);
	assert_memory_equal(t.bytes, "a\0b\0", 4);
}

static void test_printf(void **state)
{
	struct text t __text = {0};
	char *formatted;

	(void)state;
	text_puts(&t, "pairs: ");
	text_printf(&t, "%d of %s", 7, "forty");
	assert_string_equal(text_string(&t), "pairs: 7 of forty");
	/* Much longer than what is there. */
	text_printf(&t, "%*d", 100000, 1);
	assert_int_equal(t.length, strlen("pairs: 7 of forty") + 100000);
	assert_int_equal(t.bytes[t.length - 1], '1');

	formatted = text_format("%s=%d", "tasks", 4);
	assert_string_equal(formatted, "tasks=4");
	free(formatted);
	formatted = text_format("%s", "");
	assert_string_equal(formatted, "");
	free(formatted);
}

static void test_take(void **state)
{
	struct text t __text = {0};
	char *taken;

	(void)state;
	text_puts(&t, "first");
	taken = text_take(&t);
	assert_null(t.bytes);
	assert_int_equal(t.length, 0);
	text_puts(&t, "second");
	assert_string_equal(taken, "first");
	assert_string_equal(text_string(&t), "second");
	free(taken);
}

static void test_trim(void **state)
{
	char blanks[] = " \t\n\v\f\r ";
	char middle[] = "  a b \n";
	char none[] = "ab";
	char empty[] = "";
	char high[] = "\xe9 ";

	(void)state;
	assert_string_equal(text_trim(blanks), "");
	assert_ptr_equal(text_trim(middle), middle);
	assert_string_equal(middle, "  a b");
	assert_string_equal(text_trim(none), "ab");
	assert_string_equal(text_trim(empty), "");
	assert_string_equal(text_trim(high), "\xe9");
}

static void test_compare(void **state)
{
	(void)state;
	assert_true(text_equal("", ""));
	assert_true(text_equal("a", "a"));
	assert_false(text_equal("a", "ab"));
	assert_false(text_equal("ab", "a"));
	assert_true(text_starts("proc_maps.file", "proc_maps."));
	assert_true(text_starts("a", "a"));
	assert_true(text_starts("a", ""));
	assert_false(text_starts("a", "ab"));
	assert_false(text_starts("", "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_growth_edges),
		cmocka_unit_test(test_append_bytes),
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
