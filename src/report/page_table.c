// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/page.h"

#include <libsmartcols.h>
#include <string.h>

#include "base/memory.h"

/*
 * Tables that fit a mail: what the columns leave is for the labels, and what fits none is written
 * out.
 */

enum { LEAST_LABEL = 10 }; /* a narrower first column would be a word a line */

/* Between columns: the wider one where the labels then still fit. */
static const char *const gaps[] = {"  ", " "};

DEFINE_FREE(scols, struct libscols_table *, if (_T) scols_unref_table(_T))

void page_table_done(struct page_table *t)
{
	for (size_t i = 0; i < t->row_count * t->column_count; i++)
		free(t->cells[i]);
	free(t->cells);
	t->cells = NULL;
	t->row_count = 0;
}

char **page_table_row(struct page_table *t)
{
	size_t used = t->row_count++ * t->column_count;

	t->cells = memory_grow(t->cells, (used + t->column_count) * sizeof(*t->cells));
	memset(t->cells + used, 0, t->column_count * sizeof(*t->cells));
	return t->cells + used;
}

static const char *cell(const struct page_table *t, size_t row, size_t column)
{
	const char *text = t->cells[row * t->column_count + column];

	return text ? text : "";
}

/* Between the words of a label. */
static const char between[] = " \t";

static char *plain_label(const struct page_table *t, size_t row)
{
	char *label = memory_string(cell(t, row, 0));

	for (char *at = label; (at = strchr(at, '\t'));)
		*at = ' ';
	return label;
}

/* How much of a label the row above has said already: what is before its tab; 0: nothing. */
static size_t repeated(const struct page_table *t, size_t row)
{
	const char *label = cell(t, row, 0);
	size_t length = strcspn(label, "\t");

	return row && label[length] && !strncmp(cell(t, row - 1, 0), label, length + 1) ? length
											: 0;
}

/* What the other columns leave to the first one. */
static size_t room_for_labels(const struct page_table *t, const char *gap)
{
	size_t used = 0;

	for (size_t c = 1; c < t->column_count; c++) {
		size_t width = strlen(t->columns[c].name);

		for (size_t r = 0; r < t->row_count; r++) {
			size_t length = strlen(cell(t, r, c));

			width = length > width ? length : width;
		}
		used += strlen(gap) + width;
	}
	return used < PAGE_WIDTH ? PAGE_WIDTH - used : 0;
}

static size_t longest_label(const struct page_table *t)
{
	size_t longest = strlen(t->columns[0].name);

	for (size_t r = 0; r < t->row_count; r++) {
		size_t length = strlen(cell(t, r, 0));

		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Before the lines of a label but the first. */
static const char label_next[] = "  ";

/* What the labels take at the least: no word of them is cut. */
static size_t least_room(const struct page_table *t)
{
	size_t least = LEAST_LABEL;

	for (size_t r = 0; r < t->row_count; r++) {
		const char *label = cell(t, r, 0);
		size_t indent = 0;

		while (*label) {
			size_t word = strcspn(label, between);

			least = indent + word > least ? indent + word : least;
			label += word;
			label += strspn(label, between);
			indent = strlen(label_next);
		}
	}
	return least;
}

/* The label in lines of at most room characters, in which every word of it fits. */
static char *wrapped(const char *label, size_t room)
{
	struct text lines = {0};
	size_t indent = 0;

	while (indent + strlen(label) > room) {
		size_t length = page_piece(label, room - indent);

		text_printf(&lines, "%.*s\n%s", (int)length, label, label_next);
		label += length;
		label += strspn(label, " ");
		indent = strlen(label_next);
	}
	text_puts(&lines, label);
	return text_take(&lines);
}

/* Copies lines without the blanks at their ends, which mail programs and git complain about. */
static void put_trimmed(struct text *out, char *lines)
{
	char *rest = lines, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (rest || *line)
			text_printf(out, "%s\n", text_trim(line));
	}
}

/* "LOW .. HIGH" of "LOW\tHIGH", each end right-aligned; any other cell as it is. */
static void put_ends(struct text *out, const char *ends, int low_width, int high_width)
{
	const char *high = strchr(ends, '\t');

	if (high)
		text_printf(out, "%*.*s .. %*s", low_width, (int)(high - ends), ends, high_width,
			    high + 1);
	else
		text_puts(out, ends);
}

/* How wide the ends of intervals are in a column, of the rows that are kept. */
static void widths_of_ends(const struct page_table *t, size_t column, const bool *kept,
			   int *ret_low, int *ret_high)
{
	*ret_low = *ret_high = 0;
	for (size_t r = 0; r < t->row_count; r++) {
		const char *ends = cell(t, r, column), *high = strchr(ends, '\t');

		if (!kept[r] || !high)
			continue;
		if (high - ends > *ret_low)
			*ret_low = (int)(high - ends);
		if ((int)strlen(high + 1) > *ret_high)
			*ret_high = (int)strlen(high + 1);
	}
}

/* A table of the rows that are kept, with the ends of intervals below each other. The caller's. */
static struct page_table table_of(const struct page_table *t, const bool *kept)
{
	struct page_table own = {.columns = t->columns, .column_count = t->column_count};

	for (size_t r = 0; r < t->row_count; r++) {
		if (kept[r])
			page_table_row(&own)[0] = memory_string(cell(t, r, 0));
	}
	for (size_t c = 1; c < t->column_count; c++) {
		size_t row = 0;
		int low, high;

		widths_of_ends(t, c, kept, &low, &high);
		for (size_t r = 0; r < t->row_count; r++) {
			struct text text = {0};

			if (!kept[r])
				continue;
			put_ends(&text, cell(t, r, c), low, high);
			own.cells[row++ * t->column_count + c] = text_take(&text);
		}
	}
	return own;
}

/* ", NAME CELL" */
static void put_cell(struct text *out, const char *name, const char *figure)
{
	text_printf(out, "%s%s", out->length ? ", " : "", name);
	text_puts(out, " ");
	put_ends(out, figure, 0, 0);
}

/* Of a row without a label it is that of a row above. */
static size_t labelled(const struct page_table *t, size_t row)
{
	while (row && !*cell(t, row, 0))
		row--;
	return row;
}

static void print_row_written_out(struct text *out, const struct page_table *t, size_t row)
{
	char *label __free(memory) = plain_label(t, labelled(t, row));
	struct text figures __text = {0};

	page_paragraph(out, "", "  ", label);
	for (size_t c = 1; c < t->column_count; c++) {
		if (*cell(t, row, c))
			put_cell(&figures, t->columns[c].name, cell(t, row, c));
	}
	page_paragraph(out, "    ", "    ", text_string(&figures));
}

/* How much of a label is its first word with the blank behind it; 0: it is all. */
static size_t first_word(const char *label)
{
	size_t length = strcspn(label, between);

	return label[length] ? length + 1 : 0;
}

/* True where a row and the next one begin with the same word. */
static bool shares_word(const struct page_table *t, size_t row)
{
	size_t length = first_word(cell(t, row, 0));

	return length && row + 1 < t->row_count && first_word(cell(t, row + 1, 0)) == length &&
	       !strncmp(cell(t, row, 0), cell(t, row + 1, 0), length - 1);
}

/*
 * The label of a row as it stands in its table, owned by the caller. headed: so much of it stands
 * in a line above, of all rows that begin with it.
 */
static char *laid_out(const struct page_table *t, size_t row, size_t room, size_t headed)
{
	char *label __free(memory) = plain_label(t, row);
	size_t indent = headed ? strlen(label_next) : 0;
	size_t above = repeated(t, row);
	char *indented __free(memory) = NULL;
	size_t own;

	above = above > headed ? above - headed : 0;
	own = strlen(label + headed + above);
	indented = text_format("%*s%s", (int)indent, "", label + headed);
	if (!above || indent + own > room)
		return wrapped(indented, room);
	/* Below its like; further to the left where it would not fit there. */
	above = indent + above + own > room ? room - own : indent + above;
	return text_format("%*s%s", (int)above, "", indented + strlen(indented) - own);
}

static bool add_columns(struct libscols_table *table, const struct page_table *t)
{
	for (size_t c = 0; c < t->column_count; c++) {
		int flags = (t->columns[c].right ? SCOLS_FL_RIGHT : 0) | (c ? 0 : SCOLS_FL_WRAP);
		struct libscols_column *column =
			scols_table_new_column(table, t->columns[c].name, 0, flags);

		if (!column)
			return false;
		if (!c && scols_column_set_wrapfunc(column, scols_wrapnl_chunksize,
						    scols_wrapnl_nextchunk, NULL))
			return false;
		if (!c && scols_column_set_safechars(column, "\n"))
			return false;
	}
	return true;
}

/* Takes the text. */
static bool add_cell(struct libscols_line *line, size_t column, char *text)
{
	if (line && !scols_line_refer_data(line, column, text))
		return true;
	free(text);
	return false;
}

static bool fill(struct libscols_table *table, const struct page_table *t, size_t room)
{
	bool narrow = longest_label(t) > room;
	size_t headed = 0;

	if (!add_columns(table, t))
		return false;
	for (size_t r = 0; r < t->row_count; r++) {
		const char *label = cell(t, r, 0);
		struct libscols_line *line;

		if (narrow && !(r && shares_word(t, r - 1))) {
			headed = shares_word(t, r) ? first_word(label) : 0;
			if (headed && !add_cell(scols_table_new_line(table, NULL), 0,
						text_format("%.*s", (int)headed - 1, label)))
				return false;
		}
		line = scols_table_new_line(table, NULL);
		if (!add_cell(line, 0, laid_out(t, r, room, headed)))
			return false;
		for (size_t c = 1; c < t->column_count; c++) {
			if (!add_cell(line, c, memory_string(cell(t, r, c))))
				return false;
		}
	}
	return true;
}

static bool fits(const struct page_table *t, const char *gap)
{
	size_t room = room_for_labels(t, gap);

	return room >= longest_label(t) || room >= least_room(t);
}

/* The row whose cells take most. */
static size_t widest_row(const struct page_table *t, const bool *kept)
{
	size_t widest = 0, most = 0;

	for (size_t r = 0; r < t->row_count; r++) {
		size_t own = 1;

		for (size_t c = 1; c < t->column_count; c++)
			own += strlen(cell(t, r, c));
		if (kept[r] && own > most) {
			widest = r;
			most = own;
		}
	}
	return widest;
}

static bool print_laid_out(struct text *out, const struct page_table *t, struct error *err)
{
	struct libscols_table *table __free(scols) = scols_new_table();
	const char *gap = room_for_labels(t, gaps[0]) < longest_label(t) ? gaps[1] : gaps[0];
	char *lines __free(memory) = NULL;

	/* Off a terminal the width is not kept without force. */
	if (!table || scols_table_set_column_separator(table, gap) ||
	    scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS) ||
	    scols_table_set_termwidth(table, PAGE_WIDTH) ||
	    !fill(table, t, room_for_labels(t, gap)) || scols_print_table_to_string(table, &lines))
		return error_set(err, ERROR_SYSTEM, "lay out a table: libsmartcols failed");
	put_trimmed(out, lines);
	return true;
}

bool page_table_print(struct text *out, const struct page_table *t, struct error *err)
{
	bool *kept __free(memory) = memory_array(t->row_count + 1, sizeof(*kept));
	size_t count = t->row_count;

	for (size_t r = 0; r < t->row_count; r++)
		kept[r] = true;
	for (;; count--) {
		struct page_table own __cleanup(page_table_done) = table_of(t, kept);

		if (fits(&own, gaps[1])) {
			if ((count || !t->row_count) && !print_laid_out(out, &own, err))
				return false;
			break;
		}
		if (!count)
			break;
		kept[widest_row(t, kept)] = false;
	}
	for (size_t r = 0; r < t->row_count; r++) {
		if (!kept[r])
			print_row_written_out(out, t, r);
	}
	return true;
}
