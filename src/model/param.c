// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/param.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "model/reading.h"

const char *const param_type_words[] = {
	[PARAM_COUNT] = "count",
	[PARAM_NUMBER] = "number",
	[PARAM_DURATION] = "duration",
	[PARAM_BYTES] = "bytes",
	[PARAM_PERCENT] = "percent",
	[PARAM_CHOICE] = "choice",
	[PARAM_SWITCH] = "switch",
	[PARAM_TEXT] = "text",
	[PARAM_COMMAND] = "command",
	[PARAM_WORD] = "word",
	[PARAM_METRIC] = "metric",
	[PARAM_METRIC + 1] = NULL,
};

/* A value as it is stored. Both members hold it; a double alone would round above 2^53. */
struct stored {
	double number;
	int64_t integer;
};

static bool is_integral(enum param_type type)
{
	return type == PARAM_COUNT || type == PARAM_DURATION || type == PARAM_BYTES;
}

static bool is_numeric(enum param_type type)
{
	return is_integral(type) || type == PARAM_NUMBER || type == PARAM_PERCENT;
}

/* Steps through "a|b|c": returns the next word and its length, NULL at the end. */
static const char *next_choice(const char **at, size_t *ret_length)
{
	const char *word = *at;

	if (!word)
		return NULL;
	*ret_length = strcspn(word, "|");
	*at = word[*ret_length] ? word + *ret_length + 1 : NULL;
	return word;
}

static bool parse_choice(const struct param *p, const char *value, int64_t *ret, struct error *err)
{
	const char *at = p->choices;
	struct text list __text = {0};
	const char *word;
	size_t length;

	for (int64_t i = 0; (word = next_choice(&at, &length)); i++) {
		if (strlen(value) == length && !memcmp(word, value, length)) {
			*ret = i;
			return true;
		}
		if (list.length)
			text_puts(&list, at ? ", " : " or ");
		text_append(&list, word, length);
	}
	return error_set(err, ERROR_USAGE, "must be %s", text_string(&list));
}

/* The nearest integer that there is. 2^63 is a double, INT64_MAX is not. */
static int64_t whole(double number)
{
	if (number >= 0x1p63)
		return INT64_MAX;
	if (number <= -0x1p63)
		return INT64_MIN;
	return llround(number);
}

bool param_is_text(enum param_type type)
{
	return type >= PARAM_TEXT;
}

/* The words of a command, of which the first is the program. */
static bool check_command(const char *value, struct error *err)
{
	json_t *words __free(json) = NULL, *word;
	size_t i;

	if (!json_parse(value, strlen(value), &words, err))
		return false;
	json_array_foreach(words, i, word) {
		if (!json_is_string(word))
			return error_set(err, ERROR_USAGE, "word %zu is no string", i + 1);
	}
	if (!json_array_size(words) || !*json_string_value(json_array_get(words, 0)))
		return error_set(err, ERROR_USAGE, "names no program");
	return true;
}

static bool check_readings(const char *value, struct error *err)
{
	char *copy __free(memory) = memory_string(value), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		struct reading r __cleanup(reading_done) = {0};

		if (*value && !reading_parse(line, &r, err))
			return false;
	}
	return true;
}

static bool parse(const struct param *p, const char *value, struct stored *ret, struct error *err)
{
	struct stored s = {0};
	bool ok = false;

	switch (p->type) {
	case PARAM_COUNT:
		ok = units_parse_count(value, &s.integer, err);
		break;
	case PARAM_NUMBER:
		ok = units_parse_number(value, &s.number, err);
		break;
	case PARAM_DURATION:
		ok = units_parse_duration(value, &s.integer, err);
		break;
	case PARAM_BYTES:
		ok = units_parse_bytes(value, &s.integer, err);
		break;
	case PARAM_PERCENT:
		ok = units_parse_percent(value, &s.number, err);
		break;
	case PARAM_CHOICE:
		ok = parse_choice(p, value, &s.integer, err);
		break;
	case PARAM_SWITCH:
		s.integer = text_equal(value, "yes");
		ok = s.integer || text_equal(value, "no") ||
		     error_set(err, ERROR_USAGE, "must be yes or no");
		break;
	case PARAM_TEXT:
	case PARAM_WORD:
		ok = true;
		break;
	case PARAM_COMMAND:
		/* Where it is the default there is none. */
		ok = !*value || check_command(value, err);
		break;
	case PARAM_METRIC:
		ok = check_readings(value, err);
		break;
	}
	if (!ok)
		return false;
	if (p->type == PARAM_NUMBER || p->type == PARAM_PERCENT)
		s.integer = whole(s.number);
	else
		s.number = (double)s.integer;
	*ret = s;
	return true;
}

/* Writes a stored value as a user would type it: exact, in the largest unit that leaves no rest. */
static void put_stored(struct text *out, enum param_type type, double value)
{
	static const struct scale {
		const char *suffix;
		double factor;
	} durations[] =
		{
			{"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1},
		},
	  sizes[] = {
		  {"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"k", 0x1p10}, {"", 1},
	  };
	const struct scale *s = type == PARAM_DURATION ? durations : sizes;

	if (type == PARAM_NUMBER) {
		text_printf(out, "%.10g", value);
	} else if (type == PARAM_PERCENT) {
		text_printf(out, "%.10g%%", value * 100);
	} else if (type == PARAM_COUNT || value == 0) {
		text_printf(out, "%.0f", value);
	} else {
		while (s->factor > 1 && (value < s->factor || fmod(value, s->factor) != 0))
			s++;
		text_printf(out, "%.0f%s", value / s->factor, s->suffix);
	}
}

static bool is_limited(const struct param *p)
{
	return is_numeric(p->type) && (p->low != 0 || p->high != 0);
}

/* Says "must be 1ms to 1h", "must be at least 1". */
static bool refuse_range(const struct param *p, struct error *err)
{
	struct text range __text = {0};

	if (isinf(p->high))
		text_puts(&range, "at least ");
	else if (isinf(p->low))
		text_puts(&range, "at most ");
	if (!isinf(p->low))
		put_stored(&range, p->type, p->low);
	if (!isinf(p->low) && !isinf(p->high))
		text_puts(&range, " to ");
	if (!isinf(p->high))
		put_stored(&range, p->type, p->high);
	return error_set(err, ERROR_USAGE, "must be %s", text_string(&range));
}

/*
 * Whole numbers are compared as such: the next one above 2^53 is not a double. No limit of one is
 * beyond what a double holds.
 */
static bool is_in_range(const struct param *p, const struct stored *s)
{
	if (!is_limited(p))
		return true;
	if (is_integral(p->type))
		return s->integer >= whole(p->low) && s->integer <= whole(p->high);
	return s->number >= p->low && s->number <= p->high;
}

static bool parse_in_range(const struct param *p, const char *value, struct stored *ret,
			   struct error *err)
{
	struct stored s;

	if (!parse(p, value, &s, err))
		return false;
	if (!is_in_range(p, &s))
		return refuse_range(p, err);
	*ret = s;
	return true;
}

bool param_check(const struct param *p, const char *value, double *ret_value, struct error *err)
{
	/* A message has room for the reason only if the value leaves some. */
	bool cut = strlen(value) > 100;
	struct stored s = {0};

	if (!parse_in_range(p, value, &s, err))
		return error_wrap(err, "%s=%.*s%s", p->name, cut ? 100 : -1, value,
				  cut ? "..." : "");
	*ret_value = s.number;
	return true;
}

json_t *param_to_json(const struct param *p)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_text(p->name));
	json_object_set_new(object, "type", json_text(param_type_words[p->type]));
	if (p->preset)
		json_object_set_new(object, "preset", json_text(p->preset));
	/* JSON has no infinity: a side without a limit is a field that is not there. */
	if (is_limited(p) && isfinite(p->low))
		json_object_set_new(object, "low", json_real(p->low));
	if (is_limited(p) && isfinite(p->high))
		json_object_set_new(object, "high", json_real(p->high));
	if (p->type == PARAM_CHOICE)
		json_object_set_new(object, "choices", json_text(p->choices));
	json_object_set_new(object, "help", json_text(p->help));
	if (p->needs)
		json_object_set_new(object, "needs", json_text(p->needs));
	if (p->setup)
		json_object_set_new(object, "setup", json_text(p->setup));
	if (p->private)
		json_object_set_new(object, "private", json_true());
	if (p->required)
		json_object_set_new(object, "required", json_true());
	return object;
}

static bool read_limits(const json_t *object, struct param *p, struct error *err)
{
	bool low = json_object_get(object, "low");
	bool high = json_object_get(object, "high");

	if (!low && !high)
		return true;
	if (!is_numeric(p->type))
		return error_set(err, ERROR_DATA, "a %s has no range", param_type_words[p->type]);
	p->low = -INFINITY;
	p->high = INFINITY;
	if (low && !json_get_number(object, "low", &p->low, err))
		return false;
	if (high && !json_get_number(object, "high", &p->high, err))
		return false;
	if (p->low > p->high)
		return error_set(err, ERROR_DATA, "an empty range");
	return true;
}

static bool read_choices(const json_t *object, struct param *p, struct error *err)
{
	const char *at;
	size_t length;

	if (p->type != PARAM_CHOICE)
		return true;
	if (!json_get_string(object, "choices", &p->choices, err))
		return false;
	at = p->choices;
	while (next_choice(&at, &length)) {
		if (!length)
			return error_set(err, ERROR_DATA, "field 'choices' has an empty word");
	}
	return true;
}

/* "memcg.swap" is a name, too, of a setup's parameter. */
static bool read_name(const json_t *object, struct param *p, struct error *err)
{
	const char *dot;

	if (json_object_get(object, "setup") && !json_get_name(object, "setup", &p->setup, err))
		return false;
	if (!p->setup)
		return json_get_name(object, "name", &p->name, err);
	if (!json_get_string(object, "name", &p->name, err))
		return false;
	dot = strchr(p->name, '.');
	if (json_is_name(p->name, strcspn(p->name, ".")) &&
	    (!dot || json_is_name(dot + 1, strlen(dot + 1))))
		return true;
	return error_set(err, ERROR_DATA, "field 'name' is no name of a parameter");
}

/* Text fields of which there may be none. */
static bool read_optional(const json_t *object, const char *key, const char **ret,
			  struct error *err)
{
	return !json_object_get(object, key) || json_get_string(object, key, ret, err);
}

/* Only a setup's parameter has none: there is no value that stands for leaving alone. */
static bool check_preset(const struct param *p, struct error *err)
{
	struct stored ignored;

	if (!p->preset)
		return p->setup ||
		       error_set(err, ERROR_DATA, "parameter '%s' has no default", p->name);
	if (parse_in_range(p, p->preset, &ignored, err))
		return true;
	/* Nobody typed it: it is the declaration that is wrong. */
	err->code = ERROR_DATA;
	return error_wrap(err, "parameter '%s': default '%s'", p->name, p->preset);
}

bool param_from_json(const json_t *object, struct param *ret, struct error *err)
{
	struct param p = {0};
	int type;

	if (!read_name(object, &p, err))
		return error_wrap(err, "parameter");
	if (!json_get_word(object, "type", param_type_words, &type, err))
		return error_wrap(err, "parameter '%s'", p.name);
	p.type = (enum param_type)type;
	if (!read_optional(object, "preset", &p.preset, err) || !read_limits(object, &p, err) ||
	    !read_choices(object, &p, err) || !json_get_string(object, "help", &p.help, err) ||
	    !read_optional(object, "needs", &p.needs, err))
		return error_wrap(err, "parameter '%s'", p.name);
	if (!check_preset(&p, err))
		return false;
	p.required = json_is_true(json_object_get(object, "required"));
	p.private = json_is_true(json_object_get(object, "private"));
	*ret = p;
	return true;
}

const struct param *param_find(const struct param *declared, const char *name)
{
	for (const struct param *p = declared; p->name; p++) {
		if (text_equal(p->name, name))
			return p;
	}
	return NULL;
}

const char *params_string(const json_t *values, const struct param *declared, const char *name)
{
	const char *value = json_string_value(json_object_get(values, name));
	const struct param *p = param_find(declared, name);

	assert(p);
	return value ? value : p->preset;
}

static struct stored look_up(const json_t *values, const struct param *declared, const char *name)
{
	const char *value = params_string(values, declared, name);
	struct stored s = {0};
	struct error err;
	bool ok = parse(param_find(declared, name), value, &s, &err);

	/* The value was checked when it came in. */
	assert(ok);
	return s;
}

double params_number(const json_t *values, const struct param *declared, const char *name)
{
	return look_up(values, declared, name).number;
}

int64_t params_integer(const json_t *values, const struct param *declared, const char *name)
{
	return look_up(values, declared, name).integer;
}

bool param_same(const struct param *p, const char *a, const char *b)
{
	struct stored x, y;
	struct error err;

	/* A value that was not given, and of which there is no default. */
	if (!a || !b)
		return a == b;
	/* As they are meant, not as they are typed: 1s is 1000ms. */
	if (param_is_text(p->type) || !parse(p, a, &x, &err) || !parse(p, b, &y, &err))
		return text_equal(a, b);
	return x.number == y.number && x.integer == y.integer;
}

/* Splits what p needs: the declaration (NULL: there is none) and *ret_value. */
static const struct param *needed(const struct param *p, const struct param *declared,
				  const char **ret_value)
{
	const char *equals = strchr(p->needs, '=');
	char *name __free(memory) =
		text_format("%.*s", equals ? (int)(equals - p->needs) : 0, p->needs);

	*ret_value = equals ? equals + 1 : "";
	return param_find(declared, name);
}

const struct param *params_unmet(const json_t *values, const struct param *declared)
{
	for (const struct param *p = declared; p->name; p++) {
		const struct param *other;
		const char *wanted;

		if (!p->needs || param_same(p, params_string(values, declared, p->name), p->preset))
			continue;
		other = needed(p, declared, &wanted);
		if (!param_same(other, params_string(values, declared, other->name), wanted))
			return p;
	}
	return NULL;
}

const struct param *params_missing(const json_t *values, const struct param *declared)
{
	for (const struct param *p = declared; p->name; p++) {
		if (p->required && !json_object_get(values, p->name))
			return p;
	}
	return NULL;
}

bool params_check(const json_t *values, const struct param *declared, struct error *err)
{
	const struct param *missing = params_missing(values, declared);
	const struct param *p = params_unmet(values, declared);

	if (missing && missing->type == PARAM_COMMAND)
		return error_set(err, ERROR_USAGE,
				 "which command? It stands behind --, at the end: -- PROGRAM "
				 "ARGUMENT...");
	if (missing)
		return error_set(err, ERROR_USAGE, "%s= must be given: %s", missing->name,
				 missing->help);

	return !p || error_set(err, ERROR_USAGE, "%s=%.100s needs %s", p->name,
			       params_string(values, declared, p->name), p->needs);
}

bool params_check_declared(const struct param *declared, struct error *err)
{
	for (const struct param *p = declared; p->name; p++) {
		const struct param *other;
		struct stored ignored;
		const char *wanted;

		if (!p->needs)
			continue;
		other = needed(p, declared, &wanted);
		if (!other || other == p || !parse_in_range(other, wanted, &ignored, err))
			return error_set(err, ERROR_DATA,
					 "parameter '%s' needs '%s', which cannot be given",
					 p->name, p->needs);
	}
	return true;
}
