/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_LAB_STATE_H
#define CONTEND_LAB_STATE_H

#include "lab/lab.h"
#include "lab/standing.h"

/* An experiment while lab_run() has it; of this folder alone. */
struct lab {
	struct lab_case *held;
	const struct experiment *experiment; /* the case's */
	const struct target *target;
	struct store *store;
	const struct lab_watch *watch;
	struct entries *runs; /* the case's */
	struct agent_identity agent;
	bool beyond;		  /* see struct session */
	struct judgement *so_far; /* the last look; NULL: none was taken */
	struct standing standing;
	struct arm_state {
		bool rests; /* settled, or futile to go on with, so it runs no more. Of A: never */
		bool futile;
		bool gave_up; /* it can do no more, is not run again. Of A: nor is the workload */
	} (*arms)[ARM_MOST];  /* by subject */
	size_t first_run;     /* the first of this session */
	int64_t pair;	      /* number of the present one */
	int64_t began_ns;     /* clock_now_ns() of the start, less what earlier sessions took */
	int64_t mean_ns;      /* a round on average, as of the last one's end */
	struct lab_progress progress;
};

#endif
