// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* The subject that is written about, with what all parts of its block need. */
struct block {
	const struct findings *f;
	const struct judgement *j;
	const struct subject_verdict *v;
	const struct subject_facts *facts;
};

/* ---- the table ---- */

/* A metric without a figure in any pair is named below the table; the primary has a row anyway. */
static bool has_row(const struct metric_verdict *v)
{
	return v->pairs || v->primary;
}

static bool put_table(const struct block *b, struct text *out, struct error *err)
{
	struct mail_row *rows __free(memory) = memory_array(b->v->metric_count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < b->v->metric_count; i++) {
		if (has_row(&b->v->metrics[i]))
			rows[count++] = mail_row(&b->v->metrics[i]);
	}
	return mail_table(out, "metric", b->f->experiment, rows, count, err);
}

/* ---- below the table: how to read it ---- */

static bool gave_up(const struct subject_verdict *v)
{
	return v->b_crashes || v->impossible;
}

static const struct metric_verdict *primary_of(const struct block *b)
{
	return &b->v->metrics[0];
}

/* True when a row of the table has that verdict. */
static bool any_verdict(const struct block *b, enum verdict verdict)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		if (has_row(&b->v->metrics[i]) && b->v->metrics[i].verdict == verdict)
			return true;
	}
	return false;
}

static bool any_worse(const struct block *b)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		if (b->v->metrics[i].worse)
			return true;
	}
	return false;
}

static bool any_more_pairs(const struct block *b)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (has_row(v) && v->verdict == VERDICT_UNDECIDED && v->more_pairs > 0)
			return true;
	}
	return false;
}

/* The size of the family of the metrics that are not primary; 0: none is judged. */
static size_t other_comparisons(const struct block *b)
{
	for (size_t i = 1; i < b->v->metric_count; i++) {
		if (b->v->metrics[i].comparisons)
			return b->v->metrics[i].comparisons;
	}
	return 0;
}

/* Secondaries of a plan that no verdict could be won for. */
static void put_unreachable(const struct block *b, struct text *out)
{
	struct mail_family others = {.who = "secondary", .alpha = b->f->experiment->alpha};

	/* In an extension they are tested by another rule. */
	if (b->j->first_end)
		return;
	for (size_t i = 1; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (!v->comparisons || v->rule != RULE_SIGN_FLIP)
			continue;
		others.comparisons = v->comparisons;
		others.pairs = v->pairs > others.pairs ? v->pairs : others.pairs;
	}
	mail_family(out, &others);
}

static void put_margin(struct text *out, const struct block *b)
{
	percent_print(out, b->f->experiment->margin);
}

static void put_legend(const struct block *b, struct text *out)
{
	const struct metric_verdict *primary = primary_of(b);
	size_t others = other_comparisons(b);
	struct text line __text = {0}, margin __text = {0};

	/* How the primaries of several workloads are corrected stands with their summary. */
	text_puts(&line, "* primary");
	if (others > 1)
		text_printf(&line,
			    "; the others corrected for %zu comparisons (verdicts by Holm, "
			    "intervals not)",
			    others);
	put_margin(&margin, b);
	if (any_more_pairs(b))
		text_printf(&line, "; +N = pairs still needed at a margin of %s",
			    text_string(&margin));
	mail_remark(out, "%s", text_string(&line));

	if (any_verdict(b, VERDICT_CLEARED)) {
		text_done(&line);
		text_printf(&line, "cleared = not worse by %s or more", text_string(&margin));
		if (primary->verdict == VERDICT_CLEARED && primary->bound > 0) {
			struct text bound __text = {0};
			const struct change_style style = {.decimals = 2};

			change_print(&bound, &style, primary->bound);
			text_printf(&line, " (primary: worse by %s at most)", text_string(&bound));
		}
		if (any_worse(b))
			text_puts(&line, "; worse = significantly worse, within that margin");
		mail_remark(out, "%s", text_string(&line));
	}
}

/* Lists the labels of the metrics that a test picks, after a comma each. */
static void put_labels(const struct block *b, struct text *out,
		       bool (*picks)(const struct metric_verdict *v))
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		char *label __free(memory) = NULL;

		if (!has_row(v) || !picks(v))
			continue;
		label = facts_label(v->metric);
		text_printf(out, "%s%s", out->length ? ", " : "", label);
	}
}

static bool wants_more(const struct metric_verdict *v)
{
	return v->metric->better == BETTER_HIGHER;
}

static bool is_difference(const struct metric_verdict *v)
{
	return v->pairs && v->scale == SCALE_DIFFERENCE;
}

static bool lacks_pairs(const struct metric_verdict *v)
{
	return v->pairs && v->rule == RULE_PAIRED_T && !metric_is_scarce(v);
}

/* A mean is drawn by a single pair more than the interval of a test is. */
static bool lies_outside(const struct metric_verdict *v)
{
	/* Both are computed: the last digits are not meant. */
	double rounding = 1e-9 * fabs(v->estimate);

	return v->pairs && (v->estimate < v->interval.low - rounding ||
			    v->estimate > v->interval.high + rounding);
}

static void put_columns(const struct block *b, bool alone, struct text *out)
{
	struct text higher __text = {0}, differences __text = {0};
	bool looks = primary_of(b)->rule == RULE_E_PROCESS;

	put_labels(b, &higher, wants_more);
	put_labels(b, &differences, is_difference);
	/* Of several workloads the rule stands with their summary. */
	if (alone)
		mail_remark(out, "%s%s%s%s%s", mail_columns(looks),
			    differences.length ? ", of figures with zeros " : "",
			    differences.length ? mail_average(looks) : "",
			    differences.length ? " of B - A, in their unit: " : "",
			    text_string(&differences));
	else if (differences.length)
		mail_remark(
			out,
			"of figures with zeros the change is the %s of B - A, in their unit: %s",
			mail_average(looks), text_string(&differences));
	if (higher.length)
		mail_remark(out, "higher is better: %s", text_string(&higher));
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
	const struct metric_verdict *v = primary_of(b);
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
 * Workloads stop one by one, each when it is settled. What became of the others tells nothing of one
 * that was given up.
 */
static bool stopped_early(const struct block *b)
{
	const struct experiment *e = b->f->experiment;
	size_t tried = b->v->pairs + b->v->dropped;

	return primary_of(b)->settled && !gave_up(b->v) && !went_beyond(b->f) &&
	       (b->j->early || e->plan == PLAN_BUDGET || (int64_t)tried < e->pairs);
}

static void put_e_process(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = primary_of(b);
	double decides = facts_deciding_evidence(v);
	bool cleared = v->verdict == VERDICT_CLEARED && isfinite(v->clearing);
	struct text line __text = {0};

	if (!v->pairs || metric_is_scarce(v))
		return;
	if (stopped_early(b))
		text_printf(&line, "decided early, at pair %zu", b->v->pairs);
	else
		mail_count(&line, b->v->pairs, "pair");
	put_limit(&line, b->f->experiment);
	text_puts(&line, ", valid at each");
	text_printf(&line, "; e-process of the primary %s: E %.3g, ",
		    cleared ? "against the margin" : "against no change",
		    cleared ? v->clearing : v->evidence);
	/* Under Holm the last of several primaries needs less. */
	text_printf(&line, v->comparisons > 1 ? "up to %.3g decides" : "%.3g decides", decides);
	text_puts(&line, "; intervals inverted from it");
	mail_remark(out, "%s", text_string(&line));
	if (b->v->pairs < JUDGE_LEAST_PAIRS)
		mail_remark(out, "under %d pairs no verdict is given", JUDGE_LEAST_PAIRS);
	if (stopped_early(b))
		mail_remark(out, "after an early stop the estimate leans %s, the interval does not",
			    cleared ? "to the better side" : "away from zero");
}

/* More pairs than were planned, by who had seen what came of those. */
static void put_extension(const struct block *b, struct text *out)
{
	const struct metric_verdict *v = primary_of(b);
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

static void put_rule(const struct block *b, struct text *out)
{
	const struct experiment *e = b->f->experiment;
	struct text few __text = {0};

	if (b->j->first_end)
		put_extension(b, out);
	else if (primary_of(b)->rule == RULE_SIGN_FLIP)
		put_sign_flip(b, out);
	else if (primary_of(b)->rule == RULE_E_PROCESS)
		put_e_process(b, out);
	if (e->plan == PLAN_PAIRS && !b->j->first_end && gave_up(b->v) && b->v->pairs)
		mail_remark(out,
			    "%zu of %" PRId64 " planned pairs: nothing is cleared before the end",
			    b->v->pairs, e->pairs);
	put_labels(b, &few, lacks_pairs);
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

/* ---- below the table: what is behind it ---- */

/* True for the first metric of those that have a series in common. */
static bool first_of_series(const struct block *b, size_t index)
{
	const struct metric *m = b->v->metrics[index].metric;

	for (size_t i = 0; i < index; i++) {
		const struct metric_verdict *before = &b->v->metrics[i];

		if (has_row(before) && facts_has_samples(before->metric->summary) &&
		    text_equal(before->metric->of, m->of))
			return false;
	}
	return true;
}

static void put_samples(const struct block *b, struct text *out)
{
	struct text line __text = {0};

	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		char *series __free(memory) = memory_string(v->metric->of);

		if (!v->pairs || !facts_has_samples(v->metric->summary) || !first_of_series(b, i))
			continue;
		series[strcspn(series, ".")] = ' ';
		text_printf(&line, "%s%s %" PRId64 " / %" PRId64, line.length ? ", " : "", series,
			    v->samples_a, v->samples_b);
	}
	if (line.length)
		mail_remark(out, "samples a run (median, A / B): %s", text_string(&line));
}

/* Metrics that were refused a figure for the same reason share a line. */
static void put_refused(const struct block *b, struct text *out)
{
	bool partly = false;

	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		struct text labels __text = {0};
		bool seen = false;

		if (!v->refused || !v->refusal)
			continue;
		for (size_t k = 0; k < b->v->metric_count; k++) {
			const struct metric_verdict *other = &b->v->metrics[k];
			char *label __free(memory) = NULL;

			if (!other->refusal || other->pairs != v->pairs ||
			    !text_equal(other->refusal, v->refusal))
				continue;
			seen |= k < i;
			label = facts_label(other->metric);
			text_printf(&labels, "%s%s", labels.length ? ", " : "", label);
		}
		if (seen)
			continue;
		if (v->pairs)
			mail_remark(out, "%s: from %zu of %zu pairs%s; another had no figure: %s",
				    text_string(&labels), v->pairs, b->v->pairs,
				    metric_is_scarce(v) ? ", too few for a change or a verdict"
							: "",
				    v->refusal);
		else
			mail_remark(out, "no figure for %s: %s", text_string(&labels), v->refusal);
		partly |= v->pairs > 0;
	}
	if (partly)
		mail_remark(out, "pairs without a figure are not missing at random: what leaves a "
				 "run too few samples, or makes its window longer, may be what is "
				 "compared");
}

static void put_remarks(const struct block *b, struct text *out)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		char *label __free(memory) = NULL;

		if (!v->remark || !has_row(v))
			continue;
		label = facts_label(v->metric);
		mail_remark(out, "%s: %s", label, v->remark);
	}
}

/* The medians of the arms say one thing, most pairs another; rounding is no disagreement. */
static bool disagrees(const struct metric_verdict *v)
{
	double between = v->middle_b - v->middle_a;
	double noise = 0.01 * fabs(v->middle_a);

	return has_row(v) && v->pairs && v->scale == SCALE_LOG && fabs(between) > noise &&
	       fabs(v->estimate) > 0.01 && (between > 0) != (v->estimate > 0);
}

static void put_disagreeing(const struct block *b, struct text *out)
{
	struct text labels __text = {0};

	put_labels(b, &labels, disagrees);
	if (labels.length)
		mail_remark(out,
			    "the medians of A and B lie the other way than the change, which is "
			    "taken pair by pair: %s",
			    text_string(&labels));
}

static void put_defaults(const struct block *b, struct text *out)
{
	json_t *defaults __free(json) = subject_defaults(b->v->subject);
	struct text line __text = {0};
	const char *name;
	json_t *value;

	json_object_foreach(defaults, name, value)
		text_printf(&line, " %s=%s", name, json_string_value(value));
	if (line.length)
		mail_remark(out, "by default:%s", text_string(&line));
}

static void put_outside(const struct block *b, struct text *out)
{
	struct text labels __text = {0};

	put_labels(b, &labels, lies_outside);
	if (labels.length)
		mail_remark(out,
			    "a few pairs far from the rest draw the change out of its interval: %s",
			    text_string(&labels));
}

static void put_dropped(const struct block *b, struct text *out)
{
	const char *first = b->v->first_drop ? b->v->first_drop : "";
	/* All reasons follow where there are several: "pair 3, B" is enough then. */
	size_t length = b->facts->troubles.count > 1 ? strcspn(first, ":") : strlen(first);

	if (b->v->dropped)
		mail_remark(out, "%zu of %zu pairs dropped whole, the first: %.*s", b->v->dropped,
			    b->v->pairs + b->v->dropped, (int)length, first);
}

/* ---- a block ---- */

/* What left a workload without an answer comes before the table. */
static void put_trouble(const struct block *b, struct text *out)
{
	const char *why = b->v->why_not ? b->v->why_not : "";
	int arm = b->v->failures_in_row[ARM_A] < b->v->failures_in_row[ARM_B] ? ARM_B : ARM_A;

	if (!gave_up(b->v))
		return;
	if (b->v->b_crashes)
		mail_remark(out, "B CRASHES, its last %zu runs in a row: %s",
			    b->v->crashes_in_row[ARM_B], why);
	else if (b->v->failures_in_row[arm])
		mail_remark(out, "NOT POSSIBLE, the last %zu runs of %s gave nothing: %s",
			    b->v->failures_in_row[arm], arm_words[arm], why);
	else
		mail_remark(out, "NOT POSSIBLE: %s", why);
	text_puts(out, "\n");
}

static void put_size(const struct block *b, struct text *out, bool alone)
{
	const struct subject_facts *facts = b->facts;
	struct text line __text = {0}, seed __text = {0};

	mail_count(&line, b->v->pairs, "pair");
	text_puts(&line, " in random order, ");
	mail_count(&line, facts->runs[ARM_A] + facts->runs[ARM_B], "run");
	mail_windows(&line, facts);
	text_printf(&seed, "seed %" PRIu64, b->f->experiment->seed);
	/* Whole on the line or below it. */
	if (alone && strlen("  , ") + line.length + seed.length <= PAGE_WIDTH) {
		text_printf(&line, ", %s", text_string(&seed));
		alone = false;
	}
	page_paragraph(out, "  ", "  ", text_string(&line));
	if (alone)
		page_paragraph(out, "  ", "  ", text_string(&seed));
}

static void put_arms(const struct findings *f, const struct facts *facts, struct text *out)
{
	const struct experiment *e = f->experiment;
	const char *a = e->labels[ARM_A] ? e->labels[ARM_A] : "";
	const char *b = e->labels[ARM_B] ? e->labels[ARM_B] : "";
	char *machine __free(memory) = mail_machine(facts);
	const bool bare = !*a && !*b;
	const struct mail_part parts[] = {
		{"A  ", bare ? NULL
			: *a ? a
			     : "(defaults)"},
		{"B  ", bare ? NULL
			: *b ? b
			     : "(defaults)"},
		{"", bare ? "A and B alike" : NULL},
		{"", machine},
	};

	mail_parts(out, parts, sizeof(parts) / sizeof(parts[0]));
	if (f->judgement->aa)
		page_paragraph(out, "  ", "  ",
			       "A/A: both arms are the same; a rejection is a false alarm");
}

static void put_common_params(const struct block *b, struct text *out)
{
	json_t *const *params = b->v->subject->params;
	char *common __free(memory) = mail_params(params[ARM_A], params[ARM_B]);

	if (*common)
		page_paragraph(out, "  both  ", "        ", common);
}

/* Counts, and nothing by which the arms could be told apart. */
static void put_blind(const struct block *b, struct text *out)
{
	mail_remark(out,
		    "%zu of %" PRId64
		    " planned pairs: no figure is shown before the end, for who has seen one must "
		    "not decide where that is",
		    b->v->pairs + b->v->dropped, b->f->experiment->pairs);
	put_dropped(b, out);
	mail_recurrences(out, b->facts, false);
	put_defaults(b, out);
}

static bool put_block(const struct block *b, bool alone, struct text *out, struct error *err)
{
	put_common_params(b, out);
	if (!alone && !b->j->aa && subject_is_aa(b->v->subject))
		page_paragraph(out, "  ", "  ",
			       "A/A: both arms are the same here; a rejection is a false alarm");
	put_size(b, out, alone);
	text_puts(out, "\n");
	put_trouble(b, out);
	if (b->j->blind) {
		put_blind(b, out);
		return true;
	}
	if (!put_table(b, out, err))
		return false;
	put_legend(b, out);
	text_puts(out, "\n");
	if (b->v->pairs)
		put_columns(b, alone, out);
	put_rule(b, out);
	put_unreachable(b, out);
	mail_looks(b->f, (size_t)(b->v - b->j->subjects), out);
	put_samples(b, out);
	put_refused(b, out);
	put_remarks(b, out);
	put_outside(b, out);
	put_disagreeing(b, out);
	put_dropped(b, out);
	mail_recurrences(out, b->facts, false);
	put_defaults(b, out);
	return true;
}

static void put_title(const struct subject *s, struct text *out)
{
	mail_remark(out, "%s: %s", s->description->name, s->description->summary);
}

/* Says of an experiment without its planned or decided end how it ended. */
static void put_end(const struct findings *f, struct text *out)
{
	const struct judgement *j = f->judgement;
	bool interrupted = f->status == STATUS_INTERRUPTED;
	struct text line __text = {0};

	if (f->end && !interrupted && (j->finished || j->b_crashes || j->impossible))
		return;
	if (f->end)
		text_printf(&line, "ended: %s, before the planned end", f->end);
	else
		text_puts(&line, "not ended: what there is so far");
	page_paragraph(out, "  ", "  ", text_string(&line));
}

/* "48 runs in 107 s, seed 4021": of all workloads together. */
static void put_size_of_all(const struct findings *f, const struct facts *facts, struct text *out)
{
	struct text line __text = {0};

	mail_count(&line, facts->runs[ARM_A] + facts->runs[ARM_B], "run");
	if (facts->run_ns) {
		text_puts(&line, " in ");
		mail_time(&line, facts->run_ns);
	}
	text_printf(&line, ", seed %" PRIu64, f->experiment->seed);
	page_paragraph(out, "  ", "  ", text_string(&line));
}

bool mail_compare(const struct findings *f, const struct facts *facts, struct text *out,
		  struct error *err)
{
	const struct judgement *j = f->judgement;
	bool alone = j->subject_count == 1;

	if (alone)
		put_title(j->subjects[0].subject, out);
	else if (j->blind)
		mail_remark(out, "%zu workloads", j->subject_count);
	else
		mail_findings(f, out);
	put_arms(f, facts, out);
	if (!alone)
		put_size_of_all(f, facts, out);
	put_end(f, out);
	if (!alone && !j->blind && !mail_summary(f, out, err))
		return false;
	for (size_t i = 0; i < j->subject_count; i++) {
		const struct block b = {
			.f = f, .j = j, .v = &j->subjects[i], .facts = &facts->subjects[i]};

		if (!alone) {
			text_puts(out, "\n");
			put_title(b.v->subject, out);
		}
		if (!put_block(&b, alone, out, err))
			return false;
	}
	mail_history(f, facts, out);
	mail_footer(f, facts, out);
	return true;
}
