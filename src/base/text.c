// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void text_done(struct text *t)
{
	free(t->bytes);
	*t = (struct text){0};
}

/* Makes room for more bytes and the zero behind them. */
static void reserve(struct text *t, size_t more)
{
	size_t need = t->length + more + 1;

	if (need <= t->room)
		return;
	if (need < 2 * t->room)
		need = 2 * t->room;
	t->bytes = memory_grow(t->bytes, need);
	t->room = need;
}

void text_append(struct text *t, const char *bytes, size_t length)
{
	reserve(t, length);
	if (length)
		memcpy(t->bytes + t->length, bytes, length);
	t->length += length;
	t->bytes[t->length] = '\0';
}

void text_puts(struct text *t, const char *string)
{
	text_append(t, string, strlen(string));
}

void text_vprintf(struct text *t, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return;
	reserve(t, (size_t)length);
	vsnprintf(t->bytes + t->length, (size_t)length + 1, format, args);
	t->length += (size_t)length;
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(t, format, args);
	va_end(args);
}

const char *text_string(const struct text *t)
{
	return t->bytes ? t->bytes : "";
}

char *text_take(struct text *t)
{
	char *string = t->bytes ? t->bytes : memory_string("");

	*t = (struct text){0};
	return string;
}

char *text_format(const char *format, ...)
{
	struct text t = {0};
	va_list args;

	va_start(args, format);
	text_vprintf(&t, format, args);
	va_end(args);
	return text_take(&t);
}

char *text_trim(char *string)
{
	size_t length = strlen(string);

	while (length && isspace((unsigned char)string[length - 1]))
		string[--length] = '\0';
	return string;
}

bool text_equal(const char *a, const char *b)
{
	return !strcmp(a, b);
}

bool text_starts(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}
