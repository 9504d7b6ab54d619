// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include "stats/sign_flip.h"

/* Holm's first step: no p above alpha / comparisons is rejected before one that is not. */
static bool can_reject(size_t pairs, double level)
{
	return sign_flip_smallest_p(pairs) <= level;
}

/* The bound that clears is one-sided. */
static bool can_clear(size_t pairs, double level)
{
	return sign_flip_smallest_p(pairs) / 2 <= level;
}

void mail_family(struct text *out, const struct mail_family *family)
{
	double level = family->alpha / (double)family->comparisons;
	size_t enough = family->pairs;
	struct text p __text = {0}, needed __text = {0}, more __text = {0};

	/* Under six pairs there is no verdict anyway, which is said elsewhere. */
	if (!family->comparisons || family->pairs < JUDGE_LEAST_PAIRS ||
	    can_reject(family->pairs, level))
		return;
	/* Above, signs are drawn, and no p is smaller for more pairs. */
	while (enough <= SIGN_FLIP_EXACT_PAIRS && !can_reject(enough, level))
		enough++;
	probability_print(&p, sign_flip_smallest_p(family->pairs));
	text_printf(&needed, "%.3g", level);
	if (enough <= SIGN_FLIP_EXACT_PAIRS)
		text_printf(&more, "; %zu pairs can", enough);
	mail_remark(out,
		    "at %zu pairs and %zu comparisons no %s can be improved or regressed%s: the "
		    "smallest p is %s, and one needs %s%s",
		    family->pairs, family->comparisons, family->who,
		    can_clear(family->pairs, level) ? "" : ", nor cleared", text_string(&p),
		    text_string(&needed), text_string(&more));
}

void mail_family_evidence(struct text *out, size_t comparisons, double alpha)
{
	mail_remark(
		out,
		"\"up to %.3g decides\": by Holm the first of %zu workloads to be decided needs "
		"that E, each further one less, the last %.3g",
		(double)comparisons / alpha, comparisons, 1 / alpha);
}
