/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_BUILDER_H
#define CONTEND_WORKLOAD_BUILDER_H

#include "workload/census.h"
#include "workload/crew/offspring.h"
#include "workload/shared_files.h"
#include "workload/space.h"

/*
 * A child that builds an address space and then ends, or sleeps until it is told to, or until it is
 * killed. It is a fork of a small process and has its mappings, too; what the crew records into is
 * kept out of it.
 */

enum builder_progress {
	BUILDER_FORKED,
	BUILDER_MOVED,
	BUILDER_THREADED,
	BUILDER_MAPPED,
	BUILDER_BUILT,
};

/* How it comes to its end. */
enum builder_end {
	BUILDER_EXITS, /* as soon as it is built */
	BUILDER_GATED, /* when builder_open_gate() is called; sleeps before that */
	BUILDER_WAITS, /* when it is killed; sleeps before that */
};

/* What a child tells its parent, in memory that both have. */
struct letter {
	struct space_state space;
	_Atomic int progress; /* enum builder_progress */
	int reason;	      /* errno, where it could not go on */
	int64_t built_ns;     /* CLOCK_MONOTONIC */
	/* Of one that leaves by itself: clock and its CPU time of its last act before that. */
	int64_t stamp_ns;
	int64_t cpu_ns;
};

/* How children are built, and by what they are heard of. */
struct builder {
	const struct worker *w; /* the parent */
	struct space space;
	unsigned int threads;
	const struct shared_files *files; /* NULL: none. Borrowed */
	struct letter *letters;		  /* of each of them that lives at once */
	_Atomic uint32_t *gate;		  /* a futex: 1 is open */
	int ready;			  /* an eventfd: the child is where it sleeps */
};

/*
 * In prepare(): takes the parameters of BUILDER_PARAMS, for at most OFFSPRING_MAX children at once,
 * and keeps the crew's memory out of them (offspring_prepare()).
 */
bool builder_prepare(struct builder *b, const struct worker *w, unsigned int at_once,
		     struct error *err);

/*
 * Forks a child which takes b->letters[number], and goes to the CPU that is `steps` behind its
 * parent's (offspring_move()). The gate is closed by it. False with errno where there is none.
 */
bool builder_start(const struct builder *b, unsigned int number, unsigned int steps,
		   enum builder_end end, struct offspring *child);

/* Waits until a child that was just started sleeps. False: it has ended before that. */
bool builder_await(const struct builder *b, const struct offspring *child);

/* Lets all children that are gated end. */
void builder_open_gate(const struct builder *b);

/*
 * A trial: a child that is built as all later ones will be, counted and killed. False where it
 * cannot be built (ERROR_UNSUPPORTED where a limit of the machine is in the way), or the kernel
 * made another number of mappings.
 */
bool builder_try(const struct builder *b, struct census *ret, struct error *err);

/*
 * For supported(): whether size= and vmas= go together, and the children of all tasks, so many of
 * each at once, fit.
 */
bool builder_supported(const struct cast *cast, unsigned int at_once, struct error *err);

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
