/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_PROBE_PROBE_H
#define CONTEND_PROBE_PROBE_H

#include "model/json.h"
#include "model/metric.h"

/*
 * The door for whoever adds a probe: something that watches a run. open() does all that is costly,
 * outside the window; start() and stop() only flip a switch; read() answers with the counters and
 * always a `lost` count.
 */
struct probe {
	const char *name;
	const char *summary;
	const struct metric *metrics; /* ends with a NULL name */
	size_t state_bytes;	      /* zeroed memory handed to the callbacks */

	/* False with the reason in err where this machine cannot. */
	bool (*supported)(struct error *err);
	bool (*open)(void *state, struct error *err);
	bool (*start)(void *state, struct error *err);
	bool (*stop)(void *state, struct error *err);
	/* A new JSON object: counters by name, and `lost`. */
	json_t *(*read)(void *state, struct error *err);
	void (*close)(void *state);
};

/* All probes of this build; ends with NULL. */
const struct probe *const *probe_all(void);

#endif
