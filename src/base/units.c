// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

struct scale {
	const char *suffix;
	double factor;
};

/*
 * Splits "1.5s" into 1.5 and the rest. Only digits and one point: no exponent, no hexadecimal, no
 * infinity, no blanks, and no leading zero that could be meant as octal. strtod() alone takes all
 * of these. A number of too many digits comes out as infinity.
 */
static bool split(const char *text, bool sign, double *ret_number, const char **ret_rest)
{
	const char *at = text;
	const char *digits;

	if (sign && (*at == '-' || *at == '+'))
		at++;
	digits = at;
	while (isdigit((unsigned char)*at))
		at++;
	if (at == digits || (at - digits > 1 && *digits == '0'))
		return false;
	if (*at == '.') {
		const char *fraction = ++at;

		while (isdigit((unsigned char)*at))
			at++;
		if (at == fraction)
			return false;
	}
	char *number __free(memory) = text_format("%.*s", (int)(at - text), text);

	/* The program never sets LC_NUMERIC, so the point is a point. */
	*ret_number = strtod(number, NULL);
	*ret_rest = at;
	return true;
}

static bool too_large(const char *text, struct error *err)
{
	return error_set(err, ERROR_USAGE, "'%.100s' is too large", text);
}

static bool parse_scaled(const char *text, const struct scale *scales, const char *what,
			 int64_t *ret, struct error *err)
{
	const char *rest;
	double number;

	if (!split(text, false, &number, &rest))
		return error_set(err, ERROR_USAGE, "'%.100s' is not %s", text, what);
	for (const struct scale *s = scales; s->suffix; s++) {
		double value = number * s->factor;

		if (!text_equal(rest, s->suffix))
			continue;
		/* 2^63 is a double, INT64_MAX is not. */
		if (value >= 0x1p63)
			return too_large(text, err);
		*ret = (int64_t)llround(value);
		return true;
	}
	return error_set(err, ERROR_USAGE, "'%.100s' is not %s", text, what);
}

bool units_parse_duration(const char *text, int64_t *ret_ns, struct error *err)
{
	static const struct scale scales[] = {
		{"ns", 1},
		{"us", (double)NS_PER_US},
		{"ms", (double)NS_PER_MS},
		{"s", (double)NS_PER_SEC},
		{"m", 60.0 * (double)NS_PER_SEC},
		{"h", 3600.0 * (double)NS_PER_SEC},
		{NULL, 0},
	};

	if (text_equal(text, "0")) {
		*ret_ns = 0;
		return true;
	}
	return parse_scaled(text, scales, "a duration (as 50ms, 1.5s, 10m)", ret_ns, err);
}

bool units_parse_bytes(const char *text, int64_t *ret_bytes, struct error *err)
{
	static const struct scale scales[] = {
		{"", 1},
		{"B", 1},
		{"k", 0x1p10},
		{"K", 0x1p10},
		{"kB", 0x1p10},
		{"KB", 0x1p10},
		{"kiB", 0x1p10},
		{"KiB", 0x1p10},
		{"M", 0x1p20},
		{"MB", 0x1p20},
		{"MiB", 0x1p20},
		{"G", 0x1p30},
		{"GB", 0x1p30},
		{"GiB", 0x1p30},
		{"T", 0x1p40},
		{"TB", 0x1p40},
		{"TiB", 0x1p40},
		{NULL, 0},
	};

	return parse_scaled(text, scales, "a size (as 4096, 64k, 768M, 10G)", ret_bytes, err);
}

bool units_parse_percent(const char *text, double *ret_ratio, struct error *err)
{
	const char *rest;
	double number;

	if (!split(text, false, &number, &rest) || !text_equal(rest, "%"))
		return error_set(err, ERROR_USAGE, "'%.100s' is not a percentage (as 2%%)", text);
	if (!isfinite(number))
		return too_large(text, err);
	*ret_ratio = number / 100;
	return true;
}

bool units_parse_count(const char *text, int64_t *ret_count, struct error *err)
{
	const char *rest;
	double number;
	long long count;

	if (!split(text, false, &number, &rest) || *rest || strchr(text, '.'))
		return error_set(err, ERROR_USAGE, "'%.100s' is not a whole number", text);
	/* Once more, since a double has no room for every count. */
	errno = 0;
	count = strtoll(text, NULL, 10);
	if (errno)
		return too_large(text, err);
	*ret_count = count;
	return true;
}

bool units_parse_number(const char *text, double *ret_number, struct error *err)
{
	const char *rest;
	double number;

	if (!split(text, true, &number, &rest) || *rest)
		return error_set(err, ERROR_USAGE, "'%.100s' is not a number", text);
	if (!isfinite(number))
		return too_large(text, err);
	*ret_number = number;
	return true;
}

/* Four significant digits without an exponent. */
static void digits(double value, char *buffer, size_t room)
{
	double size = fabs(value);
	int decimals;

	if (!isfinite(value)) {
		snprintf(buffer, room, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return;
	}
	if (size >= 1e15 || (size > 0 && size < 1e-4)) {
		snprintf(buffer, room, "%.3e", value);
		return;
	}
	decimals = size >= 999.95 || size == 0 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
	if (size > 0 && size < 0.9995)
		decimals = 4;
	snprintf(buffer, room, "%.*f", decimals, value);
}

const char *units_format(double value, const char *unit, char *buffer)
{
	static const struct scale times[] = {
		{"s", 1e9},
		{"ms", 1e6},
		{"us", 1e3},
		{"ns", 1},
		{NULL, 0},
	};
	static const struct scale sizes[] = {
		{"TiB", 0x1p40},
		{"GiB", 0x1p30},
		{"MiB", 0x1p20},
		{"KiB", 0x1p10},
		{"B", 1},
		{NULL, 0},
	};
	const struct scale *s = NULL;
	/*
	 * Where the printed number turns into one of the next unit: 999.95 and 1023.5 of this one.
	 */
	double full = 0.99995;
	char number[UNITS_TEXT];

	if (text_equal(unit, "ns")) {
		s = times;
	} else if (text_equal(unit, "bytes")) {
		s = sizes;
		full = 1023.5 / 1024;
	}
	if (s) {
		/* 999.96 ns would print as 1000 ns: scale what is printed, not what is stored. */
		while (s[1].suffix && !(fabs(value) >= s->factor * full))
			s++;
		digits(value / s->factor, number, sizeof(number));
		snprintf(buffer, UNITS_TEXT, "%.20s %s", number, s->suffix);
		return buffer;
	}
	digits(value, number, sizeof(number));
	if (text_starts(unit, "1/"))
		snprintf(buffer, UNITS_TEXT, "%.20s%.10s", number, unit + 1);
	else if (text_equal(unit, "ratio") || !*unit)
		snprintf(buffer, UNITS_TEXT, "%.20s", number);
	else
		snprintf(buffer, UNITS_TEXT, "%.20s %.10s", number, unit);
	return buffer;
}
