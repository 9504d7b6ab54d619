/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_AGENT_LOOKOUT_H
#define CONTEND_AGENT_LOOKOUT_H

#include "agent/agent.h"

/* What may end a job early: a signal, or the controller's end of the pipe. */
struct lookout {
	struct agent *agent;
	int epoll; /* readable when something may have happened */
	int signals;
};

/* From here on SIGTERM, SIGINT and SIGHUP come by it. */
bool lookout_init(struct lookout *l, struct agent *a, struct error *err);
void lookout_done(struct lookout *l);

/* Whether something says that nobody wants the job any more. wait: sleeps until then. */
bool lookout_is_called_off(const struct lookout *l, bool wait);

#endif
