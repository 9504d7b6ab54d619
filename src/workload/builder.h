/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_BUILDER_H
#define CONTEND_WORKLOAD_BUILDER_H

#include "workload/census.h"
#include "workload/crew/offspring.h"
#include "workload/space.h"

/*
 * A child that builds an address space and then ends, or sleeps until it is killed. It is a fork of
 * a small process and has its mappings, too; what the crew records into is kept out of it.
 */

enum builder_progress { BUILDER_FORKED, BUILDER_THREADED, BUILDER_BUILT };

/* What a child tells its parent, in memory that both have. */
struct letter {
	struct space_state space;
	_Atomic int progress; /* enum builder_progress */
	int reason;	      /* errno, where it could not go on */
	/*
	 * CLOCK_MONOTONIC of its last act, right before it leaves; of one that waits: when it was
	 * built.
	 */
	int64_t stamp_ns;
	int64_t cpu_ns; /* CPU time of the child at the stamp; of one that waits: nothing */
};

/* How children are built, and by what they are heard of. */
struct builder {
	struct space space;
	unsigned int threads;
	struct letter *letter; /* of the last child */
	int ready;	       /* an eventfd: the child is where it waits to be killed */
};

/*
 * In prepare(): takes the parameters of BUILDER_PARAMS, and keeps the crew's memory out of the
 * children (offspring_prepare()).
 */
bool builder_prepare(struct builder *b, const struct worker *w, struct error *err);

/*
 * Forks a child with a letter of its own. waits: to be killed; otherwise it ends as soon as it is
 * built. False with errno where there is none.
 */
bool builder_start(const struct builder *b, struct offspring *child, bool waits);

/* Waits until a child that is to be killed sleeps. False: it has ended before that. */
bool builder_await(const struct builder *b, const struct offspring *child);

/*
 * A trial: a child that is built as all later ones will be, counted and killed. False where it
 * cannot be built (ERROR_UNSUPPORTED where a limit of the machine is in the way), or the kernel
 * made another number of mappings.
 */
bool builder_try(const struct builder *b, struct census *ret, struct error *err);

/* For supported(): whether size= and vmas= go together, and the children of all tasks fit. */
bool builder_supported(const struct cast *cast, struct error *err);

/* For a list of parameters: what is built. */
#define BUILDER_PARAMS                                                                             \
	SPACE_PARAMS("of a child",                                                                 \
		     "; a child has those of its parent, too, and one for its threads (the "       \
		     "metric vmas has them all). size=0 vmas=0: the floor"),                       \
	{                                                                                          \
		"threads", PARAM_COUNT, "1",                                                       \
			.low = 1, .high = 4096,                                                    \
			.help = "threads of a child; all but the first are asleep when it ends"    \
	}

#endif
