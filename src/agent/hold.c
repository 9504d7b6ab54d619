// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/hold.h"

#include <unistd.h>

#include "agent/agent.h"
#include "agent/lookout.h"

/*
 * {"held"}: has the machine for an experiment, from the progress line that says so until the
 * controller goes.
 */
json_t *agent_hold(struct agent *a, const struct wire_request *request __attribute__((unused)),
		   struct error *err)
{
	struct lookout l __cleanup(lookout_done) = {.epoll = -1, .signals = -1};
	struct hold *hold __free(hold) = NULL;

	if (!lookout_init(&l, a, err) || !hold_take("", &hold, err))
		return NULL;
	agent_say_progress(a, "held", 0);
	if (!a->gone)
		lookout_is_called_off(&l, true);
	return json_pack("{s:b}", "held", true);
}
