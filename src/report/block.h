/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_BLOCK_H
#define CONTEND_REPORT_BLOCK_H

#include "report/mail.h"

/* What the mail report says of one workload of a comparison: its table and what stands below it. */

/* The subject that is written about, with what all parts of its block need. */
struct block {
	const struct findings *f;
	const struct judgement *j;
	const struct subject_verdict *v;
	const struct subject_facts *facts;
};

/* A metric without a figure in any pair is named below the table; the primary has a row anyway. */
bool block_has_row(const struct metric_verdict *v);
bool block_gave_up(const struct subject_verdict *v);
const struct metric_verdict *block_primary(const struct block *b);

/* Lists the labels of the rows that a test picks, after a comma each. */
void block_put_labels(const struct block *b, struct text *out,
		      bool (*picks)(const struct metric_verdict *v));

/* How to read the table: mail_legend.c. alone: there is no other workload. */
void block_put_legend(const struct block *b, struct text *out);
void block_put_columns(const struct block *b, bool alone, struct text *out);
/* Secondaries of a plan that no verdict could be won for. */
void block_put_unreachable(const struct block *b, struct text *out);

/* By which rule it was judged: mail_rule.c. */
void block_put_rule(const struct block *b, struct text *out);

/* What was found among the counters that no metric is made of: mail_explored.c. */
void block_put_explored(const struct block *b, struct text *out);

/* What is behind the table: mail_remarks.c. */
void block_put_remarks(const struct block *b, struct text *out);
void block_put_dropped(const struct block *b, struct text *out);
void block_put_defaults(const struct block *b, struct text *out);

#endif
