// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/shell.h"

#include <string.h>

void shell_put_word(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	text_puts(t, " ");
	if (*word && !word[strspn(word, plain)]) {
		text_puts(t, word);
		return;
	}
	text_puts(t, "'");
	for (; *word; word++) {
		if (*word == '\'')
			text_puts(t, "'\\''");
		else
			text_append(t, word, 1);
	}
	text_puts(t, "'");
}
