// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/page.h"

#include <string.h>

#include "base/memory.h"

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

size_t page_piece(const char *at, size_t room)
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
		size_t length = page_piece(at, PAGE_WIDTH - strlen(before)), shown = length;

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
