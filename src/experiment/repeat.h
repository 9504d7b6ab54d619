/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_REPEAT_H
#define CONTEND_EXPERIMENT_REPEAT_H

#include "base/text.h"
#include "experiment/request.h"
#include "model/history.h"

/* From an experiment back to what asks for it again, however it was asked for. */

/*
 * What was said, as far as the experiment tells: a value that all workloads share is said once, and
 * an address that needs not be is not there. Terms are left out (terms_text()), but for the
 * primaries, which go into the terms of the command line. r is empty before.
 */
bool repeat_request(const struct experiment *e, struct request *r, struct error *err);

/* The numbers of tasks of a curve, "1,2,4" or "1..8". Owned by the caller. */
char *repeat_points(const struct experiment *e, const struct curve *c);

/* The command line that asks the same anew, in another order. Owned by the caller. */
bool repeat_question(const struct experiment *e, char **ret_command, struct error *err);

/* The command line, of two arms with the seed of their order. Owned by the caller. */
bool repeat_command(const struct experiment *e, char **ret_command, struct error *err);

/*
 * The experiment as it was asked for at first, before --resume gave it other room: a shallow copy,
 * all of which is e's.
 */
struct experiment repeat_as_asked(const struct experiment *e, const struct history *h);

/*
 * Appends what a session did about the room, for whoever has repeated the experiment as it was
 * asked
 * for: the command that extends it, or which --pairs stood in place of the first before the end
 * came. False where it did nothing.
 */
bool repeat_change(const struct experiment *e, const struct history *h, size_t session,
		   struct text *out);

/* Appends ` -- PROGRAM ARGUMENT...`, the end of a command line; nothing where there is none. */
void repeat_put_command(const struct request *r, struct text *out);

/*
 * What no command and no file can ask for again: the rule of an experiment that was made before
 * maxima had looks. NULL: they repeat all of it. Static.
 */
const char *repeat_caveat(const struct experiment *e);

#endif
