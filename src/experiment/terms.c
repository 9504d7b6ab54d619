// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/terms.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

enum { MAX_PAIRS_PRESET = 40 };

static const double alpha_low = 1e-6, alpha_high = 0.5;

const char *const term_words[] = {
	[TERM_ALPHA] = "alpha",
	[TERM_BUDGET] = "budget",
	[TERM_MARGIN] = "margin",
	[TERM_MAX_PAIRS] = "max-pairs",
	[TERM_PAIRS] = "pairs",
	[TERM_PRIMARY] = "primary",
	[TERM_SEED] = "seed",
	[TERM_STRICT] = "strict",
	[TERM_UNTIL_DECIDED] = "until-decided",
	[TERM_COUNT] = NULL,
};

void terms_done(struct terms *t)
{
	for (size_t i = 0; i < t->primary_count; i++)
		free(t->primaries[i].key);
	free(t->primaries);
	*t = (struct terms){0};
}

static bool set_alpha(struct terms *t, const char *value, struct error *err)
{
	double alpha;

	if (!units_parse_number(value, &alpha, err))
		return false;
	if (alpha < alpha_low || alpha > alpha_high)
		return error_set(err, ERROR_USAGE, "must be 0.000001 to 0.5, not %.100s", value);
	t->alpha = alpha;
	return true;
}

/* True when a term says when an experiment ends. */
static bool is_end(const struct terms *t, enum term term)
{
	if (term == TERM_UNTIL_DECIDED)
		return t->until_decided;
	return t->said[term] &&
	       (term == TERM_PAIRS || term == TERM_MAX_PAIRS || term == TERM_BUDGET);
}

/* A budget may end what otherwise goes on until it is decided. */
static bool are_together(enum term a, enum term b)
{
	return (a == TERM_BUDGET && b == TERM_UNTIL_DECIDED) ||
	       (a == TERM_UNTIL_DECIDED && b == TERM_BUDGET);
}

/* Refuses a second end that contradicts the first. */
static bool check_end(const struct terms *t, enum term added, struct error *err)
{
	for (enum term term = 0; term < TERM_COUNT; term++) {
		if (term != added && is_end(t, term) && !are_together(added, term))
			return error_set(err, ERROR_USAGE, "excludes %s%s: either says when to end",
					 t->of_file ? "" : "--", term_words[term]);
	}
	return true;
}

static bool set_budget(struct terms *t, const char *value, struct error *err)
{
	int64_t budget_ns;

	if (!units_parse_duration(value, &budget_ns, err))
		return false;
	if (!budget_ns)
		return error_set(err, ERROR_USAGE, "must be above 0, not %.100s", value);
	t->budget_ns = budget_ns;
	return check_end(t, TERM_BUDGET, err);
}

/* A negative number is a whole one too, only none that is allowed. */
static bool parse_count(const char *value, int64_t low, int64_t high, int64_t *ret_count,
			struct error *err)
{
	struct error ignored;
	bool negative = *value == '-' && units_parse_count(value + 1, ret_count, &ignored);

	if (!negative && !units_parse_count(value, ret_count, err))
		return false;
	return (!negative && *ret_count >= low && *ret_count <= high) ||
	       error_set(err, ERROR_USAGE, "must be %" PRId64 " to %" PRId64 ", not %.100s", low,
			 high, value);
}

static bool set_pairs(struct terms *t, enum term term, const char *value, struct error *err)
{
	return parse_count(value, 1, EXPERIMENT_PAIRS_MAX,
			   term == TERM_PAIRS ? &t->pairs : &t->max_pairs, err) &&
	       check_end(t, term, err);
}

static bool set_seed(struct terms *t, const char *value, struct error *err)
{
	int64_t seed;

	if (!parse_count(value, 0, INT64_MAX, &seed, err))
		return false;
	t->seed = (uint64_t)seed;
	return true;
}

static bool parse_yes(const char *value, bool *ret_yes, struct error *err)
{
	*ret_yes = text_equal(value, "yes");
	return *ret_yes || text_equal(value, "no") ||
	       error_set(err, ERROR_USAGE, "must be yes or no, not '%.100s'", value);
}

void terms_add_primary(struct terms *t, const char *key, struct place place)
{
	t->primaries = memory_grow(t->primaries, (t->primary_count + 1) * sizeof(*t->primaries));
	t->primaries[t->primary_count++] =
		(struct primary){.key = memory_string(key), .place = place};
	t->said[TERM_PRIMARY] = true;
}

static bool set(struct terms *t, enum term term, const char *value, struct error *err)
{
	switch (term) {
	case TERM_ALPHA:
		return set_alpha(t, value, err);
	case TERM_BUDGET:
		return set_budget(t, value, err);
	case TERM_MARGIN:
		return units_parse_percent(value, &t->margin, err);
	case TERM_MAX_PAIRS:
	case TERM_PAIRS:
		return set_pairs(t, term, value, err);
	case TERM_PRIMARY:
		terms_add_primary(t, value, (struct place){0});
		return true;
	case TERM_SEED:
		return set_seed(t, value, err);
	case TERM_STRICT:
		return parse_yes(value, &t->strict, err);
	case TERM_UNTIL_DECIDED:
		return parse_yes(value, &t->until_decided, err) &&
		       (!t->until_decided || check_end(t, term, err));
	case TERM_COUNT:
		break;
	}
	assert(false);
	return false;
}

bool terms_set(struct terms *t, enum term term, const char *value, struct error *err)
{
	if (!set(t, term, value, err))
		return false;
	t->said[term] = true;
	return true;
}

/* ---- back to text ---- */

/* The shortest decimal number that is read as this one. */
static char *number_text(double number)
{
	enum { DECIMALS_MAX = 24 };
	struct text out = {0};

	for (int decimals = 0; decimals <= DECIMALS_MAX; decimals++) {
		struct error ignored;
		double back;

		text_done(&out);
		text_printf(&out, "%.*f", decimals, number);
		if (units_parse_number(text_string(&out), &back, &ignored) && back == number)
			break;
	}
	return text_take(&out);
}

/*
 * A percentage is divided by 100 when it is read. The number that was divided is a neighbour of
 * 100 times the ratio, if not that itself.
 */
static char *percent_text(double ratio)
{
	const double middle = 100 * ratio;
	const double guesses[] = {middle, nextafter(middle, 0), nextafter(middle, INFINITY)};
	double percent = middle;

	for (size_t i = 0; i < sizeof(guesses) / sizeof(*guesses); i++) {
		if (guesses[i] / 100 == ratio) {
			percent = guesses[i];
			break;
		}
	}

	char *number __free(memory) = number_text(percent);

	return text_format("%s%%", number);
}

/* In the largest unit that leaves no rest. */
static char *duration_text(int64_t ns)
{
	static const struct unit {
		const char *suffix;
		int64_t ns;
	} units[] = {
		{"h", 3600 * NS_PER_SEC}, {"m", 60 * NS_PER_SEC}, {"s", NS_PER_SEC},
		{"ms", NS_PER_MS},	  {"us", NS_PER_US},	  {"ns", 1},
	};
	const struct unit *u = units;

	while (ns % u->ns)
		u++;
	return text_format("%" PRId64 "%s", ns / u->ns, u->suffix);
}

/* Without looks, by the e-process alone. */
static bool is_open(const struct experiment *e)
{
	return (e->plan == PLAN_DECIDED && !e->pairs) ||
	       (e->plan == PLAN_BUDGET && !e->planned_budget_ns);
}

char *terms_text(const struct experiment *e, enum term term)
{
	switch (term) {
	case TERM_ALPHA:
		return number_text(e->alpha);
	case TERM_BUDGET:
		return e->plan == PLAN_BUDGET ? duration_text(e->budget_ns) : NULL;
	case TERM_MARGIN:
		return percent_text(e->margin);
	case TERM_MAX_PAIRS:
		return e->plan == PLAN_DECIDED && e->pairs ? text_format("%" PRId64, e->pairs)
							   : NULL;
	case TERM_PAIRS:
		return e->plan == PLAN_PAIRS ? text_format("%" PRId64, e->pairs) : NULL;
	case TERM_SEED:
		return text_format("%" PRIu64, e->seed);
	case TERM_STRICT:
		return memory_string(e->strict ? "yes" : "no");
	case TERM_UNTIL_DECIDED:
		return is_open(e) ? memory_string("yes") : NULL;
	case TERM_PRIMARY:
	case TERM_COUNT:
		break;
	}
	assert(false);
	return NULL;
}

/* ---- into an experiment ---- */

/* True when an end of `lower` can stand beside all that `upper` says, and upper does not say it. */
static bool still_holds(const struct terms *upper, const struct terms *lower, enum term term)
{
	if (!is_end(lower, term) || is_end(upper, term))
		return false;
	for (enum term said = 0; said < TERM_COUNT; said++)
		if (is_end(upper, said) && !are_together(said, term))
			return false;
	return true;
}

/* The ends of `upper`, and those of `lower` that do not contradict them. Nothing else is of use. */
static struct terms ends_of(const struct terms *upper, const struct terms *lower)
{
	struct terms t = *upper;

	if (still_holds(upper, lower, TERM_UNTIL_DECIDED))
		t.until_decided = true;
	if (still_holds(upper, lower, TERM_BUDGET))
		t.budget_ns = lower->budget_ns;
	if (still_holds(upper, lower, TERM_MAX_PAIRS))
		t.max_pairs = lower->max_pairs;
	if (still_holds(upper, lower, TERM_PAIRS))
		t.pairs = lower->pairs;
	for (enum term term = 0; term < TERM_COUNT; term++)
		t.said[term] = upper->said[term] || still_holds(upper, lower, term);
	return t;
}

static void apply_end(const struct terms *t, struct experiment *e)
{
	int64_t most = t->said[TERM_MAX_PAIRS] ? t->max_pairs : MAX_PAIRS_PRESET;

	if (t->said[TERM_PAIRS] || most < EXPERIMENT_LEAST_MAXIMUM) {
		experiment_plan_pairs(e, t->said[TERM_PAIRS] ? t->pairs : most);
		return;
	}
	experiment_plan_decided(e, t->said[TERM_BUDGET] || t->until_decided ? 0 : most);
	if (!t->said[TERM_BUDGET])
		return;
	e->plan = PLAN_BUDGET;
	e->budget_ns = t->budget_ns;
	e->planned_budget_ns = t->until_decided ? 0 : e->budget_ns;
}

void terms_apply(const struct terms *upper, const struct terms *lower, struct experiment *e)
{
	static const struct terms preset = {.alpha = 0.05, .margin = 0.02};
	const struct terms *by[TERM_COUNT];
	const struct terms ends = ends_of(upper, lower);

	for (int term = 0; term < TERM_COUNT; term++)
		by[term] = upper->said[term] ? upper : lower->said[term] ? lower : &preset;
	e->alpha = by[TERM_ALPHA]->alpha;
	e->margin = by[TERM_MARGIN]->margin;
	e->strict = by[TERM_STRICT]->strict;
	if (by[TERM_SEED] != &preset)
		e->seed = by[TERM_SEED]->seed;
	apply_end(&ends, e);
}
