/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_STAGE_H
#define CONTEND_WORKLOAD_CREW_STAGE_H

#include <stdalign.h>

#include "workload/crew/placement.h"
#include "workload/workload.h"

/*
 * The memory that supervisor and tasks share: mapped before the first fork, touched by each process
 * before the gate, so that no task faults on it inside the window. What one task writes in its loop
 * shares no cache line with what another one reads or writes.
 */

/*
 * Two lines of 64 bytes: x86 prefetches the neighbour of a line. Also the line of other machines.
 */
enum { STAGE_ALIGN = 128 };

/* A task's clocks and counts at one edge of its window. */
struct stamp {
	int64_t clock_ns;
	int64_t cpu_ns;
	int64_t system_ns; /* of it in the kernel, as getrusage() tells; -1: not known */
	int64_t voluntary_switches;
	int64_t involuntary_switches;
	int64_t minor_faults;
	int64_t major_faults;
	int64_t run_delay_ns; /* runnable, and not on a CPU; -1: this kernel does not tell */
};

/* Helpers of a task that are kept count of. */
enum { SLOT_HELPERS = 8 };

enum task_state {
	TASK_ABSENT,
	TASK_READY,  /* at the gate */
	TASK_INSIDE, /* has begun its window */
	TASK_DONE,   /* has ended it */
};

/* Where the pinning of a task was found broken. */
enum stray { STRAY_NONE, STRAY_BEGIN, STRAY_END };

/* One task's part. The supervisor reads it when the task does not write any more. */
struct slot {
	alignas(STAGE_ALIGN) struct tally tally;
	_Atomic uint32_t state; /* enum task_state */
	int pid;
	struct stamp begin, end;
	int64_t operations_cpu_ns; /* paced: CPU time inside of operations */
	uint64_t unstarted;	   /* paced: operations due before the end, but not begun */
	enum stray stray;
	int stray_cpu;	   /* the CPU it was found on */
	int stray_allowed; /* the number of CPUs it could run on then */
	/*
	 * Of a task that is minded (crew/minder.h): what it had counted when its window began, and
	 * the threads that it has made itself.
	 */
	uint64_t begin_iterations;
	_Atomic uint32_t helpers;	       /* begun, perhaps more than are kept */
	_Atomic int helper_pids[SLOT_HELPERS]; /* 0: not yet known */
	/* What such a task counts, for ever: no more than this lies in the line. */
	alignas(STAGE_ALIGN) unsigned long long iterations;
};

/* What a minded task has counted by now; of any other one 0. */
static inline uint64_t stage_iterations(const struct slot *slot)
{
	return __atomic_load_n(&slot->iterations, __ATOMIC_RELAXED);
}

struct raw {
	uint64_t count;
	int64_t values[];
};

/* What contend-runner is at, for the reason of a failure. */
enum guest_doing {
	GUEST_STARTING,
	GUEST_LOADING, /* the file: dlopen(), which also runs its constructors */
	GUEST_PREPARING,
	GUEST_RUNNING,
	GUEST_CLEANING,
};

/* What contend-runner says of itself (crew/keeper.h). */
struct guest {
	_Atomic uint32_t doing;
	_Atomic uint32_t fallen;  /* 1: these two are there */
	unsigned int fallen_task; /* a process of its own, which ended before its window */
	int fallen_status;	  /* wait status */
	char description[160];	  /* what the file calls itself */
};

struct stage {
	/* Read by every task before each operation, written four times a run. */
	alignas(STAGE_ALIGN) _Atomic uint32_t phase; /* enum phase; also a futex */

	alignas(STAGE_ALIGN) _Atomic uint32_t arrived;
	uint32_t awaited; /* the bell rings when so many have arrived */

	/* The first failure that a process has words for. */
	_Atomic uint32_t failed; /* 0 none, 1 being written, 2 there */
	bool crashed;		 /* and it was a signal */
	struct error failure;

	struct guest guest;
};

/* How a process finds its way on the stage; private to each. */
struct stage_map {
	struct stage *stage;
	size_t bytes;
	void *shared; /* the workload's */
	size_t shared_bytes;
	int bell; /* an eventfd */
	int fd;	  /* of the memory, where a guest is to map it as well; -1 */
	uint64_t raw_room;
	struct stage_role {
		char *tasks;
		size_t task_bytes;
		unsigned int series_count;
		const char *series[OPERATION_MAX];
	} roles[ROLE_MAX];
};

#define STAGE_MAP_NONE                                                                             \
	{                                                                                          \
		.bell = -1, .fd = -1                                                               \
	}

/* Maps the stage for the tasks placed; ERROR_UNSUPPORTED where it would fill the memory. */
bool stage_open(const struct cast *cast, const struct placement *placement, struct stage_map *ret,
		struct error *err);
/*
 * Maps one that another process has opened for the same tasks, from its descriptor, which is not
 * kept. bell: taken over; -1: this process never rings. ERROR_DATA where it is laid out otherwise:
 * the two programs are not of the same version.
 */
bool stage_adopt(const struct cast *cast, const struct placement *placement, int fd, int bell,
		 struct stage_map *ret, struct error *err);
void stage_close(struct stage_map *map);

struct slot *stage_slot(const struct stage_map *map, size_t role, unsigned int task);
struct histogram *stage_histogram(const struct stage_map *map, size_t role, unsigned int task,
				  unsigned int series);
/* NULL where no raw samples are asked for. */
struct raw *stage_raw(const struct stage_map *map, size_t role, unsigned int task,
		      unsigned int series);
/* The index of a series of the role, -1: name is NULL or nothing is recorded. */
int stage_series(const struct stage_map *map, size_t role, const char *name);

/* Makes the calling process's page tables for a task's part and for the workload's. */
void stage_touch(const struct stage_map *map, size_t role, unsigned int task);

/* Empties what a task has recorded. */
void stage_clear(const struct stage_map *map, size_t role, unsigned int task);

/* Said by a task; the last one that is awaited rings the bell. */
void stage_arrive(const struct stage_map *map);
/* Said by the supervisor before any of them can. */
void stage_await(const struct stage_map *map, uint32_t count);

void stage_set_phase(const struct stage_map *map, enum phase phase);
/* Sleeps while it is that phase. */
void stage_wait_while(const struct stage_map *map, enum phase phase);

/* Says that a task is ready, and wakes who waits for it to be. */
void stage_set_ready(struct slot *slot);
void stage_wait_ready(struct slot *slot);

/* Leaves the reason why this process is about to exit; only the first one is kept. */
void stage_fail(const struct stage_map *map, const struct error *err);
/* The same where what the run is about died of a signal. */
void stage_crash(const struct stage_map *map, const struct error *err);
bool stage_has_failed(const struct stage_map *map);

#endif
