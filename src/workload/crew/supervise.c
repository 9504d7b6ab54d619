// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/supervise.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/crew/keeper.h"
#include "workload/crew/params.h"

/*
 * How long the supervisor waits for all tasks: to be at the gate, and to come to the end of an
 * operation (where they begin and end their windows). For many tasks on few CPUs some time each.
 */
static const int64_t READY_LIMIT_NS = 20 * NS_PER_SEC;
static const int64_t DRAIN_LIMIT_NS = 5 * NS_PER_SEC;
static const int64_t LIMIT_PER_TASK_NS = 10 * NS_PER_MS;

static const int64_t TICK_NS = NS_PER_SEC / 4;

/* Descriptors besides one for each worker: what a run cannot do without, and what is plenty. */
enum { OTHER_DESCRIPTORS_MIN = 16, OTHER_DESCRIPTORS = 64 };

enum { POLL_BELL, POLL_WATCH, POLL_WORKERS };

/* What a wait is for. */
enum goal {
	GOAL_TIME,    /* the deadline */
	GOAL_ARRIVAL, /* all awaited tasks; the deadline is a limit */
	GOAL_END,     /* the end of all workers; the deadline is a limit */
};

bool supervise_give_up(struct crew *c, enum outcome outcome, const char *format, ...)
{
	struct text reason = {0};
	va_list args;

	if (c->outcome != OUTCOME_OK)
		return false;
	va_start(args, format);
	text_vprintf(&reason, format, args);
	va_end(args);
	c->outcome = outcome;
	c->reason = text_take(&reason);
	return false;
}

bool supervise_give_up_for(struct crew *c, const struct error *err)
{
	enum outcome outcome = OUTCOME_FAILED;

	if (err->code == ERROR_UNSUPPORTED)
		outcome = OUTCOME_UNSUPPORTED;
	else if (err->code == ERROR_DATA)
		outcome = OUTCOME_INVALID;
	return supervise_give_up(c, outcome, "%s", err->text);
}

/* The first task of a process that has not come to a state. False: all have. */
static bool find_laggard(const struct crew *c, const struct process *p, enum task_state state,
			 const struct role **ret_role, unsigned int *ret_task)
{
	for (size_t i = 0; i < p->part_count; i++) {
		const struct part *part = &p->parts[i];

		for (unsigned int k = part->first; k < part->first + part->count; k++) {
			if (atomic_load(&stage_slot(&c->map, part->role, k)->state) >= state)
				continue;
			*ret_role = &c->cast.workload->roles[part->role];
			*ret_task = k;
			return true;
		}
	}
	return false;
}

static bool all_done(const struct crew *c, const struct member *m)
{
	const struct role *role;
	unsigned int task;

	return !find_laggard(c, &m->process, TASK_DONE, &role, &task);
}

/* Reaps a worker whose pidfd said that it has ended. False where it should not have. */
static bool reap(struct crew *c, size_t index)
{
	struct member *m = &c->members[index];
	char *name __free(memory) = process_text(&m->process);
	int status;

	/*
	 * What it has left behind goes with it. While it waits to be reaped its group cannot be
	 * anybody else's.
	 */
	kill(-m->child.pid, SIGKILL);
	if (!child_reap(&m->child, 0, &status))
		return true;
	c->living--;
	/* poll() passes over a negative one. */
	c->polled[POLL_WORKERS + index].fd = -1;
	if (WIFSIGNALED(status))
		return supervise_give_up(c, OUTCOME_CRASHED, "%s: %s", name,
					 child_status_text(status));
	if (stage_has_failed(&c->map) && c->map.stage->crashed)
		return supervise_give_up(c, OUTCOME_CRASHED, "%s", c->map.stage->failure.text);
	if (stage_has_failed(&c->map))
		return supervise_give_up_for(c, &c->map.stage->failure);
	if (status || !all_done(c, m))
		return supervise_give_up(c, OUTCOME_FAILED, "%s ended before its window did: %s",
					 name, child_status_text(status));
	return true;
}

/* Tells the watcher where the run is. False: it says stop. */
static bool tick(struct crew *c, const char *phase, double share)
{
	c->next_tick_ns = clock_now_ns() + TICK_NS;
	if (!c->watch)
		return true;
	if (c->watch->tick(c->watch->context, phase, share))
		return true;
	return supervise_give_up(c, OUTCOME_INTERRUPTED, "stopped during %s", phase);
}

/* The first task that has not come to a state: its name, owned by the caller, and its role. */
static char *laggard(const struct crew *c, enum task_state state, const struct role **ret_role)
{
	unsigned int task;

	for (size_t i = 0; i < c->forked; i++) {
		if (find_laggard(c, &c->members[i].process, state, ret_role, &task))
			return text_format("%s %u", (*ret_role)->name, task);
	}
	*ret_role = NULL;
	return text_format("a process");
}

static bool overdue(struct crew *c, const char *phase, int64_t limit_ns)
{
	static const struct {
		const char *phase;
		enum task_state state;
		const char *words;
	} cases[] = {
		{"ready", TASK_READY, "was not ready"},
		{"warm-up", TASK_INSIDE, "was still in an operation of the warm-up"},
		{"drain", TASK_DONE, "did not stop"},
	};
	size_t i = 0;

	while (!text_equal(cases[i].phase, phase))
		i++;
	const struct role *role;
	char *name __free(memory) = laggard(c, cases[i].state, &role);
	const char *slow = role ? role->slow : NULL;

	if (role && role->guest)
		slow = keeper_doing(&c->map);
	return supervise_give_up(c, OUTCOME_TIMEOUT, "%s %s after %lld s%s%s", name, cases[i].words,
				 (long long)(limit_ns / NS_PER_SEC), slow ? ": " : "",
				 slow ? slow : "");
}

/*
 * Waits for a goal, at most for span_ns, while watching over the workers and ticking. False: the
 * run is over.
 */
static bool await(struct crew *c, enum goal goal, const char *phase, int64_t span_ns)
{
	int64_t begin_ns = clock_now_ns();
	int64_t deadline_ns = begin_ns + span_ns;

	for (;;) {
		int64_t now_ns = clock_now_ns(), wake_ns = deadline_ns;
		struct timespec timeout;
		eventfd_t rings;

		if (goal == GOAL_END && !c->living)
			return true;
		if (now_ns >= deadline_ns)
			return goal == GOAL_TIME || overdue(c, phase, span_ns);
		if (now_ns >= c->next_tick_ns &&
		    !tick(c, phase,
			  goal == GOAL_TIME ? (double)(now_ns - begin_ns) / (double)span_ns : 0))
			return false;
		if (now_ns >= c->slices.due_ns)
			slices_read(&c->slices);
		if (c->next_tick_ns < wake_ns)
			wake_ns = c->next_tick_ns;
		if (c->slices.due_ns < wake_ns)
			wake_ns = c->slices.due_ns;
		now_ns = clock_now_ns();
		wake_ns = wake_ns > now_ns ? wake_ns - now_ns : 0;
		timeout.tv_sec = wake_ns / NS_PER_SEC;
		timeout.tv_nsec = wake_ns % NS_PER_SEC;
		if (ppoll(c->polled, POLL_WORKERS + c->forked, &timeout, NULL) <= 0)
			continue;
		if (c->polled[POLL_WATCH].revents)
			c->next_tick_ns = 0;
		for (size_t i = 0; i < c->forked; i++) {
			if (c->polled[POLL_WORKERS + i].revents && !reap(c, i))
				return false;
		}
		if (c->polled[POLL_BELL].revents) {
			eventfd_read(c->map.bell, &rings);
			if (goal == GOAL_ARRIVAL)
				return true;
		}
	}
}

static int64_t limit_ns(const struct crew *c, int64_t base_ns)
{
	return base_ns + c->tasks * LIMIT_PER_TASK_NS;
}

/* Each worker has a pidfd. A hard limit that is low only has to leave what is needed. */
static bool raise_descriptor_limit(size_t workers, struct error *err)
{
	struct rlimit limit;
	rlim_t need = workers + OTHER_DESCRIPTORS_MIN, wish = workers + OTHER_DESCRIPTORS;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return error_set_errno(err, "getrlimit");
	if (limit.rlim_cur >= wish)
		return true;
	if (limit.rlim_max < need)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%zu process%s %llu open files: the limit is %llu", workers,
				 workers == 1 ? " needs" : "es need", (unsigned long long)need,
				 (unsigned long long)limit.rlim_max);
	limit.rlim_cur = limit.rlim_max < wish ? limit.rlim_max : wish;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return error_set_errno(err, "setrlimit");
	return true;
}

static bool start_process(struct crew *c, const struct process *process)
{
	struct member *m = &c->members[c->forked];
	struct error err;

	m->child = (struct child)CHILD_NONE;
	m->process = *process;
	switch (child_fork(&m->child, &err)) {
	case -1: {
		char *name __free(memory) = process_text(process);

		error_wrap(&err, "%s", name);
		return supervise_give_up_for(c, &err);
	}
	case 0:
		process_main(&m->process);
	}
	c->polled[POLL_WORKERS + c->forked].fd = m->child.pidfd;
	c->polled[POLL_WORKERS + c->forked].events = POLLIN;
	c->forked++;
	c->living++;
	return true;
}

/*
 * Forks the processes of the roles from `begin` to before `end` (several only where they share one
 * process) and waits until all are at the gate.
 */
static bool start_group(struct crew *c, size_t begin, size_t end)
{
	struct process process = {
		.cast = &c->cast,
		.placement = &c->placement,
		.map = &c->map,
		.threads = cast_threads(&c->cast, &c->cast.workload->roles[begin]),
	};
	uint32_t tasks = 0;

	for (size_t r = begin; r < end; r++) {
		unsigned int count = c->placement.roles[r].tasks;

		if (count)
			process.parts[process.part_count++] = (struct part){r, 0, count};
		tasks += count;
	}
	if (!tasks)
		return true;
	stage_await(&c->map, tasks);
	bool guest = c->cast.workload->roles[begin].guest;
	bool together = process.threads || guest;

	if (guest)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (together && !start_process(c, &process))
		return false;
	for (unsigned int k = 0; !together && k < tasks; k++) {
		process.parts[0] = (struct part){begin, k, 1};
		if (!start_process(c, &process))
			return false;
	}
	return await(c, GOAL_ARRIVAL, "ready", limit_ns(c, READY_LIMIT_NS));
}

static bool start_roles(struct crew *c)
{
	const struct role *roles = c->cast.workload->roles;
	size_t workers = 0;
	struct error err;

	for (size_t r = 0; roles[r].name; r++) {
		unsigned int tasks = c->placement.roles[r].tasks;

		if (tasks)
			workers += cast_threads(&c->cast, &roles[r]) ? 1 : tasks;
		c->tasks += tasks;
	}
	if (!c->tasks)
		return supervise_give_up(c, OUTCOME_INVALID,
					 "no role has a task with these parameters");
	if (!raise_descriptor_limit(workers, &err))
		return supervise_give_up_for(c, &err);
	c->members = memory_array(workers, sizeof(*c->members));
	c->polled = memory_array(POLL_WORKERS + workers, sizeof(*c->polled));
	c->polled[POLL_BELL] = (struct pollfd){.fd = c->map.bell, .events = POLLIN};
	c->polled[POLL_WATCH] =
		(struct pollfd){.fd = c->watch ? c->watch->fd : -1, .events = POLLIN};
	for (size_t r = 0, next; roles[r].name; r = next) {
		next = r + 1;
		while (roles[next].name && roles[next].with)
			next++;
		if (!start_group(c, r, next))
			return false;
	}
	return true;
}

/* From the open gate to the end of all workers. */
static bool perform(struct crew *c)
{
	c->next_tick_ns = 0;
	stage_await(&c->map, c->tasks);
	stage_set_phase(&c->map, PHASE_WARM);
	if (!await(c, GOAL_TIME, "warm-up", cast_integer(&c->cast, "warmup")))
		return false;
	idle_begin(&c->idle);
	machine_begin(&c->machine);
	/* The time runs from when the last task has begun its window. */
	stage_set_phase(&c->map, PHASE_WINDOW);
	if (!await(c, GOAL_ARRIVAL, "warm-up", limit_ns(c, DRAIN_LIMIT_NS)))
		return false;
	slices_begin(&c->slices, &c->cast, &c->placement, &c->map,
		     cast_integer(&c->cast, "window"));
	if (!await(c, GOAL_TIME, "window", cast_integer(&c->cast, "window")))
		return false;
	slices_end(&c->slices);
	stage_await(&c->map, c->tasks);
	stage_set_phase(&c->map, PHASE_STOP);
	idle_end(&c->idle);
	machine_end(&c->machine);
	if (!await(c, GOAL_ARRIVAL, "drain", limit_ns(c, DRAIN_LIMIT_NS)))
		return false;
	stage_set_phase(&c->map, PHASE_EXIT);
	return await(c, GOAL_END, "drain", limit_ns(c, DRAIN_LIMIT_NS));
}

static bool is_keeper(const struct member *m)
{
	return m->process.cast->workload->roles[m->process.parts[0].role].guest;
}

/* A keeper knows what has left its group, and is given time to end it. */
static void tell_keepers(struct crew *c)
{
	for (size_t i = 0; i < c->forked; i++) {
		const struct member *m = &c->members[i];
		struct pollfd ended = {.fd = m->child.pidfd, .events = POLLIN};

		if (!m->child.pid || !is_keeper(m))
			continue;
		kill(m->child.pid, SIGTERM);
		poll(&ended, 1, KEEPER_GRACE_MS);
	}
}

/* Whether a keeper is among the workers, who may have died before what it keeps. */
static bool has_keeper(const struct crew *c)
{
	for (size_t i = 0; i < c->forked; i++) {
		if (is_keeper(&c->members[i]))
			return true;
	}
	return false;
}

bool supervise(struct crew *c)
{
	return start_roles(c) && perform(c);
}

void supervise_dismiss(struct crew *c)
{
	tell_keepers(c);
	for (size_t i = 0; i < c->forked; i++) {
		if (c->members[i].child.pid)
			kill(-c->members[i].child.pid, SIGKILL);
	}
	for (size_t i = 0; i < c->forked; i++)
		child_done(&c->members[i].child);
	if (has_keeper(c)) {
		keeper_sweep();
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	}
	/* What a worker had forked is ours now, where the agent is PID 1. */
	child_reap_strays();
}
