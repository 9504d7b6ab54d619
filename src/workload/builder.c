// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/builder.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/procfs.h"

/* Of the child's further threads, which do nothing; all in one mapping. */
enum { STACK_BYTES = 64 << 10 };

/* ---- the child ---- */

struct idlers {
	pthread_barrier_t there;
	_Atomic pid_t last;
};

static void *idle(void *argument)
{
	struct idlers *idlers = argument;

	idlers->last = gettid();
	pthread_barrier_wait(&idlers->there);
	for (;;)
		pause();
	return NULL;
}

/* One after the other, each of them asleep before the next one is made. */
static bool start_threads(unsigned int count)
{
	static struct idlers idlers;
	pthread_attr_t attributes;
	char *stacks;

	if (!count)
		return true;
	stacks = mmap(NULL, (size_t)count * STACK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stacks == MAP_FAILED)
		return false;
	pthread_barrier_init(&idlers.there, NULL, 2);
	pthread_attr_init(&attributes);
	for (unsigned int i = 0; i < count; i++) {
		pthread_t ignored;

		pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK_BYTES, STACK_BYTES);
		errno = pthread_create(&ignored, &attributes, idle, &idlers);
		if (errno)
			return false;
		pthread_barrier_wait(&idlers.there);
		offspring_await_sleep(idlers.last);
	}
	return true;
}

/*
 * The files that are mapped, and the pidfds of brothers and sisters: closing them is not what is
 * measured. (Before Linux 5.9 they stay.)
 */
static void close_others(unsigned int fd)
{
	if (fd)
		syscall(SYS_close_range, 0U, fd - 1, 0U);
	syscall(SYS_close_range, fd + 1, ~0U, 0U);
}

static bool build(const struct builder *b, struct letter *letter, unsigned int steps)
{
	if (!offspring_move(b->w, steps))
		return false;
	letter->progress = BUILDER_MOVED;
	/*
	 * Threads and files first: what they need is mapped next to what is there and could merge
	 * with it, or lie in one of the gaps that the space has.
	 */
	if (!start_threads(b->threads - 1))
		return false;
	letter->progress = BUILDER_THREADED;
	if (b->files && !shared_files_map(b->files))
		return false;
	letter->progress = BUILDER_MAPPED;
	if (!space_build(&b->space, &letter->space))
		return false;
	letter->progress = BUILDER_BUILT;
	close_others((unsigned int)b->ready);
	return true;
}

static _Noreturn void child_main(const struct builder *b, struct letter *letter, unsigned int steps,
				 enum builder_end end)
{
	/* Makes the page tables for what the last act needs. */
	letter->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	letter->stamp_ns = clock_now_ns();
	if (!build(b, letter, steps)) {
		letter->reason = errno;
		_exit(1);
	}
	letter->built_ns = clock_now_ns();
	if (end != BUILDER_EXITS)
		eventfd_write(b->ready, 1);
	if (end == BUILDER_WAITS) {
		for (;;)
			pause();
	}
	while (end == BUILDER_GATED && !atomic_load(b->gate))
		syscall(SYS_futex, b->gate, FUTEX_WAIT, 0, NULL, NULL, 0);
	letter->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	letter->stamp_ns = clock_now_ns();
	_exit(0);
}

/* ---- its parent ---- */

/* As offspring_fork(), without a return in the child. */
bool builder_start(const struct builder *b, unsigned int number, unsigned int steps,
		   enum builder_end end, struct offspring *child)
{
	eventfd_t ignored;

	/* A child that died right behind its message has left it there. */
	eventfd_read(b->ready, &ignored);
	atomic_store(b->gate, 0);
	b->letters[number] = (struct letter){.progress = BUILDER_FORKED};
	switch (offspring_fork(child)) {
	case -1:
		return false;
	case 0:
		child_main(b, &b->letters[number], steps, end);
	}
	return true;
}

void builder_open_gate(const struct builder *b)
{
	atomic_store(b->gate, 1);
	syscall(SYS_futex, b->gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

bool builder_await(const struct builder *b, const struct offspring *child)
{
	return !offspring_await(child, b->ready) && offspring_await_sleep(child->pid);
}

/* ---- the trial ---- */

/* Why a child could not be built, from its letter; a limit is what the machine does not support. */
static bool explain(const struct builder *b, int failure, struct error *err)
{
	const struct letter *letter = &b->letters[0];
	bool limit = failure == ENOMEM || failure == EAGAIN;

	if (failure < 0) {
		error_set(err, ERROR_SYSTEM, "it was killed by SIG%s", sigabbrev_np(-failure));
	} else {
		errno = failure;
		if (letter->progress == BUILDER_FORKED)
			error_set_errno(err, "go to another CPU");
		else if (letter->progress == BUILDER_MOVED)
			error_set_errno(err, "start %u threads", b->threads);
		else if (letter->progress == BUILDER_THREADED)
			error_set_errno(err, "map the files");
		else
			space_refuse(&b->space, &letter->space, err);
		if (limit)
			err->code = ERROR_UNSUPPORTED;
	}
	return error_wrap(err, "the child");
}

bool builder_try(const struct builder *b, struct census *ret, struct error *err)
{
	const struct letter *letter = &b->letters[0];
	struct offspring child;
	struct rusage ignored;
	int64_t when;
	bool ready, fine;

	if (!builder_start(b, 0, 0, BUILDER_WAITS, &child))
		return error_set_errno(err, "fork");
	ready = builder_await(b, &child);
	fine = ready && census_take(child.pid, &b->space, &letter->space, ret, err);
	/* Also where it is not known to sleep: it may, and would never end. */
	offspring_kill(&child);
	if (offspring_reap(&child, ready, letter->reason, &when, &ignored))
		return fine;
	if (!ready && letter->progress == BUILDER_BUILT)
		return error_set(err, ERROR_SYSTEM, "the child: its state in /proc cannot be read");
	return explain(b, errno, err);
}

/* ---- its parameters ---- */

bool builder_prepare(struct builder *b, const struct worker *w, unsigned int at_once,
		     struct error *err)
{
	size_t letters_bytes = at_once * sizeof(*b->letters);
	void *shared = mmap(NULL, letters_bytes + sizeof(*b->gate), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return error_set_errno(err, "map a page");
	b->w = w;
	b->letters = shared;
	b->gate = (_Atomic uint32_t *)(b->letters + at_once);
	space_take(&b->space, w->cast);
	b->threads = (unsigned int)cast_integer(w->cast, "threads");
	b->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->ready < 0)
		return error_set_errno(err, "eventfd");
	return offspring_prepare(w, err);
}

/* What the kernel keeps for a thread, roughly. */
enum { THREAD_BYTES = 32 << 10 };

bool builder_supported(const struct cast *cast, unsigned int at_once, struct error *err)
{
	double bytes;

	if (!space_supported(cast, &bytes, err))
		return false;
	bytes += cast_number(cast, "threads") * THREAD_BYTES;
	/* The children are looked at below /proc. */
	return procfs_is_ours(err) &&
	       cast_affords(cast, "the children", bytes * at_once * cast_number(cast, "tasks"),
			    err);
}
