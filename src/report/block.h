/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_BLOCK_H
#define CONTEND_REPORT_BLOCK_H

#include "report/mail.h"

/* What the mail report says of one workload: its table and what stands below it. */

/*
 * What is written about, with what all parts of a block need. Of more than two arms a workload has
 * several comparisons: what they have in common looks at all of them, and the rest is said for one
 * after the other.
 */
struct block {
	const struct findings *f;
	const struct judgement *j;
	const struct comparison *v;	      /* the one that is written about */
	const struct comparison *comparisons; /* of the workload, by arm */
	size_t comparison_count;
	const struct facts *all;
	const struct subject_facts *facts; /* of it */
};

/* True for a comparison that was given up: an arm kept crashing, or cannot run here. */
bool block_gave_up(const struct comparison *v);
/* The verdict of the comparison's primary metric. Borrowed from the judgement. */
const struct metric_verdict *block_primary(const struct block *b);

/* The letter of the arm that is compared with A. Static. */
const char *block_arm(const struct block *b);

/* Lists the labels of the rows that a test picks, after a comma each: of the comparison, of all. */
void block_put_labels(const struct block *b, struct text *out,
		      bool (*picks)(const struct metric_verdict *v));
void block_put_labels_of_all(const struct block *b, struct text *out,
			     bool (*picks)(const struct metric_verdict *v));

/* How to read the table: mail_legend.c. alone: there is no other workload. */
void block_put_legend(const struct block *b, struct text *out);
void block_put_columns(const struct block *b, bool alone, struct text *out);
/* Secondaries of a plan that no verdict could be won for. */
void block_put_unreachable(const struct block *b, struct text *out);

/*
 * What is said of one comparison, for each of them: mail_each.c. Of several arms what all of them
 * have in common comes first, once, and the rest below a line that names the arm.
 */
void block_put_each(const struct block *b, struct text *out,
		    void (*put)(const struct block *b, struct text *out));

/* By which rule it was judged: mail_rule.c. */
void block_put_rule(const struct block *b, struct text *out);

/* What was found among the counters that no metric is made of: mail_explored.c. */
void block_put_explored(const struct block *b, struct text *out);

/* What is behind the table: mail_remarks.c. */
void block_put_remarks(const struct block *b, struct text *out);
void block_put_samples(const struct block *b, struct text *out); /* of all arms */
void block_put_dropped(const struct block *b, struct text *out);
void block_put_defaults(const struct block *b, struct text *out);

#endif
