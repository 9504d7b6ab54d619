/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_AGENT_SCENE_H
#define CONTEND_AGENT_SCENE_H

#include "agent/agent.h"
#include "setup/journal.h"
#include "workload/crew/crew.h"

/*
 * A run on a machine that is set up for it: sets it up, runs, and puts everything back. The record,
 * never NULL but where the journal refuses (err). A setup that this machine cannot do gives a
 * record, unsupported; what cannot be put back makes the run failed. holder: see setup/hold.h.
 */
json_t *agent_run_in_scene(struct agent *a, const struct workload *w, const json_t *values,
			   const json_t *setup, int64_t holder, const struct crew_watch *watch,
			   struct error *err);

/*
 * Undoes what a journal has, and says so: adds "undone" and "failed", lists of sentences, to the
 * object. Says how far it is (docs/wire.md), for who waits with a limit. True when nothing is left.
 */
bool agent_undo_journal(struct agent *a, struct journal *journal, json_t *object);

#endif
