/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_ADVICE_H
#define CONTEND_WORKLOAD_ADVICE_H

#include "workload/fenced.h"

/* What the workload madvise can advise. */
enum {
	ADVICE_DONTNEED,
	ADVICE_FREE,
	ADVICE_PAGEOUT,
	ADVICE_COLD,
	ADVICE_COLLAPSE,
	ADVICE_POPULATE
};

#define ADVICE_CHOICES "dontneed|free|pageout|cold|collapse|populate_write"

struct advice {
	int value;	   /* of madvise() */
	const char *since; /* the first kernel that knows it; NULL: all do */
	/*
	 * Makes a region ready for the call, so that it finds what the first one found; between two
	 * calls, as fenced_touch() is.
	 */
	enum fenced_touched (*ready)(struct worker *w, char *at);
};

/* By the index of the word. */
extern const struct advice advices[];

/*
 * For supported(): false (ERROR_UNSUPPORTED) where this kernel does not know the advice, which is
 * tried on a mapping of its own, or size=, touch= and hugepage= leave nothing for it to do.
 */
bool advice_supported(const struct cast *cast, int64_t index, struct error *err);

#endif
