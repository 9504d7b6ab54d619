/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CONTEND_CONTEND_H
#define CONTEND_CONTEND_CONTEND_H

/*
 * For a test case of your own that `contend run external file=./yours.so` runs. It needs nothing
 * but this header:
 *
 *	#include <contend/contend.h>
 *	#include <sys/mman.h>
 *
 *	CONTEND_TEST("mlock and munlock of a page");
 *
 *	void contend_work(struct contend_task *t)
 *	{
 *		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
 *				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
 *
 *		while (contend_next(t)) {
 *			int64_t begin = contend_begin(t);
 *			bool ok = !mlock(page, 4096) && !munlock(page, 4096);
 *
 *			contend_end(t, begin, ok);
 *		}
 *	}
 *
 *	gcc -O2 -shared -fPIC -o mlock.so mlock.c
 *
 * Of `tasks=N` each calls contend_work(), in a thread of one process (mode=thread) or in a process
 * of its own (mode=process), on a CPU of its own as long as there are enough.
 *
 * A program that was built with this header goes on to work with every later version of contend
 * that knows its CONTEND_ABI; with one that does not it is refused, not run.
 */

#if !defined(__cplusplus) && !defined(_GNU_SOURCE) && !defined(_POSIX_C_SOURCE) &&                 \
	defined(__STRICT_ANSI__)
#error "contend/contend.h needs clock_gettime(): compile with -std=gnu11, say, or -D_GNU_SOURCE"
#endif

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTEND_ABI 1

/* Once in each shared object. The text is what records call it. */
#define CONTEND_TEST(text)                                                                         \
	extern const unsigned int contend_abi;                                                     \
	extern const char contend_description[];                                                   \
	const unsigned int contend_abi = CONTEND_ABI;                                              \
	const char contend_description[] = text

struct contend_task {
	unsigned int task;  /* from 0 */
	unsigned int tasks; /* how many there are */
	uint64_t seed;	    /* differs from task to task, the same in each run of one seed= */

	/* For the functions below. */
	uint32_t patience_;
	uint32_t seen_phase_;
	const uint32_t *phase_;
	uint64_t *count_;
	uint32_t timed_;
	uint32_t reserved_;
	void *self_;
};

/*
 * What a test case has. contend_work() must be there, and returns soon after contend_next() has
 * said no; what it needs is made before its loop, where nothing is measured yet. In its loop it
 * should allocate nothing and print nothing, and leave memory and mappings at the end of each round
 * as they were at its begin.
 *
 * contend_prepare(), if there is one, is called once before any task is made. It returns NULL, or
 * why the test case cannot run here: static, or never released. contend_cleanup(), if there is one,
 * is called once when all is measured, and has a second. Both are called in the process of all
 * tasks; with mode=process the tasks are forked from it.
 */
void contend_work(struct contend_task *t);
const char *contend_prepare(unsigned int tasks);
void contend_cleanup(void);

/* What contend-runner has. Do not call these two directly. */
bool contend_next_slow(struct contend_task *t);
void contend_record(struct contend_task *t, int64_t latency_ns);

/* Counts an operation that has failed, for the reason in errno; it is never timed. */
void contend_fail(struct contend_task *t);

/*
 * Starts func(arg) beside the calling task, as new_task() of will-it-scale does: a thread where
 * tasks are threads, a process where they are processes. It is on the CPU of the caller and never
 * returns; it ends with the run, and its CPU time counts as the task's.
 */
void new_task(void *(*func)(void *), void *arg);

/*
 * True while there is another operation, or round of operations, to do. Windows begin and end here:
 * a round should be short against window=.
 */
static inline bool contend_next(struct contend_task *t)
{
	if (__builtin_expect(--t->patience_ &&
				     __atomic_load_n(t->phase_, __ATOMIC_RELAXED) == t->seen_phase_,
			     1))
		return true;
	return contend_next_slow(t);
}

static inline int64_t contend_clock_ns_(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Right before an operation. 0 with record=no, where nothing is timed. */
static inline int64_t contend_begin(const struct contend_task *t)
{
	return t->timed_ ? contend_clock_ns_() : 0;
}

/*
 * Right behind it, with what contend_begin() returned. It is counted and timed, or, where ok is
 * false, counted as a failure.
 */
static inline void contend_end(struct contend_task *t, int64_t begin_ns, bool ok)
{
	if (__builtin_expect(!ok, 0))
		contend_fail(t);
	else if (t->timed_)
		contend_record(t, contend_clock_ns_() - begin_ns);
	else
		__atomic_store_n(t->count_, *t->count_ + 1, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
