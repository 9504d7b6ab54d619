// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "workload/crew/offspring.h"
#include "workload/program.h"
#include "workload/workload.h"

/*
 * A child that executes a tiny static program and has ended when the next one is made: what a shell
 * loop over /bin/true does, without shell, dynamic linker and file system.
 *
 * The child runs on the CPU of its task. It needs no PR_SET_PDEATHSIG, which would be one more
 * system call in what is measured: whatever becomes of its parent, it ends by itself at once.
 */

enum { CALL, CHILD };
enum { CHILD_CPU, CHILD_FAULTS };
enum { CALL_FORK, CALL_VFORK };

/* For the child until it executes; it shares the rest of the mm then. */
enum { STACK_BYTES = 16384 };

struct nest {
	int fd; /* the program */
	bool vfork;
};

/* Each page written, so that a fork has a page table entry of it to copy. */
static bool fill_memory(size_t bytes, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory;

	if (!bytes)
		return true;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return error_set_errno(err, "map size=");
	for (size_t at = 0; at < bytes; at += page)
		memory[at] = 1;
	return true;
}

static bool prepare(struct worker *w, struct error *err)
{
	static struct nest nest;

	nest.vfork = cast_integer(w->cast, "call") == CALL_VFORK;
	w->local = &nest;
	return program_open(&nest.fd, err) &&
	       fill_memory((size_t)cast_integer(w->cast, "size"), err);
}

/* What a child does. Its exit status is why it failed; the program itself has none but 0. */
static int become(void *nest)
{
	program_become(((struct nest *)nest)->fd);
	_exit(errno);
}

/*
 * vfork as posix_spawn does it, on a stack of its own: it returns when the child has executed the
 * program, or has ended. fork without what glibc does about locks and handlers, in which threads
 * would wait for each other.
 */
static pid_t start(struct nest *nest, char *stack)
{
	pid_t pid;

	if (nest->vfork)
		return clone(become, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, nest);
	pid = _Fork();
	if (!pid)
		become(nest);
	return pid;
}

static void work(struct worker *w)
{
	_Alignas(16) char stack[STACK_BYTES];
	struct nest *nest = w->local;

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, CHILD);
		pid_t pid = start(nest, stack);
		int64_t called = w->series[CALL] ? clock_now_ns() : 0;
		struct rusage usage;
		bool ok;

		if (pid < 0) {
			worker_fail(w);
			continue;
		}
		ok = offspring_wait(pid, &usage);
		worker_end(w, CHILD, begin, ok);
		if (!ok)
			continue;
		worker_record(w, CALL, called - begin);
		worker_add(w, CHILD_CPU, (uint64_t)offspring_used_ns(&usage));
		worker_add(w, CHILD_FAULTS, (uint64_t)usage.ru_minflt);
	}
}

static bool supported(const struct cast *cast, struct error *err)
{
	bool threads = text_equal(cast_string(cast, "mode"), "thread");
	double processes = threads ? 1 : (double)cast_integer(cast, "tasks");
	int fd;

	if (!cast_whole_pages(cast, "size", err) || !program_open(&fd, err))
		return false;
	close(fd);
	return cast_affords(cast, "the tasks", (double)cast_integer(cast, "size") * processes, err);
}

/* The latency is from before the fork to after the wait: what parent and child do in turn. */
static void tell_waiting(const struct role_sum *sum, struct text *note)
{
	uint64_t children = sum->tally.operations[CHILD];
	double cpu = (double)sum->cpu_ns + (double)sum->tally.counters[CHILD_CPU];

	if (children)
		offspring_tell_waiting("latency", sum->mean_ns[CHILD], cpu / (double)children,
				       note);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "forks a child that executes a program which only exits, and waits for it",
		.operations = {[CALL] = {.name = "call", .series = "call", .part = true},
			       [CHILD] = {.name = "child", .series = "latency"}},
		.counters = {[CHILD_CPU] = {.name = "child_cpu_ns"},
			     [CHILD_FAULTS] = {.name = "child_minor_faults"}},
		.prepare = prepare,
		.work = work,
		.note = tell_waiting,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"call", PARAM_CHOICE, "fork", .choices = "fork|vfork",
	 .help = "fork: the child has a copy of the address space until it executes; vfork: it "
		 "borrows its parent's, as with posix_spawn"},
	{"size", PARAM_BYTES, "0", .high = 0x1p44,
	 .help = "memory that each parent process has written, in whole pages: a fork copies its page tables"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"children", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.child", .primary = true,
	 .help = "children forked, executed and reaped per second, summed over the tasks"},
	METRIC_QUANTILES("latency", "task.latency",
			 "from before the fork until the child has been reaped"),
	METRIC_QUANTILES("call", "task.call",
			 "in the call itself: fork: until there is a child; vfork: until it has "
			 "executed the program"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.child",
	 .help = "CPU time of the parent a child"},
	{"child_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.child_cpu_ns", "task.child",
	 .help = "CPU time of a child, from fork to exit, as wait4 tells it: in whole microseconds "
		 "each of user and system"},
	{"child_faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.child_minor_faults",
	 "task.child", .help = "minor faults of a child"},
	{.name = NULL},
};

const struct workload workload_spawn = {
	.name = "spawn",
	.summary = "fork and exec of a tiny static program, and the wait for its end",
	.needs = "executable memfds",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
