/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_REPORT_COMMANDS_H
#define CONTEND_TESTS_UNIT_REPORT_COMMANDS_H

#include "fixture.h"

/* Runs of programs: no window, no series, one task on any CPU, a figure that was read. */

/* As workload command describes itself to an experiment with a key and a figure. */
static const char commands_description[] =
	"{\"name\":\"command\",\"summary\":\"any program with its arguments\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"program\",\"help\":\"\"}],"
	"\"params\":[{\"name\":\"argv\",\"type\":\"command\",\"preset\":\"\",\"help\":\"\","
	"\"required\":true},"
	"{\"name\":\"timeout\",\"type\":\"duration\",\"preset\":\"10m\",\"low\":1,\"high\":1e15,"
	"\"help\":\"\"},"
	"{\"name\":\"cc\",\"type\":\"word\",\"preset\":\"\",\"help\":\"\",\"required\":true}],"
	"\"metrics\":["
	"{\"name\":\"real\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"program.real_ns\",\"primary\":true,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"max_rss\",\"unit\":\"bytes\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"program.max_rss_bytes\",\"primary\":false,\"multitask\":false,\"help\":\"\"},"
	"{\"name\":\"rate\",\"unit\":\"lines/s\",\"better\":\"higher\",\"summary\":\"reading\","
	"\"of\":\"program.rate\",\"reader\":\"pattern\",\"pattern\":\"rate ([0-9]+)\",\"scale\":1,"
	"\"primary\":false,\"multitask\":false,\"help\":\"\"}]}";

/* rate: what was read from its output; 0: nothing was, for it is not ok. */
static inline void commands_add(struct fixture *x, int64_t pair, int64_t real_ns, int64_t rate,
				enum outcome outcome, const char *reason)
{
	json_t *record __free(json) =
		json_pack("{s:s, s:s, s:[], s:[], s:[s], s:{s:s, s:s, s:s, s:s}}", "outcome",
			  outcome_words[outcome], "reason", reason, "tasks", "series", "notes",
			  "program: it left 2 processes behind, which were ended", "host", "kernel",
			  "6.18.44", "machine", "x86_64", "cpus_allowed", "0-1", "cpu_model",
			  "AMD EPYC 7B13");
	struct error err;
	struct run *run;

	if (rate)
		json_array_append_new(json_object_get(record, "tasks"),
				      json_pack("{s:s, s:i, s:i, s:I, s:{s:i, s:i, s:I, s:i}}",
						"role", "program", "task", 0, "cpu", -1,
						"window_ns", (json_int_t)real_ns, "counters",
						"operations", 1, "failures", 0, "real_ns",
						(json_int_t)real_ns, "max_rss_bytes", 96 << 20));
	if (!run_from_record(record, &run, &err))
		fail_msg("%s", err.text);
	if (rate)
		run->readings = json_pack("{s:I}", "program.rate", (json_int_t)rate);
	run->started_ns = x->e->created_ns + pair * 2200000000;
	run->ended_ns = run->started_ns + real_ns + 40000000;
	entries_add(&x->runs,
		    (struct entry){
			    .id = pair + 1, .pair = pair, .arm = ARM_A, .first = true, .run = run});
}

static inline void commands_begin(struct fixture *x, int64_t runs, const char *command)
{
	fixture_experiment(x, PLAN_SINGLE, runs, "", "", command);
	fixture_subject(
		x, commands_description,
		"{\"argv\":\"[\\\"{cc}\\\",\\\"-c\\\",\\\"it's a file.c\\\"]\",\"cc\":\"gcc\"}",
		"{}", "{}");
	x->end = "planned end";
}

static void command_run(struct fixture *x)
{
	commands_begin(x, 1,
		       "contend run command cc=gcc 'metric=rate:rate ([0-9]+):lines/s:higher' "
		       "-- '{cc}' -c 'it'\\''s a file.c'");
	commands_add(x, 0, 1830000000, 48211, OUTCOME_OK, "");
}

static void command_failed(struct fixture *x)
{
	commands_begin(x, 1, "contend run command cc=gcc -- '{cc}' -c 'it'\\''s a file.c'");
	commands_add(x, 0, 0, 0, OUTCOME_FAILED,
		     "gcc: exit status 1; its last lines: it's a file.c:7:1: error: expected "
		     "declaration | compilation terminated.");
	x->status = 4;
}

#endif
