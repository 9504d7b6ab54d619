// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/tasks.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "workload/crew/offspring.h"
#include "workload/crew/task.h"

/*
 * What all tasks of this process, or this task, have to know; also for new_task(), which is called
 * without an argument of ours.
 */
static struct {
	const struct handover *handover;
	const struct test *test;
	struct role roles[ROLE_MAX + 1]; /* as declared, but for work(), which is the test's */
	struct workload workload;	 /* the one of these roles */
	struct cast cast;
	sigset_t signals; /* as the test finds them */
} all;

/* The part of the calling task. */
static _Thread_local struct slot *own_slot;

/* Threads beside the main one that can be parked. */
enum { PARK_SIGNAL = SIGUSR2 };
static _Atomic unsigned int parked;

void tasks_claim_signals(void)
{
	sigset_t set;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &all.signals);
}

static void work(struct worker *w)
{
	test_work(all.test, w);
}

static _Noreturn void die(const struct task *t, struct error *err)
{
	error_wrap(err, "%s %u", t->worker.role->name, t->worker.task);
	stage_fail(t->map, err);
	_exit(1);
}

/* One task, in its own thread or process, to its end. */
static void perform(struct task *t)
{
	struct error err;

	own_slot = t->slot;
	if (!task_settle(t, &err))
		die(t, &err);
	if (all.test->work) {
		if (!task_perform(t, &err))
			die(t, &err);
		return;
	}
	stage_set_ready(t->slot);
	stage_wait_while(t->map, PHASE_GATE);
	all.test->testcase(&t->slot->iterations, t->worker.task);
	error_set(&err, ERROR_SYSTEM, "testcase() returned, and should go on for ever");
	die(t, &err);
}

static void init(struct task *t, unsigned int number)
{
	task_init(t, &all.cast, &all.handover->map, &all.handover->placement, all.handover->role,
		  number);
}

/* Waits for a signal to this thread. */
static int await_signal(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	while ((sig = sigwaitinfo(&set, NULL)) < 0)
		;
	return sig;
}

/* Threads. */

static void *thread_main(void *argument)
{
	struct task t; /* on this thread's own stack, far from the others' */

	task_move(&t, argument);
	pthread_sigmask(SIG_SETMASK, &all.signals, NULL);
	perform(&t);
	return NULL;
}

/* Stays here until the process ends. */
static void park(int sig __attribute__((unused)))
{
	atomic_fetch_add(&parked, 1);
	for (;;)
		pause();
}

/*
 * The loops of a test case know no end, and a thread that is cancelled in the midst of malloc()
 * leaves it locked (so will-it-scale's malloc1_threads never ends). They are stopped where they are
 * instead, for the cleanup function, and end with the process.
 */
static void park_threads(const pthread_t *threads, unsigned int count)
{
	struct sigaction action = {.sa_handler = park};
	int64_t deadline_ns = clock_now_ns() + 100 * NS_PER_MS;

	sigfillset(&action.sa_mask);
	sigaction(PARK_SIGNAL, &action, NULL);
	for (unsigned int i = 0; i < count; i++)
		pthread_kill(threads[i], PARK_SIGNAL);
	/* One that sleeps where no signal wakes it does no harm to a cleanup. */
	while (atomic_load(&parked) < count && clock_now_ns() < deadline_ns)
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
}

static bool perform_threads(struct error *err)
{
	unsigned int count = all.handover->placement.roles[all.handover->role].tasks;
	pthread_t *threads = memory_array(count, sizeof(*threads));
	struct task *tasks = memory_array(count, sizeof(*tasks));
	int failure = 0;

	for (unsigned int i = 0; i < count && !failure; i++) {
		init(&tasks[i], i);
		failure = pthread_create(&threads[i], NULL, thread_main, &tasks[i]);
	}
	if (failure)
		return error_set(err, ERROR_SYSTEM, "start %u threads: %s", count,
				 strerror(failure));
	/* Children of the test's own are none of ours. */
	while (await_signal() != SIGTERM)
		;
	if (all.test->testcase)
		park_threads(threads, count);
	for (unsigned int i = 0; all.test->work && i < count; i++)
		pthread_join(threads[i], NULL);
	return true;
}

/* Processes. */

/* Whether one that has ended may: all is measured, and it does so by itself. */
static bool may_end(int status)
{
	const struct stage *stage = all.handover->map.stage;

	return !status && all.test->work && atomic_load(&stage->phase) == PHASE_EXIT;
}

/* Reaps those that have ended. One that should not have ends this process. */
static void reap_ended(struct offspring *tasks, unsigned int count)
{
	struct guest *guest = &all.handover->map.stage->guest;

	for (unsigned int i = 0; i < count; i++) {
		int status;

		if (!tasks[i].pid || waitpid(tasks[i].pid, &status, WNOHANG) != tasks[i].pid)
			continue;
		tasks[i].pid = 0;
		if (may_end(status))
			continue;
		guest->fallen_task = i;
		guest->fallen_status = status;
		atomic_store(&guest->fallen, 1);
		_exit(1);
	}
}

static void await_end(struct offspring *tasks, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		int status;

		if (!tasks[i].pid)
			continue;
		if (all.test->testcase)
			offspring_kill(&tasks[i]);
		waitpid(tasks[i].pid, &status, 0);
	}
}

static bool perform_processes(struct error *err)
{
	unsigned int count = all.handover->placement.roles[all.handover->role].tasks;
	struct offspring *tasks = memory_array(count, sizeof(*tasks));

	for (unsigned int i = 0; i < count; i++) {
		struct task t;

		init(&t, i);
		switch (offspring_fork(&tasks[i])) {
		case -1:
			return error_set_errno(err, "fork %s %u",
					       all.roles[all.handover->role].name, i);
		case 0:
			for (unsigned int k = 0; k < i; k++)
				close(tasks[k].pidfd);
			sigprocmask(SIG_SETMASK, &all.signals, NULL);
			perform(&t);
			_exit(0);
		}
	}
	/* The test may have had its children reaped by the kernel. */
	signal(SIGCHLD, SIG_DFL);
	do
		reap_ended(tasks, count);
	while (await_signal() != SIGTERM);
	await_end(tasks, count);
	return true;
}

bool tasks_perform(const struct handover *h, const struct test *test, struct error *err)
{
	all.handover = h;
	all.test = test;
	all.workload = *h->cast.workload;
	for (size_t r = 0; all.workload.roles[r].name; r++)
		all.roles[r] = all.workload.roles[r];
	all.roles[h->role].work = work;
	all.workload.roles = all.roles;
	all.cast = h->cast;
	all.cast.workload = &all.workload;
	return h->threads ? perform_threads(err) : perform_processes(err);
}

/*
 * Its thread is counted with the task's. Threads of one task may get here side by side, as each
 * says it for itself.
 */
static void register_helper(struct slot *slot, pid_t tid)
{
	uint32_t number = slot ? atomic_fetch_add(&slot->helpers, 1) : SLOT_HELPERS;

	if (number < SLOT_HELPERS)
		atomic_store(&slot->helper_pids[number], tid);
}

struct helper {
	void *(*func)(void *);
	void *arg;
	struct slot *slot;
};

static void *helper_main(void *argument)
{
	struct helper helper = *(struct helper *)argument;

	free(argument);
	register_helper(helper.slot, gettid());
	return helper.func(helper.arg);
}

/* Exported for the test case; it has nobody to tell of a failure. */
void new_task(void *(*func)(void *), void *arg)
{
	struct offspring child;
	pthread_t ignored;

	if (all.handover && all.handover->threads) {
		struct helper *helper = memory_alloc(sizeof(*helper));

		*helper = (struct helper){.func = func, .arg = arg, .slot = own_slot};
		if (pthread_create(&ignored, NULL, helper_main, helper))
			abort();
		return;
	}
	switch (offspring_fork(&child)) {
	case -1:
		abort();
	case 0:
		func(arg);
		_exit(0);
	}
	close(child.pidfd);
	register_helper(own_slot, child.pid);
}
