// SPDX-License-Identifier: GPL-2.0-or-later
#include "arms.h"
#include "commands.h"
#include "curves.h"
#include "fixture.h"

#include <ctype.h>
#include <errno.h>

#include "base/file.h"
#include "golden.h"
#include "report/facts.h"
#include "report/page.h"

/*
 * Every fixture as a mail and as JSON, compared with tests/golden/report/NAME.mail and .json. With
 * CONTEND_GOLDEN_UPDATE=1 in the environment the files are written instead: look at the difference
 * before committing it.
 */

static const char smaps_command[] = "contend ab proc_maps --a file=smaps --b file=maps --seed 4021";

static void experiment_of_maps(struct fixture *x, enum plan plan, int64_t pairs)
{
	fixture_experiment(x, plan, pairs, "file=smaps", "file=maps", smaps_command);
	fixture_subject(x, fixture_proc_maps, "{}", "{\"file\":\"smaps\"}", "{\"file\":\"maps\"}");
}

/* ---- the fixtures ---- */

/* Stopped by the e-process, as most comparisons of large effects are. */
static void early(struct fixture *x)
{
	const struct fixture_verdict verdicts[] = {
		{.metric = "writer_latency_p50",
		 .verdict = VERDICT_IMPROVED,
		 .rule = RULE_SEQUENTIAL,
		 .low = -0.701,
		 .high = -0.672,
		 .p = 0.0231,
		 .p_adjusted = 0.0231,
		 .comparisons = 1,
		 .by = SEQUENTIAL_E_PROCESS,
		 .at = 7,
		 .evidence = 82.6},
		{.metric = "writer_latency_p99",
		 .verdict = VERDICT_UNDECIDED,
		 .rule = RULE_SEQUENTIAL,
		 .low = -0.413,
		 .high = 0.088,
		 .p = 0.31,
		 .p_adjusted = 0.62,
		 .comparisons = 4,
		 .more_pairs = 21,
		 .evidence = 3.2},
		{.metric = "writer_latency_max",
		 .verdict = VERDICT_UNDECIDED,
		 .rule = RULE_SEQUENTIAL,
		 .low = -0.35,
		 .high = 0.24,
		 .p = 1,
		 .p_adjusted = 1,
		 .comparisons = 4,
		 .more_pairs = 130,
		 .evidence = 1.4},
		{.metric = "writer_stalls",
		 .verdict = VERDICT_UNDECIDED,
		 .rule = RULE_SEQUENTIAL,
		 .low = -0.08,
		 .high = -0.051,
		 .p = 0.011,
		 .p_adjusted = 0.0124,
		 .comparisons = 4,
		 .more_pairs = 1,
		 .evidence = 80.1},
		{.metric = "reader_scans",
		 .verdict = VERDICT_IMPROVED,
		 .rule = RULE_SEQUENTIAL,
		 .low = 8.40,
		 .high = 9.29,
		 .p = 0.0121,
		 .p_adjusted = 0.0484,
		 .comparisons = 4,
		 .evidence = 82.6},
		{.metric = "reader_scan_size",
		 .verdict = VERDICT_NONE,
		 .rule = RULE_SEQUENTIAL,
		 .low = -0.75,
		 .high = -0.75,
		 .p = 0.011,
		 .evidence = 82},
	};

	experiment_of_maps(x, PLAN_DECIDED, 40);
	fixture_pairs(x, 0, 0, 9, &fixture_smaps, &fixture_maps);
	fixture_judgement(x);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		fixture_verdict(x, 0, 9, verdicts[i]);
	x->e->id = 12;
	x->j->early = x->j->comparisons[0].metrics[0].settled = true;
	x->j->looks = 9;
	x->end = "decided";
}

/* Of a version whose maximum had no looks. */
static void before_looks(struct fixture *x)
{
	early(x);
	x->e->planned_pairs = 0;
}

/* All pairs planned before: each verdict once, and a metric that is worse within the margin. */
static void planned(struct fixture *x)
{
	struct fixture_run slower = fixture_smaps;
	const struct fixture_verdict verdicts[] = {
		{.metric = "writer_latency_p50",
		 .verdict = VERDICT_REGRESSED,
		 .rule = RULE_SIGN_FLIP,
		 .low = 0.047,
		 .high = 0.071,
		 .p = 2.0 / 1024,
		 .comparisons = 1},
		{.metric = "writer_latency_p99",
		 .verdict = VERDICT_UNDECIDED,
		 .rule = RULE_SIGN_FLIP,
		 .low = -0.11,
		 .high = 0.21,
		 .p = 0.43,
		 .p_adjusted = 1,
		 .comparisons = 4,
		 .more_pairs = 1234},
		{.metric = "writer_latency_max",
		 .verdict = VERDICT_IMPROVED,
		 .rule = RULE_SIGN_FLIP,
		 .low = -0.33,
		 .high = -0.12,
		 .p = 2.0 / 1024,
		 .p_adjusted = 8.0 / 1024,
		 .comparisons = 4},
		{.metric = "writer_stalls",
		 .verdict = VERDICT_CLEARED,
		 .rule = RULE_SIGN_FLIP,
		 .low = -0.002,
		 .high = 0.0121,
		 .p = 0.2,
		 .p_adjusted = 0.4,
		 .comparisons = 4,
		 .bound = 0.0142},
		{.metric = "reader_scans",
		 .verdict = VERDICT_CLEARED,
		 .rule = RULE_SIGN_FLIP,
		 .low = -0.0181,
		 .high = -0.004,
		 .p = 4.0 / 1024,
		 .p_adjusted = 12.0 / 1024,
		 .comparisons = 4,
		 .bound = 0.0113,
		 .worse = true},
		{.metric = "reader_scan_size",
		 .verdict = VERDICT_NONE,
		 .rule = RULE_SIGN_FLIP,
		 .low = 0,
		 .high = 0,
		 .p = 1,
		 .remark = "identical"},
	};

	fixture_experiment(
		x, PLAN_PAIRS, 10, "", "delay=5%",
		"contend ab proc_maps window=2s --a '' --b delay=5% --pairs 10 --seed 4021");
	fixture_subject(x, fixture_proc_maps, "{\"window\":\"2s\"}", "{}", "{\"delay\":\"5%\"}");
	slower.p50_ns *= 1.058;
	slower.max_ns *= 0.78;
	slower.switches = 12;
	slower.failures = 4;
	fixture_pairs(x, 0, 0, 10, &fixture_smaps, &slower);
	fixture_judgement(x);
	fixture_explore(x, 0);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		fixture_verdict(x, 0, 10, verdicts[i]);
	x->end = "planned end";
	x->status = 1;
}

/* Too few pairs for a sign-flip verdict; the run ends where it was planned. */
static void few(struct fixture *x)
{
	experiment_of_maps(x, PLAN_PAIRS, 5);
	fixture_pairs(x, 0, 0, 5, &fixture_smaps, &fixture_maps);
	fixture_judgement(x);
	fixture_verdict(x, 0, 5,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_PAIRED_T,
						 .low = -0.71,
						 .high = -0.66,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 1,
						 .more_pairs = 1});
	fixture_verdict(x, 0, 5,
			(struct fixture_verdict){.metric = "reader_scans",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_PAIRED_T,
						 .low = 8.1,
						 .high = 9.6,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 1,
						 .more_pairs = 1});
	x->end = "planned end";
	x->status = 3;
}

/* Both arms alike, cleared. */
static void alike(struct fixture *x)
{
	fixture_experiment(x, PLAN_PAIRS, 8, "", "",
			   "contend ab proc_maps --a '' --b '' --pairs 8 --seed 4021");
	fixture_subject(x, fixture_proc_maps, "{}", "{}", "{}");
	fixture_pairs(x, 0, 0, 8, &fixture_smaps, &fixture_smaps);
	fixture_judgement(x);
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_CLEARED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.0112,
						 .high = 0.0098,
						 .p = 0.8125,
						 .p_adjusted = 0.8125,
						 .comparisons = 1,
						 .bound = 0.0081});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "reader_scans",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.031,
						 .high = 0.022,
						 .p = 0.6,
						 .p_adjusted = 0.6,
						 .comparisons = 1,
						 .more_pairs = 4});
	x->end = "planned end";
}

/* Pairs dropped for several reasons, remarks, failures, and a machine that changed. */
static void dropped(struct fixture *x)
{
	static const char other[] =
		"{\"kernel\":\"6.18.44\",\"cpus_online\":\"0-7\",\"cpus_allowed\":\"0-1\","
		"\"hypervisor\":\"QEMU TCG\",\"thp\":\"always\",\"load1\":3.5}";
	struct fixture_run a = fixture_smaps, b = fixture_maps;

	fixture_experiment(x, PLAN_PAIRS, 10, "file=smaps", "file=maps", smaps_command);
	fixture_subject(x, fixture_proc_maps, "{\"readers\":\"3\"}", "{\"file\":\"smaps\"}",
			"{\"file\":\"maps\"}");
	a.note = "reader: 3 tasks on 1 CPU";
	b.note = "reader: 3 tasks on 1 CPU";
	a.host = "{\"kernel\":\"6.18.44\",\"cpus_online\":\"0-7\",\"cpus_allowed\":\"0-1\","
		 "\"hypervisor\":\"QEMU TCG\",\"thp\":\"madvise\",\"load1\":0.5}";
	b.host = a.host;
	fixture_pairs(x, 0, 0, 6, &a, &b);
	a.window_ns = 2050000000;
	a.failures = 3;
	a.note = "writer: 3 of 2003 operations failed, the first one with ENOMEM (Cannot allocate "
		 "memory)";
	a.host = other;
	fixture_add(x, 0, 6, ARM_A, &a, OUTCOME_OK, "");
	fixture_add(x, 0, 6, ARM_B, &b, OUTCOME_INVALID,
		    "reader 0 completed no operation in its window of 2000 ms");
	a.failures = 5;
	a.note = "writer: 5 of 2005 operations failed, the first one with ENOMEM (Cannot allocate "
		 "memory)";
	fixture_add(x, 0, 7, ARM_B, &b, OUTCOME_TIMEOUT, "no answer within 30 s");
	fixture_add(x, 0, 7, ARM_A, &a, OUTCOME_OK, "");
	fixture_add(x, 0, 8, ARM_A, &a, OUTCOME_INVALID,
		    "reader 0 completed no operation in its window of 2003 ms");
	fixture_add(x, 0, 8, ARM_B, &b, OUTCOME_OK, "");
	fixture_pairs(x, 0, 9, 1, &a, &b);
	fixture_judgement(x);
	fixture_verdict(x, 0, 10,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.702,
						 .high = -0.669,
						 .p = 2.0 / 128,
						 .comparisons = 1});
	fixture_verdict(x, 0, 10,
			(struct fixture_verdict){.metric = "reader_scans",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_SIGN_FLIP,
						 .low = 8.1,
						 .high = 9.5,
						 .p = 2.0 / 128,
						 .comparisons = 1});
	x->j->comparisons[0].dropped = 3;
	x->j->comparisons[0].first_drop = memory_string(
		"pair 7, B: invalid: reader 0 completed no operation in its window of 2000 ms");
	x->end = "planned end";
}

/* Figures with zeros, a metric without events, and refusals. */
static void zeros(struct fixture *x)
{
	struct fixture_run a = fixture_smaps, b = fixture_maps;

	experiment_of_maps(x, PLAN_PAIRS, 8);
	a.stalls = 0;
	b.stalls = 4;
	a.scans = b.scans = 0;
	a.samples = 120;
	b.samples = 121;
	fixture_pairs(x, 0, 0, 7, &a, &b);
	a.stalls = 1;
	b.stalls = 2;
	fixture_pairs(x, 0, 7, 1, &a, &b);
	fixture_judgement(x);
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.70,
						 .high = -0.67,
						 .p = 2.0 / 256,
						 .comparisons = 1});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "writer_latency_p99",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SIGN_FLIP,
						 .low = 0,
						 .high = 0,
						 .p = 1,
						 .refusal = "p99 needs 299 samples, has 120"});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "writer_stalls",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SIGN_FLIP,
						 .low = 2.5,
						 .high = 4.0,
						 .p = 2.0 / 256,
						 .comparisons = 1});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "reader_scans",
						 .verdict = VERDICT_NONE,
						 .rule = RULE_SIGN_FLIP,
						 .low = 0,
						 .high = 0,
						 .p = 1,
						 .remark = "no events"});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "reader_scan_size",
						 .verdict = VERDICT_NONE,
						 .rule = RULE_SIGN_FLIP,
						 .low = 0,
						 .high = 0,
						 .p = 1,
						 .refusal = "reader.scans is zero"});
	x->end = "planned end";
}

/* B crashes: the pairs before it are shown, and that is the finding. */
static void crashes(struct fixture *x)
{
	experiment_of_maps(x, PLAN_DECIDED, 40);
	fixture_pairs(x, 0, 0, 3, &fixture_smaps, &fixture_maps);
	for (int64_t i = 3; i < 6; i++) {
		fixture_add(x, 0, i, ARM_A, &fixture_smaps, OUTCOME_OK, "");
		fixture_add(x, 0, i, ARM_B, &fixture_maps, OUTCOME_CRASHED,
			    "writer 0: killed by SIGSEGV");
	}
	fixture_judgement(x);
	fixture_verdict(x, 0, 6,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -1,
						 .high = INFINITY,
						 .p = 0.34,
						 .comparisons = 1,
						 .more_pairs = 3,
						 .evidence = 2.98});
	x->j->crashes = true;
	x->j->finished = false;
	x->j->looks = 3;
	x->j->comparisons[0].crashes = true;
	x->j->comparisons[0].why_not = memory_string("crashed: writer 0: killed by SIGSEGV");
	x->j->comparisons[0].dropped = 3;
	x->j->comparisons[0].first_drop =
		memory_string("pair 4, B: crashed: writer 0: killed by SIGSEGV");
	x->j->comparisons[0].crashes_in_row[ARM_B] = 3;
	x->j->comparisons[0].failures_in_row[ARM_B] = 3;
	x->end = "gave up";
	x->status = 1;
}

/* Nothing ran at all: no record says anything of the machine. */
static void impossible(struct fixture *x)
{
	static const char reason[] = "start the agent: execute contend-agent: Permission denied";

	experiment_of_maps(x, PLAN_DECIDED, 40);
	for (int64_t i = 0; i < 3; i++) {
		entries_add(&x->runs,
			    (struct entry){.pair = i,
					   .arm = ARM_A,
					   .first = true,
					   .run = run_without_record(OUTCOME_FAILED, reason)});
		entries_add(&x->runs,
			    (struct entry){.pair = i,
					   .arm = ARM_B,
					   .run = run_without_record(OUTCOME_FAILED, reason)});
	}
	fixture_judgement(x);
	fixture_verdict(x, 0, 3,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -INFINITY,
						 .high = INFINITY,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 1});
	x->j->impossible = true;
	x->j->finished = false;
	x->j->comparisons[0].impossible = true;
	x->j->comparisons[0].why_not = text_format("failed: %s", reason);
	x->j->comparisons[0].dropped = 3;
	x->j->comparisons[0].first_drop = text_format("pair 1, A: failed: %s", reason);
	x->j->comparisons[0].failures_in_row[ARM_A] = 3;
	x->j->comparisons[0].failures_in_row[ARM_B] = 3;
	x->end = "gave up";
	x->status = 4;
}

/* Four workloads whose primaries are one family; one of them was given up. */
static void several(struct fixture *x)
{
	struct fixture_run brk = {.operations = 2345678, .tasks = 2};
	struct fixture_run slow = brk, a = fixture_smaps, b = fixture_maps;

	fixture_experiment(x, PLAN_BUDGET, 0, "kernel=6.17", "kernel=6.18",
			   "contend ab brk1 proc_maps page_fault1 mmap1 --a kernel=6.17 "
			   "--b kernel=6.18 --budget 10m --seed 4021");
	x->e->budget_ns = INT64_C(600000000000);
	fixture_subject(x, fixture_brk1, "{\"mode\":\"thread\"}", "{\"kernel\":\"6.17\"}",
			"{\"kernel\":\"6.18\"}");
	fixture_subject(x, fixture_proc_maps, "{}", "{\"kernel\":\"6.17\"}",
			"{\"kernel\":\"6.18\"}");
	fixture_subject(x, like_brk1("page_fault1", "anonymous memory, touched page by page"),
			"{\"tasks\":\"2\"}", "{\"kernel\":\"6.17\"}", "{\"kernel\":\"6.18\"}");
	fixture_subject(x, like_brk1("mmap1", "map and unmap 128 MiB"), "{}",
			"{\"kernel\":\"6.17\"}", "{\"kernel\":\"6.18\"}");
	brk.host = "{\"kernel\":\"6.17\",\"cpus_online\":\"0-1\",\"hypervisor\":\"none\"}";
	slow.host = "{\"kernel\":\"6.18\",\"cpus_online\":\"0-1\",\"hypervisor\":\"none\"}";
	a.host = brk.host;
	b.host = slow.host;
	slow.operations = slow.operations * 8 / 10;
	fixture_pairs(x, 0, 0, 8, &brk, &slow);
	fixture_pairs(x, 1, 0, 8, &a, &b);
	slow.operations = brk.operations;
	fixture_pairs(x, 2, 0, 8, &brk, &slow);
	for (int64_t i = 0; i < 3; i++) {
		fixture_add(x, 3, i, ARM_A, &brk, OUTCOME_OK, "");
		fixture_add(x, 3, i, ARM_B, &slow, OUTCOME_FAILED,
			    "task 0: mmap: ENOMEM (Cannot allocate memory)");
	}
	fixture_judgement(x);
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "operations",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.206,
						 .high = -0.194,
						 .p = 0.0052,
						 .p_adjusted = 0.0208,
						 .comparisons = 4,
						 .evidence = 191});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "cpu_time",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SEQUENTIAL,
						 .low = 0.240,
						 .high = 0.259,
						 .p = 0.0052,
						 .p_adjusted = 0.0104,
						 .comparisons = 2,
						 .evidence = 191});
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "fairness",
						 .verdict = VERDICT_CLEARED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.001,
						 .high = 0.001,
						 .p = 0.5,
						 .p_adjusted = 0.5,
						 .comparisons = 2,
						 .evidence = 2,
						 .clearing = 44});
	fixture_verdict(x, 1, 8,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.71,
						 .high = -0.66,
						 .p = 0.0121,
						 .p_adjusted = 0.0363,
						 .comparisons = 4,
						 .evidence = 82.6});
	fixture_verdict(x, 1, 8,
			(struct fixture_verdict){.metric = "reader_scans",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_SEQUENTIAL,
						 .low = 8.1,
						 .high = 9.6,
						 .p = 0.0121,
						 .comparisons = 1,
						 .evidence = 82.6});
	fixture_verdict(x, 2, 8,
			(struct fixture_verdict){.metric = "operations",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.021,
						 .high = 0.018,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 4,
						 .more_pairs = 6,
						 .evidence = 1});
	fixture_verdict(x, 3, 3,
			(struct fixture_verdict){.metric = "operations",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -INFINITY,
						 .high = INFINITY,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 4});
	x->j->comparisons[3].dropped = 3;
	x->j->comparisons[3].first_drop =
		memory_string("pair 1, B: failed: task 0: mmap: ENOMEM (Cannot allocate memory)");
	x->j->comparisons[3].failures_in_row[ARM_B] = 3;
	x->j->comparisons[3].impossible = true;
	x->j->comparisons[3].why_not =
		memory_string("failed: task 0: mmap: ENOMEM (Cannot allocate memory)");
	x->j->impossible = true;
	x->j->looks = 8;
	fixture_overall(x);
	x->end = "planned end";
	x->status = 1;
}

/* Two workloads, one of which is better when higher, with a figure for both together. */
static void together(struct fixture *x)
{
	struct fixture_run brk = {.operations = 2345678, .tasks = 2};
	struct fixture_run slow = brk, slower = fixture_smaps;

	fixture_experiment(x, PLAN_PAIRS, 8, "kernel=6.17", "kernel=6.18",
			   "contend ab brk1 proc_maps --a kernel=6.17 --b kernel=6.18 --pairs 8 "
			   "--seed 4021");
	fixture_subject(x, fixture_brk1, "{}", "{\"kernel\":\"6.17\"}", "{\"kernel\":\"6.18\"}");
	fixture_subject(x, fixture_proc_maps, "{}", "{\"kernel\":\"6.17\"}",
			"{\"kernel\":\"6.18\"}");
	slow.operations = slow.operations * 9 / 10;
	slower.p50_ns *= 0.97;
	fixture_pairs(x, 0, 0, 8, &brk, &slow);
	fixture_pairs(x, 1, 0, 7, &fixture_smaps, &slower);
	fixture_add(x, 1, 7, ARM_A, &fixture_smaps, OUTCOME_OK, "");
	fixture_add(x, 1, 7, ARM_B, &slower, OUTCOME_TIMEOUT, "task 0 did not stop after 5 s");
	fixture_judgement(x);
	fixture_verdict(x, 0, 8,
			(struct fixture_verdict){.metric = "operations",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.112,
						 .high = -0.094,
						 .p = 2.0 / 256,
						 .p_adjusted = 4.0 / 256,
						 .comparisons = 2});
	fixture_verdict(x, 1, 8,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.04,
						 .high = -0.021,
						 .p = 2.0 / 128,
						 .p_adjusted = 2.0 / 128,
						 .comparisons = 2});
	x->j->comparisons[1].dropped = 1;
	x->j->comparisons[1].first_drop =
		memory_string("pair 8, B: timeout: task 0 did not stop after 5 s");
	fixture_overall(x);
	x->end = "planned end";
	x->status = 1;
}

static void single(struct fixture *x)
{
	struct fixture_run r = fixture_smaps;

	fixture_experiment(x, PLAN_SINGLE, 1, "", "", "contend run proc_maps file=smaps readers=1");
	fixture_subject(x, fixture_proc_maps, "{\"file\":\"smaps\",\"readers\":\"1\"}", "{}", "{}");
	r.failures = 7;
	r.note = "writer: 7 of 2007 operations failed, the first one with ENOMEM (Cannot allocate "
		 "memory)";
	fixture_add(x, 0, 0, ARM_A, &r, OUTCOME_OK, "");
	x->end = "planned end";
}

static void single_invalid(struct fixture *x)
{
	struct fixture_run r = fixture_smaps;

	fixture_experiment(x, PLAN_SINGLE, 1, "", "", "contend run proc_maps");
	fixture_subject(x, fixture_proc_maps, "{}", "{}", "{}");
	r.scans = 0;
	fixture_add(x, 0, 0, ARM_A, &r, OUTCOME_INVALID,
		    "reader 0 completed no operation in its window of 2000 ms");
	x->end = "planned end";
	x->status = 4;
}

static void single_wide(struct fixture *x)
{
	const struct fixture_run r = {.operations = 4000000, .tasks = 64};

	fixture_experiment(x, PLAN_SINGLE, 1, "", "", "contend run brk1 tasks=64 mode=thread");
	fixture_subject(x, fixture_brk1, "{\"tasks\":\"64\",\"mode\":\"thread\"}", "{}", "{}");
	fixture_add(x, 0, 0, ARM_A, &r, OUTCOME_OK, "");
}

static void several_runs(struct fixture *x, int64_t runs, const char *command)
{
	fixture_experiment(x, PLAN_SINGLE, runs, "", "", command);
	fixture_subject(x, fixture_proc_maps, "{\"file\":\"smaps\"}", "{}", "{}");
}

static void add_runs(struct fixture *x, size_t count, double drift)
{
	for (size_t i = 0; i < count; i++) {
		struct fixture_run r = fixture_smaps;

		r.p50_ns = fixture_jitter(x, r.p50_ns, 0.02) * (1 + drift * (double)i);
		r.p99_ns = fixture_jitter(x, r.p99_ns, 0.2);
		r.max_ns = fixture_jitter(x, r.max_ns, 0.3);
		r.scans = (int64_t)fixture_jitter(x, (double)r.scans, 0.03);
		fixture_add(x, 0, (int64_t)x->runs.count, ARM_A, &r, OUTCOME_OK, "");
	}
}

/* Five runs: the mean is bounded, the median is not. */
static void runs(struct fixture *x)
{
	several_runs(x, 5, "contend run proc_maps file=smaps --runs 5");
	add_runs(x, 5, 0);
	x->end = "planned end";
}

/* Twelve, ten of them ok, which rise, and one without enough samples for a p99. */
static void runs_drift(struct fixture *x)
{
	struct fixture_run few = fixture_smaps;

	several_runs(x, 12, "contend run proc_maps file=smaps --runs 12");
	add_runs(x, 3, 0.05);
	fixture_add(x, 0, 3, ARM_A, &few, OUTCOME_INVALID,
		    "reader 0 completed no operation in its window of 2000 ms");
	few.samples = 250;
	few.window_ns = INT64_C(2100000000);
	few.failures = 3;
	few.p50_ns *= 1.2;
	few.note = "writer: 3 of 253 operations failed, the first one with ENOMEM (Cannot allocate "
		   "memory)";
	fixture_add(x, 0, 4, ARM_A, &few, OUTCOME_OK, "");
	fixture_add(x, 0, 5, ARM_A, &few, OUTCOME_CRASHED, "writer 0: killed by SIGSEGV");
	for (int i = 6; i < 12; i++) {
		struct fixture_run r = fixture_smaps;

		r.p50_ns *= 1 + 0.05 * i;
		r.p99_ns = fixture_jitter(x, r.p99_ns, 0.2);
		fixture_add(x, 0, i, ARM_A, &r, OUTCOME_OK, "");
	}
	x->end = "planned end";
}

/* The third failure in a row ends it. */
static void runs_failed(struct fixture *x)
{
	struct fixture_run none = fixture_smaps;

	several_runs(x, 20, "contend run proc_maps file=smaps --runs 20");
	add_runs(x, 2, 0);
	for (int64_t i = 2; i < 5; i++)
		fixture_add(x, 0, i, ARM_A, &none, OUTCOME_FAILED, "task 0: clone: ENOMEM");
	x->end = "gave up";
	x->status = 4;
}

static void runs_interrupted(struct fixture *x)
{
	struct fixture_run cut = fixture_smaps;

	several_runs(x, 20, "contend run proc_maps file=smaps --runs 20");
	add_runs(x, 7, 0);
	fixture_add(x, 0, 7, ARM_A, &cut, OUTCOME_INTERRUPTED, "stopped");
	x->end = "interrupted";
	x->status = 5;
}

/*
 * Stopped before the planned end, by the user or by anything: nothing is shown by which the arms
 * could be told apart.
 */
static void blind(struct fixture *x)
{
	experiment_of_maps(x, PLAN_PAIRS, 14);
	x->e->id = 7;
	fixture_pairs(x, 0, 0, 7, &fixture_smaps, &fixture_maps);
	fixture_judgement(x);
	fixture_verdict(x, 0, 7,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_PAIRED_T,
						 .low = -INFINITY,
						 .high = INFINITY,
						 .p = 1,
						 .comparisons = 1});
	x->j->blind = true;
	x->j->finished = false;
	x->status = 5;
}

static void killed(struct fixture *x)
{
	blind(x);
	fixture_add(x, 0, 7, ARM_A, &fixture_smaps, OUTCOME_OK, "");
}

static void interrupted(struct fixture *x)
{
	blind(x);
	x->end = "interrupted";
}

/* Several of them, one of which was given up: no summary, no row, no count of findings. */
static void several_interrupted(struct fixture *x)
{
	struct fixture_run brk = {.operations = 2345678, .tasks = 2};
	struct fixture_run slow = brk;

	fixture_experiment(x, PLAN_PAIRS, 14, "brk1.mode=process", "brk1.mode=thread",
			   "contend ab brk1 mmap1 --a brk1.mode=process --b brk1.mode=thread "
			   "--pairs 14 --seed 4021");
	x->e->id = 7;
	fixture_subject(x, fixture_brk1, "{}", "{\"mode\":\"process\"}", "{\"mode\":\"thread\"}");
	fixture_subject(x, like_brk1("mmap1", "map and unmap 128 MiB"), "{}", "{}", "{}");
	slow.operations = slow.operations * 8 / 10;
	fixture_pairs(x, 0, 0, 7, &brk, &slow);
	for (int64_t i = 0; i < 3; i++) {
		fixture_add(x, 1, i, ARM_A, &brk, OUTCOME_OK, "");
		fixture_add(x, 1, i, ARM_B, &slow, OUTCOME_FAILED,
			    "task 0: mmap: ENOMEM (Cannot allocate memory)");
	}
	fixture_judgement(x);
	for (size_t i = 0; i < 2; i++)
		fixture_verdict(x, i, 0,
				(struct fixture_verdict){.metric = "operations",
							 .verdict = VERDICT_UNDECIDED,
							 .rule = RULE_SIGN_FLIP,
							 .p = 1,
							 .p_adjusted = 1,
							 .comparisons = 2});
	x->j->comparisons[0].pairs = 7;
	x->j->comparisons[1].dropped = 3;
	x->j->comparisons[1].first_drop =
		memory_string("pair 1, B: failed: task 0: mmap: ENOMEM (Cannot allocate memory)");
	x->j->comparisons[1].failures_in_row[ARM_B] = 3;
	x->j->comparisons[1].impossible = x->j->impossible = true;
	x->j->comparisons[1].why_not =
		memory_string("failed: task 0: mmap: ENOMEM (Cannot allocate memory)");
	x->j->blind = true;
	x->j->finished = false;
	x->status = 5;
	x->end = "interrupted";
}

static struct look look_of(int64_t pairs, const char *rule, double level, double p, double evidence,
			   const char *verdict)
{
	return (struct look){
		.arm = ARM_B,
		.pairs = pairs,
		.taken_ns = INT64_C(1760000100000000000) + pairs,
		.rule = memory_string(rule),
		.level = level,
		.p = p,
		.evidence = evidence,
		.estimate = -0.69,
		.low = -0.71,
		.high = evidence > 0 ? INFINITY : -0.6,
		.verdict = memory_string(verdict),
	};
}

static struct session session_of(int64_t pairs)
{
	return (struct session){
		.began_ns = INT64_C(1760000000000000000) + pairs * INT64_C(1000000000),
		.version = memory_string("0.1.0"),
		.agent = memory_string(pairs > 6 ? "0.1.0 build 5f3a" : ""),
		.pairs = pairs,
	};
}

/* A plan of six pairs whose end was seen, then more, of which one was cut and run again. */
static void extended(struct fixture *x)
{
	experiment_of_maps(x, PLAN_PAIRS, 14);
	x->e->id = 7;
	x->e->looked = 6;
	fixture_pairs(x, 0, 0, 14, &fixture_smaps, &fixture_maps);
	fixture_add(x, 0, 9, ARM_A, &fixture_smaps, OUTCOME_OK, "");
	x->runs.list[x->runs.count - 1].set_aside = true;
	fixture_judgement(x);
	fixture_verdict(x, 0, 14,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_IMPROVED,
						 .rule = RULE_E_PROCESS,
						 .low = -0.70,
						 .high = -0.67,
						 .p = 1 / 812.0,
						 .comparisons = 1,
						 .evidence = 812})
		->level = 0.01875;
	x->j->first_end = 6;
	x->end = "planned end";
	history_add_look(&x->history, look_of(6, "sign_flip", 0.05, 0.0625, NAN, "undecided"));
	history_add_look(&x->history,
			 look_of(14, "e_process", 0.01875, 1 / 812.0, 812, "improved"));
	history_add_session(&x->history, session_of(6));
	history_add_session(&x->history, session_of(14));
}

/* Decided by a look, at an end that came with fewer pairs than planned. */
static void by_look(struct fixture *x)
{
	struct metric_verdict *v;

	experiment_of_maps(x, PLAN_DECIDED, 40);
	fixture_pairs(x, 0, 0, 37, &fixture_smaps, &fixture_maps);
	fixture_judgement(x);
	v = fixture_verdict(x, 0, 37,
			    (struct fixture_verdict){.metric = "writer_latency_p50",
						     .verdict = VERDICT_IMPROVED,
						     .rule = RULE_SEQUENTIAL,
						     .low = -0.70,
						     .high = -0.67,
						     .p = 0.0312,
						     .comparisons = 1,
						     .by = SEQUENTIAL_LOOK,
						     .at = 37,
						     .evidence = 7.5});
	v->rule = RULE_SEQUENTIAL_END;
	sequential_plan_end(&v->plan, 37);
	v->looks_spent = 5;
	v->settled = true;
	x->j->comparisons[0].dropped = 3;
	x->j->comparisons[0].failed[ARM_B] = 3;
	x->j->comparisons[0].first_drop = memory_string("pair 4, B: timeout: no answer");
	x->j->looks = 37;
	x->end = "planned end";
}

/* To go on would hardly have decided it. */
static void futile(struct fixture *x)
{
	experiment_of_maps(x, PLAN_DECIDED, 40);
	fixture_pairs(x, 0, 0, 17, &fixture_smaps, &fixture_smaps);
	fixture_judgement(x);
	fixture_verdict(x, 0, 17,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.11,
						 .high = 0.13,
						 .p = 0.74,
						 .comparisons = 1,
						 .more_pairs = 310,
						 .evidence = 1.1})
		->futile = true;
	x->j->futile = true;
	x->j->looks = 17;
	x->end = "futile";
	x->status = 3;
}

/* Cleared early, and another metric with a change for which percentages are too small. */
static void cleared(struct fixture *x)
{
	struct fixture_run a = fixture_smaps, b = fixture_smaps;

	experiment_of_maps(x, PLAN_DECIDED, 40);
	b.stalls = 60000;
	a.scans = 322000;
	b.scans = 200;
	fixture_pairs(x, 0, 0, 12, &a, &b);
	fixture_judgement(x);
	fixture_verdict(x, 0, 12,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_CLEARED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.0081,
						 .high = 0.0062,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 1,
						 .cleared_at = 12,
						 .evidence = 1,
						 .clearing = 41.4});
	fixture_verdict(x, 0, 12,
			(struct fixture_verdict){.metric = "reader_scans",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -0.99941,
						 .high = -0.99934,
						 .p = 0.003,
						 .p_adjusted = 0.009,
						 .comparisons = 3,
						 .evidence = 300});
	fixture_verdict(x, 0, 12,
			(struct fixture_verdict){.metric = "writer_stalls",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SEQUENTIAL,
						 .low = 1980,
						 .high = 2013,
						 .p = 0.003,
						 .p_adjusted = 0.009,
						 .comparisons = 3,
						 .evidence = 300});
	fixture_verdict(x, 0, 12,
			(struct fixture_verdict){.metric = "writer_latency_p99",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SEQUENTIAL,
						 .low = -1,
						 .high = 0.04,
						 .p = 1,
						 .p_adjusted = 1,
						 .comparisons = 3,
						 .more_pairs = 8,
						 .evidence = 1.2});
	x->j->early = x->j->comparisons[0].metrics[0].settled = true;
	x->j->looks = 12;
	x->end = "decided";
}

/* Whatever is not a name may be anything: UTF-8, broken UTF-8, control characters, markup, long. */
static void hostile(struct fixture *x)
{
	static const char description[] =
		"{\"name\":\"a23456789-b23456789-c23456789-d23456789-e23456789-f23456789-123\","
		"\"summary\":\"\xc3\xa9t\xc3\xa9 \xc2\xb5s \xe2\x80\xa6 \\n\\u001b[31m<b>&\\\"'\","
		"\"needs\":\"\",\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":[],"
		"\"metrics\":[{\"name\":"
		"\"m23456789_n23456789_o23456789_p23456789_q23456789_r23456789_abc\","
		"\"unit\":\"furlongs\xc2\xb5 a fortnight\",\"better\":\"lower\","
		"\"summary\":\"total\",\"of\":\"task.operations\",\"primary\":true,"
		"\"multitask\":false,\"help\":\"\"},"
		"{\"name\":\"huge\",\"unit\":\"1/s\",\"better\":\"higher\",\"summary\":\"rate\","
		"\"of\":\"task.operations\",\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";
	static const char host[] =
		"{\"kernel\":\"6.18 \\u001b]0;title\\u0007\",\"cpus_online\":\"lots\","
		"\"hypervisor\":\"\xe2\x98\x83\",\"cpu_model\":\"\xc2\xb1\",\"deep\":{\"er\":1},"
		"\"thp\":\"never\"}";
	struct fixture_run r = {.operations = INT64_C(9000000000000000000), .tasks = 1};
	char *label __free(memory) = memory_alloc(4097);
	struct metric_verdict *v;

	memset(label, 'x', 4096);
	fixture_experiment(x, PLAN_PAIRS, 6, label, "\xff\xfe=\n--\ttab \xf0\x9f\x98\x80 file=\"\\",
			   "");
	free(x->e->command);
	x->e->command = text_format("contend ab --a 'command=%.200s %.200s' --b \"v=\xc2\xb5\n\" "
				    "--seed 4021",
				    label, label);
	fixture_subject(x, description, "{\"both\":\"\xc2\xb5\"}", "{\"command\":\"a\"}", "{}");
	r.note = "\xe2\x80\x9cquoted\xe2\x80\x9d \t of 12 words";
	r.host = host;
	fixture_pairs(x, 0, 0, 6, &r, &r);
	fixture_judgement(x);
	v = fixture_verdict(
		x, 0, 6,
		(struct fixture_verdict){
			.metric = "m23456789_n23456789_o23456789_p23456789_q23456789_r23456789_abc",
			.verdict = VERDICT_UNDECIDED,
			.rule = RULE_SIGN_FLIP,
			.low = -1e39,
			.high = 1e39,
			.p = 2.0 / 64,
			.comparisons = 1,
			.more_pairs = INT64_MAX,
			.remark = "identical"});
	v->scale = SCALE_DIFFERENCE;
	v->middle_a = 1234567890123456789012345678901234567890.0;
	v->middle_b = -1e-30;
	v->estimate = -1.234567e39;
	fixture_verdict(x, 0, 6,
			(struct fixture_verdict){.metric = "huge",
						 .verdict = VERDICT_REGRESSED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.5,
						 .high = INFINITY,
						 .p = 2.0 / 64,
						 .comparisons = 1});
	x->j->comparisons[0].dropped = 1;
	x->j->comparisons[0].failed[ARM_B] = 1;
	x->j->comparisons[0].first_drop = text_format("pair 1, B: failed: %s\n\x80", label);
	x->end = "planned end";
	x->status = 3;
}

/* A machine that makes figures doubtful, and is changed meanwhile. */
static void doubtful(struct fixture *x)
{
	static const char before[] =
		"{\"kernel\":\"6.18.44\",\"cpus_online\":\"0-1\",\"hypervisor\":\"KVM\","
		"\"CONFIG_LOCKDEP\":\"y\",\"CONFIG_DEBUG_VM\":\"y\",\"thp\":\"always\","
		"\"governor\":\"powersave\",\"frequency_driver\":\"intel_pstate\","
		"\"command_line\":\"root=/dev/vda1 ro quiet console=ttyS0 mitigations=auto "
		"transparent_hugepage=always\",\"uptime_ns\":1000,\"steal_ratio\":0.001,"
		"\"load1\":3.5}";
	static const char after[] =
		"{\"kernel\":\"6.18.44\",\"cpus_online\":\"0-1\",\"hypervisor\":\"KVM\","
		"\"CONFIG_LOCKDEP\":\"y\",\"CONFIG_DEBUG_VM\":\"y\",\"thp\":\"always\","
		"\"governor\":\"performance\",\"frequency_driver\":\"intel_pstate\","
		"\"command_line\":\"root=/dev/vda1 ro quiet console=ttyS0 mitigations=off "
		"transparent_hugepage=always\",\"uptime_ns\":2000,\"steal_ratio\":0.034,"
		"\"load1\":2.5}";
	static const char later[] = "{\"kernel\":\"6.18.44\",\"cpus_online\":\"0-1\","
				    "\"steal_ratio\":0.012,\"load1\":12.5}";
	struct fixture_run a = fixture_smaps, b = fixture_smaps;

	experiment_of_maps(x, PLAN_PAIRS, 6);
	a.host = before;
	b.host = before;
	fixture_pairs(x, 0, 0, 3, &a, &b);
	a.host = after;
	fixture_pairs(x, 0, 3, 1, &a, &b);
	b.host = after;
	a.host = later;
	fixture_pairs(x, 0, 4, 2, &a, &b);
	fixture_judgement(x);
	fixture_verdict(x, 0, 6,
			(struct fixture_verdict){.metric = "writer_latency_p50",
						 .verdict = VERDICT_UNDECIDED,
						 .rule = RULE_SIGN_FLIP,
						 .low = -0.03,
						 .high = 0.02,
						 .p = 0.5,
						 .p_adjusted = 0.5,
						 .comparisons = 1,
						 .more_pairs = 4});
	x->end = "planned end";
	x->status = 3;
}

/* The rate of the last run's operations over its window: the begin is slow, the rest steady. */
static void add_cold_slices(struct fixture *x)
{
	json_t *at = json_array(), *operations = json_array();
	double sum = 0;

	for (int i = 0; i <= 20; i++) {
		json_array_append_new(at, json_integer(i * 100000000LL));
		json_array_append_new(operations, json_integer((json_int_t)sum));
		sum += fixture_jitter(x, i < 2 ? 92000 : 100000, 0.02);
	}
	json_object_set_new(x->runs.list[x->runs.count - 1].run->record, "slices",
			    json_pack("[{s:s, s:o, s:o}]", "role", "task", "at_ns", at,
				      "operations", operations));
}

/* Two kinds of A, B with another warm-up, both with one that is too short. */
static void diagnosed(struct fixture *x)
{
	static const char brk1[] =
		"{\"name\":\"brk1\",\"summary\":\"the program break, one page up and down\","
		"\"needs\":\"\",\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":["
		"{\"name\":\"warmup\",\"type\":\"duration\",\"preset\":\"100ms\",\"help\":\"\"}],"
		"\"metrics\":[{\"name\":\"operations\",\"unit\":\"1/s\",\"better\":\"higher\","
		"\"summary\":\"rate\",\"of\":\"task.operations\",\"primary\":true,"
		"\"multitask\":false,\"help\":\"\"}]}";

	fixture_experiment(x, PLAN_PAIRS, 16, "warmup=100ms", "warmup=200ms",
			   "contend ab brk1 --b warmup=200ms --pairs 16 --seed 4021");
	fixture_subject(x, brk1, "{}", "{}", "{\"warmup\":\"200ms\"}");
	for (int i = 0; i < 16; i++) {
		for (int arm = 0; arm < 2; arm++) {
			bool slow = arm == ARM_A && (0x5a69 >> i & 1);
			struct fixture_run r = {.tasks = 1, .operations = slow ? 1800000 : 2000000};

			r.operations = (int64_t)fixture_jitter(x, (double)r.operations, 0.01);
			fixture_add(x, 0, i, arm, &r, OUTCOME_OK, "");
			add_cold_slices(x);
		}
	}
	x->j = judge(x->e, &x->runs, JUDGE_END);
	x->end = "planned end";
	x->status = judgement_status(x->j, false);
}

static const struct maker {
	const char *name;
	void (*make)(struct fixture *x);
} makers[] = {
	{"early", early},
	{"before_looks", before_looks},
	{"planned", planned},
	{"few", few},
	{"alike", alike},
	{"dropped", dropped},
	{"zeros", zeros},
	{"crashes", crashes},
	{"impossible", impossible},
	{"several", several},
	{"single", single},
	{"single_invalid", single_invalid},
	{"single_wide", single_wide},
	{"runs", runs},
	{"runs_drift", runs_drift},
	{"runs_failed", runs_failed},
	{"command_run", command_run},
	{"command_failed", command_failed},
	{"runs_interrupted", runs_interrupted},
	{"interrupted", interrupted},
	{"killed", killed},
	{"several_interrupted", several_interrupted},
	{"together", together},
	{"extended", extended},
	{"cleared", cleared},
	{"by_look", by_look},
	{"futile", futile},
	{"doubtful", doubtful},
	{"diagnosed", diagnosed},
	{"hostile", hostile},
	{"arms", arms},
	{"arms_several", arms_several},
	{"arms_blind", arms_blind},
	{"curve_run", curve_run},
	{"curve_latency", curve_latency},
	{"curve_ab", curve_ab},
	{"curve_several", curve_several},
	{"curve_arms", curve_arms},
	{"curve_blind", curve_blind},
};

enum { MAKERS = sizeof(makers) / sizeof(makers[0]) };

static char *rendered(const struct fixture *x, const char *report)
{
	const struct findings f = fixture_findings(x);
	struct text out = {0};
	struct error err;

	assert_non_null(report_find(report));
	if (!report_find(report)->render(&f, &out, &err))
		fail_msg("%s", err.text);
	return text_take(&out);
}

/* ---- comparison with what was once looked at ---- */

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL;
		char *json __free(memory) = NULL;

		makers[i].make(&x);
		mail = rendered(&x, "mail");
		json = rendered(&x, "json");
		golden_compare("report", makers[i].name, "mail", mail);
		golden_compare("report", makers[i].name, "json", json);
	}
}

/* The time was up for others, or in the pair in which this one was settled. */
static void test_early_within_a_budget(void **state)
{
	static const struct {
		int64_t time_up;
		bool early;
	} cases[] = {{0, true}, {8, false}, {12, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL;

		several(&x);
		x.e->time_up = cases[i].time_up;
		x.j->comparisons[0].metrics[0].settled = true;
		mail = rendered(&x, "mail");
		assert_int_equal(strstr(mail, "decided early, at pair 8") != NULL, cases[i].early);
	}
}

/* B and D have figures of zero, and C between them has none: the workload is named once. */
static void test_a_workload_is_named_once(void **state)
{
	struct fixture x __cleanup(fixture_done) = {0};
	char *mail __free(memory) = NULL;
	const char *line, *name, *end;
	size_t others;

	(void)state;
	arms_several(&x);
	others = (size_t)x.e->arm_count - 1;
	assert_true(others > 2);
	for (size_t i = 0; i < others; i++)
		x.j->comparisons[i].metrics[0].scale = i == 1 ? SCALE_LOG : SCALE_DIFFERENCE;
	mail = rendered(&x, "mail");
	line = strstr(mail, "some figures are zero");
	assert_non_null(line);
	end = strstr(line, "\n\n");
	name = strstr(line, x.e->subjects[0].description->name);
	assert_true(name && name < end);
	name = strstr(name + 1, x.e->subjects[0].description->name);
	assert_true(!name || name > end);
}

/* ---- what holds for every report ---- */

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL;

		makers[i].make(&x);
		mail = rendered(&x, "mail");
		golden_check_lines(makers[i].name, mail);
	}
}

/* The same with verdicts as the judge gives them, at every number of pairs. */
static void test_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		size_t count;

		makers[i].make(&x);
		if (!x.j)
			continue;
		count = x.runs.count;
		for (size_t k = 0; k <= count; k++) {
			const struct entries some = {.list = x.runs.list, .count = k};
			struct judgement *j __free(judgement) = judge(x.e, &some, k == count);
			struct findings f = fixture_findings(&x);
			struct text mail __text = {0}, json __text = {0};
			struct error err;

			f.runs = &some;
			f.judgement = j;
			f.status = judgement_status(j, false);
			if (!report_find("mail")->render(&f, &mail, &err) ||
			    !report_find("json")->render(&f, &json, &err))
				fail_msg("%s", err.text);
			golden_check_lines(makers[i].name, text_string(&mail));
		}
	}
}

/* ---- one number, two reports ---- */

struct numbers {
	double list[256];
	size_t count;
};

static void collect(const json_t *value, struct numbers *n)
{
	if (!json_is_number(value))
		return;
	assert_true(n->count < sizeof(n->list) / sizeof(n->list[0]));
	n->list[n->count++] = json_number_value(value);
}

/* The numbers of a verdict that the table shows. */
static void collect_verdict(const json_t *v, struct numbers *n)
{
	static const char *const of[] = {"median", "interval"};
	const char *key;
	json_t *one;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		json_object_foreach(json_object_get(v, of[i]), key, one)
			collect(one, n);
	}
	collect(json_object_get(v, "estimate"), n);
	collect(json_object_get(v, "more_pairs"), n);
}

/* The numbers of an arm's metric that the table shows. */
static void collect_arm(const json_t *m, struct numbers *n)
{
	static const char *const keys[] = {"median", "mean", "error_ratio", "min", "max"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		collect(json_object_get(m, keys[i]), n);
	collect(json_object_get(json_object_get(m, "interval"), "low"), n);
	collect(json_object_get(json_object_get(m, "interval"), "high"), n);
}

/* The numbers of curves that tables show: of their points, and what was judged of them. */
static void collect_curves(const json_t *report, struct numbers *n)
{
	static const char *const keys[] = {"tasks",	"runs",	       "primary", "throughput",
					   "per_task",	"scaling",     "cpu_ns",  "fairness",
					   "idle_used", "idle_machine"};
	json_t *curve, *points, *point, *comparison, *scaling;
	size_t c, i, k;
	const char *arm;

	json_array_foreach(json_object_get(report, "curves"), c, curve) {
		json_object_foreach(json_object_get(curve, "points"), arm, points) {
			json_array_foreach(points, i, point) {
				for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
					collect(json_object_get(point, keys[k]), n);
			}
		}
		json_array_foreach(json_object_get(curve, "comparisons"), i, comparison) {
			collect_verdict(json_object_get(comparison, "mean"), n);
			json_array_foreach(json_object_get(comparison, "scaling"), k, scaling)
				collect_verdict(scaling, n);
		}
	}
}

static bool holds(const struct numbers *n, double value, double tolerance)
{
	for (size_t i = 0; i < n->count; i++) {
		if (fabs(n->list[i] - value) <= tolerance * (1 + 1e-9) + fabs(value) * 1e-12)
			return true;
	}
	return false;
}

/* What a number in a table may be multiplied by, besides its unit. */
static double unit_factor(const char *unit)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {
		{"ns", 1},
		{"us", 1e3},
		{"ms", 1e6},
		{"s", 1e9},
		{"B", 1},
		{"KiB", 0x1p10},
		{"MiB", 0x1p20},
		{"M", 1e6},
		{"G", 1e9},
	};
	size_t length = strcspn(unit, "/ \n,");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].unit) == length && !memcmp(units[i].unit, unit, length))
			return units[i].factor;
	}
	return 1;
}

/*
 * Checks a token of a table that begins like a number: "27.61" before "us", "-68.8%", "x11.9",
 * "+21". `unit` is the one that the row had last, which bounds of an interval share.
 */
static bool check_token(const char *token, const char *behind, double *unit,
			const struct numbers *n)
{
	bool fraction = text_starts(token, "1/"), ratio = *token == 'x' || fraction, counted;
	const char *digits = token + (fraction ? 2 : ratio), *point;
	double value, step = 1;
	char *end;

	value = strtod(digits, &end);
	point = memchr(digits, '.', (size_t)(end - digits));
	for (const char *at = point ? point + 1 : end; isdigit((unsigned char)*at); at++)
		step /= 10;
	if (memchr(digits, 'e', (size_t)(end - digits)))
		step *= pow(10, strtod(strchr(digits, 'e') + 1, NULL));
	else if (ratio && !point)
		step = pow(10, floor(log10(value)) - 2);
	/* The change of 1/N by half of the last digit of N. */
	if (fraction)
		return holds(n, 1 / value - 1, step / 2 / value / (value - step / 2) + 1e-12);
	if (ratio)
		return holds(n, value - 1, step / 2 + 1e-12);
	if (*end == '%')
		return holds(n, value / 100, step / 200);
	counted = holds(n, value, step / 2);
	/* Of several runs the first figure of a row has its unit for all. */
	if (isalpha((unsigned char)*behind) &&
	    ((*token != '+' && *token != '-') || unit_factor(behind) != 1))
		*unit = unit_factor(behind);
	/* A bound in percent, in the unit of the row, or pairs still needed. */
	return counted || holds(n, value / 100, step / 200) ||
	       holds(n, value * *unit, step * *unit / 2);
}

static bool is_number(const char *token)
{
	const char *at = token + (*token == 'x' || *token == '+' || *token == '-');

	return isdigit((unsigned char)*at) && !text_equal(token, "-100");
}

/* The number behind a JSON path such as "subjects.0.pairs"; NAN: there is none. */
static double number_at(const json_t *report, const char *path)
{
	char *copy __free(memory) = memory_string(path);
	char *rest = copy, *key;

	while (report && (key = strsep(&rest, ".")))
		report = json_is_array(report) ? json_array_get(report, strtoul(key, NULL, 10))
					       : json_object_get(report, key);
	return json_is_number(report) ? json_number_value(report) : NAN;
}

static json_t *subject_at(const json_t *report, size_t subject, const char *key)
{
	return json_object_get(json_array_get(json_object_get(report, "subjects"), subject), key);
}

static double number_of(const json_t *report, size_t subject, const char *rest)
{
	char *path __free(memory) = text_format("subjects.%zu.%s", subject, rest);

	return number_at(report, path);
}

/* Lines are broken anywhere: the words with one blank between each. The caller's. */
static char *one_line(const char *mail)
{
	struct text flat = {0};

	for (const char *at = mail; *at; at++) {
		if (isspace((unsigned char)*at) && isspace((unsigned char)at[1]))
			continue;
		text_append(&flat, isspace((unsigned char)*at) ? " " : at, 1);
	}
	return text_take(&flat);
}

/* A headline figure: the number that the JSON report has stands between these words. */
static void check_figure(const char *name, const char *mail, const char *before, double wanted,
			 const char *behind)
{
	char *words __free(memory) = text_format("%s%.17g%s", before, wanted, behind);
	char *line __free(memory) = one_line(mail);

	if (!strstr(line, words))
		fail_msg("%s: by the JSON report the mail has '%s'", name, words);
}

/* What stands around the tables of a comparison: pairs, runs, seed, drops, E, what was found. */
static void check_headlines(const char *name, const char *mail, const json_t *report)
{
	size_t subjects = json_array_size(json_object_get(report, "subjects"));
	size_t compared =
		json_object_size(json_object_get(json_object_get(report, "experiment"), "labels")) -
		1;
	const char *const findings[][2] = {
		{"regressed", " regressed"},
		{"improved", " improved"},
		{"cleared", " cleared"},
		{"undecided", " undecided"},
		{"none", " not judged"},
		{"impossible", " not possible"},
		{"crashes", compared > 1 ? " crashing" : " B crashes"},
	};
	double runs = (double)json_array_size(json_object_get(report, "runs"));
	const char *arm;
	json_t *runs_of;

	for (size_t i = 0; i < subjects; i++) {
		double pairs = number_of(report, i, "comparisons.0.pairs");
		double own = 0;
		double dropped = number_of(report, i, "comparisons.0.dropped");
		double as_far =
			number_of(report, i, "comparisons.0.verdicts.0.sign_patterns.as_far");
		char *all __free(memory) =
			text_format(" of %g pairs dropped whole", pairs + dropped);

		json_object_foreach(subject_at(report, i, "runs"), arm, runs_of)
			own += json_number_value(runs_of);
		/* Of more arms the arm with most pairs has them. */
		for (size_t k = 0; k < compared; k++) {
			char *path __free(memory) = text_format("comparisons.%zu.pairs", k);

			pairs = fmax(pairs, number_of(report, i, path));
		}
		if (compared > 1)
			check_figure(name, mail, "", pairs, " blocks of A, B");
		else
			check_figure(name, mail, "", pairs,
				     pairs == 1 ? " pair in random order, "
						: " pairs in random order, ");
		check_figure(name, mail, " in random order, ", own, " runs");
		if (dropped > 0)
			check_figure(name, mail, "", dropped, all);
		if (isfinite(as_far) && pairs >= JUDGE_LEAST_PAIRS &&
		    number_at(report, "status.code") < 4)
			check_figure(name, mail, "sign-flip test of the primary: ", as_far, " of ");
	}
	check_figure(name, mail, "seed ", number_at(report, "experiment.seed"), "");
	if (subjects == 1)
		return;
	check_figure(name, mail, "", (double)subjects,
		     compared > 1 ? " workloads, " : " workloads: ");
	check_figure(name, mail, "", runs, " runs in ");
	for (size_t i = 0; i < sizeof(findings) / sizeof(findings[0]); i++) {
		char *path __free(memory) = text_format("judgement.comparisons.%s", findings[i][0]);
		double count = number_at(report, path);

		if (count > 0)
			check_figure(name, mail, "", count, findings[i][1]);
	}
}

/* What stands around the tables of curves: points, runs, drops, p of each point. */
static void check_headlines_of_curves(const char *name, const char *mail, const json_t *report)
{
	json_t *curves = json_object_get(report, "curves"), *curve, *runs_of;
	size_t c;

	json_array_foreach(curves, c, curve) {
		size_t first = (size_t)number_at(curve, "first_subject");
		size_t points = (size_t)number_at(curve, "subjects");
		double runs = 0;
		const char *arm;

		for (size_t i = first; i < first + points; i++) {
			double pairs = number_of(report, i, "comparisons.0.pairs");
			double dropped = number_of(report, i, "comparisons.0.dropped");
			double as_far = number_of(report, i,
						  "comparisons.0.verdicts.0.sign_patterns.as_far");
			char *all __free(memory) =
				text_format(" of %g pairs dropped whole", pairs + dropped);

			json_object_foreach(subject_at(report, i, "runs"), arm, runs_of)
				runs += json_number_value(runs_of);
			if (dropped > 0)
				check_figure(name, mail, "", dropped, all);
			if (isfinite(as_far) && pairs >= JUDGE_LEAST_PAIRS)
				check_figure(name, mail, "sign-flip test of the primary: ", as_far,
					     " of ");
		}
		check_figure(name, mail, "", (double)points, " points ");
		check_figure(name, mail, ", ", runs, " runs");
	}
}

/* Above the tables of several runs: how many, how many ok. */
static void check_headlines_of_runs(const char *name, const char *mail, const json_t *report)
{
	double runs = number_at(report, "subjects.0.runs.a");
	double bad = number_at(report, "subjects.0.not_ok.a");

	char *of __free(memory) = text_format(" of %g runs ok: ", runs);

	check_figure(name, mail, "", runs, " runs of ");
	if (bad > 0)
		check_figure(name, mail, "", runs - bad, of);
}

static size_t check_tables(const char *name, const char *mail, const struct numbers *n)
{
	size_t checked = 0;
	bool inside = false;

	while (*mail) {
		size_t length = strcspn(mail, "\n");
		char *line __free(memory) = text_format("%.*s", (int)length, mail);
		char *rest = line, *token;
		double unit = 1;

		if (text_starts(line, "metric ") || text_starts(line, "workload: primary ") ||
		    text_starts(line, "tasks "))
			inside = true;
		else if (text_starts(line, "* primary") ||
			 text_starts(line, "verdicts corrected") || text_starts(line, "mean: ") ||
			 text_starts(line, "no mean ") || text_starts(line, "n: ok runs"))
			inside = false;
		else
			while (inside && (token = strsep(&rest, " "))) {
				const char *behind = rest ? rest : "";

				/* The level of a row that is written out. */
				if (!is_number(token) || text_starts(behind, "% interval"))
					continue;
				if (!check_token(token, behind, &unit, n))
					fail_msg("%s: '%s' is not in the JSON report: %.*s", name,
						 token, (int)length, mail);
				checked++;
			}
		mail += length + (mail[length] == '\n');
	}
	return checked;
}

static void test_same_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAKERS; i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL;
		char *json __free(memory) = NULL;
		json_t *report __free(json) = NULL;
		struct numbers n = {0};
		size_t k, c, m, checked;
		json_t *subject, *compared, *one;
		struct error err;

		makers[i].make(&x);
		mail = rendered(&x, "mail");
		json = rendered(&x, "json");
		if (!json_parse(json, strlen(json), &report, &err))
			fail_msg("%s", err.text);
		json_array_foreach(json_object_get(report, "subjects"), k, subject) {
			json_array_foreach(json_object_get(subject, "comparisons"), c, compared) {
				json_array_foreach(json_object_get(compared, "verdicts"), m, one)
					collect_verdict(one, &n);
			}
			json_array_foreach(json_object_get(subject, "arm"), m, one)
				collect_arm(one, &n);
		}
		if (!x.j) {
			const json_t *run = json_array_get(json_object_get(report, "runs"), 0);

			json_array_foreach(json_object_get(run, "figures"), m, one) {
				collect(json_object_get(one, "value"), &n);
				collect(json_object_get(one, "count"), &n);
				one = json_object_get(one, "within_run");
				collect(json_object_get(one, "low"), &n);
				collect(json_object_get(one, "high"), &n);
			}
		}
		collect_curves(report, &n);
		checked = check_tables(makers[i].name, mail, &n);
		if (x.j && x.j->blind) {
			/* The other way round: nobody may find one in it. */
			assert_int_equal(checked, 0);
			assert_null(strstr(mail, "writer latency"));
			assert_null(strstr(json, "\"figures\""));
			assert_null(strstr(json, "\"tasks\": ["));
			assert_null(strstr(json, "\"throughput\""));
			assert_null(strstr(json, "\"estimate\""));
			continue;
		}
		if (x.e->curve_count)
			check_headlines_of_curves(makers[i].name, mail, report);
		else if (x.j)
			check_headlines(makers[i].name, mail, report);
		else if (x.e->pairs > 1)
			check_headlines_of_runs(makers[i].name, mail, report);
		/*
		 * The row of a written-out table stands elsewhere; an invalid run has no figures.
		 */
		if (!checked && !text_equal(makers[i].name, "hostile") &&
		    !text_equal(makers[i].name, "cleared") &&
		    !text_equal(makers[i].name, "impossible") &&
		    !text_equal(makers[i].name, "command_failed") &&
		    !text_equal(makers[i].name, "single_invalid"))
			fail_msg("%s: no number was checked", makers[i].name);
	}
}

/* Metrics with a figure in some of the pairs, as the judge judges them. */
static void test_partly(void **state)
{
	static const struct {
		int64_t with;
		const char *there, *not_there;
	} parts[] = {
		{1, "1 of 9 pairs", "(1/9)"},
		{4, "4 of 9 pairs", "(4/9)"},
		{5, "(5/9)", " 5 of 9 pairs\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		struct fixture_run a = fixture_smaps, b = fixture_maps;
		char *mail __free(memory) = NULL;

		experiment_of_maps(&x, PLAN_PAIRS, 9);
		fixture_pairs(&x, 0, 0, parts[i].with, &a, &b);
		/* p99 takes 299. */
		b.samples = 120;
		fixture_pairs(&x, 0, parts[i].with, 9 - parts[i].with, &a, &b);
		x.j = judge(x.e, &x.runs, JUDGE_END);
		x.end = "planned end";
		mail = rendered(&x, "mail");
		golden_check_lines("partly", mail);
		if (!strstr(mail, parts[i].there) || strstr(mail, parts[i].not_there))
			fail_msg("%s", mail);
		assert_non_null(strstr(mail, "not missing at random"));
	}
}

/*
 * Jointly 4 secondaries need no less than one: at 5 % 6 pairs can reject (2/64 = .031), at 1 % 8
 * can (2/256). To be cleared each needs a quarter: 1/128 for .0125, and 1/512 for .0025.
 */
static void test_unreachable(void **state)
{
	static const struct {
		double alpha;
		int64_t pairs;
		const char *words; /* NULL: all is possible */
	} cases[] = {
		{0.05, 5, NULL},
		{0.05, 6,
		 "at 6 pairs and 4 comparisons no secondary can be cleared: the smallest p is "
		 "0.016, and one needs 0.0125; 7 pairs can"},
		{0.05, 7, NULL},
		{0.01, 6,
		 "at 6 pairs and 4 comparisons no secondary can be improved or regressed, nor "
		 "cleared: the smallest p is 0.031, and one needs 0.01; 8 pairs can"},
		{0.01, 8,
		 "at 8 pairs and 4 comparisons no secondary can be cleared: the smallest p is "
		 "0.0039, and one needs 0.0025; 9 pairs can"},
		{0.01, 9, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL, *line __free(memory) = NULL;

		experiment_of_maps(&x, PLAN_PAIRS, cases[i].pairs);
		x.e->alpha = cases[i].alpha;
		fixture_pairs(&x, 0, 0, cases[i].pairs, &fixture_smaps, &fixture_maps);
		x.j = judge(x.e, &x.runs, JUDGE_END);
		x.end = "planned end";
		mail = rendered(&x, "mail");
		line = one_line(mail);
		if (!strstr(line, cases[i].words ? cases[i].words : "no secondary can be") !=
		    !cases[i].words)
			fail_msg("case %zu: %s", i, mail);
	}
}

static void test_find(void **state)
{
	(void)state;
	assert_non_null(report_find("mail"));
	assert_non_null(report_find("json"));
	assert_null(report_find("html"));
	for (const struct report *const *r = report_all(); *r; r++)
		assert_ptr_equal(report_find((*r)->name), *r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_early_within_a_budget),
		cmocka_unit_test(test_a_workload_is_named_once),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_judged),
		cmocka_unit_test(test_same_numbers),
		cmocka_unit_test(test_partly),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_find),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
