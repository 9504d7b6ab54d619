// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "judge/futility.h"
#include "report/block.h"

static bool lacks_pairs(const struct metric_verdict *v)
{
	return v->pairs && v->rule == RULE_PAIRED_T && !metric_is_scarce(v);
}

static void put_interval(struct text *out, const struct metric_verdict *v, struct interval interval)
{
	struct mail_row row = mail_row(v);

	change_print_bound(out, &row.change, interval.low);
	text_puts(out, " .. ");
	change_print_bound(out, &row.change, interval.high);
}

static bool is_finite(struct interval interval)
{
	return isfinite(interval.low) && isfinite(interval.high);
}

static void put_sign_flip(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = block_primary(b);
	struct text p __text = {0}, t __text = {0};
	int64_t count, of;

	probability_print(&p, v->p);
	if (facts_sign_patterns(v, &count, &of))
		text_printf(&t,
			    "exact sign-flip test of the primary: %" PRId64 " of %" PRId64
			    " patterns, p %s",
			    count, of, text_string(&p));
	else
		text_printf(&t, "sign-flip test of the primary, random patterns: p %s",
			    text_string(&p));
	if (v->comparisons > 1) {
		text_puts(&t, ", corrected ");
		probability_print(&t, v->p_adjusted);
	}
	text_puts(&t, "; intervals inverted from the test");
	if (is_finite(v->paired_t)) {
		text_puts(&t, ", paired t for comparison ");
		put_interval(&t, v, v->paired_t);
	}
	mail_remark(out, "%" PRId64 " pairs planned, no look before the end; %s",
		    b->f->experiment->pairs, text_string(&t));
}

static void put_limit(struct text *out, const struct experiment *e)
{
	if (e->plan == PLAN_BUDGET) {
		text_puts(out, " (budget ");
		mail_time(out, e->budget_ns);
		text_puts(out, ")");
	} else if (e->pairs > 0) {
		text_printf(out, " of at most %" PRId64, e->pairs);
	}
}

/* It went on to its end although it had its verdict, for somebody wanted more pairs. */
static bool went_beyond(const struct findings *f)
{
	const struct history *h = f->history;

	return h && h->session_count && h->sessions[h->session_count - 1].beyond;
}

/*
 * Workloads stop one by one, each when it is settled. What became of the others tells nothing of
 * one that was given up.
 */
static bool stopped_early(const struct block *b)
{
	const struct experiment *e = b->f->experiment;
	int64_t tried = (int64_t)(b->v->pairs + b->v->dropped);

	return block_primary(b)->settled && !block_gave_up(b->v) && !went_beyond(b->f) &&
	       (e->plan == PLAN_BUDGET ? !e->time_up || tried < e->time_up
				       : !e->pairs || tried < e->pairs);
}

/* "8, 16, 24, 32 and 40" */
static void put_looks(struct text *out, const struct sequential_plan *plan)
{
	for (size_t i = 0; i < plan->look_count; i++)
		text_printf(out, "%s%zu",
			    i == 0			? ""
			    : i + 1 == plan->look_count ? " and "
							: ", ",
			    plan->looks[i]);
}

/* What it came to: by which part no change, or a change of the margin, was rejected. */
static void put_decision(struct text *out, const struct metric_verdict *v, bool cleared)
{
	bool rejected = v->rejected_by != SEQUENTIAL_NOTHING;

	if (cleared) {
		text_printf(out, "; worse by the margin is excluded at pair %zu", v->cleared_at);
		return;
	}
	/* Corrected it may not be. */
	text_puts(out, rejected && v->p_adjusted > v->level ? "; alone" : ";");
	if (v->rejected_by == SEQUENTIAL_LOOK)
		text_printf(out, " \"no change\" is rejected at the look after %zu pairs (p ",
			    v->rejected_at);
	else if (rejected)
		text_printf(out, " \"no change\" is rejected by the e-process at pair %zu (p ",
			    v->rejected_at);
	else
		text_puts(out, " against \"no change\" p ");
	probability_print(out, v->p);
	if (v->comparisons > 1) {
		text_printf(out, "%s after %s ", rejected ? ";" : ",",
			    mail_correction(v->correction));
		probability_print(out, v->p_adjusted);
	}
	text_puts(out, rejected ? ")" : "");
}

/* What E came to, and how many looks are left. */
static void put_standing(struct text *out, const struct metric_verdict *v, bool cleared)
{
	size_t left = v->plan.look_count - v->looks_spent;

	text_printf(out, "; E %s %.3g", cleared ? "against the margin" : "against no change",
		    cleared ? v->clearing : v->evidence);
	if (v->rule != RULE_SEQUENTIAL_END && left && v->looks_spent)
		text_printf(out, ", %zu look%s left", left, left == 1 ? "" : "s");
}

/* By what it is decided: a look by its p, an e-process by its evidence. The same for all arms. */
static void put_plan(const struct metric_verdict *v, struct text *out)
{
	struct text line __text = {0};

	if (!v->plan.look_count) {
		text_puts(&line, "no maximum planned, so no looks; ");
	} else {
		text_puts(&line,
			  v->plan.look_count > 1 ? "looks planned at " : "a look planned at ");
		put_looks(&line, &v->plan);
		if (v->rule == RULE_SEQUENTIAL_END)
			text_printf(&line, ", where the end came instead of at %zu,",
				    v->plan.max_pairs);
		text_puts(&line, v->plan.look_count > 1 ? " decide by p, " : " decides by p, ");
	}
	mail_remark(out,
		    "%san e-process after every pair by its evidence E, from %.3g on (1 is no "
		    "evidence); intervals inverted from the rule",
		    text_string(&line), facts_deciding_evidence(v));
}

/*
 * True where the interval has room for an estimate that is exaggerated by a fifth. One that is
 * cleared leans so little that nobody would mind (docs/method.md).
 */
static bool may_lean(const struct metric_verdict *v)
{
	double nearer = v->estimate > 0 ? v->interval.low : v->interval.high;

	return v->verdict != VERDICT_CLEARED && nearer / v->estimate < 0.8;
}

static void put_sequential(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = block_primary(b);
	bool cleared = v->verdict == VERDICT_CLEARED && isfinite(v->clearing);
	struct text line __text = {0};

	if (!v->pairs || metric_is_scarce(v))
		return;
	if (stopped_early(b))
		text_printf(&line, "decided early, at pair %zu", b->v->pairs);
	else
		mail_count(&line, b->v->pairs, "pair");
	put_limit(&line, b->f->experiment);
	put_decision(&line, v, cleared);
	put_standing(&line, v, cleared);
	mail_remark(out, "%s", text_string(&line));
	put_plan(v, out);
	if (b->v->pairs < JUDGE_LEAST_PAIRS)
		mail_remark(out, "under %d pairs no verdict is given", JUDGE_LEAST_PAIRS);
	if (v->futile)
		mail_remark(out,
			    "ended early, undecided: %zu pairs would hardly decide it (a chance "
			    "under %.0f %%)",
			    v->plan.max_pairs, 100 * FUTILITY_CHANCE);
	if (stopped_early(b) && may_lean(v))
		mail_remark(out, "after an early stop the estimate leans away from zero, the "
				 "interval does not");
}

/* More pairs than were planned, by who had seen what came of those. */
static void put_extension(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = block_primary(b);
	struct text line __text = {0};

	text_printf(&line, "an extension: what %" PRId64 " pairs had shown was seen. ",
		    b->j->first_end);
	if (v->won_before)
		text_puts(&line, "The verdict of the primary was won then, and stays. ");
	if (v->level > 0)
		text_printf(&line,
			    "That left a level of %.2g %% to an e-process over all pairs, valid "
			    "at each: E %.3g, %.3g decides",
			    100 * v->level, v->evidence, facts_deciding_evidence(v));
	else
		text_puts(&line, "That used up alpha: no further verdict");
	mail_remark(out,
		    "%s; intervals: what neither of both looks excludes; nothing more is "
		    "cleared, for that had its alpha then",
		    text_string(&line));
}

void block_put_rule(const struct block *b, struct text *out)
{
	const struct experiment *e = b->f->experiment;
	struct text few __text = {0};

	if (b->j->first_end)
		put_extension(b, out);
	else if (block_primary(b)->rule == RULE_SIGN_FLIP)
		put_sign_flip(b, out);
	else if (judge_rule_is_sequential(block_primary(b)->rule))
		put_sequential(b, out);
	if (e->plan == PLAN_PAIRS && !b->j->first_end && block_gave_up(b->v) && b->v->pairs)
		mail_remark(out,
			    "%zu of %" PRId64 " planned pairs: nothing is cleared before the end",
			    b->v->pairs, e->pairs);
	block_put_labels(b, &few, lacks_pairs);
	if (b->v->pairs && b->v->pairs < JUDGE_LEAST_PAIRS && few.length)
		mail_remark(
			out,
			"under %d pairs no sign-flip verdict is possible: paired t intervals only",
			JUDGE_LEAST_PAIRS);
	else if (few.length)
		mail_remark(out,
			    "under %d pairs with figures, so paired t intervals and no verdict: %s",
			    JUDGE_LEAST_PAIRS, text_string(&few));
}
