// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum {
	CELL_UNIT = 6, /* a longer unit would cost the labels their room */
	DIGITS = 5,    /* of the largest figure of a row; decides the decimals of the others */
	FIGURE_DIGITS = 4,
	CHANGE_DIGITS = 3,
	REACH = 1000,
	DECIMALS = 4,
	PLAIN_DIGITS = 9, /* a longer number is written with an exponent */
};

struct scale {
	const char *unit;
	double factor;
};

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
static const struct scale rates[] = {
	{" G", 1e9},
	{" M", 1e6},
	{"", 1},
	{NULL, 0},
};
static const struct scale plain[] = {{"", 1}, {NULL, 0}};

/* The scales of a unit and what stands behind the scaled word: "ns/op" is times and "/op". */
static const struct scale *scales_of(const char *unit, const char **ret_rest)
{
	static const struct {
		const char *unit;
		const struct scale *scales;
	} known[] = {{"ns", times}, {"bytes", sizes}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].unit);

		if (text_starts(unit, known[i].unit) && (!unit[length] || unit[length] == '/')) {
			*ret_rest = unit + length;
			return known[i].scales;
		}
	}
	if (text_starts(unit, "1/")) {
		*ret_rest = unit + 1;
		return rates;
	}
	*ret_rest = text_equal(unit, "ratio") ? "" : unit;
	return plain;
}

/* The position of a value's first digit when three are printed: 0 for 1 to 9.99. */
static int magnitude(double value)
{
	return (int)floor(log10(value * 1.0005));
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

static int decimals_of(double smallest, double largest, bool whole)
{
	bool close = smallest >= 0.9 * largest;
	int wanted = most(2 - magnitude(smallest), (close ? 3 : 2) - magnitude(largest));

	/* Counts are not measured to a fraction. */
	if (whole && largest < 1e9)
		return 0;
	wanted = least(wanted, DIGITS - 1 - most(magnitude(largest), 0));
	return most(0, least(wanted, DECIMALS));
}

struct figure_style figure_style_of(const char *unit, const double *values, size_t count)
{
	double smallest = INFINITY, largest = 0;
	struct figure_style style = {0};
	const struct scale *scale;
	bool whole = true;
	const char *rest;

	for (size_t i = 0; i < count; i++) {
		double size = fabs(values[i]);

		if (!isfinite(size) || size == 0)
			continue;
		smallest = fmin(smallest, size);
		largest = fmax(largest, size);
	}
	scale = scales_of(unit, &rest);
	/* 999.96 ns would print as 1000 ns: scale what is printed, not what is stored. */
	while (scale[1].unit && largest < scale->factor * 0.9995)
		scale++;
	/* A step down where the smaller figure would vanish behind the point. */
	while (scale[1].unit && smallest < scale->factor * 0.1 && largest < scale[1].factor * 1e6)
		scale++;
	style.factor = scale->factor;
	for (size_t i = 0; i < count; i++) {
		double value = values[i] / style.factor;

		if (isfinite(value) && value != rint(value))
			whole = false;
	}
	if (largest > 0)
		style.decimals =
			decimals_of(smallest / style.factor, largest / style.factor, whole);
	style.rest = "";
	if (strlen(scale->unit) + strlen(rest) > CELL_UNIT) {
		style.rest = rest;
		rest = "";
	}
	snprintf(style.unit, sizeof(style.unit), "%s%s", scale->unit, rest);
	style.gap = !*style.unit || *style.unit == '/' || *style.unit == ' ' ? "" : " ";
	return style;
}

/* Decimals of one number of a row: no more than make that many digits of it. */
static int decimals_within(double value, int decimals, int figures)
{
	if (value == 0 || !isfinite(value))
		return decimals;
	return most(0, least(decimals, figures - 1 - magnitude(fabs(value))));
}

/* The number alone; with a sign where it is a change. */
static void print_number(struct text *out, double value, int decimals, bool sign)
{
	double unit = pow(10, -decimals);

	if (value == 0 || (sign && fabs(value) < unit / 2 && decimals < DECIMALS)) {
		/* Neither "+0.00" nor "-0.00": rounded to nothing it has no direction. */
		text_printf(out, "%.*f", value == 0 && !sign ? 0 : decimals, 0.0);
		return;
	}
	if (fabs(value) >= pow(10, PLAIN_DIGITS) || fabs(value) < unit / 2)
		text_printf(out, sign ? "%+.2e" : "%.2e", value);
	else
		text_printf(out, sign ? "%+.*f" : "%.*f", decimals, value);
}

void figure_print(struct text *out, const struct figure_style *style, double value)
{
	if (!isfinite(value)) {
		text_puts(out, "-");
		return;
	}
	value /= style->factor;
	print_number(out, value, decimals_within(value, style->decimals, FIGURE_DIGITS), false);
	text_printf(out, "%s%s", style->gap, style->unit);
}

void figure_print_alone(struct text *out, double value, const char *unit)
{
	struct figure_style style = figure_style_of(unit, &value, 1);

	figure_print(out, &style, value);
}

static double within_reach(const struct change_style *style, double bound)
{
	if (style->reach_low >= style->reach_high)
		return bound;
	if (bound < style->reach_low)
		return -1;
	return bound > style->reach_high ? INFINITY : bound;
}

static int percent_decimals(double largest)
{
	if (largest >= 99.95)
		return 0;
	if (largest >= 9.995)
		return 1;
	/* A change below a hundredth of a percent is none that any machine here could resolve. */
	return 2;
}

/* The largest magnitude of those that are finite; 0: none is. */
static double largest_of(const double *values, size_t count)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++) {
		if (isfinite(values[i]))
			largest = fmax(largest, fabs(values[i]));
	}
	return largest;
}

/* Three digits of the largest: of a difference near nothing it is enough that it is. */
static int decimals_in_unit(const double *changes, size_t count, const struct figure_style *figure)
{
	double largest = 0;
	bool whole = true;

	for (size_t i = 0; i < count; i++) {
		double size = fabs(changes[i]) / figure->factor;

		if (!isfinite(size))
			continue;
		whole &= size == rint(size);
		largest = fmax(largest, size);
	}
	return whole ? 0 : most(0, least(CHANGE_DIGITS - 1 - magnitude(largest), DECIMALS));
}

/*
 * The unit of a difference is that of the figures that it is between, so that one can be read
 * beside the other; but where an end of the interval is too far away for that, it is that end's.
 */
static struct figure_style figure_of_difference(const struct metric_verdict *v)
{
	const double near[] = {v->middle_a, v->middle_b, v->estimate};
	const double far[] = {v->estimate, v->interval.low, v->interval.high};
	double nearest = largest_of(near, 3), farthest = largest_of(far, 3);
	struct figure_style style = figure_style_of(v->metric->unit, &nearest, 1);

	if (nearest == 0 || farthest / style.factor >= pow(10, CHANGE_DIGITS + 2))
		style = figure_style_of(v->metric->unit, &farthest, 1);
	return style;
}

/*
 * Percentages stop being readable: near -100 all are alike, above +1000 a factor is what is meant.
 */
static bool is_far(double change)
{
	return isfinite(change) && change > -1 && (change < -0.99 || change >= 9.995);
}

/* How far out an end of an interval is; one that is not bounded counts for nothing. */
static double size_of_end(double bound)
{
	return isfinite(bound) && bound > -1 ? fabs(bound) : 0;
}

struct change_style change_style_of(const struct metric_verdict *v)
{
	const double shown[] = {v->estimate, v->interval.low, v->interval.high};
	struct change_style style = {.kind = CHANGE_PERCENT};
	double low, high;

	if (v->scale == SCALE_DIFFERENCE) {
		style.kind = CHANGE_UNIT;
		style.figure = figure_of_difference(v);
		style.decimals = decimals_in_unit(shown, 3, &style.figure);
		return style;
	}
	if (isfinite(v->estimate)) {
		style.reach_low = (1 + v->estimate) / REACH - 1;
		style.reach_high = (1 + v->estimate) * REACH - 1;
	}
	low = within_reach(&style, v->interval.low);
	high = within_reach(&style, v->interval.high);
	if (is_far(v->estimate) || is_far(low) || is_far(high))
		style.kind = CHANGE_RATIO;
	else
		/* The farther end may be far: it is not what a row is read for. */
		style.decimals = percent_decimals(
			100 * fmax(fabs(v->estimate), fmin(size_of_end(low), size_of_end(high))));
	return style;
}

/*
 * Three significant digits of a ratio, without an exponent as long as that is shorter. Of a small
 * one as a fraction: nobody reads x0.00098 as a thousandth at a glance.
 */
static void print_ratio(struct text *out, double ratio)
{
	double of;

	/* Where an interval has no lower end in reach, digits of it are rounding. */
	if (ratio < 1e-6) {
		text_puts(out, "x0");
	} else if (ratio >= 1e6) {
		text_printf(out, "x%.2e", ratio);
	} else if (ratio >= 0.1) {
		text_printf(out, "x%.*f", most(0, 2 - magnitude(ratio)), ratio);
	} else {
		of = pow(10, magnitude(1 / ratio) - 2);
		text_printf(out, "1/%.*f", most(0, 2 - magnitude(1 / ratio)),
			    rint(1 / ratio / of) * of);
	}
}

void change_print_bound(struct text *out, const struct change_style *style, double bound)
{
	bound = within_reach(style, bound);
	if (isnan(bound)) {
		text_puts(out, "-");
		return;
	}
	if (bound == INFINITY || (style->kind == CHANGE_UNIT && bound == -INFINITY)) {
		text_puts(out, bound < 0 ? "-inf" : "+inf");
		return;
	}
	switch (style->kind) {
	case CHANGE_PERCENT:
		if (bound <= -1)
			text_puts(out, "-100");
		else
			print_number(out, bound * 100,
				     decimals_within(bound * 100, style->decimals, CHANGE_DIGITS),
				     true);
		return;
	case CHANGE_RATIO:
		print_ratio(out, 1 + bound);
		return;
	case CHANGE_UNIT:
		bound /= style->figure.factor;
		print_number(out, bound, decimals_within(bound, style->decimals, CHANGE_DIGITS),
			     true);
		return;
	}
}

void change_print(struct text *out, const struct change_style *style, double change)
{
	change_print_bound(out, style, change);
	if (isnan(change))
		return;
	/* Once in a row: its bounds have the same. */
	if (style->kind == CHANGE_PERCENT)
		text_puts(out, "%");
	else if (style->kind == CHANGE_UNIT && isfinite(change))
		text_printf(out, "%s%s", style->figure.gap, style->figure.unit);
}

void probability_print(struct text *out, double p)
{
	/* No figure has evidence for more digits than that. */
	if (p >= 0.995)
		text_puts(out, "1");
	else
		text_printf(out, "%.2g", p);
}

void percent_print(struct text *out, double ratio)
{
	text_printf(out, "%g %%", ratio * 100);
}
