// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/process.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "workload/crew/keeper.h"
#include "workload/crew/task.h"

/* The loop allocates nothing and calls nothing deep; sanitizers and unwinders need some. */
enum { STACK_BYTES = 1 << 20 };

/* This process, and the role that is made ready, for the handler that gets no argument. */
static const struct process *current;
static const char *current_role;

static const struct role *role_of(const struct process *p, size_t part)
{
	return &p->cast->workload->roles[p->parts[part].role];
}

char *process_text(const struct process *p)
{
	struct text t __text = {0};

	for (size_t i = 0; i < p->part_count; i++) {
		const struct part *part = &p->parts[i];

		text_printf(&t, "%s%s %u", i ? " with " : "", role_of(p, i)->name, part->first);
		if (part->count > 1)
			text_printf(&t, " to %u", part->first + part->count - 1);
	}
	return text_take(&t);
}

/* Leaves the reason for the supervisor and ends the process with all its threads. */
static _Noreturn void die(const struct error *err)
{
	stage_fail(current->map, err);
	_exit(1);
}

static void out_of_memory(void)
{
	struct error err;

	error_set(&err, ERROR_SYSTEM, "%s: out of memory", current_role);
	die(&err);
}

static void close_from_to(int first, int last)
{
	if (first <= last)
		syscall(SYS_close_range, first, last, 0U);
}

/*
 * Keeps nothing of the agent's but standard error: not the pipes to the controller, whose end would
 * not be seen while a worker has them, and not the other workers' pidfds.
 */
static void detach(const struct process *p)
{
	int bell = p->map->bell, memory = p->map->fd;
	int low = memory >= 0 && memory < bell ? memory : bell;
	int high = memory > bell ? memory : bell;
	struct rlimit none = {0, 0};

	close(STDIN_FILENO);
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	close_from_to(STDERR_FILENO + 1, low - 1);
	close_from_to(low + 1, high - 1);
	close_from_to(high + 1, INT_MAX);
	/* The stage would be most of the core, and the agent tells of the signal. */
	setrlimit(RLIMIT_CORE, &none);
	memory_on_failure(out_of_memory);
}

/* Children inherit it. Anybody may raise his own. */
void process_offer_to_oom_killer(void)
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

static bool finish(const struct task *t, struct error *err)
{
	const struct role *role = t->worker.role;

	return !role->finish || role->finish(&t->worker, err);
}

/* One task: the process itself. */
static bool perform_alone(const struct process *p, struct error *err)
{
	const struct part *part = &p->parts[0];
	struct task t;

	task_init(&t, p->cast, p->map, p->placement, part->role, part->first);
	if (task_settle(&t, err) && prepare(&t, err) && task_perform(&t, err) && finish(&t, err))
		return true;
	return error_wrap(err, "%s %u", t.worker.role->name, part->first);
}

/* What the threads of a process have in common. */
struct troupe {
	void *locals[ROLE_MAX];	    /* by part */
	pthread_barrier_t settled;  /* all threads are there: prepare() may begin */
	pthread_barrier_t prepared; /* it has ended */
};

struct thread {
	pthread_t handle;
	struct troupe *troupe;
	size_t part;
	struct task task;
};

static void *thread_main(void *argument)
{
	const struct thread *thread = argument;
	struct troupe *troupe = thread->troupe;
	struct error err;
	struct task t; /* on this thread's own stack, far from the others' */

	task_move(&t, &thread->task);
	prctl(PR_SET_NAME, t.worker.role->name);
	if (!task_settle(&t, &err)) {
		error_wrap(&err, "%s %u", t.worker.role->name, t.worker.task);
		die(&err);
	}
	pthread_barrier_wait(&troupe->settled);
	pthread_barrier_wait(&troupe->prepared);
	t.worker.local = troupe->locals[thread->part];
	if (!task_perform(&t, &err)) {
		error_wrap(&err, "%s %u", t.worker.role->name, t.worker.task);
		die(&err);
	}
	return NULL;
}

static unsigned int count_tasks(const struct process *p)
{
	unsigned int count = 0;

	for (size_t i = 0; i < p->part_count; i++)
		count += p->parts[i].count;
	return count;
}

/* Starts the threads of all parts, one behind the other in the array. */
static bool start_threads(const struct process *p, struct troupe *troupe, struct thread *threads,
			  struct error *err)
{
	unsigned int count = count_tasks(p);
	struct thread *thread = threads;
	pthread_attr_t attributes;
	int failure = 0;

	pthread_barrier_init(&troupe->settled, NULL, count + 1);
	pthread_barrier_init(&troupe->prepared, NULL, count + 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (size_t i = 0; i < p->part_count; i++) {
		const struct part *part = &p->parts[i];

		for (unsigned int k = 0; k < part->count && !failure; k++, thread++) {
			thread->troupe = troupe;
			thread->part = i;
			task_init(&thread->task, p->cast, p->map, p->placement, part->role,
				  part->first + k);
			failure = pthread_create(&thread->handle, &attributes, thread_main, thread);
		}
	}
	pthread_attr_destroy(&attributes);
	if (failure)
		return error_set(err, ERROR_SYSTEM, "start %u threads: %s", count,
				 strerror(failure));
	return true;
}

/* Calls prepare() of each role, on the CPU of its first task. */
static bool prepare_parts(const struct process *p, struct task *leaders, struct troupe *troupe,
			  struct error *err)
{
	void *local = NULL;

	for (size_t i = 0; i < p->part_count; i++) {
		struct task *t = &leaders[i];

		current_role = role_of(p, i)->name;
		t->worker.local = local;
		if (!task_pin(t->cpu, err) || !prepare(t, err))
			return error_wrap(err, "%s", current_role);
		local = troupe->locals[i] = t->worker.local;
	}
	return true;
}

static bool finish_parts(const struct process *p, const struct task *leaders, struct error *err)
{
	for (size_t i = 0; i < p->part_count; i++) {
		if (!finish(&leaders[i], err))
			return error_wrap(err, "%s", role_of(p, i)->name);
	}
	return true;
}

/*
 * Several tasks, or one beside a thread that waits. The threads exist and have touched what they
 * need before prepare() is called: what it sets up for the loop (a break that is nobody else's)
 * must not be used up by the making of threads.
 */
static bool perform_threads(const struct process *p, struct error *err)
{
	unsigned int count = count_tasks(p);
	struct thread *threads = memory_array(count, sizeof(*threads));
	struct task leaders[ROLE_MAX] = {0};
	struct troupe troupe = {.locals = {NULL}};

	for (size_t i = 0; i < p->part_count; i++)
		task_init(&leaders[i], p->cast, p->map, p->placement, p->parts[i].role,
			  p->parts[i].first);
	if (!task_pin(leaders[0].cpu, err) || !start_threads(p, &troupe, threads, err))
		return error_wrap(err, "%s", current_role);
	pthread_barrier_wait(&troupe.settled);
	if (!prepare_parts(p, leaders, &troupe, err))
		return false;
	pthread_barrier_wait(&troupe.prepared);
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i].handle, NULL);
	return finish_parts(p, leaders, err);
}

void process_main(const struct process *p)
{
	struct error err;

	current = p;
	current_role = role_of(p, 0)->name;
	if (p->cast->surroundings && !surroundings_enter(p->cast->surroundings, &err))
		die(&err);
	detach(p);
	process_offer_to_oom_killer();
	/* The name of a role is what `ps`, perf and the kernel's traces show, of each thread. */
	prctl(PR_SET_NAME, current_role);
	if (role_of(p, 0)->guest) {
		if (!keeper_perform(p, &err))
			die(&err);
		_exit(0);
	}
	if (!(p->threads ? perform_threads(p, &err) : perform_alone(p, &err)))
		die(&err);
	/* Not exit(): what the agent registered for its own end is none of ours. */
	_exit(0);
}
