// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options.h"

#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"

void common_done(struct common *c)
{
	text_done(&c->repeat);
}

void options_quote(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	text_puts(t, " ");
	if (*word && !word[strspn(word, plain)]) {
		text_puts(t, word);
		return;
	}
	text_puts(t, "'");
	for (; *word; word++) {
		if (*word == '\'')
			text_puts(t, "'\\''");
		else
			text_append(t, word, 1);
	}
	text_puts(t, "'");
}

static bool choose_report(const char *name, struct common *c)
{
	struct nearest nearest = {.name = name};

	c->report = report_find(name);
	if (c->report)
		return true;
	for (const struct report *const *r = report_all(); *r; r++)
		nearest_try(&nearest, (*r)->name);
	return nearest_refuse(&nearest, "format", c->err);
}

static bool read_seed(const char *value, struct common *c)
{
	int64_t seed;

	if (!units_parse_count(value, &seed, c->err))
		return error_wrap(c->err, "--seed");
	c->seed = (uint64_t)seed;
	c->seeded = true;
	return true;
}

error_t options_common(int key, const char *value, struct common *c)
{
	switch (key) {
	case KEY_FORMAT:
		return options_result(choose_report(value, c));
	case KEY_SEED:
		return options_result(read_seed(value, c));
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

/* The rows that say how to show an experiment, not which. The seed is added when it is known. */
static bool shows_only(int key)
{
	return key == KEY_FORMAT || key == KEY_SEED || key == KEY_STORE || key == 'q' || key == 'h';
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

static const struct argp_option *find_option(const struct argp_option *options, const char *word)
{
	size_t length = strcspn(word, "=");

	for (const struct argp_option *o = options; o->name; o++) {
		/* "-q" or "--quiet"; a bundle of letters is one that nobody needs. */
		if (word[1] != '-' && word[1] == o->key && !word[2])
			return o;
		if (word[1] == '-' && strlen(o->name) == length - 2 &&
		    !strncmp(word + 2, o->name, length - 2))
			return o;
	}
	return NULL;
}

/*
 * Goes over the words before argp does and refuses what argp would guess, or explain on two lines.
 * Writes down on the way what repeats the command.
 */
static bool check_words(const struct argp_option *options, int argc, char **argv,
			struct text *repeat, struct error *err)
{
	text_puts(repeat, argv[0]);
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i], *value = NULL;
		const struct argp_option *o;

		if (text_equal(word, "--"))
			return error_set(err, ERROR_USAGE,
					 "'--' begins a command to be measured, and nothing here "
					 "takes one");
		if (word[0] != '-' || !word[1]) {
			options_quote(repeat, word);
			continue;
		}
		o = find_option(options, word);
		if (!o)
			return refuse_option(options, word, err);
		if (strchr(word, '='))
			value = strchr(word, '=') + 1;
		if (value && !o->arg)
			return error_set(err, ERROR_USAGE, "--%s takes no value", o->name);
		if (!value && o->arg) {
			value = argv[++i];
			if (i >= argc || text_starts(value, "--"))
				return error_set(err, ERROR_USAGE, "--%s needs a value: --%s %s",
						 o->name, o->name, o->arg);
		}
		if (shows_only(o->key))
			continue;
		text_printf(repeat, " --%s", o->name);
		if (value)
			options_quote(repeat, value);
	}
	return true;
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
	if (!check_words(argp->options, argc, argv, &c->repeat, err) ||
	    argp_parse(argp, argc, argv, flags, NULL, c))
		return false;
	if (c->help)
		argp_help(argp, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, argv[0]);
	return true;
}
