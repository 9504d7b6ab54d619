/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_DESCRIPTION_H
#define CONTEND_MODEL_DESCRIPTION_H

#include "model/metric.h"
#include "model/param.h"

/*
 * A workload as an agent describes it: what `contend list` shows, what parameters are checked
 * against, and what an experiment keeps so that its runs can be read without the agent. As JSON:
 *
 *	{"name","summary","needs","unsupported" (absent, null or "": it can),
 *	 "roles":[{"name","help"}…],"params":[param_to_json()…],"metrics":[metric_to_json()…]}
 */
enum { DESCRIPTION_LIST_MAX = 256 }; /* roles, params, metrics: each */

struct role_description {
	const char *name;
	const char *help;
};

struct description {
	json_t *object; /* owns every string below */
	const char *name;
	const char *summary;
	const char *needs;		/* what it demands of machine and kernel, for reading */
	const char *unsupported;	/* why it cannot run here; NULL: it can */
	struct role_description *roles; /* the list ends with a NULL name, as do the others */
	struct param *params;		/* the workload's own, then the crew's common ones */
	struct metric *metrics;
	size_t metric_count;
};

void description_free(struct description *d);
DEFINE_FREE(description, struct description *, description_free(_T))

/*
 * Takes its own reference of the object. Refuses names that are declared twice, metrics of roles
 * that are not declared, and anything but one primary metric, which must have a better direction.
 */
bool description_from_json(json_t *object, struct description **ret, struct error *err);

/* The workload's primary metric (there is exactly one; checked on reading), and one by name. */
const struct metric *description_primary(const struct description *d);
const struct metric *description_metric(const struct description *d, const char *name);

/*
 * True for the first metric of those that share a shift (metric_shares_shift()): whoever does
 * something once a series of latencies does it there.
 */
bool description_opens_shift(const struct description *d, size_t index);

#endif
