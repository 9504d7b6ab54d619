// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/crew/output.h"

/* What is kept of it: 4 bytes of the begin, at least 3 of the end. */
enum { HEAD = 4, TAIL = 3, MANY = 1000 };

/* Prints in pieces, each of which is read before the next one comes, and closes. */
static void print(struct output *o, const char *const *pieces)
{
	struct error err;
	int end;

	if (!output_open(o, HEAD, TAIL, &end, &err))
		fail_msg("%s", err.text);
	/* Nobody has printed: that is no end. */
	output_read(o, MANY);
	assert_true(o->fd >= 0);
	for (; *pieces; pieces++) {
		assert_int_equal(write(end, *pieces, strlen(*pieces)), strlen(*pieces));
		output_read(o, MANY);
	}
	close(end);
	output_read(o, MANY);
	assert_int_equal(o->fd, -1);
}

#define PIECES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void keeps(const char *const *pieces, const char *text)
{
	struct output o __cleanup(output_done) = OUTPUT_NONE;
	json_t *is __free(json) = NULL;

	print(&o, pieces);
	is = output_text(&o);
	assert_string_equal(json_string_value(is), text);
}

static void test_text(void **state)
{
	(void)state;
	keeps(PIECES(""), "");
	keeps(PIECES("abc"), "abc");
	keeps(PIECES("a", "b", "c"), "abc");
	keeps(PIECES("012345678"), "012345678");
	/* Room is made before it is known whether more comes. */
	keeps(PIECES("0123456789"), "0123\n... 3 bytes are left out here ...\n789");
	/* A tail goes where another one does not fit. */
	keeps(PIECES("0123456789", "A"), "0123\n... 3 bytes are left out here ...\n789A");
	keeps(PIECES("0123456789ABCDEFGHIJ"), "0123\n... 12 bytes are left out here ...\nGHIJ");
	keeps(PIECES("a\xff"
		     "b"),
	      "a\xef\xbf\xbd"
	      "b");
	keeps(PIECES("\xc3\xa9"), "\xc3\xa9");
}

static void test_zero(void **state)
{
	struct output o __cleanup(output_done) = OUTPUT_NONE;
	json_t *text __free(json) = NULL;
	struct error err;
	int end;

	(void)state;
	assert_true(output_open(&o, HEAD, TAIL, &end, &err));
	assert_int_equal(write(end, "a\0b", 3), 3);
	close(end);
	output_read(&o, MANY);
	text = output_text(&o);
	assert_string_equal(json_string_value(text), "a\xef\xbf\xbd"
						     "b");
}

/* As many reads as were asked for, so that one stream cannot keep its reader from another. */
static void test_times(void **state)
{
	struct output o __cleanup(output_done) = OUTPUT_NONE;
	struct error err;
	int end;

	(void)state;
	assert_true(output_open(&o, HEAD, TAIL, &end, &err));
	assert_int_equal(write(end, "0123456789ABCDEF", 16), 16);
	output_read(&o, 1);
	assert_int_equal(o.length + o.left_out, HEAD + 2 * TAIL);
	output_read(&o, MANY);
	assert_int_equal(o.length + o.left_out, 16);
	close(end);
}

static void ends_with(const char *text, int lines, size_t bytes, const char *expected)
{
	struct output o __cleanup(output_done) = OUTPUT_NONE;
	char *last __free(memory) = NULL;
	struct error err;
	int end;

	assert_true(output_open(&o, 64, 64, &end, &err));
	assert_int_equal(write(end, text, strlen(text)), strlen(text));
	close(end);
	output_read(&o, MANY);
	last = output_last_lines(&o, lines, bytes);
	assert_string_equal(last, expected);
}

static void test_last_lines(void **state)
{
	(void)state;
	ends_with("", 2, 100, "");
	ends_with("\n \n", 2, 100, "");
	ends_with("one", 2, 100, "one");
	ends_with("one\ntwo\nthree\n\n", 2, 100, "two | three");
	ends_with("one\ntwo\nthree", 9, 100, "one | two | three");
	ends_with("one\ntwo\nthree", 9, 7, "o | three");
	/* A terminal is told nothing. */
	ends_with("a\033[2Jb\tc\xff", 9, 100, "a?[2Jb?c?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_last_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
