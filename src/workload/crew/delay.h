/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_DELAY_H
#define CONTEND_WORKLOAD_CREW_DELAY_H

#include <stdint.h>

/*
 * A slowdown of known size, to see what an experiment makes of it. It spins between operations for
 * a share of the time that they took, whatever they are, and settles what it spun too much or too
 * little the next time, so that the whole is longer by exactly the share.
 */
struct delay {
	double share; /* 0: none */
	int64_t begin_ns;
	double owed_ns;
	uint32_t stretch; /* operations until the next spin */
};

void delay_init(struct delay *d, double share);

/* Begins a stretch here. */
void delay_start(struct delay *d);

/* Ends the stretch: spins, and begins the next one, of d->stretch operations. */
void delay_keep(struct delay *d);

#endif
