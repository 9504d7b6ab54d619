/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_OPTIONS_H
#define CONTEND_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/error.h"
#include "experiment/request.h"
#include "report/report.h"

/*
 * Options are argp tables, but stricter than argp reads them: no abbreviations (argp takes `--a`
 * for `--alpha` in a command that has no `--a`), no value that looks like an option, one line of
 * reason, and an option that takes a value is given once, but for those with OPTION_AGAIN among
 * their flags.
 */
enum { OPTION_AGAIN = 0x1000 }; /* beyond those of argp, which minds it not */

/* Rows for the tables of commands; their keys are above every letter. */
enum {
	KEY_FORMAT = 0x100,
	KEY_FORMAT_FILE,
	KEY_STORE,
	KEY_TERM,			     /* the first of TERM_COUNT */
	KEY_COMMAND = KEY_TERM + TERM_COUNT, /* the first of a command's own */
};

#define OPTION_FORMAT                                                                              \
	{                                                                                          \
		.name = "format", .key = KEY_FORMAT, .arg = "FORMAT", .group = -2,                 \
		.doc = "Print as mail (the default) or json"                                       \
	}
/* For commands about experiments, which have a file. */
#define OPTION_FORMAT_FILE                                                                         \
	{                                                                                          \
		.name = "format", .key = KEY_FORMAT_FILE, .arg = "FORMAT", .group = -2,            \
		.doc = "Print as mail (the default), json, or yaml: the experiment file that "     \
		       "repeats it"                                                                \
	}
#define OPTION_HELP                                                                                \
	{                                                                                          \
		.name = "help", .key = 'h', .group = -1, .doc = "Print this help"                  \
	}
#define OPTION_QUIET                                                                               \
	{                                                                                          \
		.name = "quiet", .key = 'q', .group = -2,                                          \
		.doc = "Show no progress on the terminal"                                          \
	}
#define OPTION_STORE                                                                               \
	{                                                                                          \
		.name = "store", .key = KEY_STORE, .arg = "FILE", .group = -2,                     \
		.doc = "The file that holds experiments and their runs; when missing it is made, " \
		       "and the folders that lead to it"                                           \
	}

/* A term of experiments, for options_set_term(). What it means to a command is its own to say. */
#define OPTION_TERM(word, term, value, more, text)                                                 \
	{                                                                                          \
		.name = (word), .key = KEY_TERM + (term), .arg = (value), .flags = (more),         \
		.group = 1, .doc = (text)                                                          \
	}
#define OPTION_ALPHA(text) OPTION_TERM("alpha", TERM_ALPHA, "RATIO", 0, text)
#define OPTION_BUDGET(text) OPTION_TERM("budget", TERM_BUDGET, "TIME", 0, text)
#define OPTION_MARGIN(text) OPTION_TERM("margin", TERM_MARGIN, "PERCENT", 0, text)
#define OPTION_PAIRS(text) OPTION_TERM("pairs", TERM_PAIRS, "N", 0, text)
#define OPTION_PRIMARY(text) OPTION_TERM("primary", TERM_PRIMARY, "METRIC", OPTION_AGAIN, text)
#define OPTION_SEED(text) OPTION_TERM("seed", TERM_SEED, "N", 0, text)

/* What these rows fill in. The first member of whatever a command's parser fills in. */
struct common {
	const char *store;	     /* NULL: store_default_path() */
	const struct report *report; /* never NULL after options_parse() */
	bool quiet;
	bool help; /* help was asked for and has been printed: nothing is left to do */
	/*
	 * The words behind `--`. Where the caller has not set takes_command they are refused.
	 */
	const char *const *command;
	size_t command_count;
	bool takes_command;
	struct error *err; /* for parsers: where they put the reason when they return EINVAL */
};

/* For parsers: the common rows. Unknown keys are argp's. */
error_t options_common(int key, const char *value, struct common *c);

/*
 * For parsers: whether it is the key of a term, and what it says: into terms, false (err) as
 * refused.
 */
bool options_is_term(int key);
bool options_set_term(struct terms *terms, int key, const char *value, struct error *err);

/* Behind options_parse(): what stood behind `--` is the command of a request. */
bool options_set_command(const struct common *c, struct request *r, struct error *err);

/* For parsers: EINVAL when a step failed. */
static inline error_t options_result(bool ok)
{
	return ok ? 0 : EINVAL;
}

/*
 * Parses a command's words into c and what follows it; argp's parser gets c as its input, and
 * ARGP_KEY_ARG for each word that is not an option. argv[0] is the name in the help.
 */
bool options_parse(const struct argp *argp, int argc, char **argv, struct common *c,
		   struct error *err);

#endif
