// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"
#include "workload/crew/delay.h"
#include "workload/crew/pace.h"

static _Atomic uint32_t phase;

/* One start in each period, whatever the moment in it. */
static void test_schedule(void **state)
{
	static const double rates[] = {1000, 12345.678, 1e6};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double period_ns = 1e9 / rates[i];
		int64_t base_ns = clock_now_ns() - 10 * NS_PER_SEC;
		struct pace p;

		/* All of them are long overdue: nothing is waited for, and none is left out. */
		pace_init(&p, rates[i], 5);
		pace_restart(&p, base_ns);
		for (unsigned int k = 0; k < 1000; k++) {
			assert_true(pace_wait(&p, &phase, phase));
			assert_true((double)(p.start_ns - base_ns) >= k * period_ns - 1);
			assert_true((double)(p.start_ns - base_ns) <= (k + 1) * period_ns);
		}
		assert_int_equal(p.begun, 1000);
		assert_int_equal(pace_unstarted(&p, base_ns + (int64_t)(1000.5 * period_ns)), 0);
		assert_int_equal(pace_unstarted(&p, base_ns + (int64_t)(1007.5 * period_ns)), 7);
	}
}

static void test_never_early(void **state)
{
	struct pace p;

	(void)state;
	pace_init(&p, 2000, 3);
	pace_restart(&p, clock_now_ns());
	for (unsigned int k = 0; k < 100; k++) {
		assert_true(pace_wait(&p, &phase, phase));
		assert_true(clock_now_ns() >= p.start_ns);
		assert_true(pace_spent_ns(&p) >= 0);
	}
}

static void test_same_seed_same_schedule(void **state)
{
	int64_t base_ns = clock_now_ns() - NS_PER_SEC;
	struct pace a, b, c;
	unsigned int equal = 0;

	(void)state;
	pace_init(&a, 1000, 1);
	pace_init(&b, 1000, 1);
	pace_init(&c, 1000, 2);
	pace_restart(&a, base_ns);
	pace_restart(&b, base_ns);
	pace_restart(&c, base_ns);
	for (unsigned int k = 0; k < 100; k++) {
		pace_wait(&a, &phase, phase);
		pace_wait(&b, &phase, phase);
		pace_wait(&c, &phase, phase);
		assert_int_equal(a.start_ns, b.start_ns);
		equal += a.start_ns == c.start_ns;
	}
	assert_true(equal < 10);
}

/* A start that lies far beyond the end does not hold a task up. */
static void test_phase_ends_the_wait(void **state)
{
	struct pace p;

	(void)state;
	pace_init(&p, 1e-3, 1);
	pace_restart(&p, clock_now_ns());
	assert_false(pace_wait(&p, &phase, phase + 1));
	assert_int_equal(p.begun, 0);
}

static void test_not_paced(void **state)
{
	struct pace p;

	(void)state;
	pace_init(&p, 0, 1);
	assert_true(p.period_ns <= 0);
	assert_int_equal(pace_unstarted(&p, clock_now_ns()), 0);
}

/* ---- in a run ---- */

enum { OP };

static void work(struct worker *w)
{
	while (worker_next(w))
		worker_end(w, OP, worker_begin(w, OP), true);
}

static double rate_1000(const struct cast *cast __attribute__((unused)))
{
	return 1000;
}

static double rate_slow(const struct cast *cast __attribute__((unused)))
{
	return 0.01;
}

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "one.operations", .primary = true,
	 .help = ""},
	{.name = NULL},
};

/* A paced operation whose own time is not that since it was due. */
static void test_own_time(void **state)
{
	static const struct role roles[] = {
		{.name = "one",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency", .own = "own"}},
		 .rate = rate_1000,
		 .work = work},
		{.name = NULL},
	};
	static const struct workload w = {
		.name = "paced", .summary = "", .roles = roles, .metrics = metrics};
	struct run *run __free(run) = run_done(&w, "window=100ms raw=1000");
	json_t *latencies = json_array_get(json_object_get(series_of(run, "latency"), "raw"), 0);
	json_t *owns = json_array_get(json_object_get(series_of(run, "own"), "raw"), 0);
	json_t *latency;
	size_t i;

	(void)state;
	assert_int_equal(json_array_size(latencies), counter_of(task_of(run, 0), "operations"));
	assert_int_equal(json_array_size(owns), json_array_size(latencies));
	json_array_foreach(latencies, i, latency) {
		int64_t own = json_integer_value(json_array_get(owns, i));

		/* Whatever delayed its begin is part of the one and not of the other. */
		assert_in_range(own, 0, json_integer_value(latency));
	}
}

/* As many operations as there were periods in the window, when none was late. */
static void test_counts(void **state)
{
	static const struct role roles[] = {
		{.name = "one",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .rate = rate_1000,
		 .work = work},
		{.name = NULL},
	};
	static const struct workload w = {
		.name = "paced", .summary = "", .roles = roles, .metrics = metrics};
	bool punctual = false;

	(void)state;
	for (int i = 0; i < 30 && !punctual; i++) {
		struct run *run __free(run) = run_done(&w, "window=50ms seed=3");
		json_t *task = task_of(run, 0);
		int64_t periods = field_of(task, "window_ns") / NS_PER_MS;
		int64_t made = counter_of(task, "operations");

		assert_true(made <= periods + 1);
		assert_int_equal(field_of(histogram_of(run, "latency"), "count"), made);
		/* A CPU that was taken away at the end may leave some undone. */
		punctual = field_of(histogram_of(run, "latency"), "max") < NS_PER_MS;
		if (punctual)
			assert_true(made >= periods - 1);
	}
}

static void test_waiting_task_stops(void **state)
{
	static const struct role roles[] = {
		{.name = "one",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .rate = rate_slow,
		 .work = work},
		{.name = NULL},
	};
	static const struct workload w = {
		.name = "slow", .summary = "", .roles = roles, .metrics = metrics};
	struct run *run __free(run) = run_workload(&w, "window=20ms");

	(void)state;
	/* Its first operation is due within 100 s. */
	assert_run(run, OUTCOME_INVALID, "completed no operation");
}

/* ---- delay ---- */

/* The spun time is the share of the rest, to within the last stretch. */
static void test_delay(void **state)
{
	struct delay d;
	int64_t begin_ns, end_ns, rest_ns = 0;

	(void)state;
	delay_init(&d, 0.5);
	delay_start(&d);
	begin_ns = d.begin_ns;
	for (unsigned int i = 0; i < 200; i++) {
		int64_t until = d.begin_ns + 20000, now_ns;

		while ((now_ns = clock_now_ns()) < until)
			;
		rest_ns -= d.begin_ns;
		delay_keep(&d);
		/* The stretch ended at or after `now_ns`, and what was owed for it is spun off. */
		rest_ns += now_ns;
		assert_true(d.owed_ns <= 0);
	}
	end_ns = d.begin_ns;
	assert_true((double)(end_ns - begin_ns) >= 1.5 * (double)rest_ns);
	assert_true(d.stretch >= 1);
}

static void test_delay_in_a_run(void **state)
{
	static const struct role roles[] = {
		{.name = "one",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .work = work},
		{.name = "two",
		 .help = "",
		 .operations = {{.name = "op", .series = "latency"}},
		 .rate = rate_1000,
		 .work = work},
		{.name = NULL},
	};
	static const struct workload w = {
		.name = "delayed", .summary = "", .roles = roles, .metrics = metrics};
	struct run *run __free(run) = run_done(&w, "window=50ms delay=300%");

	(void)state;
	assert_true(counter_of(task_of(run, 0), "operations") > 0);
	assert_true(has_note(run, "two: delay= does not apply"));
	assert_false(has_note(run, "one: delay= does not apply"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_never_early),
		cmocka_unit_test(test_same_seed_same_schedule),
		cmocka_unit_test(test_phase_ends_the_wait),
		cmocka_unit_test(test_not_paced),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_own_time),
		cmocka_unit_test(test_waiting_task_stops),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_delay_in_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
