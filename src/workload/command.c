// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/memory.h"
#include "workload/crew/errand.h"

/* Any program, executed once a run, as it is: no shell, no pinning, no window. */

/* The words of the command, ending with NULL. The array is the caller's, the strings are not. */
static const char **words_of(const json_t *command)
{
	size_t count = json_array_size(command);
	const char **words = memory_array(count + 1, sizeof(*words));

	for (size_t i = 0; i < count; i++)
		words[i] = json_string_value(json_array_get(command, i));
	return words;
}

/* NULL: none was given, as for `list`. */
static json_t *read_command(const struct cast *cast)
{
	const char *text = cast_string(cast, "argv");
	struct error ignored;
	json_t *command = NULL;

	json_parse(text, strlen(text), &command, &ignored);
	return command;
}

static bool run_reset(struct errand *e, struct error *err)
{
	const struct cast *cast = errand_cast(e);
	const char *argv[] = {cast_string(cast, "reset"), NULL};
	const struct errand_program reset = {
		.argv = argv,
		.folder = cast_string(cast, "cwd"),
		.phase = "reset",
	};

	return !*argv[0] || errand_execute(e, &reset, NULL, err) || error_wrap(err, "reset=");
}

static bool errand(struct errand *e, struct error *err)
{
	json_t *command __free(json) = read_command(errand_cast(e));
	const char **words __free(memory) = words_of(command);
	const struct errand_program program = {
		.argv = words,
		.folder = cast_string(errand_cast(e), "cwd"),
		.role = "program",
		.phase = "program",
	};
	struct errand_usage usage;

	if (!run_reset(e, err) || !errand_execute(e, &program, &usage, err))
		return false;
	errand_count_usage(e, &usage);
	return true;
}

static bool supported(const struct cast *cast, struct error *err)
{
	const char *folder = cast_string(cast, "cwd"), *reset = cast_string(cast, "reset");
	json_t *command __free(json) = read_command(cast);
	const char *name = json_string_value(json_array_get(command, 0));
	char *found __free(memory) = NULL, *also __free(memory) = NULL;

	if (*reset)
		/* Which may make the program. */
		return errand_find_program(reset, folder, &also, err) || error_wrap(err, "reset=");
	return !name || errand_find_program(name, folder, &found, err);
}

static const struct role roles[] = {
	{
		.name = "program",
		.help = "is executed once, with the environment of contend and no input",
		.alone = true,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"argv", PARAM_COMMAND, "", .required = true,
	 .help = "the program and its arguments; {key} in a word is the arm's value of key=, {{ is a "
		 "brace"},
	{"metric", PARAM_METRIC, "",
	 .help = "NAME:REGEX:UNIT:higher or :lower: a figure from the output, in the group of the "
		 "last line that matches (extended regular expression)"},
	{"reset", PARAM_TEXT, "",
	 .help = "a program that is executed before, in each run, unmeasured"},
	{"cwd", PARAM_TEXT, "", .help = "the folder where both begin; empty: that of contend"},
	ERRAND_PARAM_TIMEOUT("10m"),
	{.name = NULL},
};

static const struct metric metrics[] = {
	ERRAND_METRICS("program", "the program"),
	{.name = NULL},
};

const struct workload workload_command = {
	.name = "command",
	.summary = "any program with its arguments, behind --: contend run command -- sleep 1",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
	.errand = errand,
};
