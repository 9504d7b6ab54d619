/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_WIRE_H
#define CONTEND_MODEL_WIRE_H

#include "model/json.h"

/*
 * The line format between controller and agent (docs/wire.md): one JSON object a line. A job goes
 * in; begin, progress, one answer and end come out. An answer without the matching end line was
 * cut.
 */
enum { WIRE_VERSION = 1, WIRE_LINE_BYTES = 64 << 20 };

enum wire_job { WIRE_DESCRIBE, WIRE_RUN, WIRE_UNDO, WIRE_DOCTOR, WIRE_HOLD };
enum wire_type { WIRE_BEGIN, WIRE_PROGRESS, WIRE_ANSWER, WIRE_ERROR, WIRE_END };

extern const char *const wire_job_words[];
extern const char *const wire_type_words[];

/*
 * Phases of a progress line in which the machine is changed and put back. Before each step one is
 * said; the last one of `undo` has share 1.
 */
#define WIRE_PHASE_SETUP "setup"
#define WIRE_PHASE_UNDO "undo"

/* The `code` of an error line, by enum error_code. */
extern const char *const wire_code_words[];

/* A job line's content. id: chosen by the controller, echoed in every line of the answer. */
struct wire_request {
	enum wire_job job;
	const char *id;
	const char *workload; /* WIRE_RUN */
	json_t *params;	      /* WIRE_RUN: an object of strings */
	/* WIRE_RUN: process of the agent that holds the machine for the experiment; 0: none does */
	int64_t holder;
};

/*
 * {"contend":1,"job":…,"id":…} and for WIRE_RUN "workload" and "params" (NULL params count as {}), and
 * "holder" where there is one.
 * Strings and params of *ret are borrowed from the object, and NULL for the other jobs.
 */
json_t *wire_request_to_json(const struct wire_request *request);
bool wire_request_from_json(const json_t *object, struct wire_request *ret, struct error *err);

/* A new line object {"contend":1,"type":…,"id":…}; the caller adds its content. */
json_t *wire_line_new(enum wire_type type, const char *id);
bool wire_line_type(const json_t *line, enum wire_type *ret_type, const char **ret_id,
		    struct error *err);

#endif
