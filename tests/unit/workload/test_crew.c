// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "model/slices.h"
#include "workload/crew/slices.h"

/* ---- what the tasks of the tests do ---- */

enum { OP, OTHER };

static void spin(struct worker *w)
{
	while (worker_next(w))
		worker_end(w, OP, worker_begin(w, OP), true);
}

/* Does a few operations, then what its test is about. */
static bool goes_on(struct worker *w, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (!worker_next(w))
			return false;
		worker_end(w, OP, worker_begin(w, OP), true);
	}
	return true;
}

static void crash(struct worker *w)
{
	if (goes_on(w, 10))
		raise(SIGSEGV);
}

static void leave(struct worker *w)
{
	if (goes_on(w, 10))
		_exit(3);
}

static void leave_quietly(struct worker *w)
{
	if (goes_on(w, 10))
		_exit(0);
}

static void give_up_early(struct worker *w)
{
	goes_on(w, 10);
}

/* Is in its window, and does not look again. */
static void hang(struct worker *w)
{
	while (w->seen_phase != PHASE_WINDOW && worker_next(w))
		worker_end(w, OP, worker_begin(w, OP), true);
	for (;;)
		pause();
}

static void only_fail(struct worker *w)
{
	while (worker_next(w)) {
		int64_t begin = worker_begin(w, OP);

		errno = ENOENT;
		worker_end(w, OP, begin, false);
	}
}

static void fail_sometimes(struct worker *w)
{
	for (unsigned int i = 0; worker_next(w); i++) {
		errno = EAGAIN;
		worker_end(w, i % 2 ? OP : OTHER, worker_begin(w, i % 2 ? OP : OTHER), i % 10);
	}
}

/* Operations that a window of a few ms cannot hold. */
static void take_long(struct worker *w)
{
	while (worker_next(w)) {
		int64_t begin = worker_begin(w, OP);

		clock_sleep_until(clock_now_ns() + 300 * NS_PER_MS);
		worker_end(w, OP, begin, true);
	}
}

static void do_nothing(struct worker *w)
{
	while (worker_next(w))
		;
}

static void stray(struct worker *w)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	if (goes_on(w, 10))
		sched_setaffinity(0, sizeof(all), &all);
	spin(w);
}

/* What the role of test_nice wants, above this process. */
static int wanted_nice, base_nice;

static void check_nice(struct worker *w)
{
	while (worker_next(w)) {
		errno = EPERM;
		worker_end(w, OP, worker_begin(w, OP),
			   getpriority(PRIO_PROCESS, 0) == base_nice + wanted_nice);
	}
}

static int want_nice(const struct cast *cast __attribute__((unused)))
{
	return wanted_nice;
}

static unsigned int no_tasks(const struct cast *cast __attribute__((unused)))
{
	return 0;
}

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "one.operations", .primary = true,
	 .help = ""},
	{.name = NULL},
};

/* A workload of one role that does this; until the next call. */
static struct workload *one(void (*work)(struct worker *))
{
	static struct role roles[2];
	static struct workload made;

	roles[0] = (struct role){
		.name = "one",
		.help = "",
		.operations = {[OP] = {.name = "op", .series = "latency", .own = "own"},
			       [OTHER] = {.name = "other", .series = "others"}},
		.work = work,
	};
	made = (struct workload){.name = "made", .summary = "", .roles = roles, .metrics = metrics};
	return &made;
}

/* ---- what becomes of a run ---- */

static void test_ok(void **state)
{
	static const char *const cases[] = {
		"window=30ms",
		"window=30ms mode=thread",
		"window=30ms tasks=3 mode=thread warmup=0",
		"window=30ms tasks=3 raw=7",
		"window=30ms record=no",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *run __free(run) = run_done(one(spin), cases[i]);
		size_t tasks = strstr(cases[i], "tasks=3") ? 3 : 1;
		int64_t operations = 0;

		assert_int_equal(tasks_in(run), tasks);
		for (size_t k = 0; k < tasks; k++) {
			json_t *task = task_of(run, k);

			assert_int_equal(field_of(task, "task"), k);
			assert_true(field_of(task, "window_ns") >= 30000000);
			assert_true(field_of(task, "cpu_ns") > 0);
			assert_int_equal(counter_of(task, "op"), counter_of(task, "operations"));
			assert_int_equal(counter_of(task, "other"), 0);
			assert_int_equal(counter_of(task, "failures"), 0);
			operations += counter_of(task, "operations");
		}
		if (strstr(cases[i], "record=no")) {
			assert_int_equal(json_array_size(json_object_get(run->record, "series")),
					 0);
			continue;
		}
		/* As many latencies as operations; and a series that nobody filled is empty. */
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), operations);
		assert_int_equal(field_of(histogram_of(run, "others"), "count"), 0);
		/* In a closed loop an operation begins when it is due. */
		assert_true(json_equal(histogram_of(run, "latency"), histogram_of(run, "own")));
	}
}

static void test_raw(void **state)
{
	struct run *run __free(run) = run_done(one(spin), "window=30ms tasks=2 raw=7");
	json_t *raw = json_object_get(series_of(run, "latency"), "raw");

	(void)state;
	assert_int_equal(json_array_size(raw), 2);
	for (size_t k = 0; k < 2; k++) {
		size_t kept = json_array_size(json_array_get(raw, k));
		int64_t made = counter_of(task_of(run, k), "operations");

		assert_int_equal(kept, made < 7 ? made : 7);
	}
	assert_true(json_equal(raw, json_object_get(series_of(run, "own"), "raw")));
}

static void quarter(struct worker *w)
{
	while (worker_next(w)) {
		worker_end(w, OP, worker_begin(w, OP), true);
		/* A part is none of the role's operations. */
		worker_end(w, OTHER, worker_begin(w, OTHER), true);
		errno = ENOENT;
		worker_end(w, OP, worker_begin(w, OP), w->tally->operations[OTHER] % 4 != 0);
	}
}

/* Each role's slices span the window, and their operations are those of its tasks. */
static void check_slices(const struct run *run, const char *role, size_t most)
{
	struct slice slices[SLICES_MAX];
	size_t count = run_slices(run, role, slices);
	int64_t counted = 0, made = 0;

	assert_in_range(count, 1, most);
	for (size_t i = 0; i < count; i++)
		made += slices[i].operations;
	for (size_t k = 0; k < tasks_in(run); k++) {
		json_t *task = task_of(run, k);

		if (text_equal(json_string_value(json_object_get(task, "role")), role))
			counted += counter_of(task, "operations");
	}
	/* What ended before the first moment and behind the last one is in no slice. */
	assert_true(made > 0);
	assert_true(made <= counted);
	assert_true(slices[0].begin_ns >= 0);
	assert_true(slices[count - 1].end_ns >= field_of(run->record, "window_ns"));
}

static void test_slices(void **state)
{
	static const struct role roles[] = {
		{.name = "none", .help = "", .tasks = no_tasks, .work = spin},
		{.name = "a",
		 .help = "",
		 .operations = {[OP] = {.name = "op", .series = "latency"},
				[OTHER] = {.name = "other", .series = "latency", .part = true}},
		 .work = quarter},
		{.name = "b", .help = "", .operations = {{.name = "op"}}, .work = spin},
		{.name = NULL},
	};
	static const struct workload w = {
		.name = "sliced", .summary = "", .roles = roles, .metrics = metrics};
	struct run *run __free(run) = run_done(&w, "window=60ms tasks=3");
	struct run *whole __free(run) = run_done(&w, "window=400ms mode=thread record=no");
	struct run *brief __free(run) = run_done(&w, "window=39ms");
	struct slice slices[SLICES_MAX];

	(void)state;
	check_slices(run, "a", 6);
	check_slices(run, "b", 6);
	assert_int_equal(run_slices(run, "none", slices), 0);
	check_slices(whole, "a", SLICES_WISHED);
	check_slices(whole, "b", SLICES_WISHED);
	assert_null(json_object_get(brief->record, "slices"));
}

static void test_record_says_what_ran(void **state)
{
	struct run *run __free(run) = run_ok(one(spin), "window=20ms seed=7");
	json_t *params = json_object_get(run->record, "params");
	double figure;
	struct error err;

	(void)state;
	assert_string_equal(json_string_value(json_object_get(run->record, "workload")), "made");
	assert_string_equal(json_string_value(json_object_get(params, "window")), "20ms");
	assert_string_equal(json_string_value(json_object_get(params, "seed")), "7");
	/* Those that nobody gave are there too. */
	assert_string_equal(json_string_value(json_object_get(params, "warmup")), "100ms");
	assert_int_equal(json_object_size(params), 8);
	assert_int_equal(field_of(run->record, "window_ns"), 20000000);
	assert_true(field_of(run->record, "elapsed_ns") >= 120000000);
	assert_true(field_of(run->record, "started_ns") > 0);
	assert_true(json_is_object(json_object_get(run->record, "host")));
	assert_true(run_figure(run, &metrics[0], &figure, &err));
	assert_true(figure > 0);
}

static void test_crash(void **state)
{
	struct run *alone __free(run) = run_workload(one(crash), "window=20ms");
	struct run *among __free(run) = run_workload(one(crash), "window=20ms tasks=3");
	struct run *threads __free(run) = run_workload(one(crash), "tasks=3 mode=thread");

	(void)state;
	assert_run(alone, OUTCOME_CRASHED, "one 0: killed by SIGSEGV");
	assert_run(among, OUTCOME_CRASHED, "killed by SIGSEGV");
	assert_run(threads, OUTCOME_CRASHED, "one 0 to 2: killed by SIGSEGV");
	assert_int_equal(tasks_in(alone), 0);
}

static void test_exit(void **state)
{
	struct run *loud __free(run) = run_workload(one(leave), "window=20ms");
	struct run *quiet __free(run) = run_workload(one(leave_quietly), "window=20ms");
	struct run *early __free(run) = run_workload(one(give_up_early), "window=20ms");
	struct run *thread __free(run) = run_workload(one(give_up_early), "mode=thread tasks=2");

	(void)state;
	assert_run(loud, OUTCOME_FAILED, "one 0 ended before its window did: exit status 3");
	assert_run(quiet, OUTCOME_FAILED, "one 0 ended before its window did: exit status 0");
	assert_run(early, OUTCOME_FAILED, "one 0: the loop ended before the window did");
	assert_run(thread, OUTCOME_FAILED, ": the loop ended before the window did");
}

static void test_hang(void **state)
{
	struct workload w = *one(hang);
	struct role roles[] = {w.roles[0], {.name = NULL}};
	struct run *run __free(run) = NULL;

	(void)state;
	roles[0].slow = "it sleeps";
	w.roles = roles;
	run = run_workload(&w, "window=20ms tasks=2");
	assert_run(run, OUTCOME_TIMEOUT, "one 0 did not stop after 5 s: it sleeps");
}

static void test_failing_operations(void **state)
{
	struct run *all __free(run) = run_workload(one(only_fail), "window=20ms");
	struct run *some __free(run) = run_done(one(fail_sometimes), "window=20ms");
	json_t *task = task_of(some, 0);
	int64_t failures = counter_of(task, "failures");

	(void)state;
	assert_run(all, OUTCOME_FAILED, "ENOENT (No such file or directory)");
	/* Every tenth, and no failure is timed. */
	assert_true(failures > 0);
	assert_true(failures <= counter_of(task, "operations") / 9 + 1);
	assert_int_equal(counter_of(task, "op") + counter_of(task, "other"),
			 counter_of(task, "operations"));
	assert_int_equal(field_of(histogram_of(some, "latency"), "count"), counter_of(task, "op"));
	assert_int_equal(field_of(histogram_of(some, "others"), "count"),
			 counter_of(task, "other"));
	assert_true(has_note(some, "operations failed, the first one with EAGAIN"));
}

static void test_role_without_operations(void **state)
{
	struct run *run __free(run) = run_workload(one(do_nothing), "window=20ms");

	(void)state;
	assert_run(run, OUTCOME_INVALID, "one 0 completed no operation");
}

static void test_operations_as_long_as_the_window(void **state)
{
	struct run *run __free(run) = run_workload(one(take_long), "window=30ms warmup=0");

	(void)state;
	assert_run(run, OUTCOME_INVALID, " was measured for ");
	assert_run(run, OUTCOME_INVALID, " instead of 30.00 ms: its operations take ");
	assert_run(run, OUTCOME_INVALID, " each, a window must be a multiple of that");
}

static void test_stray(void **state)
{
	struct run *run __free(run) = NULL;
	cpu_set_t mine;

	(void)state;
	sched_getaffinity(0, sizeof(mine), &mine);
	run = run_workload(one(stray), "window=20ms");
	if (CPU_COUNT(&mine) > 1)
		assert_run(run, OUTCOME_INVALID, "pinned to CPU");
	else
		is_ok(run); /* with one CPU it cannot go astray */
}

static struct run *run_nice(const char *words)
{
	struct workload *w = one(check_nice);
	struct role roles[] = {w->roles[0], {.name = NULL}};

	roles[0].nice = want_nice;
	w->roles = roles;
	return run_done(w, words);
}

static void test_nice(void **state)
{
	static const char *const modes[] = {"window=20ms", "window=20ms tasks=2 mode=thread"};
	int before = getpriority(PRIO_PROCESS, 0);

	(void)state;
	base_nice = before;
	/* Anybody may be nicer, and how much nicer is what counts. 0 would be no wish at all. */
	wanted_nice = before < 14 ? 5 : 19 - before;
	for (size_t i = 0; i < 2; i++) {
		struct run *run __free(run) = run_nice(modes[i]);

		for (size_t k = 0; k < tasks_in(run); k++)
			assert_int_equal(counter_of(task_of(run, k), "failures"), 0);
		assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	}
}

/* A wish that the kernel would cut, so that it came out less than it was. */
static void test_nice_ends(void **state)
{
	struct workload *w = one(spin);
	struct role roles[] = {w->roles[0], {.name = NULL}};
	struct run *run __free(run) = NULL;

	(void)state;
	wanted_nice = 40;
	roles[0].nice = want_nice;
	w->roles = roles;
	run = run_workload(w, "window=20ms");
	assert_run(run, OUTCOME_UNSUPPORTED, "one needs a nice value 40 above the agent's");
}

static void test_no_tasks(void **state)
{
	static const struct role roles[] = {
		{.name = "one", .help = "", .tasks = no_tasks, .work = spin},
		{.name = NULL},
	};
	static const struct workload w = {
		.name = "empty", .summary = "", .roles = roles, .metrics = metrics};
	struct run *run __free(run) = run_workload(&w, "window=20ms");

	(void)state;
	assert_run(run, OUTCOME_INVALID, "no role has a task");
}

/* ---- getting ready ---- */

static bool cannot(struct worker *w __attribute__((unused)), struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED, "this machine has no %s", "luck");
}

static bool breaks(struct worker *w __attribute__((unused)), struct error *err)
{
	errno = EMFILE;
	return error_set_errno(err, "open something");
}

static bool dies(struct worker *w __attribute__((unused)),
		 struct error *err __attribute__((unused)))
{
	raise(SIGABRT);
	return true;
}

static bool never_ready(struct worker *w __attribute__((unused)),
			struct error *err __attribute__((unused)))
{
	pause();
	return true;
}

static struct run *run_prepared(bool (*prepare)(struct worker *, struct error *), const char *words,
				const struct crew_watch *watch)
{
	struct workload *w = one(spin);
	struct role roles[] = {w->roles[0], {.name = NULL}};

	roles[0].prepare = prepare;
	w->roles = roles;
	return run_watched(w, words, watch);
}

static void test_prepare_fails(void **state)
{
	static const char *const modes[] = {"mode=process", "mode=thread", "tasks=3"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct run *without __free(run) = run_prepared(cannot, modes[i], NULL);
		struct run *broken __free(run) = run_prepared(breaks, modes[i], NULL);
		struct run *dead __free(run) = run_prepared(dies, modes[i], NULL);

		assert_run(without, OUTCOME_UNSUPPORTED, "this machine has no luck");
		assert_run(broken, OUTCOME_FAILED, "open something: Too many open files");
		assert_run(dead, OUTCOME_CRASHED, "killed by SIGABRT");
	}
}

/* Each role finds what the one before it left. */
static bool follow(struct worker *w, struct error *err)
{
	_Atomic int *last = w->shared;
	int mine = w->role->name[0] - 'a';

	if (atomic_load(last) != mine)
		return error_set(err, ERROR_DATA, "role %s came after %d", w->role->name, *last);
	if (w->task + 1 == w->tasks)
		atomic_store(last, mine + 1);
	w->local = last;
	return true;
}

static void check_local(struct worker *w)
{
	while (worker_next(w))
		worker_end(w, OP, worker_begin(w, OP), w->local == w->shared);
}

static void test_roles_in_order(void **state)
{
	static const struct role roles[] = {
		{.name = "a",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .alone = true,
		 .mode = ROLE_THREADS,
		 .prepare = follow,
		 .work = check_local},
		{.name = "b",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .alone = true,
		 .prepare = follow,
		 .work = check_local},
		{.name = "c",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .alone = true,
		 .prepare = follow,
		 .work = check_local},
		{.name = NULL},
	};
	static const struct workload w = {.name = "ordered",
					  .summary = "",
					  .roles = roles,
					  .metrics = metrics,
					  .shared_bytes = sizeof(int)};
	struct run *run __free(run) = run_done(&w, "window=20ms");

	(void)state;
	assert_int_equal(tasks_in(run), 3);
	for (size_t k = 0; k < 3; k++)
		assert_int_equal(counter_of(task_of(run, k), "failures"), 0);
}

/* ---- several roles in one process ---- */

struct household {
	pid_t pid;
	_Atomic int finished; /* how many roles have */
};

static bool move_in(struct worker *w, struct error *err __attribute__((unused)))
{
	static int home;
	struct household *h = w->shared;

	h->pid = getpid();
	w->local = &home;
	return true;
}

/* Finds what the role before it left: it is the same memory. */
static bool join_household(struct worker *w, struct error *err)
{
	const struct household *h = w->shared;

	if (h->pid != getpid() || !w->local)
		return error_set(err, ERROR_SYSTEM, "not in the process of %d", h->pid);
	(*(int *)w->local)++;
	return true;
}

/* A role of another process finds the first two prepared. */
static bool look_in(struct worker *w, struct error *err)
{
	const struct household *h = w->shared;

	if (!h->pid || h->pid == getpid())
		return error_set(err, ERROR_SYSTEM, "in the process of %d", h->pid);
	return true;
}

static void live_together(struct worker *w)
{
	const struct household *h = w->shared;
	char name[16] = "";

	pthread_getname_np(pthread_self(), name, sizeof(name));
	while (worker_next(w))
		worker_end(w, OP, worker_begin(w, OP),
			   h->pid == getpid() && *(int *)w->local == 1 &&
				   text_equal(name, w->role->name));
}

static bool finish_household(const struct worker *w, struct error *err)
{
	struct household *h = w->shared;

	if (*(int *)w->local != 1)
		return error_set(err, ERROR_DATA, "the wrong one");
	atomic_fetch_add(&h->finished, 1);
	return true;
}

static bool finish_alone(const struct worker *w, struct error *err)
{
	const struct household *h = w->shared;

	/*
	 * No task of the run is in its window any more; other processes may have finished or not.
	 */
	if (atomic_load(w->phase) != PHASE_EXIT || h->pid == getpid())
		return error_set(err, ERROR_SYSTEM, "too early");
	return error_set(err, ERROR_DATA, "the cupboard is bare");
}

static unsigned int two_tasks(const struct cast *cast __attribute__((unused)))
{
	return 2;
}

static const struct role household[] = {
	{.name = "host",
	 .help = "",
	 .operations = {{.name = "op", .series = "latency"}},
	 .tasks = two_tasks,
	 .mode = ROLE_THREADS,
	 .prepare = move_in,
	 .finish = finish_household,
	 .work = live_together},
	{.name = "guest",
	 .help = "",
	 .operations = {{.name = "op", .series = "latency"}},
	 .alone = true,
	 .mode = ROLE_THREADS,
	 .with = "host",
	 .prepare = join_household,
	 .finish = finish_household,
	 .work = live_together},
	{.name = "visitor",
	 .help = "",
	 .operations = {{.name = "op", .series = "latency"}},
	 .alone = true,
	 .prepare = look_in,
	 .work = spin},
	{.name = NULL},
};

/* The household with one of its roles changed; until the next call. */
static struct workload *house(size_t r, const struct role *changed)
{
	static struct role roles[4];
	static struct workload made;

	memcpy(roles, household, sizeof(household));
	if (changed)
		roles[r] = *changed;
	made = (struct workload){.name = "house",
				 .summary = "",
				 .roles = roles,
				 .metrics = metrics,
				 .shared_bytes = sizeof(struct household)};
	return &made;
}

static void test_roles_of_one_process(void **state)
{
	struct run *run __free(run) = run_done(house(0, NULL), "window=20ms");

	(void)state;
	assert_int_equal(tasks_in(run), 4);
	for (size_t k = 0; k < 4; k++) {
		assert_int_equal(counter_of(task_of(run, k), "failures"), 0);
		assert_true(counter_of(task_of(run, k), "op") > 0);
	}
	/* Threads have numbers of their own. */
	assert_int_not_equal(field_of(task_of(run, 0), "pid"), field_of(task_of(run, 2), "pid"));
}

/* Where CPUs are too few for all roles it is said which of them take turns. */
static void test_shared_cpu(void **state)
{
	cpu_set_t mine, one_cpu;
	int cpu = sched_getcpu();

	(void)state;
	CPU_ZERO(&one_cpu);
	CPU_SET(cpu, &one_cpu);
	if (sched_getaffinity(0, sizeof(mine), &mine) ||
	    sched_setaffinity(0, sizeof(one_cpu), &one_cpu))
		fail_msg("%s", strerror(errno));
	struct run *run __free(run) = run_done(house(0, NULL), "window=20ms");

	sched_setaffinity(0, sizeof(mine), &mine);
	assert_true(has_note(run, "host and guest share a CPU"));
	assert_true(has_note(run, "guest and visitor share a CPU"));
	assert_false(has_note(run, "host and host"));
}

/* Whoever of them fails, the reason names it; where nobody has words, all that died. */
static void test_one_process_fails(void **state)
{
	struct role guest = household[1], visitor = household[2], host = household[0];
	struct run *run;

	(void)state;
	guest.prepare = cannot;
	run = run_workload(house(1, &guest), "window=20ms");
	assert_run(run, OUTCOME_UNSUPPORTED, "guest: this machine has no luck");
	run_free(run);

	guest = household[1];
	guest.work = give_up_early;
	run = run_workload(house(1, &guest), "window=20ms");
	assert_run(run, OUTCOME_FAILED, "guest 0: the loop ended before the window did");
	run_free(run);

	guest.work = crash;
	run = run_workload(house(1, &guest), "window=20ms");
	assert_run(run, OUTCOME_CRASHED, "host 0 to 1 with guest 0: killed by SIGSEGV");
	run_free(run);

	host.prepare = cannot;
	run = run_workload(house(0, &host), "window=20ms");
	assert_run(run, OUTCOME_UNSUPPORTED, "host: this machine has no luck");
	run_free(run);

	/* The host has no task: the guest has the process for itself. */
	host.tasks = no_tasks;
	run = run_workload(house(0, &host), "window=20ms");
	assert_run(run, OUTCOME_FAILED, "guest: not in the process of 0");
	run_free(run);

	visitor.finish = finish_alone;
	run = run_workload(house(2, &visitor), "window=20ms");
	assert_run(run, OUTCOME_INVALID, "visitor 0: the cupboard is bare");
	run_free(run);
}

static void use_up(struct worker *w)
{
	if (goes_on(w, 10))
		worker_spent(w, "ten are all there are: with more= it goes on");
}

/* Rounds without work are no fast ones. */
static void test_spent(void **state)
{
	static const char *const modes[] = {"mode=process", "mode=thread tasks=2"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct run *run __free(run) = run_workload(one(use_up), modes[i]);

		assert_run(run, OUTCOME_INVALID, ": ten are all there are: with more= it goes on");
	}
}

/* ---- the watcher ---- */

struct seen {
	struct text phases;
	int calls;
	int stop_at; /* the call at which it says stop; 0: never */
};

static bool see(void *context, const char *phase, double share)
{
	struct seen *s = context;

	assert_true(share >= 0 && share < 1.5);
	text_printf(&s->phases, "%s ", phase);
	return ++s->calls != s->stop_at;
}

static void test_watch(void **state)
{
	struct seen s = {.stop_at = 0};
	struct crew_watch watch = {.tick = see, .context = &s, .fd = -1};
	struct run *run __free(run) = run_watched(one(spin), "window=20ms", &watch);

	(void)state;
	is_ok(run);
	assert_non_null(strstr(text_string(&s.phases), "warm-up "));
	text_done(&s.phases);
}

static void test_stop(void **state)
{
	struct seen s = {.stop_at = 3};
	struct crew_watch watch = {.tick = see, .context = &s, .fd = -1};
	struct run *run __free(run) =
		run_watched(one(spin), "window=1h tasks=2 mode=thread", &watch);

	(void)state;
	assert_run(run, OUTCOME_INTERRUPTED, "stopped during window");
	assert_int_equal(s.calls, 3);
	text_done(&s.phases);
}

static void test_stop_before_ready(void **state)
{
	struct seen s = {.stop_at = 2};
	struct crew_watch watch = {.tick = see, .context = &s, .fd = -1};
	struct run *run __free(run) = run_prepared(never_ready, "tasks=2", &watch);

	(void)state;
	assert_run(run, OUTCOME_INTERRUPTED, "stopped during ready");
	text_done(&s.phases);
}

/* A descriptor that is ready makes the tick come at once, not only every quarter of a second. */
static void test_watched_descriptor(void **state)
{
	int fd __free(fd) = eventfd(1, EFD_CLOEXEC);
	struct seen s = {.stop_at = 50};
	struct crew_watch watch = {.tick = see, .context = &s, .fd = fd};
	struct run *run __free(run) = run_watched(one(spin), "window=1h warmup=1h", &watch);

	(void)state;
	assert_run(run, OUTCOME_INTERRUPTED, "stopped during");
	text_done(&s.phases);
}

/* ---- many ---- */

static void nap(struct worker *w)
{
	while (worker_next(w)) {
		int64_t begin = worker_begin(w, OP);

		/* Longer than the window bears, as turns of many tasks on a CPU are. */
		if (w->seen_phase == PHASE_WINDOW)
			clock_sleep_until(clock_now_ns() + 50 * NS_PER_MS);
		worker_end(w, OP, begin, true);
	}
}

/* Sleeps past the end of its window. */
static void doze(struct worker *w)
{
	while (worker_next(w)) {
		int64_t begin = worker_begin(w, OP);

		clock_sleep_until(clock_now_ns() + 3 * NS_PER_MS);
		worker_end(w, OP, begin, true);
	}
}

/* A window that is too long because tasks take turns says what helps. */
static void test_long_windows(void **state)
{
	struct run *many __free(run) = run_workload(one(nap), "tasks=64 mode=thread window=1ms");
	struct run *alone __free(run) = run_workload(one(nap), "window=1ms");

	(void)state;
	if (many->outcome != OUTCOME_UNSUPPORTED)
		assert_run(many, OUTCOME_INVALID, " take turns on ");
	assert_run(alone, OUTCOME_INVALID, "one 0 was measured for ");
	assert_null(strstr(alone->reason, "turns"));
}

/* Longer than asked by more than a tenth, yet within what a short window may be. */
static void test_longer_windows(void **state)
{
	struct run *run __free(run) = run_done(one(doze), "window=1ms warmup=0");
	int64_t watched_ns = field_of(task_of(run, 0), "window_ns");

	(void)state;
	assert_true(watched_ns > 1100000);
	assert_true(has_note(run, "one 0: measured for "));
	assert_true(has_note(run, " instead of 1.000 ms"));
	for (int i = 0; i < 5; i++) {
		struct run *more __free(run) = run_done(one(spin), "window=200ms");

		watched_ns = field_of(task_of(more, 0), "window_ns");
		assert_int_equal(has_note(more, ": measured for "), watched_ns > 220000000);
	}
}

static void test_many(void **state)
{
	struct run *processes __free(run) = run_workload(one(spin), "tasks=64 window=200ms");
	struct run *threads __free(run) =
		run_workload(one(spin), "tasks=64 window=200ms mode=thread");

	(void)state;
	/* So many on two CPUs may well be told that their windows are too long. */
	is_ok(processes);
	is_ok(threads);
	assert_int_equal(tasks_in(processes), 64);
	assert_int_equal(tasks_in(threads), 64);
}

static void test_too_many_samples(void **state)
{
	struct run *run __free(run) = run_workload(one(spin), "tasks=4096 raw=1000000");

	(void)state;
	assert_run(run, OUTCOME_UNSUPPORTED, "raw=1000000 of all tasks and series are");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ok),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_record_says_what_ran),
		cmocka_unit_test(test_crash),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_failing_operations),
		cmocka_unit_test(test_role_without_operations),
		cmocka_unit_test(test_operations_as_long_as_the_window),
		cmocka_unit_test(test_stray),
		cmocka_unit_test(test_nice),
		cmocka_unit_test(test_nice_ends),
		cmocka_unit_test(test_no_tasks),
		cmocka_unit_test(test_prepare_fails),
		cmocka_unit_test(test_roles_in_order),
		cmocka_unit_test(test_roles_of_one_process),
		cmocka_unit_test(test_shared_cpu),
		cmocka_unit_test(test_one_process_fails),
		cmocka_unit_test(test_spent),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_before_ready),
		cmocka_unit_test(test_watched_descriptor),
		cmocka_unit_test(test_long_windows),
		cmocka_unit_test(test_longer_windows),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_too_many_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
