// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernel/task_usage.h"
#include "workload/crew/keeper.h"
#include "workload/object.h"
#include "workload/workload.h"

/* A test case from a file: one of will-it-scale as it is, or one made for include/contend. */

enum { ITERATION };

/* Of a file that cannot be read: supported() says so. */
static bool is_endless(const struct cast *cast)
{
	struct object object __cleanup(object_done) = {0};
	struct error ignored;

	return object_read(cast_string(cast, "file"), &object, &ignored) && !object.own;
}

/* What needs a place between two operations, where a testcase() lets nobody in. */
static bool check_lookup(const struct cast *cast, struct error *err)
{
	const char *name = cast_number(cast, "delay") > 0 ? "delay"
			   : cast_integer(cast, "raw")	  ? "raw"
							  : NULL;

	if (!name)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "%s=%s: testcase() never looks up from its loop; a file that has "
			 "contend_work() can do it",
			 name, cast_string(cast, name));
}

static bool supported(const struct cast *cast, struct error *err)
{
	const char *file = cast_string(cast, "file");
	struct object object __cleanup(object_done) = {0};
	char *runner __free(memory) = keeper_find_runner(err);

	if (!runner || !task_usage_supported(err))
		return false;
	/* For `list`, which knows of no file. */
	if (!*file)
		return true;
	return object_read(file, &object, err) && (object.own || check_lookup(cast, err));
}

static json_t *program(const struct cast *cast)
{
	struct object object __cleanup(object_done) = {0};
	struct error ignored;

	return object_read(cast_string(cast, "file"), &object, &ignored)
		       ? json_incref(object.identity)
		       : NULL;
}

/*
 * A short form for the fingerprint, where two arms, or two runs, that did not run the same file are
 * seen to differ.
 */
static void describe(const struct cast *cast, json_t *host)
{
	struct object object __cleanup(object_done) = {0};
	char *text __free(memory) = NULL;
	const char *name;
	struct error ignored;

	if (!object_read(cast_string(cast, "file"), &object, &ignored))
		return;
	name = strrchr(object.path, '/');
	text = text_format("%s, SHA-256 %.16s...", name ? name + 1 : object.path,
			   json_string_value(json_object_get(object.identity, "sha256")));
	json_object_set_new(host, "program", json_text(text));
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "does what the file does",
		.operations = {[ITERATION] = {.name = "iteration", .series = "latency"}},
		.guest = true,
		.endless = is_endless,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"file", PARAM_TEXT, "", .required = true,
	 .help = "a shared object: a test of will-it-scale, as it is (gcc -O2 -shared -fPIC -o brk1.so "
		 "brk1.c), or one that has contend_work() (contend/contend.h)"},
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "iterations per second as the file counts them, summed over the tasks"},
	METRIC_QUANTILES("latency", "task.latency", "of an operation, where the file times it"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time an iteration, of the task and of the threads or processes that it makes "
		 "by new_task()"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults an iteration"},
	{.name = NULL},
};

const struct workload workload_external = {
	.name = "external",
	.summary = "a test case from a shared object: any of will-it-scale's, or one of your own",
	.needs = "contend-runner beside the agent, and what the file needs",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
	.describe = describe,
	.program = program,
};
