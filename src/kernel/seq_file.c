// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/seq_file.h"

#include <string.h>

void seq_file_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (*from == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}
