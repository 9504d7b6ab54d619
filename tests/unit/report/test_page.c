// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "report/page.h"

static void expect(const char *expected, struct text *got)
{
	assert_string_equal(expected, text_string(got));
	text_done(got);
}

static void test_ascii(void **state)
{
	struct text out __text = {0};

	(void)state;
	page_ascii(&out, "plain ~ text", 0);
	expect("plain ~ text", &out);
	page_ascii(&out, "5 \xc2\xb5s \xc2\xb1 3 \xc3\x97 2 \xe2\x80\xa6", 0);
	expect("5 us +- 3 x 2 ...", &out);
	page_ascii(&out, "\xc3\xa9\x1b[31m\n\x7f\xff", 0);
	expect("\\xC3\\xA9\\x1B[31m\\x0A\\x7F\\xFF", &out);
	page_ascii(&out, "1234567890", 10);
	expect("1234567890", &out);
	page_ascii(&out, "12345678901", 10);
	expect("1234567...", &out);
	/* A sequence that is cut in the middle. */
	page_ascii(&out, "\xe2\x80", 0);
	expect("\\xE2\\x80", &out);
}

static void check_width(const char *lines)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		assert_true(length <= PAGE_WIDTH);
		assert_true(!length || lines[length - 1] != ' ');
		lines += length + 1;
	}
}

static void test_paragraph(void **state)
{
	char *dashes __free(memory) = memory_alloc(201);
	struct text out __text = {0};

	(void)state;
	page_paragraph(&out, "", "  ", "");
	expect("\n", &out);
	page_paragraph(&out, "A  ", "   ", "one  two ");
	expect("A  one  two\n", &out);
	page_paragraph(
		&out, "", "  ",
		"a word a word a word a word a word a word a word a word a word a word a word "
		"a word");
	expect("a word a word a word a word a word a word a word a word a word a word a word a\n"
	       "  word\n",
	       &out);
	memset(dashes, '-', 200);
	page_paragraph(&out, "A  ", "   ", dashes);
	check_width(text_string(&out));
	assert_int_equal(out.length, 200 + 3 * 4);
}

/* What a shell makes of a command, a line each word. */
static char *words_of(const char *command)
{
	char path[] = "/tmp/contend-page-XXXXXX";
	struct text words = {0};
	char buffer[4096];
	size_t got;
	int fd = mkstemp(path);
	FILE *script = fdopen(fd, "w");
	FILE *shell;

	assert_non_null(script);
	fprintf(script, "set -- \\\n%s\nprintf '<%%s>\\n' \"$@\"\n", command);
	fclose(script);
	snprintf(buffer, sizeof(buffer), "sh %s", path);
	shell = popen(buffer, "re");
	assert_non_null(shell);
	while ((got = fread(buffer, 1, sizeof(buffer), shell)) > 0)
		text_append(&words, buffer, got);
	assert_int_equal(pclose(shell), 0);
	unlink(path);
	return text_take(&words);
}

/* The command must come back from a shell as it was. */
static void check_command(const char *command)
{
	char *before __free(memory) = words_of(command);
	struct text out __text = {0};
	char *after;

	assert_true(page_command(&out, command));
	for (const char *line = text_string(&out); *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= PAGE_WIDTH);
	after = words_of(text_string(&out));
	assert_string_equal(before, after);
	free(after);
}

static void test_command(void **state)
{
	struct random random;
	struct text out __text = {0};

	(void)state;
	assert_true(page_command(&out, "contend ab null --seed 1"));
	expect("  contend ab null --seed 1\n", &out);
	assert_false(page_command(&out, "contend \xc2\xb5\n"));
	expect("  contend \\xC2\\xB5\\x0A\n", &out);
	assert_true(page_command(&out,
				 "contend ab proc_maps brk1 null window=2s tasks=1 --a file=smaps "
				 "--b file=maps --seed 1"));
	expect("  contend ab proc_maps brk1 null window=2s tasks=1 --a file=smaps \\\n"
	       "      --b file=maps --seed 1\n",
	       &out);

	/* Words of all lengths and quotes, with blanks and escapes in them. */
	random_seed(&random, 7, 0);
	for (int round = 0; round < 60; round++) {
		struct text command __text = {0};

		for (int word = 0; word < 8; word++) {
			static const char *const quotes[] = {"", "'", "\""};
			const char *quote = quotes[random_below(&random, 3)];
			size_t length = (size_t)random_below(&random, round < 30 ? 40 : 240);

			text_printf(&command, "%sw%s", word ? " " : "", quote);
			for (size_t i = 0; i < length; i++) {
				static const char *const pieces[] = {"a",   "=",  ",",
								     "b c", "\\", "\\\\"};
				uint64_t pick = random_below(&random, 6);

				/* What each quote takes without its meaning being changed. */
				if (!*quote && pick >= 3)
					text_puts(&command, pick == 3 ? "\\ " : "\\\"");
				else if (*quote == '"' && pick == 4)
					text_puts(&command, "\\\"");
				else
					text_puts(&command, pieces[pick]);
			}
			text_puts(&command, quote);
		}
		check_command(text_string(&command));
	}
}

static void fill(struct page_table *t, const char *label, const char *figure, const char *verdict)
{
	char **cells = page_table_row(t);

	cells[0] = memory_string(label);
	cells[1] = memory_string(figure);
	cells[2] = memory_string(verdict);
}

static const struct page_column columns[] = {{"metric", false}, {"A", true}, {"verdict", false}};

static void test_table(void **state)
{
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 3};
	struct text out __text = {0};
	struct error err;

	(void)state;
	fill(&t, "latency", "1.00 us", "improved *");
	fill(&t, "scans", "22/s", "undecided +1");
	assert_true(page_table_print(&out, &t, &err));
	expect("metric         A  verdict\n"
	       "latency  1.00 us  improved *\n"
	       "scans       22/s  undecided +1\n",
	       &out);
}

/* What rows have in common before a tab stands once, and nowhere is a tab. */
static void test_table_groups(void **state)
{
	static const char wide[] = "123456789 123456789 123456789 123456789 12345678";
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 3};
	struct page_table narrow __cleanup(page_table_done) = t;
	struct text out __text = {0};
	struct error err;

	(void)state;
	fill(&t, "writer call\tp50", "1", "improved *");
	fill(&t, "writer call\tp99", "2", "improved");
	fill(&t, "reader call\tp50", "3", "improved");
	fill(&t, "reader call", "4", "improved");
	fill(&t, "reader call\tp99", "5", "improved");
	assert_true(page_table_print(&out, &t, &err));
	expect("metric           A  verdict\n"
	       "writer call p50  1  improved *\n"
	       "            p99  2  improved\n"
	       "reader call p50  3  improved\n"
	       "reader call      4  improved\n"
	       "reader call p99  5  improved\n",
	       &out);
	/* Where there is no room for it the first word has a line of its own. */
	fill(&narrow, "writer call\tmax", wide, "improved *");
	fill(&narrow, "writer call\tmax (7/8)", wide, "improved *");
	assert_true(page_table_print(&out, &narrow, &err));
	assert_non_null(strstr(text_string(&out), "\nwriter\n  call max       1"));
	assert_non_null(strstr(text_string(&out), "\n       max (7/8) 1"));
	assert_null(strchr(text_string(&out), '\t'));
}

/*
 * A row that is wider than all others is written out, and only that; ends of intervals are aligned.
 */
static void test_table_wild_row(void **state)
{
	static const char wild[] = "-1234567890123456789012345678\t+12345678901234567890123456789";
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 3};
	struct text out __text = {0};
	struct error err;

	(void)state;
	fill(&t, "call\tp50", "-12\t+3", "improved *");
	fill(&t, "stalled", wild, "undecided +1");
	fill(&t, "call\tp99", "-1\t+13", "improved");
	assert_true(page_table_print(&out, &t, &err));
	expect("metric             A  verdict\n"
	       "call p50  -12 ..  +3  improved *\n"
	       "     p99   -1 .. +13  improved\n"
	       "stalled\n"
	       "    A -1234567890123456789012345678 .. +12345678901234567890123456789, verdict\n"
	       "    undecided +1\n",
	       &out);
}

/* The first word of rows has a line of its own where there is no room for it. */
static void test_table_heads_group(void **state)
{
	static const char wide[] = "123456789 123456789 123456789 123456789 12345678 0";
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 3};
	struct text out __text = {0};
	struct error err;

	(void)state;
	fill(&t, "writer call\tp99.9", wide, "improved *");
	fill(&t, "writer call\tmax", wide, "improved *");
	assert_true(page_table_print(&out, &t, &err));
	assert_non_null(strstr(text_string(&out), "\nwriter\n  call p99.9"));
	assert_non_null(strstr(text_string(&out), "\n       max  "));
}

/* Labels give way, by a narrower gap first, then by more lines; what is beside them never does. */
static void test_table_wraps(void **state)
{
	static const char label[] = "a label of more than thirty characters, which is a long one";
	char *figure __free(memory) = memory_alloc(81);
	struct text out __text = {0};
	struct error err;

	(void)state;
	memset(figure, '9', 80);
	for (int width = 1; width <= 80; width++) {
		struct page_table t __cleanup(page_table_done) = {.columns = columns,
								  .column_count = 3};

		fill(&t, label, figure + 80 - width, "undecided +1");
		fill(&t, "short", "1", "improved");
		assert_true(page_table_print(&out, &t, &err));
		check_width(text_string(&out));
		/* No word of it is cut. */
		assert_non_null(strstr(text_string(&out), "characters,"));
		if (width < 70)
			assert_non_null(strstr(text_string(&out), figure + 80 - width));
		assert_non_null(strstr(text_string(&out), "improved"));
		text_done(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_paragraph),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_groups),
		cmocka_unit_test(test_table_wild_row),
		cmocka_unit_test(test_table_heads_group),
		cmocka_unit_test(test_table_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
