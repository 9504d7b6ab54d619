/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_BLOCK_H
#define CONTEND_LAB_BLOCK_H

#include "lab/state.h"

/*
 * The next pair of a workload, with more than two arms its next block: each run is in the store
 * before the next one starts. *ret_whole: false when the user stopped it. False: the store failed.
 */
bool block_run(struct lab *l, size_t subject, bool *ret_whole, struct error *err);

/* Tells who watches how far it is. */
void block_report_progress(struct lab *l);

/* Reads what a run's programs printed; where that cannot be the run is invalid, for that reason. */
void block_read_outputs(const struct experiment *e, size_t subject, struct run *run);

#endif
