/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_RUN_RECORD_H
#define CONTEND_MODEL_RUN_RECORD_H

#include "model/json.h"

/*
 * The record of a run, as the agent makes it (docs/wire.md): its shape, and where in it things
 * stand.
 */

/*
 * False (ERROR_DATA) where tasks, series or what says more about the run are not as they must be.
 * ok: of a run that came to its end, which has all of them.
 */
bool run_record_check(const json_t *record, bool ok, struct error *err);

/* Where a metric's "role.name" points to. */
struct run_record_place {
	const char *role; /* not terminated */
	size_t role_length;
	const char *name;
};

/* Of a text that stays valid as long as the place. */
bool run_record_place_parse(const char *text, struct run_record_place *ret, struct error *err);

/* True of role "machine": what the machine counted, which no task did. */
bool run_record_is_machine(const struct run_record_place *at);

/* True when a task or a series is of that role, which need not be terminated. */
bool run_record_has_role(const json_t *object, const char *role, size_t length);

/* The series of that place among the first `count`; NULL: it has none. */
const json_t *run_record_find_series(const json_t *list, size_t count,
				     const struct run_record_place *at);

#endif
