// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/importer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"

/* As much as a reason has room for. */
enum { LAST_LINES = 3, LAST_BYTES = 400 };

/* An output of the role that a place ("role.name") begins with; "" where there is none. */
static const char *output_of(const struct run *run, const char *place, const char *stream)
{
	const json_t *outputs = json_object_get(run->record, "outputs");
	size_t length = strcspn(place, ".");

	for (size_t i = 0; i < json_array_size(outputs); i++) {
		const json_t *output = json_array_get(outputs, i);
		const char *role = json_string_value(json_object_get(output, "role"));
		const char *name = json_string_value(json_object_get(output, "stream"));
		const char *text = json_string_value(json_object_get(output, "text"));

		if (role && name && text && text_equal(name, stream) && strlen(role) == length &&
		    !memcmp(role, place, length))
			return text;
	}
	return "";
}

/* " | "-separated, for a reason. Owned by the caller. */
static char *last_lines(const char *text)
{
	const char *end = text + strlen(text), *begin;
	int lines = 0;
	struct text out = {0};

	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	for (begin = end; begin > text && end - begin < LAST_BYTES; begin--) {
		if (begin[-1] == '\n' && ++lines == LAST_LINES)
			break;
	}
	for (; begin < end; begin++)
		text_append(&out, *begin == '\n' ? " | " : begin, *begin == '\n' ? 3 : 1);
	return text_take(&out);
}

static bool refuse(const struct metric *m, const char *text, struct error *err)
{
	char *last __free(memory) = last_lines(text);

	return error_set(err, ERROR_DATA, "no line of the output matches %s, for %s; %s%s",
			 m->pattern, m->name, *last ? "it ends with: " : "there is none", last);
}

/* As programs print one: units_parse_number() is for what people type, and has no exponents. */
static bool read_number(const char *text, double *ret_value)
{
	size_t length = strlen(text);
	char *end;

	*ret_value = strtod(text, &end);
	return length && end == text + length && strspn(text, "0123456789.eE+-") == length;
}

/* The last line of standard output that matches, or of standard error where none does. */
static bool read_pattern(struct run *run, const struct metric *m, struct error *err)
{
	const char *outputs[] = {output_of(run, m->of, "stdout"), output_of(run, m->of, "stderr")};
	struct pattern pattern __cleanup(pattern_done) = {0};
	char *found __free(memory) = NULL;
	double value;

	if (!pattern_compile(&pattern, m->pattern, err))
		return error_wrap(err, "%s", m->name);
	for (size_t i = 0; i < 2 && !found; i++)
		found = pattern_find_last(&pattern, outputs[i]);
	if (!found)
		return refuse(m, *outputs[0] ? outputs[0] : outputs[1], err);
	if (!read_number(found, &value) || !isfinite(value * m->scale))
		return error_set(err, ERROR_DATA, "%s matches '%.100s', which is no number",
				 m->pattern, found);
	json_object_set_new(run->readings, m->of, json_real(value * m->scale));
	return true;
}

bool importer_read_run(struct run *run, const struct description *d, struct error *err)
{
	if (run->outcome != OUTCOME_OK || !run->record)
		return true;
	for (const struct metric *m = d->metrics; m->name; m++) {
		if (m->summary != SUMMARY_READING)
			continue;
		if (!run->readings)
			run->readings = json_object();
		if (!read_pattern(run, m, err))
			return false;
	}
	return true;
}
