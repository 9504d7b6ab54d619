/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_DOUBT_H
#define CONTEND_JUDGE_DOUBT_H

#include "model/json.h"

/*
 * What makes the figures of a machine doubtful, by its fingerprint (model/fingerprint.h). Pure. The
 * agent only says what is; that something is amiss is a judgement, and stands here, so that
 * `doctor` and the reports have one opinion. What is not known is no reason for a doubt.
 */
struct doubt {
	const char *key; /* the fact that it is about; static, or borrowed from the fingerprint */
	char *reason;	 /* what the fact does to figures, or what it forbids */
	/*
	 * So much that whoever reads a verdict has to know it. Others are true of most machines, or
	 * matter to some questions only: `doctor` has them.
	 */
	bool grave;
	double degree; /* of several runs' the largest is the worst one; 0: no more or less */
};

struct doubts {
	struct doubt *list; /* in the order of the facts' groups */
	size_t count;
};

void doubts_done(struct doubts *d);
struct doubts doubts_find(json_t *host);

#endif
