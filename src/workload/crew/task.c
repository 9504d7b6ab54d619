// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/task.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "workload/crew/params.h"

/* As many CPUs as any kernel is built for. */
struct mask {
	cpu_set_t parts[8];
};

bool task_pin(int cpu, struct error *err)
{
	struct mask mask = {0};

	CPU_SET_S((size_t)cpu, sizeof(mask), mask.parts);
	if (sched_setaffinity(0, sizeof(mask), mask.parts))
		return error_set_errno(err, "run on CPU %d", cpu);
	return true;
}

void task_check_pinned(const struct task *t, pid_t tid, int cpu, enum stray when)
{
	struct slot *slot = t->slot;
	struct mask mask = {0};
	int allowed = 0;
	bool there = false;

	if (slot->stray != STRAY_NONE)
		return;
	if (!sched_getaffinity(tid, sizeof(mask), mask.parts)) {
		allowed = CPU_COUNT_S(sizeof(mask), mask.parts);
		there = CPU_ISSET_S((size_t)t->cpu, sizeof(mask), mask.parts);
	}
	if (there && allowed == 1 && cpu == t->cpu)
		return;
	slot->stray = when;
	slot->stray_cpu = cpu;
	slot->stray_allowed = allowed;
}

/*
 * The second number of schedstat (CONFIG_SCHED_INFO): what a task lost to others on its CPU. The
 * file is not opened in the loop, only at both ends of the window, outside of what is timed.
 */
static int64_t read_run_delay(void)
{
	char bytes[128];
	int fd __free(fd) = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);
	long long delay_ns;

	if (n <= 0)
		return -1;
	bytes[n] = '\0';
	return sscanf(bytes, "%*s %lld", &delay_ns) == 1 ? delay_ns : -1;
}

static void read_usage(struct stamp *s)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_THREAD, &usage);
	s->system_ns = usage.ru_stime.tv_sec * NS_PER_SEC + usage.ru_stime.tv_usec * NS_PER_US;
	s->voluntary_switches = usage.ru_nvcsw;
	s->involuntary_switches = usage.ru_nivcsw;
	s->minor_faults = usage.ru_minflt;
	s->major_faults = usage.ru_majflt;
	s->run_delay_ns = read_run_delay();
}

/*
 * Begins the window: forgets what the warm-up counted and recorded, stamps, and tells the
 * supervisor, who starts to count the time when the last task has done so. So no window is shorter
 * than asked, however late a task got the CPU; the others' are longer by that.
 */
static void enter(struct task *t)
{
	struct slot *slot = t->slot;

	task_check_pinned(t, 0, sched_getcpu(), STRAY_BEGIN);
	slot->tally = (struct tally){0};
	slot->operations_cpu_ns = 0;
	stage_clear(t->map, t->role, t->worker.task);
	read_usage(&slot->begin);
	slot->begin.cpu_ns = clock_thread_cpu_ns();
	slot->begin.clock_ns = clock_now_ns();
	atomic_store(&slot->state, TASK_INSIDE);
	stage_arrive(t->map);
	pace_restart(&t->pace, slot->begin.clock_ns);
	delay_start(&t->delay);
}

/* Ends it. */
static void leave(struct task *t)
{
	struct slot *slot = t->slot;

	slot->end.clock_ns = clock_now_ns();
	slot->end.cpu_ns = clock_thread_cpu_ns();
	read_usage(&slot->end);
	slot->unstarted = pace_unstarted(&t->pace, slot->end.clock_ns);
	task_check_pinned(t, 0, sched_getcpu(), STRAY_END);
	atomic_store(&slot->state, TASK_DONE);
}

bool worker_next_slow(struct worker *w)
{
	struct task *t = w->self;

	for (;;) {
		uint32_t phase = atomic_load(w->phase);

		if (phase != w->seen_phase) {
			w->seen_phase = phase;
			if (phase == PHASE_STOP) {
				leave(t);
				return false;
			}
			if (phase == PHASE_WINDOW)
				enter(t);
			w->patience = t->delay.stretch;
		}
		if (t->pace.period_ns > 0) {
			w->patience = 1;
			if (pace_wait(&t->pace, w->phase, w->seen_phase))
				return true;
			continue;
		}
		if (t->delay.share <= 0) {
			w->patience = UINT32_MAX;
		} else if (!w->patience) {
			delay_keep(&t->delay);
			w->patience = t->delay.stretch;
		}
		return true;
	}
}

int64_t worker_begin_slow(struct worker *w, unsigned int operation)
{
	struct task *t = w->self;

	if (w->series[operation])
		t->began_ns = clock_now_ns();
	return t->pace.period_ns > 0 ? t->pace.start_ns : t->began_ns;
}

static void keep(struct raw *raw, uint64_t room, int64_t value)
{
	if (raw && raw->count < room)
		raw->values[raw->count++] = value > 0 ? value : 0;
}

int64_t worker_end_slow(struct worker *w, unsigned int operation, int64_t latency_ns)
{
	struct task *t = w->self;
	int64_t own_ns = latency_ns;

	if (t->pace.period_ns > 0) {
		t->slot->operations_cpu_ns += pace_spent_ns(&t->pace);
		own_ns -= t->began_ns - t->pace.start_ns;
	}
	if (!w->series[operation])
		return 0;
	keep(t->raws[operation], t->map->raw_room, latency_ns);
	if (t->own[operation]) {
		histogram_record(t->own[operation], own_ns);
		keep(t->own_raws[operation], t->map->raw_room, own_ns);
	}
	return own_ns;
}

/* A seed of its own for each task, the same in every run of one seed=. */
static uint64_t task_seed(const struct cast *cast, size_t role, unsigned int number)
{
	struct random r;

	random_seed(&r, (uint64_t)cast_integer(cast, "seed"), (uint64_t)role << 32 | number);
	return random_next(&r);
}

void task_init(struct task *t, const struct cast *cast, const struct stage_map *map,
	       const struct placement *placement, size_t role, unsigned int number)
{
	const struct role *r = &cast->workload->roles[role];
	uint64_t seed = task_seed(cast, role, number);

	*t = (struct task){
		.worker =
			{
				.cast = cast,
				.role = r,
				.shared = map->shared,
				.task = number,
				.tasks = placement->roles[role].tasks,
				.seed = seed,
				.phase = &map->stage->phase,
				.seen_phase = PHASE_WARM,
				.patience = 1,
			},
		.map = map,
		.placement = placement,
		.role = role,
		.cpu = placement->roles[role].cpus[number],
		.nice = cast_nice(cast, r),
		.slot = stage_slot(map, role, number),
	};
	t->worker.self = t;
	t->worker.tally = &t->slot->tally;
	pace_init(&t->pace, cast_rate(cast, r), seed);
	/* A paced operation starts when it is due, delay or not. */
	delay_init(&t->delay, t->pace.period_ns > 0 ? 0 : cast_number(cast, "delay"));
	t->worker.tended = t->pace.period_ns > 0 || map->raw_room;
	for (unsigned int i = 0; r->operations[i].name; i++) {
		int series = stage_series(map, role, r->operations[i].series);
		int own = stage_series(map, role, r->operations[i].own);

		if (series < 0)
			continue;
		t->worker.series[i] = stage_histogram(map, role, number, (unsigned int)series);
		t->raws[i] = stage_raw(map, role, number, (unsigned int)series);
		if (own < 0)
			continue;
		t->own[i] = stage_histogram(map, role, number, (unsigned int)own);
		t->own_raws[i] = stage_raw(map, role, number, (unsigned int)own);
		t->worker.tended = true;
	}
}

void task_move(struct task *to, const struct task *from)
{
	*to = *from;
	to->worker.self = to;
}

bool task_settle(struct task *t, struct error *err)
{
	if (!task_pin(t->cpu, err))
		return false;
	/* On Linux the nice value is a thread's. */
	if (t->nice && setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + t->nice))
		return error_set_errno(err, "setpriority, %d above the agent's", t->nice);
	/* A sleep until shortly before a start must not be stretched by the usual 50 us. */
	if (t->pace.period_ns > 0)
		prctl(PR_SET_TIMERSLACK, 1UL);
	stage_touch(t->map, t->role, t->worker.task);
	t->slot->pid = gettid();
	return true;
}

bool task_perform(struct task *t, struct error *err)
{
	atomic_store(&t->slot->state, TASK_READY);
	stage_arrive(t->map);
	stage_wait_while(t->map, PHASE_GATE);
	pace_restart(&t->pace, clock_now_ns());
	delay_start(&t->delay);
	t->worker.role->work(&t->worker);
	if (t->worker.spent)
		return error_set(err, ERROR_DATA, "%s", t->worker.spent);
	if (t->worker.seen_phase != PHASE_STOP)
		return error_set(err, ERROR_SYSTEM, "the loop ended before the window did");
	/*
	 * Its process stays until nobody measures any more: a reader in its last scan must not find
	 * that the process it reads is gone.
	 */
	stage_arrive(t->map);
	stage_wait_while(t->map, PHASE_STOP);
	return true;
}
