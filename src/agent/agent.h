/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_AGENT_AGENT_H
#define CONTEND_AGENT_AGENT_H

#include "base/text.h"
#include "model/wire.h"

/*
 * One job in, one answer out (docs/wire.md). main.c owns the process: arguments, signals, what
 * happens when memory ends. A job is one file.
 */

#define AGENT_NAME "contend-agent"

/* The argument of one that was executed anew; behind it the descriptor that its job comes from. */
#define AGENT_ANEW "anew"

/* The exit statuses of the agent. */
enum { AGENT_ANSWERED = 0, AGENT_REFUSED = 1, AGENT_USAGE = 2 };

struct agent {
	int input;  /* where jobs come from; its hang-up means that the controller has gone */
	int output; /* where lines go */
	const char *id;
	bool anew; /* executed anew: see agent_begin_anew() */
	bool gone; /* a line could not be written: nobody is there to read */
};

/* Writes one line and releases the object. */
void agent_say(struct agent *a, json_t *line);

/* Writes a progress line. */
void agent_say_progress(struct agent *a, const char *phase, double share);

/* The job of an answer: a new JSON object, or NULL with the reason in err. */
json_t *agent_describe(struct agent *a, const struct wire_request *request, struct error *err);
json_t *agent_run(struct agent *a, const struct wire_request *request, struct error *err);
json_t *agent_undo(struct agent *a, const struct wire_request *request, struct error *err);
json_t *agent_doctor(struct agent *a, const struct wire_request *request, struct error *err);
json_t *agent_hold(struct agent *a, const struct wire_request *request, struct error *err);

/* Does one job and writes all its lines, begin to end. Returns an exit status. */
int agent_answer(struct agent *a, const struct wire_request *request);

/*
 * Reads one job line from `job`, which mostly is the input, and answers it. Returns an exit status.
 */
int agent_serve(int job, int input, int output);

/*
 * Whether a job needs what a program only gets when it is executed, and this one has not: fixed
 * addresses, for workers are forked from it.
 */
bool agent_wants_anew(const struct wire_request *request);

/*
 * Executes this program anew, with the same input and output and this job line, under a personality
 * that gives it fixed addresses. Returns on failure only.
 */
bool agent_begin_anew(const struct text *job, struct error *err);

/* The build id that the linker gave this program, in hex; "" where it gave none. Static. */
const char *agent_build(void);

/*
 * The lines of a refusal for want of memory, for the job at hand, as they are to be written when
 * nothing can be made any more.
 */
const char *agent_last_words(void);

#endif
