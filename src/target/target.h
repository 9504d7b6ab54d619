/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TARGET_TARGET_H
#define CONTEND_TARGET_TARGET_H

#include "model/experiment.h"
#include "model/wire.h"
#include "target/inventory.h"

/*
 * Where a run happens. A target starts a fresh agent for each job, hands it the job line and reads
 * its lines; it trusts none of them. The program must ignore SIGPIPE: an agent may die before it
 * has read its job.
 */

/*
 * Which agent it is, as its `begin` line says: version, and build where it tells that. "" as long
 * as no agent said anything.
 */
struct agent_identity {
	char text[96];
};

/* Told about progress lines; `share` is 0 to 1. NULL functions are allowed. */
struct target_watch {
	/* `phase` is gone when this returns. */
	void (*progress)(void *context, const char *phase, double share);
	void *context;
	/* Becomes readable when the user wants to stop; -1: never. Not read. */
	int stop_fd;
	/*
	 * Filled in by the first agent that says what it is. Another one after that is refused
	 * (ERROR_DATA): the program was exchanged in the middle of something. NULL: nobody asks.
	 */
	struct agent_identity *agent;
};

/*
 * The door for whoever adds a target: one file with one `const struct target target_NAME`, and its
 * name in meson.build. reply.h reads an agent's lines for any of them.
 */
struct target {
	const char *name;
	const char *summary;

	/*
	 * Does one job with a fresh agent. *ret_answer is the answer's payload, owned by the
	 * caller. limit_ns: how long it may take in all, from now, but for what the agent says it
	 * needs to set the machine up and to put it back; it then has a few seconds to exit.
	 * Failure codes: ERROR_TIMEOUT, ERROR_INTERRUPTED, ERROR_DATA (cut or damaged answer),
	 * ERROR_SYSTEM (agent not started, or died), or what the agent answered (ERROR_USAGE,
	 * ERROR_UNSUPPORTED …). No process is left behind.
	 *
	 * After a stop the answer may still come, whole; then it is returned like any other.
	 * *ret_crashed is written in any case: true when the agent died of a signal.
	 */
	bool (*ask)(const struct wire_request *request, int64_t limit_ns,
		    const struct target_watch *watch, json_t **ret_answer, bool *ret_crashed,
		    struct error *err);

	/*
	 * Has the machine for an experiment whose runs change it (docs/wire.md, `hold`), until it
	 * is given back or this program ends: the jobs that are asked for meanwhile say that they
	 * belong to it. False (ERROR_UNSUPPORTED) where somebody else has it, or the user is not
	 * root. Once more while it has it changes nothing. NULL, both: nobody else can have it.
	 */
	bool (*hold)(int stop_fd, struct error *err);
	void (*release)(void);
};

/*
 * A `run` job whose outcome is always a run: what went wrong with the agent becomes its outcome,
 * with the reason. Its wall clock stamps are set.
 */
struct run *target_run(const struct target *t, const struct wire_request *request, int64_t limit_ns,
		       const struct target_watch *watch);

/*
 * A `describe` job, with a limit of its own: what the agent there has. stop_fd as in struct
 * target_watch; ret_agent: which agent it is, NULL: nobody asks.
 */
bool target_describe(const struct target *t, int stop_fd, struct inventory *ret,
		     struct agent_identity *ret_agent, struct error *err);

/* All targets of this build; ends with NULL. */
const struct target *const *target_all(void);

/* The one that every command uses when none is named. */
extern const struct target target_local;

#endif
