/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_CALIBRATION_SCENARIO_H
#define CONTEND_TESTS_CALIBRATION_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/random.h"

/*
 * Made-up measurements of two kernels with everything that real ones have and nothing unknown: each
 * arm is booted some times, each boot has a level of its own and some iterations (values above 0,
 * the larger the slower), the machine drifts from boot to boot. B is slower than A by exactly
 * `shift`.
 */

enum scenario_order {
	SCENARIO_BLOCKS,      /* all of A, then all of B */
	SCENARIO_ALTERNATING, /* A B A B ... */
	SCENARIO_PAIRS,	      /* a coin decides who is first in each pair */
};

struct scenario {
	char name; /* a letter */
	const char *what;
	size_t boots, iterations; /* per arm, per boot */
	enum scenario_order order;
	double boot_sd; /* of the level of a boot, as a ratio */
	double cv;	/* of the iterations of a boot */
	double rho;	/* their autocorrelation at lag 1 */
	bool lognormal; /* otherwise normal */
	double spikes;	/* share of iterations that take five times as long */
	double drift;	/* from the first to the last boot, linear, as a ratio */
	double walk_sd; /* of a random walk from boot to boot */
};

enum { SCENARIOS = 15, SCENARIO_MOST_VALUES = 40000 };

extern const struct scenario scenarios[SCENARIOS];

/* The scenario of that letter, which exists. */
const struct scenario *scenario_find(char name);

/*
 * Draws an experiment of `boots` boots an arm: a and b get boots * iterations values, boot by boot
 * in the order of time. Boot i of A and boot i of B are a pair. At most SCENARIO_MOST_VALUES an
 * arm.
 */
void scenario_draw(const struct scenario *s, size_t boots, double shift, struct random *r,
		   double *ret_a, double *ret_b);

/* The standard normal, and Student's t with three degrees of freedom over its own sd. */
double scenario_normal(struct random *r);
double scenario_heavy(struct random *r);

#endif
