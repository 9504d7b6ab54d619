/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_JSON_EXPLORED_H
#define CONTEND_REPORT_JSON_EXPLORED_H

#include "judge/explore.h"

/*
 * The "explored" of a comparison in the JSON report (docs/json.md), of A and that arm: a new value;
 * NULL: null.
 */
json_t *json_explored(const struct exploration *x, int arm);

#endif
