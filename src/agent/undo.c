// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"
#include "agent/scene.h"
#include "base/memory.h"
#include "setup/hold.h"
#include "setup/journal.h"

/*
 * {"undone","failed","text"}. Only a setup changes anything that outlives a run, and only what a
 * setup wrote into the journal can be put back.
 */
json_t *agent_undo(struct agent *a, const struct wire_request *request __attribute__((unused)),
		   struct error *err)
{
	struct journal *journal __free(journal) = NULL;
	char *text __free(memory) = NULL;
	json_t *answer;

	if (!hold_allows("", 0, err) || !journal_open_left("", &journal, err))
		return NULL;
	answer = json_object();
	if (!journal) {
		json_object_set_new(answer, "undone", json_array());
		json_object_set_new(answer, "failed", json_array());
		json_object_set_new(answer, "text",
				    json_text("no run left anything changed: nothing to undo"));
		return answer;
	}
	text = agent_undo_journal(a, journal, answer)
		       ? text_format("the machine is as it was")
		       : text_format("not all of it could be undone; what is left is in %s",
				     journal_path(journal));
	json_object_set_new(answer, "text", json_text(text));
	return answer;
}
