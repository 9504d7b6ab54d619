/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_REPORT_ARMS_H
#define CONTEND_TESTS_UNIT_REPORT_ARMS_H

#include "fixture.h"

/* Findings of more than two arms. */

/* One more arm, behind the subjects: what it has of its own beside what A has. */
static inline void fixture_arm(struct fixture *x, const char *label, const char *params)
{
	int arm = x->e->arm_count++;

	x->e->labels[arm] = memory_string(label);
	for (size_t i = 0; i < x->e->subject_count; i++) {
		json_t *more __free(json) = NULL;
		struct error err;

		assert_true(json_parse(params, strlen(params), &more, &err));
		x->e->subjects[i].params[arm] = json_deep_copy(x->e->subjects[i].params[ARM_A]);
		json_object_update(x->e->subjects[i].params[arm], more);
	}
}

/* Blocks of ok runs; figures NULL: the arm had no part in them. */
static inline void fixture_blocks(struct fixture *x, size_t subject, int64_t first, int64_t blocks,
				  const struct fixture_run *const *figures)
{
	unsigned int arms = 0;

	for (int arm = 0; arm < x->e->arm_count; arm++)
		arms |= figures[arm] ? 1U << arm : 0;
	for (int64_t i = first; i < first + blocks; i++) {
		for (int arm = 0; arm < x->e->arm_count; arm++) {
			struct fixture_run r;

			if (!figures[arm])
				continue;
			r = *figures[arm];
			r.p50_ns = fixture_jitter(x, r.p50_ns, 0.02);
			r.p99_ns = fixture_jitter(x, r.p99_ns, 0.2);
			r.max_ns = fixture_jitter(x, r.max_ns, 0.3);
			r.scans = (int64_t)fixture_jitter(x, (double)r.scans, 0.03);
			r.operations = (int64_t)fixture_jitter(x, (double)r.operations, 0.01);
			fixture_add(x, subject, i, arm, &r, OUTCOME_OK, "");
			x->runs.list[x->runs.count - 1].arms = arms;
		}
	}
}

/* Three arms, as a baseline and two versions of a patch: B better, C as A is, and not by name. */
static void arms(struct fixture *x)
{
	struct fixture_run baseline = {
		.p50_ns = 27600,
		.p99_ns = 10.17e6,
		.max_ns = 18.5e6,
		.samples = 2000,
		.stalls = 30,
		.scans = 3220,
		.scan_bytes = 84000,
	};
	struct fixture_run better = baseline, alike = baseline;
	const struct fixture_run *const figures[] = {&baseline, &better, &alike};
	struct fixture_verdict v = {.rule = RULE_SIGN_FLIP, .comparisons = 2};

	baseline.host = "{\"kernel\":\"6.18\",\"cpus_online\":\"0-1\",\"hypervisor\":\"none\"}";
	better.host = "{\"kernel\":\"6.18-v1\",\"cpus_online\":\"0-1\",\"hypervisor\":\"none\"}";
	alike.host = "{\"kernel\":\"6.18-v2\",\"cpus_online\":\"0-1\",\"hypervisor\":\"none\"}";
	better.p50_ns = 20100;
	better.note = "writer: 12 stalls were longer than 10 ms";
	alike.note = "writer: 31 stalls were longer than 10 ms";
	fixture_experiment(x, PLAN_PAIRS, 10, "kernel=6.18", "kernel=6.18-v1",
			   "contend ab proc_maps window=2s --a kernel=6.18 --b kernel=6.18-v1 "
			   "--c kernel=6.18-v2 --pairs 10 --seed 4021");
	fixture_subject(x, fixture_proc_maps, "{\"window\":\"2s\"}", "{\"kernel\":\"6.18\"}",
			"{\"kernel\":\"6.18-v1\"}");
	fixture_arm(x, "kernel=6.18-v2", "{\"kernel\":\"6.18-v2\"}");
	fixture_blocks(x, 0, 0, 10, figures);
	fixture_judgement(x);
	for (int arm = ARM_B; arm <= ARM_C; arm++) {
		bool b = arm == ARM_B;

		v.metric = "writer_latency_p50";
		v.verdict = b ? VERDICT_IMPROVED : VERDICT_CLEARED;
		v.low = b ? -0.281 : -0.0105;
		v.high = b ? -0.262 : 0.0084;
		v.p = b ? 2.0 / 1024 : 0.29;
		v.p_adjusted = b ? 0.0021 : 0.29;
		v.comparisons = 2;
		v.correction = CORRECTION_BLOCKS;
		v.bound = b ? -0.264 : 0.0091;
		fixture_verdict_of(x, 0, arm, 10, v);
		v.metric = "writer_latency_p99";
		v.verdict = VERDICT_UNDECIDED;
		v.low = -0.12;
		v.high = 0.11;
		v.p = 0.64;
		v.p_adjusted = 1;
		v.comparisons = 4;
		v.correction = CORRECTION_MAX_T;
		v.more_pairs = b ? 311 : 77;
		v.bound = NAN;
		fixture_verdict_of(x, 0, arm, 10, v);
		v.metric = "reader_scans";
		v.verdict = VERDICT_CLEARED;
		v.low = -0.014;
		v.high = 0.013;
		v.more_pairs = 0;
		fixture_verdict_of(x, 0, arm, 10, v);
	}
	x->e->id = 31;
	x->end = "planned end";
}

/* Two workloads of four arms with looks: B rests early, C crashes, D cannot do one of them. */
static void arms_several(struct fixture *x)
{
	struct fixture_run brk = {.operations = 2345678, .tasks = 2};
	struct fixture_run quick = brk, slow = brk;
	const struct fixture_run *all[] = {&brk, &quick, NULL, &slow};
	const struct fixture_run *without_b[] = {&brk, NULL, NULL, &slow};
	const struct fixture_run *without_d[] = {&brk, &quick, NULL, NULL};
	struct fixture_verdict v = {.rule = RULE_E_PROCESS,
				    .metric = "operations",
				    .comparisons = 6,
				    .correction = CORRECTION_HOLM};

	quick.operations = brk.operations * 11 / 10;
	slow.operations = brk.operations * 99 / 100;
	fixture_experiment(x, PLAN_DECIDED, 40, "", "mode=thread",
			   "contend ab brk1 mmap1 --b mode=thread --c tasks=2 --d tasks=4 "
			   "--seed 4021");
	fixture_subject(x, fixture_brk1, "{}", "{}", "{\"mode\":\"thread\"}");
	fixture_subject(x, like_brk1("mmap1", "map and unmap 128 MiB"), "{}", "{}",
			"{\"mode\":\"thread\"}");
	fixture_arm(x, "tasks=2", "{\"tasks\":\"2\"}");
	fixture_arm(x, "tasks=4", "{\"tasks\":\"4\"}");
	for (size_t subject = 0; subject < 2; subject++) {
		bool second = subject > 0;

		for (int64_t i = 0; i < 3; i++) {
			fixture_blocks(x, subject, i, 1, second ? without_d : all);
			/* In that block all of them had a part. */
			for (size_t k = x->runs.count - (second ? 2 : 3); k < x->runs.count; k++)
				x->runs.list[k].arms = 0;
			fixture_add(x, subject, i, ARM_C, &brk, OUTCOME_CRASHED,
				    "task 0: killed by SIGSEGV");
			if (second)
				fixture_add(x, subject, i, ARM_D, &brk, OUTCOME_FAILED,
					    "task 3: mmap: ENOMEM (Cannot allocate memory)");
		}
		fixture_blocks(x, subject, 3, 5, second ? without_d : all);
		if (!second)
			fixture_blocks(x, subject, 8, 6, without_b);
	}
	fixture_judgement(x);
	for (size_t i = 0; i < x->j->comparison_count; i++) {
		struct comparison *c = &x->j->comparisons[i];
		bool failed = c->arm == ARM_C || (c->index && c->arm == ARM_D);

		v.verdict = c->arm == ARM_B ? VERDICT_IMPROVED : VERDICT_UNDECIDED;
		v.low = failed ? -1 : c->arm == ARM_B ? 0.085 : -0.021;
		v.high = failed ? INFINITY : c->arm == ARM_B ? 0.112 : 0.004;
		v.p = failed ? 1 : c->arm == ARM_B ? 0.0066 : 0.31;
		v.p_adjusted = c->arm == ARM_B ? 0.0396 : 1;
		v.evidence = failed ? 0 : c->arm == ARM_B ? 151 : 3.2;
		v.more_pairs = failed ? 0 : c->arm == ARM_B ? 0 : 9;
		fixture_verdict_of(x, c->index, c->arm, 14, v);
		c->metrics[0].settled = c->arm == ARM_B;
		if (!failed)
			continue;
		c->dropped = 3;
		c->failures_in_row[c->arm] = 3;
		c->crashes_in_row[c->arm] = c->arm == ARM_C ? 3 : 0;
		c->crashes = c->arm == ARM_C;
		c->impossible = c->arm == ARM_D;
		c->why_not = memory_string(
			c->arm == ARM_C ? "crashed: task 0: killed by SIGSEGV"
					: "failed: task 3: mmap: ENOMEM (Cannot allocate memory)");
		c->first_drop = text_format("pair 1, %s: %s", arm_words[c->arm], c->why_not);
	}
	x->j->crashes = x->j->impossible = true;
	x->j->looks = 14;
	x->j->finished = false;
	x->end = "interrupted";
	x->status = 5;
}

/* A plan of three arms that was cut: nothing of its figures. */
static void arms_blind(struct fixture *x)
{
	const struct fixture_run brk = {.operations = 2345678, .tasks = 2};
	const struct fixture_run *const figures[] = {&brk, &brk, &brk};

	fixture_experiment(x, PLAN_PAIRS, 20, "", "",
			   "contend ab brk1 --b '' --c '' --pairs 20 --seed 4021");
	fixture_subject(x, fixture_brk1, "{}", "{}", "{}");
	fixture_arm(x, "", "{}");
	fixture_blocks(x, 0, 0, 4, figures);
	fixture_add(x, 0, 4, ARM_A, &brk, OUTCOME_OK, "");
	fixture_add(x, 0, 4, ARM_B, &brk, OUTCOME_OK, "");
	fixture_add(x, 0, 4, ARM_C, &brk, OUTCOME_INVALID, "task 1: could not run");
	x->j = judge(x->e, &x->runs, JUDGE_LOOK);
	x->e->id = 32;
	x->end = "interrupted";
	x->status = 5;
}

#endif
