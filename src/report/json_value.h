/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_JSON_VALUE_H
#define CONTEND_REPORT_JSON_VALUE_H

#include "base/text.h"
#include "judge/judge.h"
#include "model/experiment.h"
#include "model/json.h"
#include "report/recurrences.h"

/*
 * Values that the JSON reports share, beyond those of model/json.h. Each function returns a new
 * value, which the caller owns. JSON has no infinity and no NaN: these are null, which docs/json.md
 * explains for each field.
 */

json_t *json_count(size_t value);

/* A stamp or an id; null where it is 0, which stands for none. */
json_t *json_unless_zero(int64_t value);

json_t *json_text_or_null(const char *text);

json_t *json_numbers(const double *values, size_t length);

/* "low" and "high"; an end that is not bounded is null. */
json_t *json_range(double low, double high);

/* The same of a verdict; an interval that was not made is null as a whole. */
json_t *json_interval(struct interval i, const struct metric_verdict *v);

/* Counts by arm, of the arms that the experiment has. */
json_t *json_by_arm(const struct experiment *e, const size_t values[ARM_MOST]);

/* Two values: of A, and of the arm that is compared with it. Takes both over. */
json_t *json_of_both(int arm, json_t *a, json_t *other);

json_t *json_recurrences(const struct experiment *e, const struct recurrences *r);

/* The pair of a run, counted from 1, as in everything that people read; null of `contend run`. */
json_t *json_pair(const struct experiment *x, const struct entry *e);

/* ASCII, so that no name can do anything to a terminal; 17 digits come back the same. */
enum { JSON_LAYOUT = JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17) };

/* Appends a whole report, indented. Fails for what cannot be written as JSON. */
bool json_print(const json_t *object, struct text *out, struct error *err);

#endif
