// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/reading.h"

#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"

void reading_done(struct reading *r)
{
	free(r->name);
	free(r->pattern);
	free(r->unit);
	*r = (struct reading){0};
}

double reading_scale(const char *unit, const char **ret_unit)
{
	static const struct {
		const char *unit;
		double ns;
	} times[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};

	*ret_unit = unit;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		if (text_equal(unit, times[i].unit)) {
			*ret_unit = "ns";
			return times[i].ns;
		}
	}
	return 1;
}

/* The part before the last colon of text stays there; what is behind it is returned. NULL: none. */
static const char *cut_last(char *text)
{
	char *colon = strrchr(text, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static bool check(const struct reading *r, struct error *err)
{
	struct pattern pattern __cleanup(pattern_done) = {0};

	if (!json_is_name(r->name, strlen(r->name)))
		return error_set(err, ERROR_USAGE, "'%.100s' is not a name for a metric", r->name);
	if (!*r->unit)
		return error_set(err, ERROR_USAGE, "the unit of %s is empty", r->name);
	return pattern_compile(&pattern, r->pattern, err) ||
	       error_wrap(err, "the regular expression of %s", r->name);
}

bool reading_parse(const char *text, struct reading *ret, struct error *err)
{
	char *rest __free(memory) = memory_string(text), *pattern = strchr(rest, ':');
	struct reading r __cleanup(reading_done) = {0};
	const char *direction, *unit;

	if (pattern)
		*pattern++ = '\0';
	direction = pattern ? cut_last(pattern) : NULL;
	unit = direction ? cut_last(pattern) : NULL;
	if (!unit)
		return error_set(err, ERROR_USAGE,
				 "'%.100s' is not NAME:REGEX:UNIT:higher or :lower", text);
	r.better =
		text_equal(direction, better_words[BETTER_HIGHER]) ? BETTER_HIGHER : BETTER_LOWER;
	if (!text_equal(direction, better_words[r.better]))
		return error_set(err, ERROR_USAGE,
				 "'%.100s' at its end must be higher or lower: what is better",
				 direction);
	r.name = memory_string(rest);
	r.pattern = memory_string(pattern);
	r.unit = memory_string(unit);
	if (!check(&r, err))
		return false;
	*ret = r;
	r = (struct reading){0};
	return true;
}

json_t *reading_metric(const struct reading *r, const char *role)
{
	char *of __free(memory) = text_format("%s.%s", role, r->name);
	char *help __free(memory) = text_format(
		"the number in the last line of its output that matches %s", r->pattern);
	struct metric m = {
		.name = r->name,
		.better = r->better,
		.summary = SUMMARY_READING,
		.of = of,
		.reader = METRIC_READER_PATTERN,
		.pattern = r->pattern,
		.help = help,
	};

	m.scale = reading_scale(r->unit, &m.unit);
	return metric_to_json(&m);
}
