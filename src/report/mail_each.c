// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/block.h"

/* The length of the remark that begins there: a line, and those behind it that are indented. */
static size_t remark_length(const char *at)
{
	size_t length = strcspn(at, "\n");

	length += at[length] == '\n';
	while (at[length] == ' ') {
		length += strcspn(at + length, "\n");
		length += at[length] == '\n';
	}
	return length;
}

static bool has_remark(const char *text, const char *remark, size_t length)
{
	for (const char *at = text; *at; at += remark_length(at)) {
		if (remark_length(at) == length && !memcmp(at, remark, length))
			return true;
	}
	return false;
}

static bool all_have_remark(const struct text *parts, size_t count, const char *remark,
			    size_t length)
{
	for (size_t i = 0; i < count; i++) {
		if (!has_remark(text_string(&parts[i]), remark, length))
			return false;
	}
	return true;
}

/* The remarks of a part that all parts have, or those that they have not. */
static void put_remarks(const struct text *part, const struct text *parts, size_t count,
			bool common, struct text *out)
{
	size_t length;

	for (const char *at = text_string(part); *at; at += length) {
		length = remark_length(at);
		if (all_have_remark(parts, count, at, length) == common)
			text_append(out, at, length);
	}
}

void mail_put_each(const struct text *parts, const char *const *heads, size_t count,
		   struct text *out)
{
	struct text common __text = {0};

	if (count)
		put_remarks(&parts[0], parts, count, true, &common);
	text_append(out, text_string(&common), common.length);
	for (size_t i = 0; i < count; i++) {
		struct text own __text = {0};

		put_remarks(&parts[i], parts, count, false, &own);
		if (own.length)
			text_printf(out, "\n%s:\n%s", heads[i], text_string(&own));
	}
}

void block_put_each(const struct block *b, struct text *out,
		    void (*put)(const struct block *b, struct text *out))
{
	static const char *const heads[ARM_MOST] = {NULL, "B against A", "C against A",
						    "D against A"};
	struct text parts[ARM_MOST] = {0};

	if (b->comparison_count == 1) {
		put(b, out);
		return;
	}
	for (size_t i = 0; i < b->comparison_count; i++) {
		struct block own = *b;

		own.v = &b->comparisons[i];
		put(&own, &parts[i]);
	}
	mail_put_each(parts, heads + ARM_B, b->comparison_count, out);
	for (size_t i = 0; i < b->comparison_count; i++)
		text_done(&parts[i]);
}
