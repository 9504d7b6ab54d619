/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_RECORD_H
#define CONTEND_WORKLOAD_CREW_RECORD_H

#include "model/run.h"
#include "workload/crew/stage.h"

/*
 * Whether what was measured is what was asked. Otherwise OUTCOME_INVALID or OUTCOME_FAILED with the
 * reason, in figures. Call it when all tasks are done.
 */
enum outcome record_check(const struct cast *cast, const struct placement *placement,
			  const struct stage_map *map, struct error *err);

/* What a reader of the figures should know, as an array of sentences; for any outcome. */
json_t *record_notes(const struct cast *cast, const struct placement *placement,
		     const struct stage_map *map);

/* The tasks that have ended their window, and their series merged over the tasks of a role. */
json_t *record_tasks(const struct cast *cast, const struct placement *placement,
		     const struct stage_map *map);
json_t *record_series(const struct cast *cast, const struct placement *placement,
		      const struct stage_map *map);

#endif
