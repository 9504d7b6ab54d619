// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/units.h"
#include "cli/command.h"
#include "cli/conduct.h"

enum {
	KEY_A = KEY_COMMAND,
	KEY_B,
	KEY_ALPHA,
	KEY_BUDGET,
	KEY_MARGIN,
	KEY_PAIRS,
	KEY_PRIMARY,
	KEY_STRICT,
};

enum { PAIRS_PRESET = 40, PAIRS_MAX = 1000000 };

static const struct argp_option options[] = {
	{.name = "a",
	 .key = KEY_A,
	 .arg = "KEY=VALUE,...",
	 .doc = "Parameters of arm A, the baseline"},
	{.name = "b", .key = KEY_B, .arg = "KEY=VALUE,...", .doc = "Parameters of arm B"},
	{.name = "alpha",
	 .key = KEY_ALPHA,
	 .group = 1,
	 .arg = "RATIO",
	 .doc = "Rate of false alarms that is accepted (default 0.05)"},
	{.name = "budget",
	 .key = KEY_BUDGET,
	 .group = 1,
	 .arg = "TIME",
	 .doc = "Stop when decided, or when another pair does not fit into this time"},
	{.name = "margin",
	 .key = KEY_MARGIN,
	 .group = 1,
	 .arg = "PERCENT",
	 .doc = "A change for the worse up to this does not matter (default 2%)"},
	{.name = "pairs",
	 .key = KEY_PAIRS,
	 .group = 1,
	 .arg = "N",
	 .doc = "Run exactly N pairs, without a look before the end (default: stop when decided, at "
		"most 40 pairs)"},
	{.name = "primary",
	 .key = KEY_PRIMARY,
	 .group = 1,
	 .arg = "METRIC",
	 .doc = "The metric that the exit status is about"},
	{.name = "strict",
	 .key = KEY_STRICT,
	 .group = 1,
	 .doc = "Exit with 1 also when worse within the margin"},
	OPTION_FORMAT,
	OPTION_HELP,
	OPTION_QUIET,
	OPTION_SEED,
	OPTION_STORE,
	{0},
};

struct ab {
	struct common common;
	struct request request;
	struct experiment *experiment;
};

static void ab_done(struct ab *ab)
{
	common_done(&ab->common);
	request_done(&ab->request);
	experiment_free(ab->experiment);
}

static bool set_alpha(struct experiment *e, const char *value, struct error *err)
{
	if (!units_parse_number(value, &e->alpha, err))
		return error_wrap(err, "--alpha");
	if (e->alpha < 1e-6 || e->alpha > 0.5)
		return error_set(err, ERROR_USAGE, "--alpha %s: must be 0.000001 to 0.5", value);
	return true;
}

static bool set_budget(struct experiment *e, const char *value, struct error *err)
{
	if (!units_parse_duration(value, &e->budget_ns, err))
		return error_wrap(err, "--budget");
	if (!e->budget_ns)
		return error_set(err, ERROR_USAGE, "--budget %s: must be above 0", value);
	return true;
}

static bool set_margin(struct experiment *e, const char *value, struct error *err)
{
	return units_parse_percent(value, &e->margin, err) || error_wrap(err, "--margin");
}

static bool set_pairs(struct experiment *e, const char *value, struct error *err)
{
	if (!units_parse_count(value, &e->pairs, err))
		return error_wrap(err, "--pairs");
	if (!e->pairs || e->pairs > PAIRS_MAX)
		return error_set(err, ERROR_USAGE, "--pairs %s: must be 1 to %d", value, PAIRS_MAX);
	return true;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct ab *ab = state->input;
	struct experiment *e = ab->experiment;
	struct error *err = ab->common.err;

	switch (key) {
	case KEY_A:
		return options_result(request_add_arm(&ab->request, ARM_A, word, err));
	case KEY_B:
		return options_result(request_add_arm(&ab->request, ARM_B, word, err));
	case KEY_ALPHA:
		return options_result(set_alpha(e, word, err));
	case KEY_BUDGET:
		return options_result(set_budget(e, word, err));
	case KEY_MARGIN:
		return options_result(set_margin(e, word, err));
	case KEY_PAIRS:
		return options_result(set_pairs(e, word, err));
	case KEY_PRIMARY:
		ab->request.primary = word;
		return 0;
	case KEY_STRICT:
		e->strict = true;
		return 0;
	case ARGP_KEY_ARG:
		return options_result(request_add_word(&ab->request, word, err));
	default:
		return options_common(key, word, &ab->common);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "WORKLOAD... [KEY=VALUE...]",
	.doc = "Run two arms in pairs of random order until it is decided whether B is worse than A."
	       "\v"
	       "KEY=VALUE outside --a and --b holds for both arms; WORKLOAD.KEY=VALUE addresses one "
	       "workload. In the value of --a and --b a comma before KEY= begins the next parameter, "
	       "and \\, is a comma. Without both, the arms are alike (A/A): a difference that is "
	       "found is then a false alarm, and tells how good this machine is.\n\n"
	       "Several workloads are run in turn, a pair of each. One that fails three times in a "
	       "row is given up, and the others go on.\n\n"
	       "Exit status: 0 improved, cleared, or worse within the margin; 1 regressed, or B "
	       "crashes; 2 usage; 3 undecided; 4 it could not be done; 5 interrupted. Of several "
	       "workloads: 1 if any regressed, else 4, else 3, else 0.\n\n"
	       "Example: contend ab proc_maps --a file=smaps --b file=maps --budget 2m",
};

static bool choose_plan(struct experiment *e, struct error *err)
{
	if (e->pairs && e->budget_ns)
		return error_set(
			err, ERROR_USAGE,
			"--pairs and --budget exclude each other: either says when to end");
	e->plan = e->pairs ? PLAN_PAIRS : e->budget_ns ? PLAN_BUDGET : PLAN_DECIDED;
	if (e->plan == PLAN_DECIDED)
		e->pairs = PAIRS_PRESET;
	return true;
}

static int run(int argc, char **argv, struct error *err)
{
	struct ab ab __cleanup(ab_done) = {.experiment = experiment_new()};

	ab.experiment->margin = 0.02;
	ab.experiment->alpha = 0.05;
	if (!options_parse(&argp, argc, argv, &ab.common, err))
		return COMMAND_FAILED;
	if (ab.common.help)
		return STATUS_OK;
	if (!ab.request.workload_count) {
		error_set(
			err, ERROR_USAGE,
			"which workload? As in: contend ab proc_maps --a file=smaps --b file=maps");
		return COMMAND_FAILED;
	}
	if (!choose_plan(ab.experiment, err))
		return COMMAND_FAILED;
	return conduct(ab.experiment, &ab.request, &ab.common, err);
}

const struct command command_ab = {
	.name = "ab",
	.summary = "compare two arms in random pairs until decided",
	.run = run,
};
