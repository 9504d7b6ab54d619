// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/page.h"
#include "target/target.h"

enum { NAME_COLUMN = 14, PARAM_COLUMN = 20 };

static const struct argp_option options[] = {
	OPTION_HELP,
	{0},
};

struct list {
	struct common common;
	const char *word; /* as given; NULL: everything */
};

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct list *l = state->input;

	if (key != ARGP_KEY_ARG)
		return options_common(key, word, &l->common);
	if (l->word)
		return options_result(error_set(l->common.err, ERROR_USAGE, "one list at a time"));
	l->word = word;
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[workloads|setups|probes|reports|WORKLOAD]",
	.doc = "List what there is, as the agent of this machine tells it, or the parameters and "
	       "metrics of a workload."
	       "\v"
	       "Example: contend list proc_maps",
};

/* ---- what there is ---- */

static void put_workload(const struct description *d, struct text *out)
{
	output_row(out, d->name, NAME_COLUMN, d->summary);
	if (*d->needs) {
		char *needs __free(memory) = text_format("needs %s", d->needs);

		output_row(out, "", NAME_COLUMN, needs);
	}
	if (d->unsupported) {
		char *why __free(memory) = text_format("not here: %s", d->unsupported);

		output_row(out, "", NAME_COLUMN, why);
	}
}

static void list_workloads(const struct inventory *agent, struct text *out)
{
	for (struct description **d = agent->workloads; *d; d++)
		put_workload(*d, out);
}

/* ---- a parameter ---- */

/* A limit as its type is typed. */
static void put_limit(const struct param *p, double limit, struct text *out)
{
	static const struct unit {
		const char *suffix;
		double factor;
	} times[] = {{"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {NULL, 0}},
	  sizes[] = {{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"k", 0x1p10}, {NULL, 0}},
	  percent[] = {{"%", 0.01}, {NULL, 0}}, none[] = {{NULL, 0}};
	const struct unit *unit = p->type == PARAM_DURATION  ? times
				  : p->type == PARAM_BYTES   ? sizes
				  : p->type == PARAM_PERCENT ? percent
							     : none;

	while (unit->suffix && unit != percent && limit < unit->factor)
		unit++;
	if (unit->suffix)
		text_printf(out, "%.16g%s", limit / unit->factor, unit->suffix);
	else
		text_printf(out, "%.16g%s", limit, p->type == PARAM_DURATION && limit ? "ns" : "");
}

static void put_type(const struct param *p, struct text *out)
{
	static const char *const words[] = {
		[PARAM_COUNT] = "whole number",
		[PARAM_NUMBER] = "number",
		[PARAM_DURATION] = "duration",
		[PARAM_BYTES] = "size",
		[PARAM_PERCENT] = "percentage",
		[PARAM_SWITCH] = "yes or no",
		[PARAM_TEXT] = "text",
		[PARAM_COMMAND] = "behind --",
		[PARAM_WORD] = "text",
		[PARAM_METRIC] = "may be given again",
	};
	bool limited = p->low != 0 || p->high != 0;

	if (p->type == PARAM_CHOICE) {
		/* With blanks, so that a long list can be broken. */
		for (const char *at = p->choices; *at; at++)
			text_append(out, *at == '|' ? ", " : at, *at == '|' ? 2 : 1);
		return;
	}
	text_puts(out, words[p->type]);
	if (limited && isfinite(p->low)) {
		text_puts(out, isfinite(p->high) ? ", " : ", at least ");
		put_limit(p, p->low, out);
	}
	if (limited && isfinite(p->high)) {
		text_puts(out, isfinite(p->low) ? " to " : ", at most ");
		put_limit(p, p->high, out);
	}
}

static void put_param(const struct param *p, struct text *out)
{
	/* Those of a setup stand below its name. */
	char *label __free(memory) =
		text_format("%s%s=%s", p->setup ? "  " : "", p->name, p->preset ? p->preset : "");
	struct text body __text = {0};

	text_printf(&body, "%s (", p->help);
	put_type(p, &body);
	if (p->needs)
		text_printf(&body, "; needs %s", p->needs);
	if (p->required)
		text_puts(&body, "; must be given");
	text_puts(&body, ")");
	output_row(out, label, PARAM_COLUMN, text_string(&body));
}

/* ---- setups and probes ---- */

static void put_offers(const struct offer *offers, struct text *out)
{
	for (const struct offer *o = offers; o->name; o++) {
		output_row(out, o->name, PARAM_COLUMN, o->summary);
		if (o->unsupported) {
			char *why __free(memory) = text_format("not here: %s", o->unsupported);

			output_row(out, "", PARAM_COLUMN, why);
		}
	}
}

static void list_setups(const struct inventory *agent, struct text *out)
{
	put_offers(agent->setups, out);
}

static void list_probes(const struct inventory *agent, struct text *out)
{
	put_offers(agent->probes, out);
}

/* Their parameters are among those of every workload. */
static void detail_setups(const struct inventory *agent, struct text *out)
{
	const struct description *any = agent->workloads[0];

	for (const struct offer *o = agent->setups; o->name; o++) {
		const struct offer alone[2] = {*o};

		put_offers(alone, out);
		for (const struct param *p = any ? any->params : NULL; p && p->name; p++) {
			if (p->setup && text_equal(p->setup, o->name))
				put_param(p, out);
		}
	}
}

static void list_reports(const struct inventory *agent, struct text *out)
{
	(void)agent;
	for (const struct report *const *r = report_all(); *r; r++)
		output_row(out, (*r)->name, NAME_COLUMN, (*r)->summary);
}

static const struct topic {
	const char *name;
	void (*list)(const struct inventory *agent, struct text *out);
	/* When it is asked for by name; NULL: the same. */
	void (*detail)(const struct inventory *agent, struct text *out);
} topics[] = {
	{"workloads", list_workloads, NULL},
	{"setups", list_setups, detail_setups},
	{"probes", list_probes, NULL},
	{"reports", list_reports, NULL},
};

enum { TOPICS = sizeof(topics) / sizeof(*topics) };

static const struct topic *find_topic(const char *word)
{
	for (size_t i = 0; i < TOPICS; i++) {
		if (text_equal(word, topics[i].name))
			return &topics[i];
	}
	return NULL;
}

/* One that is asked for by name says so when it is empty. */
static void list_topic(const struct topic *topic, const struct inventory *agent, struct text *out)
{
	if (topic->detail)
		topic->detail(agent, out);
	else
		topic->list(agent, out);
	if (!out->length)
		text_printf(out, "no %s in this version\n", topic->name);
}

static void list_all(const struct inventory *agent, struct text *out)
{
	for (size_t i = 0; i < TOPICS; i++) {
		struct text part __text = {0};

		topics[i].list(agent, &part);
		if (part.length)
			text_printf(out, "%s%s\n%s", i ? "\n" : "", topics[i].name,
				    text_string(&part));
	}
	text_puts(out, "\n`contend list WORKLOAD` shows its parameters and metrics, `contend list\n"
		       "setups` the parameters of setups.\n");
}

/* ---- one workload ---- */

static void put_metric(const struct metric *m, struct text *out)
{
	static const char *const better[] = {
		[BETTER_LOWER] = "lower is better",
		[BETTER_HIGHER] = "higher is better",
		[BETTER_NEITHER] = "described only",
	};
	char *body __free(memory) = text_format(
		"%s (%s, %s; %s of %s%s%s%s)%s", m->help, m->unit, better[m->better],
		summary_words[m->summary], m->of, m->per ? " per " : "", m->per ? m->per : "",
		m->multitask ? ", with several tasks" : "", m->primary ? " - primary" : "");

	output_row(out, m->name, NAME_COLUMN + 12, body);
}

static void put_description(const struct description *d, struct text *out)
{
	char *first __free(memory) = text_format("%s: ", d->name);

	page_paragraph(out, first, "  ", d->summary);
	if (*d->needs)
		page_paragraph(out, "  needs ", "    ", d->needs);
	if (d->unsupported)
		page_paragraph(out, "  not here: ", "    ", d->unsupported);
	text_puts(out, "\nroles\n");
	for (const struct role_description *r = d->roles; r->name; r++)
		output_row(out, r->name, NAME_COLUMN, r->help);
	text_puts(out, "\nparameters, with their defaults\n");
	for (const struct param *p = d->params; p->name; p++) {
		if (!p->setup)
			put_param(p, out);
	}
	text_puts(out, "\nmetrics\n");
	for (size_t i = 0; i < d->metric_count; i++)
		put_metric(&d->metrics[i], out);
}

static bool list_workload(const char *word, const struct inventory *agent, struct text *out,
			  struct error *err)
{
	struct nearest nearest = {.name = word};

	for (struct description **d = agent->workloads; *d; d++) {
		if (text_equal(word, (*d)->name)) {
			put_description(*d, out);
			return true;
		}
		nearest_try(&nearest, (*d)->name);
	}
	for (size_t i = 0; i < TOPICS; i++)
		nearest_try(&nearest, topics[i].name);
	return nearest_refuse(&nearest, "list or workload", err);
}

/* word: what is asked for, NULL: everything. */
static bool list(const char *word, struct text *out, struct error *err)
{
	struct inventory agent __cleanup(inventory_done) = {0};
	const struct topic *topic = word ? find_topic(word) : NULL;

	/* Reports are this program's own: they are there without an agent. */
	if ((!topic || topic->list != list_reports) &&
	    !target_describe(&target_local, -1, &agent, NULL, err))
		return false;
	if (topic)
		list_topic(topic, &agent, out);
	else if (word)
		return list_workload(word, &agent, out, err);
	else
		list_all(&agent, out);
	return true;
}

static int run(int argc, char **argv, struct error *err)
{
	struct list l = {0};
	struct text out __text = {0};

	if (!options_parse(&argp, argc, argv, &l.common, err))
		return COMMAND_FAILED;
	if (l.common.help)
		return STATUS_OK;
	if (!list(l.word, &out, err) || !output_text(&out, err))
		return COMMAND_FAILED;
	return STATUS_OK;
}

const struct command command_list = {
	.name = "list",
	.summary = "what there is: workloads with parameters and metrics, reports",
	.run = run,
};
