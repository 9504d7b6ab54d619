// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "workload/crew/task.h"

/* The loop allocates nothing and calls nothing deep; sanitizers and unwinders need some. */
enum { STACK_BYTES = 1 << 20 };

/* This process, for the handler that gets no argument. */
static const struct process *current;

/* Leaves the reason for the supervisor and ends the process with all its threads. */
static _Noreturn void die(const struct error *err)
{
	stage_fail(current->map, err);
	_exit(1);
}

static void out_of_memory(void)
{
	struct error err;

	error_set(&err, ERROR_SYSTEM, "%s: out of memory",
		  current->cast->workload->roles[current->role].name);
	die(&err);
}

/*
 * Keeps nothing of the agent's but standard error: not the pipes to the controller, whose end would
 * not be seen while a worker has them, and not the other workers' pidfds.
 */
static void detach(const struct process *p)
{
	unsigned int bell = (unsigned int)p->map->bell;
	struct rlimit none = {0, 0};

	close(STDIN_FILENO);
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	if (bell > 3)
		syscall(SYS_close_range, 3U, bell - 1, 0U);
	syscall(SYS_close_range, bell + 1, ~0U, 0U);
	/* The stage would be most of the core, and the agent tells of the signal. */
	setrlimit(RLIMIT_CORE, &none);
	memory_on_failure(out_of_memory);
}

/*
 * Where memory ends the OOM killer is to take the workers, who fill it, and not the agent, who
 * tells of it. Their children inherit it. Anybody may raise his own.
 */
static void offer_to_oom_killer(void)
{
	int fd __free(fd) = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	struct error ignored;

	if (fd >= 0)
		file_write_all(fd, "1000", 4, &ignored);
}

static bool prepare(struct task *t, struct error *err)
{
	const struct role *role = t->worker.role;

	return !role->prepare || role->prepare(&t->worker, err);
}

/* One task: the process itself. */
static bool perform_alone(const struct process *p, struct error *err)
{
	struct task t;

	task_init(&t, p->cast, p->map, p->placement, p->role, p->first);
	if (task_settle(&t, err) && prepare(&t, err) && task_perform(&t, err))
		return true;
	return error_wrap(err, "%s %u", t.worker.role->name, p->first);
}

/* What the threads of a process have in common. */
struct troupe {
	void *local;
	pthread_barrier_t settled;  /* all threads are there: prepare() may begin */
	pthread_barrier_t prepared; /* it has ended */
};

struct thread {
	pthread_t handle;
	struct troupe *troupe;
	struct task task;
};

static void *thread_main(void *argument)
{
	const struct thread *thread = argument;
	struct troupe *troupe = thread->troupe;
	struct error err;
	struct task t; /* on this thread's own stack, far from the others' */

	task_move(&t, &thread->task);
	if (!task_settle(&t, &err)) {
		error_wrap(&err, "%s %u", t.worker.role->name, t.worker.task);
		die(&err);
	}
	pthread_barrier_wait(&troupe->settled);
	pthread_barrier_wait(&troupe->prepared);
	t.worker.local = troupe->local;
	if (!task_perform(&t, &err)) {
		error_wrap(&err, "%s %u", t.worker.role->name, t.worker.task);
		die(&err);
	}
	return NULL;
}

static bool start_threads(const struct process *p, struct troupe *troupe, struct thread *threads,
			  struct error *err)
{
	pthread_attr_t attributes;
	int failure = 0;

	pthread_barrier_init(&troupe->settled, NULL, p->count + 1);
	pthread_barrier_init(&troupe->prepared, NULL, p->count + 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned int i = 0; i < p->count && !failure; i++) {
		threads[i].troupe = troupe;
		task_init(&threads[i].task, p->cast, p->map, p->placement, p->role, p->first + i);
		failure = pthread_create(&threads[i].handle, &attributes, thread_main, &threads[i]);
	}
	pthread_attr_destroy(&attributes);
	if (failure)
		return error_set(err, ERROR_SYSTEM, "start %u threads: %s", p->count,
				 strerror(failure));
	return true;
}

/*
 * Several tasks, or one beside a thread that waits. The threads exist and have touched what they
 * need before prepare() is called: what it sets up for the loop (a break that is nobody else's)
 * must not be used up by the making of threads.
 */
static bool perform_threads(const struct process *p, struct error *err)
{
	const char *name = p->cast->workload->roles[p->role].name;
	struct thread *threads = memory_array(p->count, sizeof(*threads));
	struct troupe troupe = {.local = NULL};
	struct task t;

	task_init(&t, p->cast, p->map, p->placement, p->role, p->first);
	if (!task_pin(t.cpu, err) || !start_threads(p, &troupe, threads, err))
		return error_wrap(err, "%s", name);
	pthread_barrier_wait(&troupe.settled);
	if (!prepare(&t, err))
		return error_wrap(err, "%s", name);
	troupe.local = t.worker.local;
	pthread_barrier_wait(&troupe.prepared);
	for (unsigned int i = 0; i < p->count; i++)
		pthread_join(threads[i].handle, NULL);
	return true;
}

void process_main(const struct process *p)
{
	struct error err;

	current = p;
	detach(p);
	offer_to_oom_killer();
	/*
	 * The name of the role is what `ps`, perf and the kernel's traces show, threads included.
	 */
	prctl(PR_SET_NAME, p->cast->workload->roles[p->role].name);
	if (!(p->threads ? perform_threads(p, &err) : perform_alone(p, &err)))
		die(&err);
	/* Not exit(): what the agent registered for its own end is none of ours. */
	_exit(0);
}
