// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/block.h"

bool block_gave_up(const struct comparison *v)
{
	return v->crashes || v->impossible;
}

const struct metric_verdict *block_primary(const struct block *b)
{
	return &b->v->metrics[0];
}

const char *block_arm(const struct block *b)
{
	return arm_words[b->v->arm];
}

void block_put_labels(const struct block *b, struct text *out,
		      bool (*picks)(const struct metric_verdict *v))
{
	struct mail_labels labels __cleanup(mail_labels_done) = {0};

	for (size_t i = 0; i < b->v->metric_count; i++) {
		const struct metric_verdict *v = &b->v->metrics[i];

		if (mail_has_row(v) && picks(v))
			mail_add_label(&labels, v->metric);
	}
	text_puts(out, text_string(&labels.text));
}

/* Whether a comparison before number `end` has the metric, and it is picked there. */
static bool is_picked(const struct block *b, size_t end, const struct metric *metric,
		      bool (*picks)(const struct metric_verdict *v))
{
	for (size_t i = 0; i < end; i++) {
		const struct comparison *c = &b->comparisons[i];

		for (size_t k = 0; k < c->metric_count; k++) {
			const struct metric_verdict *v = &c->metrics[k];

			if (v->metric == metric && mail_has_row(v) && picks(v))
				return true;
		}
	}
	return false;
}

void block_put_labels_of_all(const struct block *b, struct text *out,
			     bool (*picks)(const struct metric_verdict *v))
{
	struct mail_labels labels __cleanup(mail_labels_done) = {0};

	for (size_t i = 0; i < b->comparison_count; i++) {
		const struct comparison *c = &b->comparisons[i];

		for (size_t k = 0; k < c->metric_count; k++) {
			const struct metric_verdict *v = &c->metrics[k];

			if (mail_has_row(v) && picks(v) && !is_picked(b, i, v->metric, picks))
				mail_add_label(&labels, v->metric);
		}
	}
	text_puts(out, text_string(&labels.text));
}
