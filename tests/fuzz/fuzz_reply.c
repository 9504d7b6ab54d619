// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "fuzz.h"
#include "model/run.h"
#include "target/inventory.h"
#include "target/reply.h"

/*
 * Any bytes as what an agent says: as a reply to a job, whole and in pieces; what it answers as a
 * run's record, from which every metric that its names allow takes a figure, and as a description
 * of what the agent has.
 */

static void figures_of(const struct run *run, const char *role, const char *name, const char *per)
{
	char *of __free(memory) = text_format("%s.%s", role, name);
	char *divisor __free(memory) = text_format("%s.%s", role, per);

	for (int summary = 0; summary_words[summary]; summary++) {
		const struct metric m = {
			.name = "m",
			.unit = "ns",
			.summary = (enum summary)summary,
			.of = of,
			.per = summary == SUMMARY_RATIO ? divisor : NULL,
		};
		struct error err;
		double value;

		run_figure(run, &m, &value, &err);
		run_figure_count(run, &m);
	}
}

static void use_tasks(const struct run *run)
{
	size_t i;
	json_t *task;

	json_array_foreach(json_object_get(run->record, "tasks"), i, task) {
		const char *role = json_string_value(json_object_get(task, "role"));
		const char *name;
		json_t *ignored;

		run_window_ns(run, role);
		json_object_foreach(task, name, ignored)
			figures_of(run, role, name, "operations");
		json_object_foreach(json_object_get(task, "counters"), name, ignored)
			figures_of(run, role, name, "operations");
	}
}

static void use_series(const struct run *run)
{
	size_t i;
	json_t *series;

	json_array_foreach(json_object_get(run->record, "series"), i, series)
		figures_of(run, json_string_value(json_object_get(series, "role")),
			   json_string_value(json_object_get(series, "name")), "operations");
}

static void use_answer(json_t *answer)
{
	struct inventory inventory __cleanup(inventory_done) = {0};
	struct run *run __free(run) = NULL;
	struct error err;

	if (inventory_from_json(answer, &inventory, &err)) {
		for (struct description **d = inventory.workloads; *d; d++)
			description_primary(*d);
	}
	if (run_from_record(answer, &run, &err) && run->outcome == OUTCOME_OK) {
		use_tasks(run);
		use_series(run);
	}
}

/* The reply in pieces of a length. Returns its answer; NULL: none, why is in err. */
static json_t *answer_of(const char *bytes, size_t length, size_t piece, struct error *err)
{
	struct reply reply __cleanup(reply_done) = {0};
	json_t *answer = NULL;

	reply_init(&reply, "1", NULL);
	for (size_t at = 0; at < length; at += piece) {
		size_t rest = length - at;

		if (!reply_feed(&reply, bytes + at, rest < piece ? rest : piece, err))
			return NULL;
	}
	return reply_take(&reply, &answer, err) ? answer : NULL;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	const char *text = (const char *)bytes;
	struct error whole_err = {0}, cut_err = {0};
	json_t *whole __free(json) = answer_of(text, length, length + 1, &whole_err);
	/* Where lines are cut by the pipe means nothing. */
	json_t *cut __free(json) = answer_of(text, length, 1 + length % 61, &cut_err);

	if (!whole != !cut || (whole && !json_equal(whole, cut)) ||
	    (!whole && strcmp(whole_err.text, cut_err.text)))
		fuzz_fail("in pieces it is another reply: '%s' and '%s'", whole_err.text,
			  cut_err.text);
	if (whole)
		use_answer(whole);
	return 0;
}
