/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_NEAREST_H
#define CONTEND_BASE_NEAREST_H

#include "base/error.h"

/*
 * "did you mean": the nearest of the names that there are to one that is none of them.
 *
 *	struct nearest n = {.name = typed};
 *	...
 *	nearest_try(&n, each of the names);
 *	return nearest_refuse(&n, "workload", err);
 */
enum { NEAREST_ROOM = 64 }; /* longer names are near to nothing */

struct nearest {
	const char *name;	      /* as typed; borrowed */
	char found[NEAREST_ROOM + 1]; /* "": none is near */
	unsigned int distance;
	char hint[NEAREST_ROOM + 24];
};

/* Looks at one of the names that there are, which need not stay. The first of equals is kept. */
void nearest_try(struct nearest *n, const char *candidate);

/* "; did you mean 'file'?", or "" where none is near. Part of n. */
const char *nearest_hint(struct nearest *n);

/* Refuses the name: "no option '--pair'; did you mean '--pairs'?" (ERROR_USAGE). Returns false. */
bool nearest_refuse(struct nearest *n, const char *what, struct error *err);

#endif
