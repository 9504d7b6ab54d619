// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "workload/crew/offspring.h"

enum { CHILD, PART };
enum { GROUP, LINKED, DESCRIPTORS };

/* What a child leaves for its parent. */
struct letter {
	pid_t group;
	char recording_gone;
};

static struct letter *letter;

static bool prepare(struct worker *w, struct error *err)
{
	letter = mmap(NULL, sizeof(*letter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(letter != MAP_FAILED);
	return offspring_prepare(w, err);
}

/* Whether nothing is mapped at an address. */
static bool is_gone(const void *at)
{
	unsigned char resident;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return mincore((char *)(uintptr_t)at - (uintptr_t)at % page, 1, &resident) &&
	       errno == ENOMEM;
}

/* What a child does to its end. */
static void (*deed)(struct worker *w);
static bool killed;

static void good(struct worker *w)
{
	letter->group = getpgid(0);
	letter->recording_gone = is_gone(w->tally) && is_gone(w->series[CHILD]);
	_exit(0);
}

static void bad(struct worker *w __attribute__((unused)))
{
	_exit(3);
}

static void crash(struct worker *w __attribute__((unused)))
{
	signal(SIGSEGV, SIG_DFL); /* not a sanitizer's */
	raise(SIGSEGV);
}

static void sleep_on(struct worker *w __attribute__((unused)))
{
	for (;;)
		pause();
}

static void breed(struct worker *w)
{
	size_t descriptors = open_descriptors();

	while (worker_next(w)) {
		struct offspring child;
		struct rusage usage;
		int64_t begin = clock_now_ns(), end;

		switch (offspring_fork(&child)) {
		case -1:
			worker_fail(w);
			continue;
		case 0:
			deed(w);
		}
		if (killed && (!offspring_await_sleep(child.pid) || offspring_cpu_ns(&child) <= 0 ||
			       !offspring_kill(&child)))
			break; /* the crew says what it thinks of a loop that ends */
		if (!offspring_await(&child, -1))
			break;
		if (!offspring_reap(&child, killed, EDOM, &end, &usage)) {
			worker_fail(w);
			continue;
		}
		worker_record(w, CHILD, end - begin);
		worker_record(w, PART, 1);
		worker_record(w, PART, 1);
		worker_add(w, GROUP, letter->group == getpgid(0));
		worker_add(w, LINKED, !letter->recording_gone);
		worker_add(w, DESCRIPTORS, open_descriptors() - descriptors);
	}
}

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "one.operations", .primary = true,
	 .help = ""},
	{.name = NULL},
};

static const struct role roles[] = {
	{
		.name = "one",
		.help = "",
		.operations = {[CHILD] = {.name = "child", .series = "whole"},
			       [PART] = {.name = "part", .series = "part", .part = true}},
		.counters = {[GROUP] = {.name = "group"},
			     [LINKED] = {.name = "linked"},
			     [DESCRIPTORS] = {.name = "descriptors"}},
		.mode = ROLE_PROCESSES,
		.prepare = prepare,
		.work = breed,
	},
	{.name = NULL},
};

static const struct workload breeder = {
	.name = "breeder", .summary = "", .roles = roles, .metrics = metrics};

static struct run *run_deed(void (*what)(struct worker *), bool kill)
{
	deed = what;
	killed = kill;
	return run_done(&breeder, "window=200ms warmup=1ms");
}

static void test_good(void **state)
{
	struct run *run __free(run) = run_deed(good, false);
	json_t *task = task_of(run, 0);
	int64_t children = counter_of(task, "child");

	(void)state;
	assert_true(children > 0);
	assert_int_equal(counter_of(task, "failures"), 0);
	/* Parts are counted and timed, and are not operations. */
	assert_int_equal(counter_of(task, "operations"), children);
	assert_int_equal(counter_of(task, "part"), 2 * children);
	assert_int_equal(field_of(histogram_of(run, "part"), "count"), 2 * children);
	assert_int_equal(field_of(histogram_of(run, "whole"), "count"), children);
	/* They are in the group that is killed, and have nothing of what is recorded. */
	assert_int_equal(counter_of(task, "group"), children);
	assert_int_equal(counter_of(task, "linked"), 0);
	assert_int_equal(counter_of(task, "descriptors"), 0);
}

static void test_killed(void **state)
{
	struct run *run __free(run) = run_deed(sleep_on, true);

	(void)state;
	assert_true(counter_of(task_of(run, 0), "child") > 0);
	assert_int_equal(counter_of(task_of(run, 0), "descriptors"), 0);
}

/* One that does not end as it should is a failure, and says why. */
static void test_failures(void **state)
{
	deed = bad;
	killed = false;
	struct run *exits __free(run) = run_workload(&breeder, "window=100ms");

	deed = crash;
	struct run *crashes __free(run) = run_workload(&breeder, "window=100ms");

	(void)state;
	assert_run(exits, OUTCOME_FAILED, " operations failed, the first one with EDOM (");
	assert_run(crashes, OUTCOME_FAILED, ", the first one with a child killed by SIGSEGV");
	assert_int_equal(field_of(histogram_of(crashes, "whole"), "count"), 0);
}

static void test_waiting(void **state)
{
	struct text none __text = {0}, some __text = {0};

	(void)state;
	offspring_tell_waiting("teardown", 0, 5, &none);
	offspring_tell_waiting("teardown", 5, 0, &none);
	offspring_tell_waiting("teardown", 2000, 1000, &none);
	assert_int_equal(none.length, 0);
	offspring_tell_waiting("teardown", 2001, 1000, &some);
	assert_non_null(strstr(some.bytes, "the mean of teardown is 2.001 us, of which 1.000 us"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
