/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_HOLD_H
#define CONTEND_SETUP_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

/*
 * Who has the machine for an experiment whose runs change it: a journal is there for a run, and
 * between two runs another experiment must not begin. It is the agent that answers the job `hold`,
 * as long as it lives.
 */
struct hold;

/* Takes it. ERROR_UNSUPPORTED: not root, or somebody else has it, who is named. */
bool hold_take(const char *root, struct hold **ret, struct error *err);

/* Gives it back. NULL is a no-op. */
void hold_release(struct hold *h);
DEFINE_FREE(hold, struct hold *, hold_release(_T))

/*
 * False (ERROR_UNSUPPORTED) where somebody else than the process `holder` has it. Nobody is fine.
 * holder: 0: none.
 */
bool hold_allows(const char *root, int64_t holder, struct error *err);

#endif
