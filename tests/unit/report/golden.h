/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_REPORT_GOLDEN_H
#define CONTEND_TESTS_UNIT_REPORT_GOLDEN_H

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/page.h"

static inline void golden_write(const char *path, const char *bytes)
{
	FILE *file __free(file) = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, strlen(bytes), file), strlen(bytes));
}

/*
 * Compares with tests/golden/FOLDER/NAME.REPORT. With CONTEND_GOLDEN_UPDATE=1 in the environment
 * the file is written instead: look at the difference before committing it.
 */
static inline void golden_compare(const char *folder, const char *name, const char *report,
				  const char *bytes)
{
	const char *top = getenv("TOP");
	char *path __free(memory) =
		text_format("%s/tests/golden/%s/%s.%s", top ? top : ".", folder, name, report);
	struct text golden __text = {0};
	struct error err;
	size_t same = 0;

	if (getenv("CONTEND_GOLDEN_UPDATE")) {
		golden_write(path, bytes);
		return;
	}
	if (!file_read("", path, 16 << 20, &golden, &err))
		fail_msg("%s", err.text);
	while (bytes[same] && bytes[same] == text_string(&golden)[same])
		same++;
	if (bytes[same] != text_string(&golden)[same])
		fail_msg("%s.%s differs from byte %zu on: is '%.60s', was '%.60s'", name, report,
			 same, bytes + same, text_string(&golden) + same);
}

/* What holds for every mail: ASCII, no long line, no blank at the end of one. */
static inline void golden_check_lines(const char *name, const char *text)
{
	assert_true(*text && text[strlen(text) - 1] == '\n');
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > PAGE_WIDTH)
			fail_msg("%s: %zu columns: %.*s", name, length, (int)length, text);
		if (length && isspace((unsigned char)text[length - 1]))
			fail_msg("%s: blank at the end: %.*s", name, (int)length, text);
		for (size_t i = 0; i < length; i++) {
			if (text[i] < ' ' || text[i] > '~')
				fail_msg("%s: not ASCII: %.*s", name, (int)length, text);
		}
		text += length + 1;
	}
}

#endif
