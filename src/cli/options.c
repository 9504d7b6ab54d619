// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options.h"

#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

static bool choose_report(const char *name, bool file, struct common *c)
{
	struct nearest nearest = {.name = name};

	c->report = report_find(name);
	if (c->report && c->report->of_two_arms && !file)
		return error_set(c->err, ERROR_USAGE,
				 "--format %s is for `contend ab` and `contend show`", name);
	if (c->report)
		return true;
	for (const struct report *const *r = report_all(); *r; r++)
		nearest_try(&nearest, (*r)->name);
	return nearest_refuse(&nearest, "format", c->err);
}

error_t options_common(int key, const char *value, struct common *c)
{
	switch (key) {
	case KEY_FORMAT:
	case KEY_FORMAT_FILE:
		return options_result(choose_report(value, key == KEY_FORMAT_FILE, c));
	case KEY_STORE:
		c->store = value;
		return options_result(*value || error_set(c->err, ERROR_USAGE, "--store: no file"));
	case 'q':
		c->quiet = true;
		return 0;
	case 'h':
		c->help = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

bool options_is_term(int key)
{
	return key >= KEY_TERM && key < KEY_TERM + TERM_COUNT;
}

bool options_set_command(const struct common *c, struct request *r, struct error *err)
{
	static const struct place command_line = {0};

	return !c->command_count ||
	       request_set_command(r, c->command, c->command_count, command_line, err);
}

bool options_set_term(struct terms *terms, int key, const char *value, struct error *err)
{
	enum term term = (enum term)(key - KEY_TERM);

	/* An option that takes no value says yes. */
	return terms_set(terms, term, value ? value : "yes", err) ||
	       error_wrap(err, "--%s", term_words[term]);
}

static bool refuse_option(const struct argp_option *options, const char *word, struct error *err)
{
	char *given __free(memory) = text_format("%.*s", (int)strcspn(word, "="), word);
	struct nearest nearest = {.name = given};

	for (const struct argp_option *o = options; o->name; o++) {
		char *known __free(memory) = text_format("--%s", o->name);

		nearest_try(&nearest, known);
	}
	return nearest_refuse(&nearest, "option", err);
}

/* True when "-fFILE", "-q" or "-q=yes" is meant for an option. A bundle of letters is for none. */
static bool is_letter_of(const struct argp_option *o, const char *word)
{
	return word[1] != '-' && word[1] == o->key && (!word[2] || word[2] == '=' || o->arg);
}

static const struct argp_option *find_option(const struct argp_option *options, const char *word)
{
	size_t length = strcspn(word, "=");

	for (const struct argp_option *o = options; o->name; o++) {
		if (is_letter_of(o, word))
			return o;
		if (word[1] == '-' && strlen(o->name) == length - 2 &&
		    !strncmp(word + 2, o->name, length - 2))
			return o;
	}
	return NULL;
}

/* Nothing overrides anything: what is given again would have to stand in place of something. */
static bool check_once(const struct argp_option *o, bool *given, struct error *err)
{
	if (*given && o->arg && !(o->flags & OPTION_AGAIN))
		return error_set(err, ERROR_USAGE, "--%s is given twice", o->name);
	*given = true;
	return true;
}

/*
 * An option: *at is its number, and that of its value after this. given: for each row whether it
 * was there before.
 */
static bool check_option(const struct argp_option *options, int argc, char **argv, int *at,
			 bool *given, struct error *err)
{
	const char *word = argv[*at];
	const struct argp_option *o = find_option(options, word);
	bool letter = word[1] != '-';
	bool joined = letter ? word[2] : strchr(word, '=') != NULL;

	if (!o)
		return refuse_option(options, word, err);
	if (joined && !o->arg)
		return error_set(err, ERROR_USAGE, "--%s takes no value", o->name);
	/* argp would take the "=" for a part of the value. */
	if (letter && word[2] == '=')
		return error_set(err, ERROR_USAGE,
				 "-%c takes its value without '=': -%c %s or --%s=%s", word[1],
				 word[1], o->arg, o->name, o->arg);
	if (!joined && o->arg && (++*at >= argc || text_starts(argv[*at], "--")))
		return error_set(err, ERROR_USAGE, "--%s needs a value: --%s %s", o->name, o->name,
				 o->arg);
	return check_once(o, &given[o - options], err);
}

static size_t count_options(const struct argp_option *options)
{
	size_t count = 0;

	while (options[count].name)
		count++;
	return count;
}

/* Goes over the words before argp does and refuses what it would guess, or explain on two lines. */
static bool check_words(const struct argp_option *options, int argc, char **argv, struct error *err)
{
	bool *given __free(memory) = memory_array(count_options(options), sizeof(*given));

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1] &&
		    !check_option(options, argc, argv, &i, given, err))
			return false;
	}
	return true;
}

/* Leaves the words before `--`; takes those behind it. An option's value is none. */
static bool split_command(const struct argp_option *options, int *argc, char **argv,
			  struct common *c, struct error *err)
{
	int at = 1;

	for (; at < *argc && !text_equal(argv[at], "--"); at++) {
		const struct argp_option *o =
			argv[at][0] == '-' && argv[at][1] ? find_option(options, argv[at]) : NULL;
		bool letter = argv[at][1] != '-';

		if (o && o->arg && !(letter ? argv[at][2] != 0 : strchr(argv[at], '=') != NULL))
			at++;
	}
	if (at >= *argc)
		return true;
	if (!c->takes_command)
		return error_set(err, ERROR_USAGE,
				 "'--' begins a command to be measured, and nothing here takes "
				 "one");
	c->command = (const char *const *)argv + at + 1;
	c->command_count = (size_t)(*argc - at - 1);
	*argc = at;
	return c->command_count || error_set(err, ERROR_USAGE, "behind '--' there is no command");
}

bool options_parse(const struct argp *argp, int argc, char **argv, struct common *c,
		   struct error *err)
{
	/* Silent, and without argp's own --help and --usage: they would print and exit. */
	const unsigned int flags = ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT;

	c->err = err;
	c->report = report_find("mail");
	/* For a parser that refuses without a reason. */
	error_set(err, ERROR_USAGE, "%s --help says what can be given", argv[0]);
	if (!split_command(argp->options, &argc, argv, c, err) ||
	    !check_words(argp->options, argc, argv, err))
		return false;
	switch (argp_parse(argp, argc, argv, flags, NULL, c)) {
	case 0:
		break;
	case ENOMEM:
		/* Its own: parsers return EINVAL. */
		return error_set(err, ERROR_SYSTEM, "out of memory");
	default:
		return false;
	}
	if (c->help)
		argp_help(argp, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, argv[0]);
	return true;
}
