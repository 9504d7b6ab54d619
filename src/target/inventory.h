/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TARGET_INVENTORY_H
#define CONTEND_TARGET_INVENTORY_H

#include "model/description.h"

/* What an agent has, as its answer to `describe` says (docs/wire.md). */

/* A setup or a probe. */
struct offer {
	const char *name;
	const char *summary;
	const char *unsupported; /* why this machine cannot; NULL: it can */
};

struct inventory {
	json_t *answer;			/* owns the strings of the offers */
	struct description **workloads; /* ends with NULL; no name is there twice */
	struct offer *setups, *probes;	/* end with a NULL name */
	int64_t cpus;			/* that its tasks may use; 0: it does not say */
};

void inventory_done(struct inventory *i);

/*
 * Takes its own reference of the answer. Refusals are ERROR_DATA; more than DESCRIPTION_LIST_MAX of
 * a kind is one.
 */
bool inventory_from_json(json_t *answer, struct inventory *ret, struct error *err);

#endif
