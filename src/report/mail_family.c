// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include "report/facts.h"
#include "stats/sign_flip.h"

/* The largest p with which the first one of the family is rejected. */
static double rejecting_level(const struct mail_family *family)
{
	return family->alpha / (double)(family->groups ? family->groups : family->comparisons);
}

static bool can_reject(const struct mail_family *family, size_t pairs)
{
	return sign_flip_smallest_p(pairs) <= rejecting_level(family);
}

/* The bound that clears is one-sided, and each has its share of alpha. */
static bool can_clear(const struct mail_family *family, size_t pairs)
{
	return sign_flip_smallest_p(pairs) / 2 <= family->alpha / (double)family->comparisons;
}

/* What is not possible with so few, and with how many it is. */
static void put_impossible(struct text *out, const struct mail_family *family, const char *what,
			   double smallest_p, double needed_p,
			   bool (*can)(const struct mail_family *family, size_t pairs))
{
	struct text p __text = {0}, more __text = {0};
	size_t enough = family->pairs;

	/* Above, signs are drawn, and no p is smaller for more pairs. */
	while (enough <= SIGN_FLIP_EXACT_PAIRS && !can(family, enough))
		enough++;
	probability_print(&p, smallest_p);
	if (enough <= SIGN_FLIP_EXACT_PAIRS)
		text_printf(&more, "; %zu pairs can", enough);
	mail_remark(out,
		    "at %zu pairs and %zu comparisons no %s can be %s: the smallest p is %s, and "
		    "one needs %.3g%s",
		    family->pairs, family->comparisons, family->who, what, text_string(&p),
		    needed_p, text_string(&more));
}

void mail_family(struct text *out, const struct mail_family *family)
{
	double smallest_p;
	bool clears;

	/* Under six pairs there is no verdict anyway, which is said elsewhere. */
	if (!family->comparisons || family->pairs < JUDGE_LEAST_PAIRS)
		return;
	smallest_p = sign_flip_smallest_p(family->pairs);
	clears = can_clear(family, family->pairs);
	if (!can_reject(family, family->pairs))
		put_impossible(out, family,
			       clears ? "improved or regressed"
				      : "improved or regressed, nor cleared",
			       smallest_p, rejecting_level(family), can_reject);
	else if (!clears)
		put_impossible(out, family, "cleared", smallest_p / 2,
			       family->alpha / (double)family->comparisons, can_clear);
}

void mail_family_evidence(struct text *out, size_t comparisons, const char *what, double decides)
{
	mail_remark(
		out,
		"evidence E that decides: by Holm the first of %zu %s to be decided needs %.3g, "
		"each further one less, the last %.3g",
		comparisons, what, decides, decides / (double)comparisons);
}
