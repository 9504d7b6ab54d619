/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TARGET_REPLY_H
#define CONTEND_TARGET_REPLY_H

#include "base/text.h"
#include "target/target.h"

/*
 * An agent's reply to one job, whatever it arrives through: bytes in, one answer out. It must be
 * lines of at most WIRE_LINE_BYTES, each with the job's id: begin, any number of progress, one
 * answer or error, end, and nothing behind it. Only an agent that has run out of memory may leave
 * out begin, before an error.
 *
 * What the lines carry (docs/wire.md): progress "phase" and "share", answer "answer", error "code"
 * and "text".
 */

enum reply_state {
	REPLY_NOTHING,
	REPLY_BEGUN,
	REPLY_ANSWERED, /* or refused */
	REPLY_ENDED,
};

struct reply {
	const char *id;			  /* borrowed */
	const struct target_watch *watch; /* borrowed; NULL: nobody watches */
	enum reply_state state;
	size_t lines;	      /* whole lines so far */
	struct text rest;     /* the beginning of the next one */
	json_t *answer;	      /* NULL: none yet, or refused */
	struct error refusal; /* code ERROR_NONE: none */
};

void reply_init(struct reply *r, const char *id, const struct target_watch *watch);
void reply_done(struct reply *r);

/* Takes the next bytes. False (ERROR_DATA): this is not a reply to the job; do not go on. */
bool reply_feed(struct reply *r, const char *bytes, size_t length, struct error *err);

/*
 * When no more will come: the answer, owned by the caller; or the agent's error; or ERROR_DATA for
 * a reply that was cut.
 */
bool reply_take(struct reply *r, json_t **ret_answer, struct error *err);

#endif
