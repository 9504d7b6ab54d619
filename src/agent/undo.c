// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"
#include "setup/setup.h"

/*
 * {"undone","text"}. Only a setup changes anything that outlives a run, and only what a setup wrote
 * into the journal can be put back.
 */
json_t *agent_undo(struct agent *a __attribute__((unused)),
		   const struct wire_request *request __attribute__((unused)),
		   struct error *err __attribute__((unused)))
{
	json_t *answer = json_object();

	json_object_set_new(answer, "undone", json_array());
	json_object_set_new(answer, "text",
			    json_text(*setup_all()
					      ? "no journal was found: nothing to undo"
					      : "this agent has no setups, so it leaves nothing "
						"changed: nothing to undo"));
	return answer;
}
