// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/minder.h"

#include <sys/resource.h>

#include "kernel/task_usage.h"

/*
 * How often a moment is read again where the task got onto the CPU in the midst of it; then it is
 * off by what it could do meanwhile, some 10 us.
 */
enum { MOMENT_TRIES = 20 };

/* A task and the threads that it has made itself. */
struct minded {
	struct slot *slot;
	struct task_usage_files files[1 + SLOT_HELPERS];
	unsigned int count;
};

static void minded_done(struct minded *m)
{
	while (m->count)
		task_usage_close(&m->files[--m->count]);
}

static bool add(struct minded *m, pid_t tid, struct error *err)
{
	if (!task_usage_open(tid, &m->files[m->count], err))
		return false;
	m->count++;
	return true;
}

/* Those that the task has made since, in its warm-up. One that has ended already is not missed. */
static void add_helpers(struct minded *m)
{
	uint32_t helpers = atomic_load(&m->slot->helpers);
	struct error ignored;

	for (uint32_t i = 0; i < helpers && i < SLOT_HELPERS; i++) {
		pid_t tid = atomic_load(&m->slot->helper_pids[i]);

		if (tid)
			add(m, tid, &ignored);
	}
}

/* Adds up what all of them have used. One that has ended has used nothing. */
static bool read_all(const struct minded *m, struct stamp *ret, int *ret_cpu)
{
	struct stamp sum = {.system_ns = -1};

	for (unsigned int i = 0; i < m->count; i++) {
		struct task_usage usage;

		if (!task_usage_read(&m->files[i], &usage)) {
			if (!i)
				return false;
			continue;
		}
		if (!i)
			*ret_cpu = usage.cpu;
		sum.voluntary_switches += usage.voluntary_switches;
		sum.involuntary_switches += usage.involuntary_switches;
		sum.minor_faults += usage.minor_faults;
		sum.major_faults += usage.major_faults;
		sum.run_delay_ns = usage.run_delay_ns;
	}
	/* Those on one CPU wait for each other, which is no loss to others. */
	if (m->count > 1)
		sum.run_delay_ns = -1;
	*ret = sum;
	return true;
}

static int64_t cpu_ns(const struct minded *m)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < m->count; i++) {
		struct task_usage usage;

		if (task_usage_read_times(&m->files[i], &usage))
			sum += usage.cpu_ns;
	}
	return sum;
}

/* Clock, CPU time and count of one moment: one in which the task has used no CPU time. */
static uint64_t read_moment(const struct minded *m, struct stamp *ret)
{
	uint64_t iterations;
	int64_t before;
	int tries = 0;

	do {
		before = cpu_ns(m);
		iterations = stage_iterations(m->slot);
		ret->clock_ns = clock_now_ns();
		ret->cpu_ns = cpu_ns(m);
	} while (ret->cpu_ns != before && ++tries < MOMENT_TRIES);
	return iterations;
}

static bool gone(const struct task *t, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "%s %u has ended before its window did",
			 t->worker.role->name, t->worker.task);
}

static bool enter(const struct task *t, struct minded *m, struct error *err)
{
	struct stamp usage, moment;
	int cpu = -1;

	add_helpers(m);
	if (!read_all(m, &usage, &cpu))
		return gone(t, err);
	task_check_pinned(t, m->slot->pid, cpu, STRAY_BEGIN);
	m->slot->begin_iterations = read_moment(m, &moment);
	usage.clock_ns = moment.clock_ns;
	usage.cpu_ns = moment.cpu_ns;
	m->slot->begin = usage;
	atomic_store(&m->slot->state, TASK_INSIDE);
	stage_arrive(t->map);
	return true;
}

static bool leave(const struct task *t, struct minded *m, struct error *err)
{
	struct stamp usage, moment;
	uint64_t iterations = read_moment(m, &moment);
	int cpu = -1;

	if (!read_all(m, &usage, &cpu))
		return gone(t, err);
	task_check_pinned(t, m->slot->pid, cpu, STRAY_END);
	usage.clock_ns = moment.clock_ns;
	usage.cpu_ns = moment.cpu_ns;
	m->slot->end = usage;
	if (iterations < m->slot->begin_iterations)
		return error_set(
			err, ERROR_DATA,
			"%s %u counted %llu iterations when its window began and %llu when "
			"it ended: a test case may only add to its count",
			t->worker.role->name, t->worker.task,
			(unsigned long long)m->slot->begin_iterations,
			(unsigned long long)iterations);
	/* From here on it is as if the task had counted them itself. */
	m->slot->tally.operations[0] = iterations - m->slot->begin_iterations;
	atomic_store(&m->slot->state, TASK_DONE);
	stage_arrive(t->map);
	return true;
}

bool minder_perform(struct task *t, struct error *err)
{
	struct minded m __cleanup(minded_done) = {.slot = t->slot};

	if (!task_pin(t->cpu, err))
		return false;
	/*
	 * Where that is allowed it is served first: a late edge makes a window longer than asked.
	 */
	setpriority(PRIO_PROCESS, 0, -20);
	stage_wait_ready(t->slot);
	if (!add(&m, t->slot->pid, err))
		return gone(t, err);
	/* For the task, which may have closed the descriptor that it would do it by. */
	stage_arrive(t->map);
	stage_wait_while(t->map, PHASE_GATE);
	stage_wait_while(t->map, PHASE_WARM);
	if (!enter(t, &m, err))
		return false;
	stage_wait_while(t->map, PHASE_WINDOW);
	if (!leave(t, &m, err))
		return false;
	stage_wait_while(t->map, PHASE_STOP);
	return true;
}
