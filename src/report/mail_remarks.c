// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/block.h"

bool mail_lies_outside(const struct metric_verdict *v)
{
	/* Both are computed: the last digits are not meant. */
	double rounding = 1e-9 * fabs(v->estimate);

	return v->pairs && (v->estimate < v->interval.low - rounding ||
			    v->estimate > v->interval.high + rounding);
}

/* True for the first metric of those that have a series in common. */
static bool first_of_series(const struct comparison *c, size_t index)
{
	const struct metric *m = c->metrics[index].metric;

	for (size_t i = 0; i < index; i++) {
		const struct metric_verdict *before = &c->metrics[i];

		if (mail_has_row(before) && facts_has_samples(before->metric->summary) &&
		    text_equal(before->metric->of, m->of))
			return false;
	}
	return true;
}

/* " / 2001" of the arm that is compared; "-" where it has no figure. */
static void put_samples_of(const struct comparison *c, const struct metric *m, struct text *line)
{
	for (size_t i = 0; i < c->metric_count; i++) {
		if (c->metrics[i].metric == m && c->metrics[i].pairs) {
			text_printf(line, " / %" PRId64, c->metrics[i].samples_b);
			return;
		}
	}
	text_puts(line, " / -");
}

/* The comparison that has most pairs. */
static const struct comparison *fullest(const struct block *b)
{
	const struct comparison *c = b->comparisons;

	for (size_t i = 1; i < b->comparison_count; i++) {
		if (b->comparisons[i].pairs > c->pairs)
			c = &b->comparisons[i];
	}
	return c;
}

void block_put_samples(const struct block *b, struct text *out)
{
	const struct comparison *c = fullest(b);
	struct text line __text = {0}, arms __text = {0};

	for (size_t i = 0; i < c->metric_count; i++) {
		const struct metric_verdict *v = &c->metrics[i];
		char *series __free(memory) = memory_string(v->metric->of);

		if (!v->pairs || !facts_has_samples(v->metric->summary) || !first_of_series(c, i))
			continue;
		series[strcspn(series, ".")] = ' ';
		text_printf(&line, "%s%s %" PRId64, line.length ? ", " : "", series, v->samples_a);
		for (size_t k = 0; k < b->comparison_count; k++)
			put_samples_of(&b->comparisons[k], v->metric, &line);
	}
	for (int arm = 0; arm < b->f->experiment->arm_count; arm++)
		text_printf(&arms, "%s%s", arm ? " / " : "", arm_words[arm]);
	if (line.length)
		mail_remark(out, "samples a run (median, %s): %s", text_string(&arms),
			    text_string(&line));
}

/* Metrics that were refused a figure for the same reason share a line. */
static void put_refused(const struct block *b, struct text *out)
{
	size_t subject = (size_t)(b->v - b->j->comparisons);
	bool partly = false;

	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		struct mail_labels labels __cleanup(mail_labels_done) = {0};
		bool seen = false;

		if (!v->refused || !v->refusal || mail_is_short(b->f, subject, v->metric))
			continue;
		for (size_t k = 0; k < b->v->metric_count; k++) {
			const struct metric_verdict *other = &b->v->metrics[k];

			if (!other->refusal || other->pairs != v->pairs ||
			    !text_equal(other->refusal, v->refusal))
				continue;
			seen |= k < i;
			mail_add_label(&labels, other->metric);
		}
		if (seen)
			continue;
		if (v->pairs)
			mail_remark(out, "%s: from %zu of %zu pairs%s; another had no figure: %s",
				    text_string(&labels.text), v->pairs, b->v->pairs,
				    metric_is_scarce(v) ? ", too few for a change or a verdict"
							: "",
				    v->refusal);
		else
			mail_remark(out, "no figure for %s: %s", text_string(&labels.text),
				    v->refusal);
		partly |= v->pairs > 0;
	}
	if (partly)
		mail_remark(out, "pairs without a figure are not missing at random: what leaves a "
				 "run too few samples, or makes its window longer, may be what is "
				 "compared");
}

/* What is not judged and never differed has no row. */
static void put_constant(const struct block *b, struct text *out)
{
	struct text line __text = {0};

	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		struct figure_style style = figure_style_of(v->metric->unit, &v->middle_a, 1);
		char *label __free(memory) = NULL;

		if (!mail_is_constant(v))
			continue;
		label = mail_label(v->metric, &style);
		text_printf(&line, "%s%s ", line.length ? ", " : "", label);
		figure_print(&line, &style, v->middle_a);
	}
	if (line.length)
		mail_remark(out, "identical in all runs: %s", text_string(&line));
}

/* Metrics of which the same is to be said share a line. */
static void put_own_remarks(const struct block *b, struct text *out)
{
	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];
		struct text labels __text = {0};
		bool seen = false;

		if (!v->remark || !mail_has_row(v))
			continue;
		for (size_t k = 0; k < b->v->metric_count; k++) {
			const struct metric_verdict *other = &b->v->metrics[k];
			char *label __free(memory) = NULL;

			if (!other->remark || !mail_has_row(other) ||
			    !text_equal(other->remark, v->remark))
				continue;
			seen |= k < i;
			label = facts_label(other->metric);
			text_printf(&labels, "%s%s", labels.length ? ", " : "", label);
		}
		if (!seen)
			mail_remark(out, "%s: %s", text_string(&labels), v->remark);
	}
}

/* The medians of the arms say one thing, most pairs another; rounding is no disagreement. */
static bool disagrees(const struct metric_verdict *v)
{
	double between = v->middle_b - v->middle_a;
	double noise = 0.01 * fabs(v->middle_a);

	return mail_has_row(v) && v->pairs && v->scale == SCALE_LOG && fabs(between) > noise &&
	       fabs(v->estimate) > 0.01 && (between > 0) != (v->estimate > 0);
}

static void put_disagreeing(const struct block *b, struct text *out)
{
	struct text labels __text = {0};

	block_put_labels(b, &labels, disagrees);
	if (labels.length)
		mail_remark(out,
			    "the medians of A and %s lie the other way than the change, which is "
			    "taken pair by pair: %s",
			    block_arm(b), text_string(&labels));
}

void block_put_defaults(const struct block *b, struct text *out)
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

	block_put_labels(b, &labels, mail_lies_outside);
	if (!labels.length)
		return;
	if (judge_rule_is_sequential(block_primary(b)->rule))
		mail_remark(out,
			    "the change over all pairs lies outside of its interval, which keeps "
			    "what looks excluded before: %s",
			    text_string(&labels));
	else
		mail_remark(out,
			    "a few pairs far from the rest draw the change out of its interval: %s",
			    text_string(&labels));
}

void block_put_dropped(const struct block *b, struct text *out)
{
	const char *first = b->v->first_drop ? b->v->first_drop : "";
	/* All reasons follow where there are several: "pair 3, B" is enough then. */
	size_t length = b->facts->troubles.count > 1 ? strcspn(first, ":") : strlen(first);

	/* Runs by arm: where they are not alike, what is left is a choice. */
	if (b->v->dropped)
		mail_remark(
			out,
			"%zu of %zu pairs dropped whole (runs that were not ok: A %zu, %s %zu), the "
			"first: %.*s",
			b->v->dropped, b->v->pairs + b->v->dropped, b->v->failed[ARM_A],
			block_arm(b), b->v->failed[b->v->arm], (int)length, first);
}

void block_put_remarks(const struct block *b, struct text *out)
{
	if (b->comparison_count == 1)
		block_put_samples(b, out);
	mail_shortage(b->f, b->v->index, out);
	put_refused(b, out);
	put_constant(b, out);
	put_own_remarks(b, out);
	put_outside(b, out);
	put_disagreeing(b, out);
	block_put_dropped(b, out);
}
