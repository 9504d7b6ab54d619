/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_COUNTERS_H
#define CONTEND_MODEL_COUNTERS_H

#include "model/run.h"

/*
 * What every task counts beside its role's own "counters", by name; ends with NULL. The kernel may not
 * tell all of them (docs/wire.md).
 */
extern const char *const counters_of_tasks[];

/* No workload has as many: a record that was made up may. */
enum { COUNTERS_MAX = 256 };

/*
 * Adds what the tasks of an ok run counted to a JSON object, as keys "role.name" that stand in the
 * order in which they came first, COUNTERS_MAX at most. Each is what `of` of a metric can name.
 * Readings that are not counted over the window, such as the size of a page table, are none.
 */
void counters_list(const struct run *r, json_t *names);

#endif
