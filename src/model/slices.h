/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_SLICES_H
#define CONTEND_MODEL_SLICES_H

#include "model/run.h"

/*
 * How the operations of a role were spread over the window of a run: what its tasks had counted,
 * all together, at some moments (docs/wire.md). Between two moments is a slice.
 */

enum { SLICES_MAX = 256 };

struct slice {
	int64_t begin_ns, end_ns; /* since the window began for all tasks */
	int64_t operations;	  /* that ended in it */
	double rate;		  /* of these a second */
};

/*
 * Checks `slices` of a record where there is one: each role once, as many counts as moments, at
 * most SLICES_MAX slices, moments that increase and counts that do not decrease. run_from_record()
 * asks.
 */
bool slices_check(const json_t *record, struct error *err);

/*
 * The slices of a role in order, at most SLICES_MAX; returns their number, 0 where the run has
 * none: a short window, a role without tasks, an older agent.
 */
size_t run_slices(const struct run *r, const char *role, struct slice *ret);

#endif
