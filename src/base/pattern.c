// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/pattern.h"

#include <string.h>

#include "base/text.h"

void pattern_done(struct pattern *p)
{
	if (p->compiled)
		regfree(&p->regex);
	*p = (struct pattern){0};
}

static int compile(regex_t *regex, const char *text)
{
	return regcomp(regex, text, REG_EXTENDED);
}

/*
 * regcomp() does not say where. It is behind the longest beginning that is an expression by itself:
 * from there on nothing makes it one again.
 */
static size_t good_length(const char *text)
{
	size_t length = strlen(text);

	while (length) {
		char *beginning __free(memory) = text_format("%.*s", (int)length, text);
		regex_t regex;

		if (!compile(&regex, beginning)) {
			regfree(&regex);
			break;
		}
		length--;
	}
	return length;
}

bool pattern_compile(struct pattern *ret, const char *text, struct error *err)
{
	struct pattern p = {0};
	int why = compile(&p.regex, text);
	char words[128];

	if (why) {
		size_t good = good_length(text);

		regerror(why, &p.regex, words, sizeof(words));
		return error_set(err, ERROR_USAGE, "character %zu, '%.40s': %s", good + 1,
				 text + good, words);
	}
	p.compiled = true;
	if (p.regex.re_nsub != 1) {
		error_set(err, ERROR_USAGE,
			  "'%.100s' has %zu groups, and needs one: ( and ) around the number", text,
			  p.regex.re_nsub);
		pattern_done(&p);
		return false;
	}
	*ret = p;
	return true;
}

char *pattern_find_last(const struct pattern *p, const char *text)
{
	char *found = NULL;

	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");
		char *line __free(memory) = text_format("%.*s", (int)length, at);
		regmatch_t match[2];

		if (!regexec(&p->regex, line, 2, match, 0)) {
			free(found);
			found = match[1].rm_so < 0
					? NULL
					: text_format("%.*s",
						      (int)(match[1].rm_eo - match[1].rm_so),
						      line + match[1].rm_so);
		}
		at += length + (at[length] == '\n');
	}
	return found;
}
