/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_WORKLOAD_H
#define CONTEND_WORKLOAD_WORKLOAD_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "kernel/surroundings.h"
#include "model/histogram.h"
#include "model/json.h"
#include "model/metric.h"
#include "model/param.h"

/*
 * The door for whoever adds a workload: one file with one `const struct workload workload_NAME`,
 * and its name in meson.build. docs/add-a-workload.md walks through one.
 *
 * A workload says what its tasks do; the crew owns everything else: processes and threads, CPUs,
 * the start gate, warm-up, the window and its clock, counting, latency recording, pacing, and what
 * happens when a task fails, hangs or dies.
 */

enum {
	ROLE_MAX = 4,	   /* roles of a workload */
	OPERATION_MAX = 8, /* operations, series and counters of a role */
	MACHINE_KEYS = 3,  /* files that make a counter of the machine */
};

struct worker;
struct cast;
struct machine;
struct role_sum;
struct errand;

/* A kind of call that a role makes, counted apart. */
struct operation {
	const char *name;   /* the counter's name */
	const char *series; /* the series its latencies go into; NULL: not timed */
	/*
	 * The series of the time from when it really began, which in a paced role may be later than
	 * when it was due: what the call took, without what kept the task from making it in time.
	 * NULL: none.
	 */
	const char *own;
	/*
	 * A part of another operation, timed apart: it has its series and its counter, and is not
	 * one more among the role's `operations`.
	 */
	bool part;
};

/* Something else that a role counts: "bytes" … */
struct counter {
	const char *name;
	bool timed; /* made from latencies: there is none with record=no */
	/*
	 * No count but what something is (worker_state()). It stands beside the counters in the
	 * record of a task, not among them, and is added up over tasks by a metric all the same.
	 */
	bool state;
};

/* What the tasks of one kind do. Strings are static; lists end with a NULL name. */
struct role {
	const char *name;
	const char *help;

	struct operation operations[OPERATION_MAX + 1];
	struct counter counters[OPERATION_MAX + 1];

	/*
	 * How many tasks for these parameters; NULL: as many as tasks= says, or one if alone. A
	 * role without tasks is left out of the run.
	 */
	unsigned int (*tasks)(const struct cast *cast);

	/*
	 * Whether the tasks of a guest, for these parameters, never look up from their loop and
	 * count by themselves, so that they are minded from outside (crew/minder.h): nothing is
	 * timed then. NULL: they call as our own do.
	 */
	bool (*endless)(const struct cast *cast);

	/*
	 * Its tasks are no part of this program: contend-runner makes them from a file, in all
	 * modes in a process of its own (crew/keeper.h), and prepare(), work() and finish() are not
	 * called.
	 */
	bool guest;

	/* There is no fairness to speak of: never more than one task, or nobody minds. */
	bool alone;

	/* On CPUs of its own, apart from all earlier roles'. */
	bool apart;

	/*
	 * `mode=` decides by default: thread puts all tasks of the role into one process, process
	 * gives each its own. A role that only makes sense one way says so.
	 */
	enum { ROLE_AS_ASKED, ROLE_THREADS, ROLE_PROCESSES } mode;

	/*
	 * In the process of the earlier role of this name, in one mm with it: NULL: in processes of
	 * its own. Both are ROLE_THREADS, and no role stands between them but others of the same
	 * process. Its prepare() finds in w->local what the one before it in the process left.
	 */
	const char *with;

	/*
	 * On the CPUs of the earlier role of this name; with `apart`: only where no CPU is left.
	 * Roles that are neither apart nor beside another one go on the next CPUs in the order of
	 * kernel/topology.h.
	 */
	const char *beside;

	/*
	 * How much nicer than the agent its tasks are for these parameters, 0 to 39; NULL: 0. Where
	 * the range of nice values ends before that the run is unsupported.
	 */
	int (*nice)(const struct cast *cast);

	/* Operations a second and task for these parameters; NULL or 0: closed loop. */
	double (*rate)(const struct cast *cast);

	/*
	 * Called in the role's process before its tasks start (once a process; in thread mode once
	 * for all tasks, whose threads exist by then, so that nothing is allocated between it and
	 * the loop). May allocate; leaves what its tasks need in w->local. Roles get ready in
	 * order: when this is called, all tasks of the earlier roles are prepared and wait at the
	 * gate (those of its own process: are prepared). False ends the run with the reason:
	 * ERROR_UNSUPPORTED as such, ERROR_DATA (what there is is not what was asked) as invalid,
	 * anything else as failed.
	 */
	bool (*prepare)(struct worker *w, struct error *err);

	/*
	 * The loop, until worker_next() says no. Allocates nothing, prints nothing, knows no error
	 * object.
	 */
	void (*work)(struct worker *w);

	/*
	 * Called once a process when all tasks of the run have stopped, with the worker that
	 * prepare() got. False ends the run with the reason: what was measured was not what it
	 * should have been (ERROR_DATA: the run is invalid). NULL: nothing to look at.
	 */
	bool (*finish)(const struct worker *w, struct error *err);

	/* Why a task may be late for seconds with these parameters, for the reason of a timeout;
	 * NULL: nothing of it should take so long. */
	const char *slow;

	/*
	 * Appends what a reader of the role's figures must know, as one sentence; nothing where all
	 * is well. Called when the windows have ended. NULL: there never is anything.
	 */
	void (*note)(const struct role_sum *sum, struct text *note);
};

/*
 * Something that the kernel counts of the whole machine while the windows last, of which metrics
 * can be made as those of a role `machine`. In the record under `name`.
 */
struct machine_counter {
	const char *name;
	enum machine_source {
		/*
		 * Keys of memory.stat of the run's own memory cgroup where it has them (v2), else
		 * of /proc/vmstat.
		 */
		MACHINE_VMSTAT,
		MACHINE_MTHP, /* files of transparent_hugepage/hugepages-SIZE/stats, of all sizes */
		/*
		 * What all zram devices hold, by the words of kernel/zram.h: no count but a state,
		 * at the end of the windows.
		 */
		MACHINE_ZRAM,
	} from;
	/* Added up; what a kernel lacks is left out, and the counter where it lacks all. */
	const char *keys[MACHINE_KEYS];
};

struct workload {
	const char *name;
	const char *summary;	    /* one line */
	const char *needs;	    /* for reading: "a second CPU for the reader"; NULL: nothing */
	const struct role *roles;   /* at most ROLE_MAX; ends with a NULL name */
	const struct param *params; /* its own, then come the common ones; ends with a NULL name */
	const struct metric *metrics; /* the same, and the fairness of roles with several tasks */
	size_t shared_bytes;	      /* zeroed memory that all tasks share (worker->shared) */
	const struct machine_counter *machine; /* ends with a NULL name; NULL: none */

	/*
	 * False with the reason in err where this machine cannot run it with these parameters (for
	 * `list`: the defaults). CPUs are the crew's business. NULL: always can.
	 */
	bool (*supported)(const struct cast *cast, struct error *err);

	/* What callbacks that it shares with others want to know of it, for these to say. */
	const void *own;

	/*
	 * Adds to the fingerprint of the machine (kernel/host.h) what these parameters make a part
	 * of it: the file system of a folder. NULL: nothing.
	 */
	void (*describe)(const struct cast *cast, json_t *host);

	/*
	 * What is run that is no part of this program, for the record: a new object, which must be
	 * the same before and after a run. NULL: nothing is.
	 */
	json_t *(*program)(const struct cast *cast);

	/*
	 * Called when the windows have ended, with what the machine counted. False: what was
	 * measured was not what it should have been, as for role.finish(). NULL: nothing to look
	 * at.
	 */
	bool (*confirm)(const struct machine *machine, struct error *err);

	/*
	 * Instead of loops in a window: a run executes programs from outside, once. Called in a
	 * process of its own, see crew/errand.h. Such a workload has one role, with a name and a
	 * help text only, none of the common parameters, and timeout=. NULL: roles have loops.
	 */
	bool (*errand)(struct errand *e, struct error *err);
};

/* What a counter of workload.machine came to; -1: it is not known. */
int64_t machine_counted(const struct machine *machine, const char *name);

/* The parameters of a run, as the callbacks see them. */
struct cast {
	const struct workload *workload;
	const struct param *declared; /* the workload's and the common ones */
	const json_t *values;
	const struct surroundings *surroundings; /* of the tasks; NULL: the agent's */
};

/*
 * The path of the memory cgroup that the run has for itself (memcg=), as kernel/memcg.h takes it;
 * NULL: it has none. Borrowed.
 */
const char *cast_memcg(const struct cast *cast);

double cast_number(const struct cast *cast, const char *name);
int64_t cast_integer(const struct cast *cast, const char *name);
bool cast_switch(const struct cast *cast, const char *name);
/* The word of a PARAM_CHOICE or PARAM_TEXT. Borrowed. */
const char *cast_string(const struct cast *cast, const char *name);

/*
 * For supported(): false (ERROR_UNSUPPORTED) where all tasks ("the tasks"), or whatever they make,
 * together touch more memory than this machine, or the memory cgroup, can spare: 80 % of what is
 * available. Better said before than by the OOM killer.
 */
bool cast_affords(const struct cast *cast, const char *who, double bytes, struct error *err);

/*
 * For supported(): false (ERROR_UNSUPPORTED) where a PARAM_BYTES is not whole pages of this
 * machine: rounded it would be another size than the one that is said.
 */
bool cast_whole_pages(const struct cast *cast, const char *name, struct error *err);

enum phase {
	PHASE_GATE, /* tasks get ready and wait */
	PHASE_WARM,
	PHASE_WINDOW,
	PHASE_STOP,
	PHASE_EXIT, /* all have stopped: nobody is watched any more, processes may end */
};

/* What one task counts; in memory shared with the supervisor. */
struct tally {
	uint64_t operations[OPERATION_MAX];
	uint64_t counters[OPERATION_MAX];
	uint64_t failures;
	int first_errno; /* of the first failed operation; -N: signal N killed a child of it */
};

/* What all tasks of a role came to, for role.note(). */
struct role_sum {
	unsigned int tasks; /* at least one */
	struct tally tally; /* added up; without reason of failure */
	int64_t window_ns;  /* of a task, the mean */
	int64_t cpu_ns;	    /* of the tasks, added up */
	/* Mean of the series of each operation; 0: nothing was recorded. */
	double mean_ns[OPERATION_MAX];
};

struct task;

/* A task, as its loop sees it. */
struct worker {
	const struct cast *cast;
	const struct role *role;
	void *shared;	   /* the workload's shared_bytes, the same memory for all tasks */
	void *local;	   /* whatever prepare() left for the tasks of its process */
	unsigned int task; /* from 0, within the role */
	unsigned int tasks;
	uint64_t seed; /* differs from task to task, the same in every run of one seed */

	/* The crew's; see the functions below. */
	struct tally *tally;
	struct histogram *series[OPERATION_MAX]; /* by operation; NULL: not recorded */
	const _Atomic uint32_t *phase;
	uint32_t seen_phase;
	/*
	 * Operations until worker_next() takes a longer look: 1 where every start is scheduled. It
	 * is counted down in every run, so that one with delay= costs no more than one without.
	 */
	uint32_t patience;
	bool tended;	   /* begin and end have more to do: pacing, raw samples, a second series */
	const char *spent; /* worker_spent() */
	struct task *self;
};

/* What crew/task.c does when there is more to do. */
bool worker_next_slow(struct worker *w);
int64_t worker_begin_slow(struct worker *w, unsigned int operation);
int64_t worker_end_slow(struct worker *w, unsigned int operation, int64_t latency_ns);

/* Whether there is nothing to do but to go on: one load and one decrement. */
static inline bool worker_goes_on(struct worker *w)
{
	return __builtin_expect(--w->patience &&
					atomic_load_explicit(w->phase, memory_order_relaxed) ==
						w->seen_phase,
				1);
}

/*
 * True while there is another operation (or round of operations) to do. Call it once an operation
 * where the role can be paced: it waits for the next scheduled start.
 */
static inline bool worker_next(struct worker *w)
{
	return worker_goes_on(w) || worker_next_slow(w);
}

/*
 * The moment from which an operation's latency counts, taken right before it: now, or when the
 * operation is paced its scheduled start, so that waiting for a late start is part of the latency.
 * 0 while nothing is recorded.
 */
static inline int64_t worker_begin(struct worker *w, unsigned int operation)
{
	if (__builtin_expect(w->tended, 0))
		return worker_begin_slow(w, operation);
	return w->series[operation] ? clock_now_ns() : 0;
}

/*
 * The supervisor reads the count meanwhile (crew/slices.h): no add of the bus, but each one is
 * stored.
 */
static inline void tally_count(struct tally *t, unsigned int operation)
{
	__atomic_store_n(&t->operations[operation], t->operations[operation] + 1, __ATOMIC_RELAXED);
}

/* Counts an operation that failed, for the reason in errno; it is never timed. */
static inline void worker_fail(struct worker *w)
{
	if (!w->tally->failures++)
		w->tally->first_errno = errno;
}

/*
 * Counts an operation, or a part of one, of which both ends were stamped (clock_now_ns()) while
 * there was no time for more. Not for a paced role.
 */
static inline int64_t worker_record(struct worker *w, unsigned int operation, int64_t latency_ns)
{
	struct histogram *h = w->series[operation];

	tally_count(w->tally, operation);
	if (h)
		histogram_record(h, latency_ns);
	if (__builtin_expect(w->tended, 0))
		return worker_end_slow(w, operation, latency_ns);
	return latency_ns;
}

/*
 * The moment between two operations that follow at once, read once for both: the end of one is the
 * begin of the next. 0 while nothing is recorded. Not for a paced role.
 */
static inline int64_t worker_stamp(const struct worker *w, unsigned int operation)
{
	return w->series[operation] ? clock_now_ns() : 0;
}

/*
 * worker_next() between two such operations: begin_ns stays the end of the one before, unless there
 * was more to do than to go on.
 */
static inline bool worker_next_from(struct worker *w, unsigned int operation, int64_t *begin_ns)
{
	if (worker_goes_on(w))
		return true;
	if (!worker_next_slow(w))
		return false;
	*begin_ns = worker_stamp(w, operation);
	return true;
}

/* worker_record() of an operation that succeeded, worker_fail() of one that did not. */
static inline void worker_close(struct worker *w, unsigned int operation, int64_t latency_ns,
				bool ok)
{
	if (__builtin_expect(!ok, 0))
		worker_fail(w);
	else
		worker_record(w, operation, latency_ns);
}

/*
 * Counts an operation that has just ended. One that failed counts as a failure (errno says of which
 * kind) and is never timed. The kind may differ from the one given to worker_begin(), for calls
 * that only their result tells apart; both then have the same series. Returns how long it took,
 * paced or not from when it really began; 0 where nothing is recorded.
 */
static inline int64_t worker_end(struct worker *w, unsigned int operation, int64_t begin_ns,
				 bool ok)
{
	if (__builtin_expect(!ok, 0)) {
		worker_fail(w);
		return 0;
	}
	return worker_record(w, operation, w->series[operation] ? clock_now_ns() - begin_ns : 0);
}

/*
 * Says why the loop is left before its time: what it works on is used up. The run is then invalid,
 * for this reason; idle rounds would be counted as fast ones. text: static, with what to do.
 */
static inline void worker_spent(struct worker *w, const char *text)
{
	w->spent = text;
}

/* Adds to a counter of the role. */
static inline void worker_add(struct worker *w, unsigned int counter, uint64_t n)
{
	w->tally->counters[counter] += n;
}

/* Says what a counter that is a state is. */
static inline void worker_state(struct worker *w, unsigned int counter, uint64_t n)
{
	w->tally->counters[counter] = n;
}

/* All workloads of this build; ends with NULL. */
const struct workload *const *workload_all(void);
const struct workload *workload_find(const char *name);

#endif
