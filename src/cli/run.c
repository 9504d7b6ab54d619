// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"
#include "cli/conduct.h"

static const struct argp_option options[] = {
	OPTION_FORMAT, OPTION_HELP, OPTION_QUIET, OPTION_SEED, OPTION_STORE, {0},
};

struct single {
	struct common common;
	struct request request;
	struct experiment *experiment;
};

static void single_done(struct single *s)
{
	common_done(&s->common);
	request_done(&s->request);
	experiment_free(s->experiment);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct single *s = state->input;

	if (key == ARGP_KEY_ARG)
		return options_result(request_add_word(&s->request, word, s->common.err));
	return options_common(key, word, &s->common);
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "WORKLOAD [KEY=VALUE...]",
	.doc = "Run a workload once and describe what it measured."
	       "\v"
	       "Exit status: 0 measured; 2 usage; 4 it could not be done; 5 interrupted.\n\n"
	       "Example: contend run proc_maps file=smaps window=2s",
};

static int run(int argc, char **argv, struct error *err)
{
	struct single s __cleanup(single_done) = {.experiment = experiment_new()};

	s.experiment->plan = PLAN_SINGLE;
	s.experiment->pairs = 1;
	s.experiment->margin = 0.02;
	s.experiment->alpha = 0.05;
	if (!options_parse(&argp, argc, argv, &s.common, err))
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
	.summary = "measure one arm once and describe it",
	.run = run,
};
