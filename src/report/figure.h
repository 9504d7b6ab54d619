/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_FIGURE_H
#define CONTEND_REPORT_FIGURE_H

#include <stddef.h>

#include "base/text.h"
#include "judge/judge.h"

/*
 * Numbers for reading. A row of a table shares one scaled unit and one number of decimals, so that
 * its figures can be compared by eye; everything here is ASCII ("us").
 */

enum { FIGURE_UNIT = 16 };

struct figure_style {
	double factor; /* what is printed is the value divided by this */
	int decimals;
	const char *gap; /* between number and unit: " ", or "" before "/s" */
	char unit[FIGURE_UNIT];
	/* What of the unit does not fit a cell, for the label ("/scan"); "": nothing. Borrowed. */
	const char *rest;
};

/*
 * A style for values of one unit: three significant digits of each, four of one alone or where
 * they are so close that three could not tell them apart, as far as five digits go. Zeros and what
 * is not finite do not count.
 */
struct figure_style figure_style_of(const char *unit, const double *values, size_t count);

/* Appends the value with its unit, "27.61 us"; a value that is not finite as "-". */
void figure_print(struct text *out, const struct figure_style *style, double value);

/* One value in a style of its own. */
void figure_print_alone(struct text *out, double value, const char *unit);

/*
 * How the change of a row is printed: in percent; as a ratio where the estimate or an end is below
 * -99 % or above +1000 % ("x12.3" for +1130 %, "x0.731", "1/3230" for -99.97 %), all of the row alike; or on the
 * difference scale in a unit that fits its interval.
 */
struct change_style {
	enum { CHANGE_PERCENT, CHANGE_RATIO, CHANGE_UNIT } kind;
	int decimals;
	/*
	 * Of a ratio: an end of its interval beyond these, a thousand times away from the estimate,
	 * is printed as not bounded, which it is for every purpose. Both 0: no such limits.
	 */
	double reach_low, reach_high;
	struct figure_style figure; /* CHANGE_UNIT: its unit; the decimals are above */
};

struct change_style change_style_of(const struct metric_verdict *v);

/* Appends a change: "-68.8%", "x12.3", "+3.20 ms/s". */
void change_print(struct text *out, const struct change_style *style, double change);

/*
 * Appends a bound of a change without its unit, which is that of the change: "-70.1", "x11.9". An
 * end that the data cannot bound is "-inf" or "+inf", below a ratio "-100" (percent) or "x0".
 */
void change_print_bound(struct text *out, const struct change_style *style, double bound);

/* Appends a p-value, "0.0078". */
void probability_print(struct text *out, double p);

/* Appends a ratio as a level or margin: "2 %", "0.5 %". */
void percent_print(struct text *out, double ratio);

#endif
