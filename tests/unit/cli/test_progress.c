// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/progress.h"

static const struct metric metric = {.name = "writer_latency_p50", .unit = "ns"};

static void check(const struct lab_progress *p, const char *line)
{
	struct text t __text = {0};

	progress_line(p, &t);
	assert_string_equal(text_string(&t), line);
}

static void before_anything_is_known(void **state)
{
	struct lab_progress p = {
		.pairs_planned = 40,
		.arm = "B",
		.workload = "proc_maps",
		.phase = "window",
		.share = 0.5,
		.left_ns = -1,
	};

	(void)state;
	check(&p, "0/40 pairs  B: proc_maps window 50%");
	p.phase = NULL;
	check(&p, "0/40 pairs  B: proc_maps");
	/* The agent's word: whatever it is, a terminal must not obey it. */
	p.phase = "\x1b[2J\n";
	check(&p, "0/40 pairs  B: proc_maps \\x1B[2J\\x0A 50%");
	p.phase = NULL;
	p.arm = NULL;
	check(&p, "0/40 pairs");
}

static void with_a_budget(void **state)
{
	struct lab_progress p = {.pairs_done = 3, .left_ns = 12300 * NS_PER_MS};

	(void)state;
	check(&p, "3 pairs  13 s left");
	p.left_ns = 100 * NS_PER_SEC;
	check(&p, "3 pairs  2 min left");
	p.left_ns = 0;
	check(&p, "3 pairs  0 s left");
	p.pairs_done = 1;
	check(&p, "1 pair  0 s left");
}

static void one_run(void **state)
{
	struct lab_progress p = {
		.pairs_planned = 1, .one_arm = true, .arm = "A", .workload = "null", .left_ns = -1};

	(void)state;
	check(&p, "0/1 done  null");
	p.pairs_planned = 5;
	p.pairs_done = 2;
	check(&p, "2/5 runs  null");
}

static void the_estimate_so_far(void **state)
{
	struct metric_verdict m = {
		.metric = &metric,
		.pairs = 3,
		.scale = SCALE_LOG,
		.estimate = -0.688,
		.interval = {.low = -0.701, .high = -0.672},
	};
	struct comparison s = {.metrics = &m, .metric_count = 1};
	struct judgement j = {.comparisons = &s, .comparison_count = 1};
	struct lab_progress p = {.pairs_done = 3, .left_ns = -1, .so_far = &j};

	(void)state;
	check(&p, "3 pairs  writer latency p50 -68.8% (-70.1 .. -67.2)");
	m.interval.high = INFINITY;
	check(&p, "3 pairs  writer latency p50 -68.8%");
	m.scale = SCALE_DIFFERENCE;
	m.estimate = 1500;
	m.interval = (struct interval){.low = -10, .high = 3000};
	check(&p, "3 pairs  writer latency p50 1.500 us (-10.00 ns .. 3.000 us)");
	m.estimate = NAN;
	check(&p, "3 pairs");
	m.pairs = 0;
	check(&p, "3 pairs");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_anything_is_known),
		cmocka_unit_test(with_a_budget),
		cmocka_unit_test(one_run),
		cmocka_unit_test(the_estimate_so_far),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
