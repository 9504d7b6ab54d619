// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/terms.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

enum { PAIRS_PRESET = 40 };

static const double alpha_low = 1e-6, alpha_high = 0.5;

const char *const term_words[] = {
	[TERM_ALPHA] = "alpha",
	[TERM_BUDGET] = "budget",
	[TERM_MARGIN] = "margin",
	[TERM_PAIRS] = "pairs",
	[TERM_PRIMARY] = "primary",
	[TERM_SEED] = "seed",
	[TERM_STRICT] = "strict",
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

static bool set_budget(struct terms *t, const char *value, struct error *err)
{
	int64_t budget_ns;

	if (!units_parse_duration(value, &budget_ns, err))
		return false;
	if (!budget_ns)
		return error_set(err, ERROR_USAGE, "must be above 0, not %.100s", value);
	if (t->said[TERM_PAIRS])
		return error_set(err, ERROR_USAGE, "excludes pairs: either says when to end");
	t->budget_ns = budget_ns;
	return true;
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

static bool set_pairs(struct terms *t, const char *value, struct error *err)
{
	int64_t pairs;

	if (!parse_count(value, 1, EXPERIMENT_PAIRS_MAX, &pairs, err))
		return false;
	if (t->said[TERM_BUDGET])
		return error_set(err, ERROR_USAGE, "excludes budget: either says when to end");
	t->pairs = pairs;
	return true;
}

static bool set_seed(struct terms *t, const char *value, struct error *err)
{
	int64_t seed;

	if (!parse_count(value, 0, INT64_MAX, &seed, err))
		return false;
	t->seed = (uint64_t)seed;
	return true;
}

static bool set_strict(struct terms *t, const char *value, struct error *err)
{
	t->strict = text_equal(value, "yes");
	return t->strict || text_equal(value, "no") ||
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
	case TERM_PAIRS:
		return set_pairs(t, value, err);
	case TERM_PRIMARY:
		terms_add_primary(t, value, (struct place){0});
		return true;
	case TERM_SEED:
		return set_seed(t, value, err);
	case TERM_STRICT:
		return set_strict(t, value, err);
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

char *terms_text(const struct experiment *e, enum term term)
{
	switch (term) {
	case TERM_ALPHA:
		return number_text(e->alpha);
	case TERM_BUDGET:
		return e->plan == PLAN_BUDGET ? duration_text(e->budget_ns) : NULL;
	case TERM_MARGIN:
		return percent_text(e->margin);
	case TERM_PAIRS:
		return e->plan == PLAN_PAIRS ? text_format("%" PRId64, e->pairs) : NULL;
	case TERM_SEED:
		return text_format("%" PRIu64, e->seed);
	case TERM_STRICT:
		return memory_string(e->strict ? "yes" : "no");
	case TERM_PRIMARY:
	case TERM_COUNT:
		break;
	}
	assert(false);
	return NULL;
}

/* ---- into an experiment ---- */

static bool says_end(const struct terms *t)
{
	return t->said[TERM_PAIRS] || t->said[TERM_BUDGET];
}

static void apply_end(const struct terms *t, struct experiment *e)
{
	e->plan = PLAN_DECIDED;
	e->pairs = PAIRS_PRESET;
	e->budget_ns = 0;
	if (t->said[TERM_PAIRS]) {
		e->plan = PLAN_PAIRS;
		e->pairs = t->pairs;
	} else if (t->said[TERM_BUDGET]) {
		e->plan = PLAN_BUDGET;
		e->pairs = 0;
		e->budget_ns = t->budget_ns;
	}
}

void terms_apply(const struct terms *upper, const struct terms *lower, struct experiment *e)
{
	static const struct terms preset = {.alpha = 0.05, .margin = 0.02};
	const struct terms *by[TERM_COUNT];

	for (int term = 0; term < TERM_COUNT; term++)
		by[term] = upper->said[term] ? upper : lower->said[term] ? lower : &preset;
	e->alpha = by[TERM_ALPHA]->alpha;
	e->margin = by[TERM_MARGIN]->margin;
	e->strict = by[TERM_STRICT]->strict;
	if (by[TERM_SEED] != &preset)
		e->seed = by[TERM_SEED]->seed;
	apply_end(says_end(upper) ? upper : lower, e);
}
