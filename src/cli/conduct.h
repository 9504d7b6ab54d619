/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_CONDUCT_H
#define CONTEND_CLI_CONDUCT_H

#include "cli/options.h"
#include "experiment/request.h"
#include "lab/lab.h"
#include "store/store.h"
#include "target/target.h"

/* The store that the options name. Owned by the caller. */
bool conduct_store(const struct common *c, bool create, struct store **ret_store,
		   struct error *err);

/*
 * From now on a signal that asks to stop makes *ret_stop_fd readable, and ends a wait for the
 * store. Before anything that takes time.
 */
bool conduct_heed_interrupts(int *ret_stop_fd, struct error *err);

/*
 * Fills in what the request and its terms leave open of an experiment: workloads, parameters,
 * primaries, a seed. *ret_agent: which agent it was that told about its workloads.
 */
bool conduct_resolve(struct experiment *e, struct request *request, int stop_fd,
		     struct agent_identity *ret_agent, struct error *err);

/* Puts a new experiment, made now, into the store, and claims it. */
bool conduct_keep(struct experiment *e, struct store *store, struct error *err);

/*
 * Takes up an experiment that is in the store, claimed, and shows its progress: lab_run(). agent:
 * which one is there. beyond: see struct session.
 */
bool conduct_run(struct lab_case *held, struct store *store, int stop_fd,
		 const struct agent_identity *agent, bool beyond, const struct common *c,
		 enum lab_end *ret_end, struct judgement **ret_judgement, struct error *err);

/*
 * Takes up an experiment that is in the store, claimed, and prints the report. agent: which one is
 * there. beyond: see struct session. Returns the exit status, or COMMAND_FAILED with err set.
 */
int conduct_case(struct lab_case *held, struct store *store, int stop_fd,
		 const struct agent_identity *agent, bool beyond, const struct common *c,
		 struct error *err);

/*
 * Does an experiment from the request to the report: plan, margin and alpha of e are set, the rest
 * is filled in. Returns the exit status, or COMMAND_FAILED with err set.
 */
int conduct(struct experiment *e, struct request *request, const struct common *c,
	    struct error *err);

#endif
