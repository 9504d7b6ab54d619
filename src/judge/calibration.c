// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/calibration.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/rule.h"
#include "stats/distribution.h"
#include "stats/forecast.h"
#include "stats/plan.h"
#include "stats/sign_flip.h"

static const double power_wanted = 0.8;

/* So rare is what contradicts. */
static const double chance_least = 0.05;

/* The share of its window that a task runs which nobody else keeps from it. */
static const double on_cpu = 0.98;

/* One voluntary switch in so many operations: they do not sleep, but for what else a task does. */
enum { OPERATIONS_A_SWITCH = 100 };

/* ---- what a delay comes to ---- */

static bool is_rate(const struct metric *m)
{
	return m->summary == SUMMARY_RATE;
}

/* CPU time of an operation of the same role, "task.cpu_ns" over "task.operations". */
static bool is_cpu_time(const struct metric *m)
{
	const char *name = m->of + strcspn(m->of, ".");

	return m->summary == SUMMARY_RATIO && text_equal(name, ".cpu_ns");
}

static const char *why_unseen(const struct subject *s)
{
	const struct metric *m = description_metric(s->description, s->primary);

	if (!param_find(s->description->params, calibration_delay))
		return "the workload has no delay=";
	switch (m->summary) {
	case SUMMARY_RATE:
	case SUMMARY_RATIO:
	case SUMMARY_TOTAL:
		return NULL;
	case SUMMARY_FAIRNESS:
		return "delay= slows all tasks alike, and their fairness does not show it";
	default:
		return "delay= is between two operations, and no latency holds it";
	}
}

const char *calibration_unseen(const struct subject *s, const char **ret_instead)
{
	const char *why = why_unseen(s);
	const struct metric *m = s->description->metrics;

	*ret_instead = NULL;
	if (!why || !param_find(s->description->params, calibration_delay))
		return why;
	while (m->name && (!is_rate(m) || m->better == BETTER_NEITHER))
		m++;
	*ret_instead = m->name;
	return why;
}

/* What all tasks of a run count, as far as it says. */
static int64_t count_of_tasks(const struct run *run, const char *key)
{
	json_t *task;
	size_t i;
	int64_t sum = 0;

	json_array_foreach(json_object_get(run->record, "tasks"), i, task) {
		sum += json_integer_value(json_object_get(task, key));
	}
	return sum;
}

/* How the tasks of a calibration's runs went. */
struct tasks_seen {
	bool several; /* of one run */
	bool sleep;   /* in their operations */
	int64_t cpu_ns, window_ns;
};

static void look_at_tasks(const struct calibration_part *part, const struct metric *m,
			  struct tasks_seen *c)
{
	for (size_t i = 0; i < part->runs->count; i++) {
		const struct run *run = part->runs->list[i].run;

		if (run->outcome != OUTCOME_OK)
			continue;
		c->several |= json_array_size(json_object_get(run->record, "tasks")) > 1;
		c->sleep |= count_of_tasks(run, "voluntary_switches") >
			    run_figure_count(run, m) / OPERATIONS_A_SWITCH;
		c->cpu_ns += count_of_tasks(run, "cpu_ns");
		c->window_ns += count_of_tasks(run, "window_ns");
	}
}

/* Why it is not known what a delay must come to; NULL: it is. */
static const char *why_open(const struct subject *s, const struct metric *m,
			    const struct calibration_part *parts, size_t count)
{
	struct tasks_seen c = {0};

	if (s->description->roles[0].name && s->description->roles[1].name)
		return "each of several roles is slowed, and leaves the others more";
	if (!is_rate(m) && !is_cpu_time(m))
		return "the primary metric is neither a rate nor CPU time of operations";
	for (size_t i = 0; i < count; i++)
		look_at_tasks(&parts[i], m, &c);
	if (c.several)
		return "of several tasks one may gain by the delay of the others";
	if (c.sleep)
		return "the operations sleep, and what others do for them may be done in the delay";
	/* A share of the time that others had the CPU is CPU time, too. */
	if (is_cpu_time(m) && (double)c.cpu_ns < on_cpu * (double)c.window_ns)
		return "the tasks did not always have their CPU, and delay= goes by the clock";
	return NULL;
}

/*
 * A task that takes (1 + share) times as long for all it does makes 1 / (1 + share) of the
 * operations in its window, each with (1 + share) times the CPU time.
 */
static double expected_change(const struct metric *m, double share)
{
	return is_rate(m) ? -share / (1 + share) : share;
}

/* ---- one experiment ---- */

static bool told_apart(const struct metric_verdict *v)
{
	return v->verdict == VERDICT_REGRESSED || v->verdict == VERDICT_IMPROVED || v->worse;
}

static struct calibration_row row_of(const struct calibration_part *part)
{
	const struct subject *s = &part->experiment->subjects[0];
	struct calibration_row row = {
		.experiment = part->experiment->id,
		.delay = json_string_value(json_object_get(s->params[ARM_B], calibration_delay)),
		.ended = part->judgement,
		.most_pairs = part->experiment->pairs,
		.runs = part->runs->count,
		.expected = NAN,
		.power = NAN,
	};

	for (size_t i = 0; i < part->runs->count; i++)
		row.run_ns += run_took_ns(part->runs->list[i].run);
	if (!row.ended)
		return row;
	row.v = &part->judgement->comparisons[0].metrics[0];
	row.pairs = row.v->pairs;
	row.dropped = part->judgement->comparisons[0].dropped;
	row.found = told_apart(row.v);
	return row;
}

static void compare(struct calibration_row *row, double expected)
{
	const struct metric_verdict *v = row->v;

	/* On another scale it is no ratio. */
	if (!row->ended || !v->pairs || v->scale != SCALE_LOG)
		return;
	row->expected = expected;
	row->held = v->interval.low <= expected && expected <= v->interval.high;
	row->backwards =
		row->found && v->interval.low * expected < 0 && v->interval.high * expected < 0;
}

/* ---- A/A ---- */

/* The least number of pairs of which the sign-flip test can reject. */
static size_t least_pairs(double alpha)
{
	size_t least = sign_flip_least_pairs(alpha);

	return least > JUDGE_LEAST_PAIRS ? least : JUDGE_LEAST_PAIRS;
}

static void cut(const struct metric_verdict *v, double alpha, uint64_t seed,
		struct calibration_cuts *cuts)
{
	double *d __free(memory) = rule_differences(v);

	cuts->pairs = least_pairs(alpha);
	cuts->count = metric_is_scarce(v) ? 0 : v->pairs / cuts->pairs;
	cuts->level = sign_flip_attained_level(cuts->pairs, alpha);
	cuts->rate_bound = NAN;
	for (size_t i = 0; i < cuts->count; i++)
		cuts->rejected += sign_flip_p(d + i * cuts->pairs, cuts->pairs, seed) <= alpha;
	if (!cuts->count)
		return;
	cuts->low = distribution_binomial_quantile(0.025, cuts->count, cuts->level);
	cuts->high = distribution_binomial_quantile(0.975, cuts->count, cuts->level);
	if (!cuts->rejected)
		cuts->rate_bound = 1 - pow(0.05, 1 / (double)cuts->count);
}

bool calibration_alarms(const struct calibration_answer *a)
{
	return a->cuts.count && a->cuts.rejected > a->cuts.high;
}

static const char *why_unplanned(const struct calibration_answer *a)
{
	const struct calibration_row *aa = &a->aa;

	if (a->alpha >= power_wanted)
		return "by such an alpha anything is found";
	if (!aa->ended)
		return "A/A has not ended";
	if (aa->pairs < JUDGE_LEAST_PAIRS || metric_is_scarce(aa->v))
		return "too few pairs of A/A have a figure";
	if (calibration_alarms(a))
		return "A/A is rejected more often than its level explains";
	if (aa->v->scale != SCALE_LOG)
		return "some figures are zero, and there are no ratios";
	if (!(aa->v->spread > 0))
		return "all differences of A/A are the same, so there is no spread to plan with";
	return NULL;
}

static void plan(struct calibration_answer *a)
{
	double effect;

	a->sd = a->sd_upper = a->effect = a->effect_pairs = NAN;
	a->unplanned = why_unplanned(a);
	if (a->aa.ended && a->aa.pairs > 1 && a->aa.v->scale == SCALE_LOG)
		a->sd = a->aa.v->spread;
	if (a->unplanned)
		return;
	a->sd_upper = plan_upper_sd(a->sd, a->aa.pairs, power_wanted);
	effect = forecast_detectable_effect(a->most_pairs, a->sd_upper, a->alpha, power_wanted);
	if (!isfinite(expm1(effect))) {
		a->unplanned = "no difference is found in so few pairs";
		return;
	}
	a->effect = expm1(effect);
	a->effect_pairs = forecast(a->most_pairs, effect, a->sd_upper, a->alpha).pairs;
	a->effect_ns = (int64_t)(a->effect_pairs * (double)a->aa.run_ns /
				 (double)(a->aa.pairs + a->aa.dropped));
}

/* ---- the known shifts ---- */

static void check_shift(struct calibration_answer *a, struct calibration_row *row)
{
	size_t most = (size_t)row->most_pairs;

	if (isnan(row->expected))
		return;
	a->known++;
	a->held += row->held;
	if (isnan(a->sd_upper) || !most || most > a->most_pairs)
		return;
	row->power = forecast(most, log1p(row->expected), a->sd_upper, a->alpha).power;
	row->lucky = row->found && !row->backwards && row->power < 0.5;
	if (row->power < power_wanted)
		return;
	a->due++;
	a->due_found += row->found && !row->backwards;
}

/* The chance to find no more than due_found of those that were due: each has its own power. */
static double chance_of_found(const struct calibration_answer *a)
{
	double *chances __free(memory) = memory_array(a->due + 1, sizeof(*chances));
	size_t count = 0;
	double sum = 0;

	chances[0] = 1;
	for (size_t i = 0; i < a->shift_count; i++) {
		double power = a->shifts[i].power;

		if (!(power >= power_wanted))
			continue;
		count++;
		for (size_t k = count; k > 0; k--)
			chances[k] = chances[k] * (1 - power) + chances[k - 1] * power;
		chances[0] *= 1 - power;
	}
	for (size_t k = 0; k <= a->due_found; k++)
		sum += chances[k];
	return sum;
}

static enum calibration_check check_due(const struct calibration_answer *a)
{
	if (!a->due)
		return CALIBRATION_UNCHECKED;
	if (a->due_found == a->due)
		return CALIBRATION_CONFIRMED;
	return a->due_chance < chance_least ? CALIBRATION_CONTRADICTED : CALIBRATION_UNCLEAR;
}

static void check_shifts(struct calibration_answer *a, const struct calibration_part *parts)
{
	a->unseen = calibration_unseen(a->subject, &a->instead);
	if (!a->unseen)
		a->open = why_open(a->subject, a->primary, parts, a->shift_count + 1);
	for (size_t i = 0; i < a->shift_count; i++) {
		const struct subject *s = &parts[i + 1].experiment->subjects[0];

		a->shifts[i] = row_of(&parts[i + 1]);
		if (!a->unseen && !a->open)
			compare(&a->shifts[i],
				expected_change(a->primary, params_number(s->params[ARM_B],
									  s->description->params,
									  calibration_delay)));
		check_shift(a, &a->shifts[i]);
	}
	a->due_chance = a->due ? chance_of_found(a) : NAN;
	a->check = check_due(a);
}

/* ---- the whole ---- */

struct calibration_answer *calibration_judge(const struct calibration_part *parts, size_t count,
					     size_t planned, size_t most_pairs)
{
	struct calibration_answer *a = memory_alloc(sizeof(*a));
	const struct experiment *aa = parts[0].experiment;

	a->subject = &aa->subjects[0];
	a->primary = description_metric(a->subject->description, a->subject->primary);
	a->alpha = aa->alpha;
	a->most_pairs = most_pairs;
	a->aa = row_of(&parts[0]);
	compare(&a->aa, 0);
	if (a->aa.ended)
		cut(a->aa.v, a->alpha, aa->seed, &a->cuts);
	plan(a);
	a->shift_count = count - 1;
	a->shifts = memory_array(a->shift_count, sizeof(*a->shifts));
	check_shifts(a, parts);
	a->missing = planned - a->aa.ended;
	a->runs = a->aa.runs;
	a->took_ns = a->aa.run_ns;
	for (size_t i = 0; i < a->shift_count; i++) {
		a->missing -= a->shifts[i].ended;
		a->runs += a->shifts[i].runs;
		a->took_ns += a->shifts[i].run_ns;
	}
	return a;
}

void calibration_answer_free(struct calibration_answer *a)
{
	if (!a)
		return;
	free(a->shifts);
	free(a);
}

/* The machine as the first run that tells something found it. */
static json_t *host_of(const struct entries *runs)
{
	for (size_t i = 0; i < runs->count; i++) {
		json_t *host = json_object_get(runs->list[i].run->record, "host");

		if (!runs->list[i].set_aside && json_object_size(host))
			return json_incref(host);
	}
	return json_object();
}

struct calibration *calibration_summary(const struct calibration_answer *a,
					const struct calibration_part *parts, size_t count,
					const char *command, int64_t made_ns)
{
	struct calibration *c = memory_alloc(sizeof(*c));

	*c = (struct calibration){
		.made_ns = made_ns,
		.workload = memory_string(a->subject->description->name),
		.params = calibration_params(a->subject),
		.primary = memory_string(a->primary->name),
		.alpha = a->alpha,
		.command = memory_string(command),
		.host = host_of(parts[0].runs),
		.experiments = memory_array(count, sizeof(*c->experiments)),
		.experiment_count = count,
		.pairs = (int64_t)a->aa.pairs,
		.sd = a->sd,
		.rejected = a->aa.found,
		.cuts = (int64_t)a->cuts.count,
		.cuts_rejected = (int64_t)a->cuts.rejected,
		.effect = a->effect,
		.effect_pairs = a->effect_pairs,
		.effect_ns = a->effect_ns,
		.most_pairs = (int64_t)a->most_pairs,
		.check = a->check,
		.took_ns = a->took_ns,
	};
	for (size_t i = 0; i < count; i++)
		c->experiments[i] = parts[i].experiment->id;
	return c;
}
