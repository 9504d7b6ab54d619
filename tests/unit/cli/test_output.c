// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/output.h"

static void rows(void **state)
{
	struct text out __text = {0};

	(void)state;
	output_row(&out, "null", 10, "an empty operation");
	output_row(&out, "a_long_name", 10, "stands alone");
	output_row(&out, "", 10, "goes on");
	output_row(&out, "wrapped", 10,
		   "one two three four five six seven eight nine ten eleven twelve thirteen");
	assert_string_equal(
		text_string(&out),
		"  null    an empty operation\n"
		"  a_long_name\n"
		"          stands alone\n"
		"          goes on\n"
		"  wrapped one two three four five six seven eight nine ten eleven twelve\n"
		"          thirteen\n");
}

/* What an agent says may be anything; what is printed does nothing to a terminal. */
static void strange_words(void **state)
{
	struct text t __text = {0};

	(void)state;
	output_row(&t, "\x1b[2J\xc2\xb5", 12, "\x1b]0;title\x07\xc2\x9b");
	assert_string_equal(text_string(&t), "  \\x1B[2Ju  \\x1B]0;title\\x07\\xC2\\x9B\n");
	text_done(&t);
	/* Its length is that of what is printed. */
	output_row(&t, "\x1b\x1b\x1b", 12, "x");
	assert_string_equal(text_string(&t), "  \\x1B\\x1B\\x1B\n            x\n");
}

/* Writes with standard output exchanged for another descriptor, which is closed. */
static bool write_to(int fd, struct error *err)
{
	struct text t __text = {0};
	int saved = dup(STDOUT_FILENO);
	bool ok;

	text_puts(&t, "words\n");
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	ok = output_text(&t, err);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return ok;
}

static void a_reader_that_left_is_no_error(void **state)
{
	struct error err;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_true(write_to(ends[1], &err));
}

static void a_full_disk_is_one(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct error err;

	(void)state;
	assert_true(fd >= 0);
	assert_false(write_to(fd, &err));
	assert_string_equal(err.text, "standard output: write: No space left on device");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(strange_words),
		cmocka_unit_test(a_reader_that_left_is_no_error),
		cmocka_unit_test(a_full_disk_is_one),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
