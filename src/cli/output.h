/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_OUTPUT_H
#define CONTEND_CLI_OUTPUT_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/*
 * Writes a text to standard output. A reader that went away (`| head`) is no error: it has what it
 * wanted.
 */
bool output_text(const struct text *t, struct error *err);

/* How many columns a line of standard output may have: those of its terminal, else PAGE_WIDTH. */
size_t output_columns(void);

/*
 * Appends a row of a list: the label behind two blanks, the body from column `column` on. Both may
 * be anything that an agent said: what is printed is ASCII without control characters.
 */
void output_row(struct text *out, const char *label, size_t column, const char *body);

#endif
