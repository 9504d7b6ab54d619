/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_JUDGE_H
#define CONTEND_JUDGE_JUDGE_H

#include "judge/verdict.h"

/*
 * From an experiment and its runs to verdicts. Pure: the same runs give the same verdicts, wherever
 * they come from. The rules and their error rates are in docs/method.md.
 */

/*
 * Judges what there is, but for runs that were set aside. Under PLAN_PAIRS with pairs beyond
 * e->looked it is an extension, whatever `when` says (docs/method.md).
 */
struct judgement *judge(const struct experiment *e, const struct entries *runs,
			enum judge_when when);
void judgement_free(struct judgement *j);
DEFINE_FREE(judgement, struct judgement *, judgement_free(_T))

/*
 * An experiment of PLAN_PAIRS whose end was looked at: the pairs in all, those done included, from
 * which on a verdict could still be won for a primary that has none; one more where all have one,
 * for an interval may still be narrowed. 0: never, the first end used up all of alpha.
 */
int64_t judge_extension_needs(const struct experiment *e, const struct entries *runs);

/*
 * True when every primary's verdict is settled, so that no further pair is needed. A workload that
 * can do no more is not waited for, unless there is no other.
 */
bool judgement_decided(const struct judgement *j);

/*
 * The exit status of design: 0 improved, cleared, or worse within the margin (with strict the last
 * is 1); 1 a regression or an arm that crashes; 3 undecided; 4 could not be done.
 */
int judgement_status(const struct judgement *j, bool strict);

#endif
