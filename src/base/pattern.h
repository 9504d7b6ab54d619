/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_PATTERN_H
#define CONTEND_BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * An extended regular expression of POSIX that has one group, around what is looked for in a line.
 */
struct pattern {
	regex_t regex;
	bool compiled;
};

/*
 * ERROR_USAGE where it is none, from which character on ("character 3, '([0-9]+'"), or has not one
 * group. The locale is the program's: none was set, so that it is POSIX's.
 */
bool pattern_compile(struct pattern *ret, const char *text, struct error *err);
void pattern_done(struct pattern *p);

/*
 * What the group has in the last line of a text that matches, owned by the caller; NULL: none does,
 * or the group has no part in it.
 */
char *pattern_find_last(const struct pattern *p, const char *text);

#endif
