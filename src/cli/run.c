// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"
#include "cli/command.h"
#include "cli/conduct.h"

enum {
	KEY_RUNS = KEY_COMMAND,
};

enum { RUNS_MAX = 1000000 };

/* No --seed: one arm has no order of arms to repeat. */
static const struct argp_option options[] = {
	{.name = "runs",
	 .key = KEY_RUNS,
	 .arg = "N",
	 .doc = "Run it N times, each in a fresh process, and describe the runs together (default "
		"1)"},
	OPTION_FORMAT,
	OPTION_HELP,
	OPTION_QUIET,
	OPTION_STORE,
	{0},
};

struct single {
	struct common common;
	struct request request;
	struct experiment *experiment;
};

static void single_done(struct single *s)
{
	request_done(&s->request);
	experiment_free(s->experiment);
}

static bool set_runs(struct experiment *e, const char *value, struct error *err)
{
	if (!units_parse_count(value, &e->pairs, err))
		return error_wrap(err, "--runs");
	if (!e->pairs || e->pairs > RUNS_MAX)
		return error_set(err, ERROR_USAGE, "--runs %s: must be 1 to %d", value, RUNS_MAX);
	return true;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct single *s = state->input;

	switch (key) {
	case KEY_RUNS:
		return options_result(set_runs(s->experiment, word, s->common.err));
	case ARGP_KEY_ARG:
		return options_result(request_add_word(&s->request, word, s->common.err));
	default:
		return options_common(key, word, &s->common);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "WORKLOAD [KEY=VALUE...] [-- PROGRAM ARGUMENT...]",
	.doc = "Run a workload once, or several times, and describe what it measured. To compare, use "
	       "contend ab: runs of two commands, one after the other, differ for many reasons."
	       "\v"
	       "Several runs are described by median, mean, the standard error that perf stat -r "
	       "prints, and an interval; n counts runs. A run that is not ok is reported and not "
	       "replaced; three in a row end it.\n\n"
	       "tasks=1,2,4, 1..8 or 25%,50%,100% (of the CPUs) runs each number of tasks and prints "
	       "how the workload scales.\n\n"
	       "What is behind -- is a program for the workload command.\n\n"
	       "Exit status: 0 measured; 2 usage; 4 no run was ok, or it could not go on; 5 "
	       "interrupted.\n\n"
	       "Examples:\n"
	       "  contend run proc_maps file=smaps window=2s --runs 5\n"
	       "  contend run brk1 tasks=1,2,4\n"
	       "  contend run command memcg=64M -- sort big.txt",
};

static int run(int argc, char **argv, struct error *err)
{
	struct single s __cleanup(single_done) = {.experiment = experiment_new()};

	s.experiment->plan = PLAN_SINGLE;
	s.experiment->arm_count = 1;
	s.experiment->pairs = 1;
	s.experiment->margin = 0.02;
	s.experiment->alpha = 0.05;
	s.common.takes_command = true;
	if (!options_parse(&argp, argc, argv, &s.common, err) ||
	    !options_set_command(&s.common, &s.request, err))
		return COMMAND_FAILED;
	if (s.common.help)
		return STATUS_OK;
	if (s.request.workload_count != 1) {
		error_set(err, ERROR_USAGE, "%s? As in: contend run proc_maps file=smaps window=2s",
			  s.request.workload_count ? "which one of these workloads"
						   : "which workload");
		return COMMAND_FAILED;
	}
	return conduct(s.experiment, &s.request, &s.common, err);
}

const struct command command_run = {
	.name = "run",
	.summary = "measure one arm and describe it",
	.run = run,
};
