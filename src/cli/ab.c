// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "cli/command.h"
#include "cli/conduct.h"
#include "cli/resume.h"
#include "experiment/file.h"

enum {
	KEY_FILE = 'f',
	KEY_ARM = KEY_COMMAND, /* the first of ARM_MOST */
	KEY_RESUME = KEY_ARM + ARM_MOST,
};

static const struct argp_option options[] = {
	{.name = "a",
	 .key = KEY_ARM + ARM_A,
	 .arg = "KEY=VALUE,...",
	 .flags = OPTION_AGAIN,
	 .doc = "Parameters of arm A, the baseline"},
	{.name = "b",
	 .key = KEY_ARM + ARM_B,
	 .arg = "KEY=VALUE,...",
	 .flags = OPTION_AGAIN,
	 .doc = "Parameters of arm B"},
	{.name = "c",
	 .key = KEY_ARM + ARM_C,
	 .arg = "KEY=VALUE,...",
	 .flags = OPTION_AGAIN,
	 .doc = "Parameters of a third arm, which is compared with A as B is"},
	{.name = "d",
	 .key = KEY_ARM + ARM_D,
	 .arg = "KEY=VALUE,...",
	 .flags = OPTION_AGAIN,
	 .doc = "Parameters of a fourth arm"},
	{.name = "file",
	 .key = KEY_FILE,
	 .arg = "FILE",
	 .doc = "Read an experiment file (- is standard input); words add to it, options such as "
		"--pairs stand in place of what it says. contend(1) has the format, "
		"share/contend/experiments ready ones"},
	OPTION_ALPHA("Rate of false alarms that is accepted (default 0.05)"),
	OPTION_BUDGET(
		"Stop when decided, or when another pair does not fit into this time; as many "
		"pairs as fit by the first one are the maximum that looks are planned for"),
	OPTION_MARGIN("A change for the worse up to this does not matter (default 2%)"),
	{.name = "max-pairs",
	 .key = KEY_TERM + TERM_MAX_PAIRS,
	 .group = 1,
	 .arg = "N",
	 .doc = "Stop when decided, at most after N pairs (default 40); looks on the way are planned "
		"for that. Under 10 it is --pairs N"},
	OPTION_PAIRS("Run exactly N pairs, with no look before the end"),
	OPTION_PRIMARY(
		"The metric that the end and the exit status are about, of each workload that has "
		"it; WORKLOAD.METRIC addresses one, and each can be given its own"),
	{.name = "resume",
	 .key = KEY_RESUME,
	 .group = 1,
	 .arg = "ID",
	 .doc = "Go on with a stored experiment that was interrupted or killed; --max-pairs, "
		"--pairs or --budget give it more room"},
	OPTION_SEED("Repeat the random order of an earlier experiment"),
	{.name = "strict",
	 .key = KEY_TERM + TERM_STRICT,
	 .group = 1,
	 .doc = "Exit with 1 also when worse within the margin"},
	{.name = "until-decided",
	 .key = KEY_TERM + TERM_UNTIL_DECIDED,
	 .group = 1,
	 .doc = "No maximum: go on until decided, or with --budget until that is spent. It sees "
		"small changes later than with a maximum"},
	OPTION_FORMAT_FILE,
	OPTION_HELP,
	OPTION_QUIET,
	OPTION_STORE,
	{0},
};

struct ab {
	struct common common;
	struct request request;
	struct experiment *experiment;
	const char *file;   /* the experiment file; NULL: none */
	const char *resume; /* the experiment to take up, as typed; NULL: a new one */
	char *fixed;	    /* what was given that belongs to an experiment; NULL: nothing */
};

static void ab_done(struct ab *ab)
{
	request_done(&ab->request);
	experiment_free(ab->experiment);
	free(ab->fixed);
}

static bool set_file(struct ab *ab, const char *path)
{
	ab->file = path;
	return *path || error_set(ab->common.err, ERROR_USAGE, "--file: no file");
}

static bool is_arm(int key)
{
	return key >= KEY_ARM && key < KEY_ARM + ARM_MOST;
}

/* What an experiment has from its beginning, the caller's; NULL for what can be given again. */
static char *fixed_word(int key, const char *word)
{
	int term = key - KEY_TERM;

	switch (key) {
	case KEY_FILE:
		return memory_string("--file");
	case ARGP_KEY_ARG:
		return memory_string(word);
	default:
		if (is_arm(key))
			return text_format("--%s", arm_keys[key - KEY_ARM]);
		return term < 0 || term >= TERM_COUNT || term == TERM_PAIRS ||
				       term == TERM_MAX_PAIRS || term == TERM_BUDGET
			       ? NULL
			       : text_format("--%s", term_words[term]);
	}
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct ab *ab = state->input;
	struct error *err = ab->common.err;

	if (!ab->fixed)
		ab->fixed = fixed_word(key, word);
	switch (key) {
	case KEY_RESUME:
		ab->resume = word;
		return 0;
	case KEY_FILE:
		return options_result(set_file(ab, word));
	case ARGP_KEY_ARG:
		return options_result(request_add_word(&ab->request, word, err));
	default:
		if (is_arm(key))
			return options_result(
				request_add_arm(&ab->request, key - KEY_ARM, word, err));
		if (options_is_term(key))
			return options_result(options_set_term(&ab->request.terms, key, word, err));
		return options_common(key, word, &ab->common);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "WORKLOAD... [KEY=VALUE...] [-- PROGRAM ARGUMENT...]\n-f FILE [WORD...]\n"
		    "--resume ID",
	.doc = "Run two arms in pairs of random order until it is decided whether B is worse than A."
	       "\v"
	       "KEY=VALUE outside --a and --b holds for all arms; WORKLOAD.KEY=VALUE addresses one "
	       "workload. In the value of --a and --b a comma before KEY= begins the next parameter, "
	       "and \\, is a comma. Without both, the arms are alike (A/A): a difference that is "
	       "found is then a false alarm, and tells how good this machine is.\n\n"
	       "With --c, and --d, there are more arms, as a default and two other settings: a "
	       "pair is then a block, one run of each in random order, each arm is compared with A, "
	       "and the verdicts are corrected for the number of comparisons.\n\n"
	       "tasks=1,2,4, 1..8 or 25%,50%,100% (of the CPUs) makes a curve: each number is run and "
	       "judged as a workload of its own, and the points have a mean.\n\n"
	       "What is behind -- is a program for the workload command; in its words {KEY} stands for "
	       "the arm's value of KEY=.\n\n"
	       "Several workloads are run in turn, a pair of each. One that fails three times in a "
	       "row is given up, and the others go on.\n\n"
	       "Exit status: 0 improved, cleared, or worse within the margin; 1 regressed, or B "
	       "crashes; 2 usage; 3 undecided; 4 it could not be done; 5 interrupted. Of several "
	       "workloads: 1 if any regressed, else 4, else 3, else 0.\n\n"
	       "Examples:\n"
	       "  contend ab proc_maps --a file=smaps --b file=maps --budget 2m\n"
	       "  contend ab brk1 mmap1 tasks=2 --primary brk1.cpu\n"
	       "  contend ab page_fault1 tasks=1,2,4 --a mode=process --b mode=thread\n"
	       "  contend ab proc_maps --a file=smaps --b file=maps --c file=stat --pairs 20\n"
	       "  contend ab command memcg=64M --a cc=gcc --b cc=clang -- {cc} -O2 -c x.c\n"
	       "  contend ab -f FILE --pairs 20\n"
	       "  contend ab --resume 7 --max-pairs 80",
};

static bool check_workloads(const struct request *r, struct error *err)
{
	if (r->workload_count)
		return true;
	if (r->file)
		return error_set(err, ERROR_USAGE,
				 "%.200s: names no workload, nor does the command line: workloads: "
				 "[proc_maps]",
				 r->file);
	return error_set(
		err, ERROR_USAGE,
		"which workload? As in: contend ab proc_maps --a file=smaps --b file=maps");
}

static int take_up(const struct ab *ab, struct error *err)
{
	const struct terms *terms = &ab->request.terms;
	const struct resume r = {
		.id = ab->resume,
		.pairs = terms->max_pairs ? terms->max_pairs : terms->pairs,
		.maximum = terms->max_pairs > 0,
		.budget_ns = terms->budget_ns,
	};

	if (!ab->fixed)
		return resume(&r, &ab->common, err);
	error_set(err, ERROR_USAGE,
		  "%s: with --resume only --max-pairs, --pairs or --budget can be said; all else "
		  "was fixed before the experiment's first run",
		  ab->fixed);
	return COMMAND_FAILED;
}

static int run(int argc, char **argv, struct error *err)
{
	struct ab ab __cleanup(ab_done) = {.experiment = experiment_new()};

	ab.common.takes_command = true;
	if (!options_parse(&argp, argc, argv, &ab.common, err) ||
	    !options_set_command(&ab.common, &ab.request, err))
		return COMMAND_FAILED;
	if (ab.common.help)
		return STATUS_OK;
	if (ab.resume)
		return take_up(&ab, err);
	if (ab.file && !experiment_file_load(ab.file, &ab.request, err))
		return COMMAND_FAILED;
	if (!check_workloads(&ab.request, err))
		return COMMAND_FAILED;
	terms_apply(&ab.request.terms, &ab.request.file_terms, ab.experiment);
	return conduct(ab.experiment, &ab.request, &ab.common, err);
}

const struct command command_ab = {
	.name = "ab",
	.summary = "compare two arms in random pairs until decided",
	.run = run,
};
