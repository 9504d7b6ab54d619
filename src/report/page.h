/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_PAGE_H
#define CONTEND_REPORT_PAGE_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/*
 * Text that survives a mail: ASCII, no line longer than PAGE_WIDTH, no blank at the end of a line,
 * whatever the names in it are.
 */
enum { PAGE_WIDTH = 78 };

/*
 * Appends a string as printable ASCII: a few signs that people write in names and remarks by their
 * usual stand-in (a micro sign is "u"), any other byte as "\xNN". At most limit characters, then
 * "..."; limit 0: all of it.
 */
void page_ascii(struct text *out, const char *string, size_t limit);

/*
 * The length of the next piece of at most `room` characters, broken at a blank where there is one.
 */
size_t page_piece(const char *at, size_t room);

/*
 * Appends words as lines, broken at blanks; the first begins with `first`, the others with `next`.
 * A word that is longer than a line is cut. Takes any string; it is made ASCII here.
 */
void page_paragraph(struct text *out, const char *first, const char *next, const char *string);

/*
 * Appends a command line, behind two blanks, so that it can be pasted into a shell: continued with
 * a backslash, and a quoted word is closed and opened again where it must be cut. Returns false
 * where a byte is not printable ASCII and was written as "\xNN": what is printed is then not the
 * command.
 */
bool page_command(struct text *out, const char *command);

/*
 * A table: cells of any width but the first column's, which has what room is left and is wrapped.
 */
struct page_column {
	const char *name;
	bool right; /* aligned */
};

struct page_table {
	const struct page_column *columns;
	size_t column_count;
	char **cells; /* row by row; owned; NULL is empty */
	size_t row_count;
};

void page_table_done(struct page_table *t);

/*
 * Returns the cells of a new row, all NULL; borrowed until the next row. A tab in the first cell is
 * a blank, and what is before it is left out where the row above has the same: "writer call\tp99". In any
 * other cell it stands between the ends of an interval, "LOW .. HIGH", which are aligned.
 */
char **page_table_row(struct page_table *t);

/*
 * Appends the table. Rows whose numbers leave no room for a first column are written out below it
 * instead, the widest first: "LABEL", and below it "NAME CELL, NAME CELL".
 */
bool page_table_print(struct text *out, const struct page_table *t, struct error *err);

#endif
