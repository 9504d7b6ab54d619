// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "report/page.h"

bool output_text(const struct text *t, struct error *err)
{
	if (file_write_all(STDOUT_FILENO, text_string(t), t->length, err) || errno == EPIPE)
		return true;
	return error_wrap(err, "standard output");
}

size_t output_columns(void)
{
	enum { LEAST = 20 };
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < LEAST)
		return PAGE_WIDTH;
	return size.ws_col;
}

void output_row(struct text *out, const char *label, size_t column, const char *body)
{
	struct text shown __text = {0};
	char *first __free(memory) = NULL;
	char *next __free(memory) = text_format("%*s", (int)column, "");

	page_ascii(&shown, label, 0);
	first = text_format("  %-*s", (int)column - 2, text_string(&shown));
	/* A blank at least, or the label has a line of its own. */
	if (shown.length + 3 > column) {
		page_paragraph(out, "  ", "    ", text_string(&shown));
		page_paragraph(out, next, next, body);
	} else {
		page_paragraph(out, first, next, body);
	}
}
