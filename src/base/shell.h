/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_SHELL_H
#define CONTEND_BASE_SHELL_H

#include "base/text.h"

/* Appends a word, with a blank before it and quoted where a shell demands it. */
void shell_put_word(struct text *t, const char *word);

#endif
