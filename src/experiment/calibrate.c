// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/calibrate.h"

#include <assert.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/shell.h"
#include "base/units.h"
#include "experiment/repeat.h"
#include "model/calibration.h"

const char *const calibrate_delays[] = {"5%", "2%", "1%", "0.5%", NULL};

enum {
	/* Two A/A experiments of six pairs each; the sd is known to a third then. */
	AA_PAIRS_LEAST = 12,
	/* Beside shifts: the limit of the sd comes closer only slowly. */
	AA_PAIRS_MOST = 40,
	/* Where there is nothing else to do with the time. */
	AA_PAIRS_ALONE = 120,
	AA_SHARE_PERCENT = 30,
	/* With fewer, a plan has no looks, and its command would plan so many pairs. */
	SHIFT_PAIRS_LEAST = EXPERIMENT_LEAST_MAXIMUM,
	/* Of a run, besides window and warm-up: the start of an agent and of its tasks. */
	START_MS = 50,
};

static int64_t parameter_ns(const struct subject *s, const char *name)
{
	const struct param *declared = s->description->params;

	return param_find(declared, name) ? params_integer(s->params[ARM_A], declared, name) : 0;
}

static int64_t pair_ns(const struct subject *s)
{
	return 2 * (parameter_ns(s, "warmup") + parameter_ns(s, "window") + START_MS * NS_PER_MS);
}

/* What is too little, why, and by which of the workload's own parameters it would be enough. */
static bool refuse_budget(const struct subject *s, int64_t budget_ns, size_t shifts, int64_t least,
			  struct error *err)
{
	char needed[UNITS_TEXT], given[UNITS_TEXT], window[UNITS_TEXT], warmup[UNITS_TEXT];
	char *of_shifts __free(memory) =
		shifts ? text_format(" and %d for each of %zu known shifts", SHIFT_PAIRS_LEAST,
				     shifts)
		       : memory_string("");

	units_format((double)parameter_ns(s, "window"), "ns", window);
	units_format((double)parameter_ns(s, "warmup"), "ns", warmup);
	return error_set(err, ERROR_USAGE,
			 "%s: %s is too little for the %" PRId64
			 " pairs that it takes at least (%d of A/A%s), about %s: give it more time "
			 "(--budget), or make the runs shorter: window= is %s, warmup= %s",
			 s->description->name, units_format((double)budget_ns, "ns", given), least,
			 AA_PAIRS_LEAST, of_shifts,
			 units_format((double)(least * pair_ns(s)), "ns", needed), window, warmup);
}

bool calibrate_aa_pairs(const struct subject *s, int64_t budget_ns, size_t shifts,
			int64_t *ret_pairs, struct error *err)
{
	int64_t one_ns = pair_ns(s);
	int64_t least = AA_PAIRS_LEAST + (int64_t)shifts * SHIFT_PAIRS_LEAST;
	int64_t share = shifts ? AA_SHARE_PERCENT : 100;
	int64_t most = shifts ? AA_PAIRS_MOST : AA_PAIRS_ALONE;
	int64_t pairs = budget_ns / 100 * share / one_ns;

	if (budget_ns / one_ns < least)
		return refuse_budget(s, budget_ns, shifts, least, err);
	pairs = pairs < AA_PAIRS_LEAST ? AA_PAIRS_LEAST : pairs;
	*ret_pairs = pairs < most ? pairs : most;
	return true;
}

int64_t calibrate_shift_pairs(int64_t left_ns, size_t shifts, int64_t pair_ns, int64_t most)
{
	int64_t pairs = left_ns / (int64_t)shifts / (pair_ns > 0 ? pair_ns : 1);

	pairs = pairs < SHIFT_PAIRS_LEAST ? SHIFT_PAIRS_LEAST : pairs;
	return pairs < most ? pairs : most;
}

static void copy_subject(const struct subject *from, struct subject *to)
{
	struct error err;
	bool read = description_from_json(from->description->object, &to->description, &err);

	/* It was read before. */
	assert(read);
	(void)read;
	to->primary = description_metric(to->description, from->primary)->name;
	for (int arm = 0; arm <= ARM_B; arm++)
		to->params[arm] = json_deep_copy(from->params[ARM_A]);
}

struct experiment *calibrate_experiment(const struct experiment *of, size_t subject, size_t number,
					const char *delay, int64_t pairs)
{
	struct experiment *e = experiment_new();

	e->subjects = memory_array(1, sizeof(*e->subjects));
	e->subject_count = 1;
	copy_subject(&of->subjects[subject], &e->subjects[0]);
	e->labels[ARM_A] = memory_string("");
	e->labels[ARM_B] =
		delay ? text_format("%s=%s", calibration_delay, delay) : memory_string("");
	if (delay)
		json_object_set_new(e->subjects[0].params[ARM_B], calibration_delay,
				    json_text(delay));
	if (delay)
		experiment_plan_decided(e, pairs);
	else
		experiment_plan_pairs(e, pairs);
	e->margin = of->margin;
	e->alpha = of->alpha;
	/* No seed has the upper half of 64 bits. */
	e->seed = (of->seed + number) & INT64_MAX;
	return e;
}

/* Those that are not as calibrations have them by default. */
static void put_terms(struct text *out, const struct experiment *e, const struct request *r)
{
	char *margin __free(memory) = terms_text(e, TERM_MARGIN);
	char *alpha __free(memory) = terms_text(e, TERM_ALPHA);

	if (!text_equal(margin, "0%"))
		text_printf(out, " --margin %s", margin);
	if (!text_equal(alpha, "0.05"))
		text_printf(out, " --alpha %s", alpha);
	for (size_t i = 0; i < r->terms.primary_count; i++)
		text_printf(out, " --primary %s", r->terms.primaries[i].key);
}

bool calibrate_command(const struct experiment *of, size_t subject, int64_t budget_ns,
		       char **ret_command, struct error *err)
{
	struct experiment *e __free(experiment) = calibrate_experiment(of, subject, 0, NULL, 0);
	struct request r __cleanup(request_done) = {0};
	struct text out __text = {0};
	char *budget __free(memory) = NULL;

	if (!repeat_request(e, &r, err))
		return false;
	e->plan = PLAN_BUDGET;
	e->budget_ns = budget_ns;
	budget = terms_text(e, TERM_BUDGET);
	text_puts(&out, "contend calibrate");
	shell_put_word(&out, e->subjects[0].description->name);
	for (size_t i = 0; i < r.said_count; i++) {
		char *word __free(memory) = text_format("%s=%s", r.said[i].key, r.said[i].value);

		shell_put_word(&out, word);
	}
	if (budget_ns != CALIBRATE_BUDGET_NS)
		text_printf(&out, " --budget %s", budget);
	put_terms(&out, e, &r);
	text_printf(&out, " --seed %" PRIu64, e->seed);
	repeat_put_command(&r, &out);
	*ret_command = text_take(&out);
	return true;
}
