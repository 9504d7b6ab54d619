/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_TEXT_H
#define CONTEND_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

/*
 * A string that grows. {0} is a valid empty text; bytes is NULL then, otherwise always terminated
 * by a zero byte that length does not count.
 */
struct text {
	char *bytes;
	size_t length;
	size_t room;
};

void text_done(struct text *t);
void text_append(struct text *t, const char *bytes, size_t length);
void text_puts(struct text *t, const char *string);
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Returns the string, "" for an empty text. Borrowed: valid until the text changes. */
const char *text_string(const struct text *t);

/* Returns the string, owned by the caller (never NULL); the text is empty afterwards. */
char *text_take(struct text *t);

/* printf into a new string, owned by the caller. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Cuts trailing white space of a string in place and returns it. */
char *text_trim(char *string);

bool text_equal(const char *a, const char *b);
bool text_starts(const char *string, const char *prefix);

#define __text __cleanup(text_done)

#endif
