/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_EXPLORE_H
#define CONTEND_JUDGE_EXPLORE_H

#include "judge/pairs.h"
#include "judge/verdict.h"

/*
 * What else the runs counted, and no metric of the workload is made of: switches, faults, CPU time,
 * time kept from running, failures and the role's own counters, of each role per operation. They
 * are looked through for what differs between the arms and judged by nobody: no verdict and no exit
 * status goes by them.
 *
 * One figure a run, differences by pair and their p as of any metric (judge/rule.h): the exact
 * sign-flip test at a planned end; under looks the e-process, whose p holds whenever one looks. Of
 * those with figures in enough pairs and any difference at all, which no change of signs alters,
 * Benjamini and Hochberg's procedure finds some: of what is found a share of alpha is false on
 * average, if the counters depend on each other positively or not at all. There are no intervals,
 * for one that is shown because something was found covers too little.
 */
struct explored {
	char *of, *per;	      /* "writer.minor_faults", "writer.operations" */
	char *name, *unit;    /* "writer_minor_faults", "1/op" */
	struct metric metric; /* made of these; better neither */
	/*
	 * p_adjusted by Benjamini and Hochberg; comparisons 0: it is none of those looked through.
	 */
	struct metric_verdict v;
	bool found;
};

struct exploration {
	struct explored *list; /* by role, in the order of the record; those with a figure */
	size_t count;
	size_t comparisons; /* how many were looked through */
	size_t found;
};

/*
 * Looks through the counters of a workload's pairs. looks: as of rule_measure(). The result is the
 * caller's; it borrows nothing.
 */
struct exploration *explore(const struct description *d, const struct pairs *pairs, bool looks,
			    double alpha, uint64_t seed);
void exploration_free(struct exploration *x);

#endif
