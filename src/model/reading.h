/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_READING_H
#define CONTEND_MODEL_READING_H

#include "model/json.h"
#include "model/metric.h"

/*
 * A figure that is asked for from what a program prints: NAME:REGEX:UNIT:higher|lower. NAME ends at
 * the first colon, UNIT and the direction begin at the last two, so that REGEX may have some.
 */
struct reading {
	char *name;
	char *pattern; /* base/pattern.h */
	char *unit;
	enum better better;
};

/* ERROR_USAGE with what is missing, or where the expression is wrong. */
bool reading_parse(const char *text, struct reading *ret, struct error *err);
void reading_done(struct reading *r);

/* As a metric of a role: a new JSON object that metric_from_json() reads. */
json_t *reading_metric(const struct reading *r, const char *role);

/*
 * The factor from what stands in a text to what is stored: times are stored in ns. *ret_unit is the
 * unit of what is stored, static or the given one.
 */
double reading_scale(const char *unit, const char **ret_unit);

#endif
