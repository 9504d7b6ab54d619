// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/scene.h"

#include <string.h>

#include "base/memory.h"
#include "kernel/aslr.h"
#include "kernel/fact.h"
#include "kernel/host.h"
#include "model/fingerprint.h"
#include "setup/hold.h"
#include "setup/setup.h"

static void say_undoing(void *agent, double share)
{
	agent_say_progress(agent, WIRE_PHASE_UNDO, share);
}

bool agent_undo_journal(struct agent *a, struct journal *journal, json_t *object)
{
	const struct journal_watch watch = {.undoing = say_undoing, .context = a};
	json_t *done = json_array(), *failed = json_array();
	bool ok = journal_undo(journal, &watch, done, failed);

	json_object_set_new(object, "undone", done);
	json_object_set_new(object, "failed", failed);
	return ok;
}

/* The sentences of a text, a line each, behind those of a record. */
static void add_notes(json_t *record, const struct text *notes)
{
	char *copy __free(memory) = memory_string(text_string(notes)), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			json_array_append_new(json_object_get(record, "notes"), json_text(line));
	}
}

/* A run that could not be begun. */
static json_t *refuse(const struct workload *w, const json_t *values, const struct error *reason)
{
	enum outcome outcome = reason->code == ERROR_UNSUPPORTED   ? OUTCOME_UNSUPPORTED
			       : reason->code == ERROR_INTERRUPTED ? OUTCOME_INTERRUPTED
								   : OUTCOME_FAILED;

	return crew_refuse(w, values, outcome, reason->text);
}

/*
 * host_before: what the setups made of the machine is its host, for that is where the run ran; the
 * facts that had been other ones.
 */
static void add_found(const struct agent *a, json_t *record, json_t *found)
{
	/* It was made before there was a scene. */
	if (a->anew)
		fact_add(found, "personality", aslr_personality_before());

	struct fact_changes changes __cleanup(fact_changes_done) =
		fingerprint_diff(found, json_object_get(record, "host"));
	json_t *before = json_object();

	for (size_t i = 0; i < changes.count; i++)
		json_object_set(before, changes.list[i].key, changes.list[i].before);
	json_object_set_new(record, "host_before", before);
}

/* What the machine was left with is worse than whatever the run was. */
static void fail_undo(json_t *record, const json_t *undo)
{
	const json_t *failed = json_object_get(undo, "failed");
	const char *first = json_string_value(json_array_get(failed, 0));
	char *reason __free(memory) =
		text_format("the machine could not be put back, `contend undo` tries again: %s%s",
			    first, json_array_size(failed) > 1 ? " …" : "");

	json_object_set_new(record, "outcome", json_text(outcome_words[OUTCOME_FAILED]));
	json_object_set_new(record, "reason", json_text(reason));
}

/* By the watch of the run: what calls that off calls its setup off. */
static bool go_on(void *context)
{
	const struct crew_watch *watch = context;

	return watch->tick(watch->context, WIRE_PHASE_SETUP, 0);
}

json_t *agent_run_in_scene(struct agent *a, const struct workload *w, const json_t *values,
			   const json_t *setup, int64_t holder, const struct crew_watch *watch,
			   struct error *err)
{
	struct journal *journal __free(journal) = NULL;
	struct scene scene __cleanup(scene_done);
	json_t *undo __free(json) = json_object(), *found __free(json) = NULL;
	json_t *record;

	scene_init(&scene, NULL, setup);
	if (setup_changes_machine(setup) &&
	    (!hold_allows("", holder, err) || !journal_open("", &journal, err)))
		return NULL;
	scene.journal = journal;
	found = host_describe("");
	scene.go_on = go_on;
	scene.context = (void *)(uintptr_t)watch;
	if (scene_set(&scene, err)) {
		record = crew_run(w, values, &scene.surroundings, watch);
		add_notes(record, &scene.notes);
	} else {
		record = refuse(w, values, err);
	}
	add_found(a, record, found);
	json_object_update(json_object_get(record, "params"), (json_t *)(uintptr_t)setup);
	if (journal && !agent_undo_journal(a, journal, undo))
		fail_undo(record, undo);
	return record;
}
