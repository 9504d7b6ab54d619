/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_COURIER_H
#define CONTEND_WORKLOAD_CREW_COURIER_H

#include "workload/crew/errand.h"

/* The process of an errand, from fork to end. */
struct courier {
	const struct cast *cast;
	/* Shared with the agent: what is done at the moment, for progress. Static texts. */
	_Atomic(const char *) *phase;
	int parcel; /* a memfd for what it brings back */
};

/*
 * Does the errand and leaves {"code","text","tasks","outputs","notes"} in the parcel: code an enum
 * error_code, 0 when all went well, text the reason.
 */
_Noreturn void courier_main(const struct courier *c);

#endif
