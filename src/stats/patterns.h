/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_PATTERNS_H
#define CONTEND_STATS_PATTERNS_H

#include <stdbool.h>

#include "stats/e_process.h"
#include "stats/sequential_plan.h"

/*
 * The patterns of signs that the looks of sequential.h go by: only its own inner part, in which the
 * same series is tested for one theta and level after another.
 */

/* One look at all patterns. */
struct patterns_look {
	double *sums;	/* of each pattern's differences less the centre, in the unit of the look */
	double *counts; /* of each pattern's signs, as a sum */
	double scale;	/* root of the sum of squares */
	double share;	/* of alpha */
	/* For a theta: */
	double *statistics; /* the larger the further from H0 */
	double tie;
	/* For a level: what exceeds it is rejected. */
	double bar;
};

/*
 * The series d - theta with all its signs: pattern 0 are those that were observed. Sums are made
 * once, statistics for each theta, and what is rejected for each level.
 *
 * With T the sum of a pattern's z (see e_process.h) its E is the mean over lambda and both signs of
 * exp(+-lambda T - sum log cosh(lambda z_i)), in which all but T is the same for all patterns. So E
 * reaches a limit where |T| (for smaller centres -T) reaches one that is found once for each pair;
 * and it is asked only of the patterns that are far enough out to matter at a look.
 */
struct patterns {
	const struct sequential_plan *plan;
	const struct sequential_series *series;
	size_t n;
	enum e_process_side side;
	double centre;	     /* near which theta will be */
	size_t count, words; /* patterns, and words of 64 signs for them */
	bool exact;
	struct patterns_look looks[SEQUENTIAL_MOST_LOOKS];
	size_t look_count; /* looks that were reached */
	size_t last_look;  /* pairs up to the last of these */
	uint64_t *flips;   /* by word, then by pair: 1 is a sign that is changed */
	double *z;	   /* by pair */
	double *reach;	   /* by pair: the T at which a pattern's E reaches the limit */
	double *left;
	unsigned char *gone_at; /* by pattern: the first look before which E reached the limit */
	bool many_asked;	/* that is asked of a good part of them */
	struct e_process e;
	double byte_signs[256][8]; /* +1 or -1 for each bit of a byte: the sign it stands for */
};

/* The E at which the e-process of a plan rejects at a level. */
double patterns_threshold(const struct sequential_plan *plan, double level);

/* Difference i in the unit in which it is taken while `pairs` are there. */
double patterns_difference(const struct sequential_series *s, size_t i, size_t pairs);

/*
 * The first n differences of a series, which stays borrowed as the plan does. centre: near which
 * theta will be, so that what is nearly alike is not lost in rounding.
 */
void patterns_init(struct patterns *p, const struct sequential_plan *plan,
		   const struct sequential_series *series, size_t n, enum e_process_side side,
		   double centre);
void patterns_done(struct patterns *p);

/* Takes H0: theta; p->e is then the e-process of the differences themselves. */
void patterns_center(struct patterns *p, double theta);

/*
 * The look that rejects what was observed at a level, in pairs; 0: none. The e-process is not
 * asked.
 */
size_t patterns_find_look(struct patterns *p, double level);

#endif
