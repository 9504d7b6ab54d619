// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/page.h"

#include <libsmartcols.h>
#include <string.h>

#include "base/memory.h"

enum { LEAST_LABEL = 10 }; /* a narrower first column would be a word a line */

/* Between columns: the wider one where the labels then still fit. */
static const char *const gaps[] = {"  ", " "};

DEFINE_FREE(scols, struct libscols_table *, if (_T) scols_unref_table(_T))

/* What people write where ASCII has a stand-in that reads the same. */
static const struct {
	const char *utf8;
	const char *ascii;
} stand_ins[] = {
	{"\xc2\xb5", "u"},			       /* micro sign */
	{"\xce\xbc", "u"},			       /* mu */
	{"\xc2\xb1", "+-"},			       /* plus-minus */
	{"\xc3\x97", "x"},			       /* times */
	{"\xe2\x80\x93", "-"},			       /* dashes */
	{"\xe2\x80\x94", "-"},	{"\xe2\x80\x98", "'"}, /* quotes */
	{"\xe2\x80\x99", "'"},	{"\xe2\x80\x9c", "\""},
	{"\xe2\x80\x9d", "\""}, {"\xe2\x80\xa6", "..."}, /* ellipsis */
};

static bool printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* Writes the character at `at` in ASCII and returns what is behind it. */
static const char *put_character(struct text *out, const char *at)
{
	if (printable(*at)) {
		text_append(out, at, 1);
		return at + 1;
	}
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++) {
		if (!text_starts(at, stand_ins[i].utf8))
			continue;
		text_puts(out, stand_ins[i].ascii);
		return at + strlen(stand_ins[i].utf8);
	}
	text_printf(out, "\\x%02X", (unsigned char)*at);
	return at + 1;
}

void page_ascii(struct text *out, const char *string, size_t limit)
{
	struct text whole __text = {0};

	while (*string)
		string = put_character(&whole, string);
	if (limit && whole.length > limit) {
		text_append(out, whole.bytes, limit - 3);
		text_puts(out, "...");
		return;
	}
	text_puts(out, text_string(&whole));
}

/* The length of the next piece of at most `room` characters, broken at a blank where there is one. */
static size_t piece(const char *at, size_t room)
{
	size_t length = strlen(at);

	if (length <= room)
		return length;
	for (size_t i = room; i > 0; i--) {
		if (at[i] == ' ')
			return i;
	}
	return room;
}

void page_paragraph(struct text *out, const char *first, const char *next, const char *string)
{
	struct text ascii __text = {0};
	const char *at, *before = first;

	page_ascii(&ascii, string, 0);
	text_trim(ascii.bytes ? ascii.bytes : (char[]){""});
	at = text_string(&ascii);
	do {
		size_t length = piece(at, PAGE_WIDTH - strlen(before)), shown = length;

		while (shown && at[shown - 1] == ' ')
			shown--;
		text_printf(out, "%s%.*s\n", before, (int)shown, at);
		at += length;
		at += strspn(at, " ");
		before = next;
	} while (*at);
}

/*
 * A command line is cut into what the shell cannot be given in parts: a character with what quotes
 * it. `quote` is the quote it stands in, 0 outside.
 */
struct token {
	const char *at;
	size_t length;
	char quote; /* the state behind it */
};

static struct token next_token(const char *at, char quote)
{
	struct token t = {.at = at, .length = 1, .quote = quote};

	if (*at == '\\' && quote != '\'' && at[1])
		t.length = 2;
	else if (quote && *at == quote)
		t.quote = 0;
	else if (!quote && (*at == '\'' || *at == '"'))
		t.quote = *at;
	return t;
}

/* Appends a token; false where it had to be escaped. */
static bool put_token(struct text *out, const struct token *t)
{
	bool exact = true;

	for (size_t i = 0; i < t->length; i++) {
		if (printable(t->at[i])) {
			text_append(out, t->at + i, 1);
			continue;
		}
		text_printf(out, "\\x%02X", (unsigned char)t->at[i]);
		exact = false;
	}
	return exact;
}

/*
 * A line in the making. Words are added token by token: `word` is where the present one begins, so
 * that it can be moved to the next line as a whole; 0: it fills the line and is cut.
 */
struct command_line {
	struct text line;
	size_t indent; /* what stands before the line already */
	size_t word;
};

static const char command_start[] = "  ", command_again[] = "      ";

enum { COMMAND_WIDTH = PAGE_WIDTH - 3 }; /* room for a closing quote and the backslash */

/* Ends the line before the present word, which then begins the next one. */
static void move_word(struct text *out, struct command_line *c, size_t more)
{
	char *rest = memory_string(c->line.bytes + c->word);
	/* A word that is nearly as long as a line begins it. */
	bool fits = strlen(command_again) + strlen(rest) + more <= COMMAND_WIDTH;

	text_printf(out, "%.*s\\\n%s", (int)c->word, c->line.bytes, fits ? command_again : "");
	c->line.length = 0;
	text_puts(&c->line, rest);
	c->indent = fits ? strlen(command_again) : 0;
	c->word = 0;
	free(rest);
}

/* Ends the line inside a word. The shell joins the two: no indent may stand between them. */
static void cut_word(struct text *out, struct command_line *c, char quote)
{
	text_puts(out, text_string(&c->line));
	c->line.length = 0;
	if (quote) {
		text_append(out, &quote, 1);
		text_append(&c->line, &quote, 1);
	}
	text_puts(out, "\\\n");
	c->indent = 0;
}

/* True for "--seed ", not for "--seed=1 ". */
static bool is_option(const char *word)
{
	return text_starts(word, "--") && !strchr(word, '=') &&
	       strcspn(word, " ") == strlen(word) - 1;
}

bool page_command(struct text *out, const char *command)
{
	struct command_line c = {.indent = strlen(command_start)};
	bool exact = true, blank = true;
	char quote = 0;

	text_puts(out, command_start);
	while (*command) {
		struct token t = next_token(command, quote);
		struct text shown __text = {0};

		exact &= put_token(&shown, &t);
		command += t.length;
		if (!quote && text_equal(text_string(&shown), " ")) {
			/* Blanks between words are one. */
			if (!blank)
				text_puts(&c.line, " ");
			blank = true;
			/* An option stays with its value. */
			if (!is_option(text_string(&c.line) + c.word))
				c.word = c.line.length;
			continue;
		}
		blank = false;
		if (c.indent + c.line.length + shown.length > COMMAND_WIDTH) {
			if (c.word)
				move_word(out, &c, shown.length);
			else
				cut_word(out, &c, quote);
		}
		text_puts(&c.line, text_string(&shown));
		quote = t.quote;
	}
	/* Without the blank behind the last word. */
	text_append(out, text_string(&c.line),
		    blank && c.line.length ? c.line.length - 1 : c.line.length);
	text_puts(out, "\n");
	text_done(&c.line);
	return exact;
}

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
		size_t length = piece(label, room - indent);

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

/* ", NAME CELL", without the blanks that align a cell in its column. */
static void put_cell(struct text *out, const char *name, const char *figure)
{
	text_printf(out, "%s%s", out->length ? ", " : "", name);
	while (*figure) {
		size_t blanks = strspn(figure, " "), word = strcspn(figure + blanks, " ");

		text_printf(out, " %.*s", (int)word, figure + blanks);
		figure += blanks + word;
	}
}

static void print_rows_written_out(struct text *out, const struct page_table *t)
{
	for (size_t r = 0; r < t->row_count; r++) {
		char *label __free(memory) = plain_label(t, r);
		struct text figures __text = {0};

		page_paragraph(out, "", "  ", label);
		for (size_t c = 1; c < t->column_count; c++) {
			if (*cell(t, r, c))
				put_cell(&figures, t->columns[c].name, cell(t, r, c));
		}
		page_paragraph(out, "    ", "    ", text_string(&figures));
	}
}

/* The label of a row as it stands in its table, owned by the caller. */
static char *laid_out(const struct page_table *t, size_t row, size_t room)
{
	char *label __free(memory) = plain_label(t, row);
	size_t above = repeated(t, row), own = strlen(label + above);

	if (!above || own > room)
		return wrapped(label, room);
	/* Below its like; further to the left where it would not fit there. */
	above = above + own > room ? room - own : above;
	return text_format("%*s%s", (int)above, "", label + strlen(label) - own);
}

static bool fill(struct libscols_table *table, const struct page_table *t, size_t room)
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
	for (size_t r = 0; r < t->row_count; r++) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		if (!line)
			return false;
		for (size_t c = 0; c < t->column_count; c++) {
			char *text = c ? memory_string(cell(t, r, c)) : laid_out(t, r, room);

			if (scols_line_refer_data(line, c, text)) {
				free(text);
				return false;
			}
		}
	}
	return true;
}

bool page_table_print(struct text *out, const struct page_table *t, struct error *err)
{
	struct libscols_table *table __free(scols) = NULL;
	char *lines __free(memory) = NULL;
	const char *gap = gaps[0];
	size_t room;

	if (room_for_labels(t, gap) < longest_label(t))
		gap = gaps[1];
	room = room_for_labels(t, gap);
	if (room < longest_label(t) && room < least_room(t)) {
		print_rows_written_out(out, t);
		return true;
	}
	table = scols_new_table();
	/* Off a terminal the width is not kept without force. */
	if (!table || scols_table_set_column_separator(table, gap) ||
	    scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS) ||
	    scols_table_set_termwidth(table, PAGE_WIDTH) || !fill(table, t, room) ||
	    scols_print_table_to_string(table, &lines))
		return error_set(err, ERROR_SYSTEM, "lay out a table: libsmartcols failed");
	put_trimmed(out, lines);
	return true;
}
