// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/mail.h"
#include "stats/variance_components.h"

/*
 * One remark for each diagnosis that matters: what it is, by which test, and what to do about it.
 */

struct page {
	const struct findings *f;
	const struct subject *subject;
	const struct metric *primary;
	const char *label; /* of the primary */
	int arms;
};

/* " (Mann-Kendall, p 0.0003 by Holm)" */
static void put_test(struct text *out, const char *test, const struct diagnosis *d)
{
	struct text p __text = {0};

	probability_print(&p, d->p_adjusted);
	text_printf(out, " (%s, p %s by Holm)", test, text_string(&p));
}

static double percent(double ratio)
{
	return 100 * fabs(ratio);
}

static void put_protocol(const struct page *page __attribute__((unused)), const struct diagnosis *d,
			 struct text *out)
{
	text_printf(out,
		    "UNLIKE: %s=%s (A), %s=%s (%s): the arms are not measured alike, and that "
		    "alone may be the change; give both the same unless it is the question",
		    d->param, d->value_a, d->param, d->value, arm_words[d->arm]);
}

static void put_drift(const struct page *page, const struct diagnosis *d, struct text *out)
{
	text_printf(out,
		    "DRIFT: %s of the arms together %s by %.1f %% from the first third of "
		    "the pairs to the last",
		    page->label, d->size > 0 ? "rose" : "fell", percent(d->size));
	put_test(out, "Mann-Kendall", d);
	text_puts(out, ": pairs keep it out of the change, and the interval is the wider for it; "
		       "let the machine settle before, or look for what grows");
}

static void put_drift_of_difference(const struct page *page, const struct diagnosis *d,
				    struct text *out)
{
	text_printf(out,
		    "DRIFT OF THE DIFFERENCE: %s of %s against A was %+.1f %% in the first third "
		    "of the pairs and %+.1f %% in the last",
		    page->label, arm_words[d->arm], 100 * d->first, 100 * d->last);
	put_test(out, "Mann-Kendall", d);
	text_puts(out, ": no one number describes it; find what changed on the way before you "
		       "quote one");
}

static void put_order(const struct page *page, const struct diagnosis *d, struct text *out)
{
	text_printf(
		out, "ORDER: in a pair of A and %s the second run is %.1f %% %s the first, in %s",
		arm_words[d->arm], percent(d->size), d->size > 0 ? "above" : "below", page->label);
	put_test(out, "Student's t", d);
	text_puts(out,
		  ": what a run leaves behind is not gone when the next one begins; the coin "
		  "keeps that out of the change, not out of the interval; a longer warmup= may "
		  "help");
}

static void put_group(struct text *out, const struct figure_style *style, double middle,
		      size_t runs)
{
	struct text plain __text = {0};

	figure_print(&plain, style, middle);
	page_ascii(out, text_string(&plain), 0);
	text_printf(out, " (%zu run%s)", runs, runs == 1 ? "" : "s");
}

static void put_groups(const struct page *page, const struct diagnosis *d, struct text *out)
{
	const double middles[] = {d->low, d->high};
	struct figure_style style = figure_style_of(page->primary->unit, middles, 2);

	text_puts(out, "BIMODAL: the runs");
	if (page->arms > 1)
		text_printf(out, " of %s", arm_words[d->arm]);
	text_printf(out, " have two modes, %s around ", page->label);
	put_group(out, &style, d->low, d->low_runs);
	text_puts(out, " and around ");
	put_group(out, &style, d->high, d->high_runs);
	put_test(out, "dip", d);
	if (d->in_turn)
		text_puts(out, ", the one after the other: something changed in the middle; find "
			       "what, and measure again");
	else
		text_puts(out, ": something that each run draws anew, such as alignment, place in "
			       "memory or neighbours, decides; fix it where you can, or take many "
			       "runs: a few are a matter of luck");
}

static void put_valley(const struct page *page, const struct diagnosis *d, struct text *out)
{
	char *label __free(memory) = facts_label(d->metric);
	char low[UNITS_TEXT], high[UNITS_TEXT];

	text_printf(out,
		    "VALLEY: %s lies between two modes of the operations, around %s and %s, in ",
		    label, units_format(d->low, "ns", low), units_format(d->high, "ns", high));
	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (isnan(d->by_arm[arm]))
			continue;
		text_printf(out, "%s%.0f %% of the runs", arm ? ", in " : "", 100 * d->by_arm[arm]);
		if (page->arms > 1)
			text_printf(out, " of %s", arm_words[arm]);
	}
	text_puts(out, ": a few more in the one mode move it across; go by the mean or the rate");
}

/* " (A -8.1 %, B -7.9 %; sign-flip, p 0.0005 by Holm)" */
static void put_by_arm(const struct page *page, const struct diagnosis *d, struct text *out)
{
	struct text test __text = {0};

	for (int arm = 0; page->arms > 1 && arm < page->arms; arm++) {
		if (!isnan(d->by_arm[arm]))
			text_printf(&test, "%s%s %+.1f %%", test.length ? ", " : "", arm_words[arm],
				    100 * d->by_arm[arm]);
	}
	text_printf(&test, "%ssign-flip", test.length ? "; " : "");
	put_test(out, text_string(&test), d);
}

/* "the rate of the writers' operations" needs a plural that nobody declared: "writer operations". */
static int role_length(const struct page *page)
{
	return (int)strcspn(page->primary->of, ".");
}

static void put_warmup(const struct page *page, const struct diagnosis *d, struct text *out)
{
	const struct param *declared = page->subject->description->params;
	const char *first;
	bool several = false;
	char span[UNITS_TEXT];

	text_printf(out,
		    "WARM-UP: in the first %s of the windows the rate of %.*s operations is "
		    "%.1f %% %s than in the rest",
		    units_format((double)d->span_ns, "ns", span), role_length(page),
		    page->primary->of, percent(d->size), d->size > 0 ? "higher" : "lower");
	put_by_arm(page, d, out);
	if (!param_find(declared, "warmup")) {
		text_puts(out, ": the warm-up is too short");
		return;
	}
	first = params_string(page->subject->params[ARM_A], declared, "warmup");
	text_puts(out, ": ");
	for (int arm = 0; arm < page->arms; arm++) {
		const char *value = params_string(page->subject->params[arm], declared, "warmup");

		several |= !text_equal(value, first);
		if (!arm || !text_equal(value, first))
			text_printf(out, "%swarmup=%s", arm ? " and " : "", value);
	}
	text_puts(out, several ? " are too short" : " is too short");
}

static void put_trend(const struct page *page, const struct diagnosis *d, struct text *out)
{
	text_printf(out,
		    "TREND: within the windows the rate of %.*s operations %s by %.1f %%, from "
		    "one third to the last",
		    role_length(page), page->primary->of, d->size > 0 ? "rises" : "falls",
		    percent(d->size));
	put_by_arm(page, d, out);
	text_puts(out, ": there is no steady state in them, and with another window= the figures "
		       "would be others; a longer warmup=, or look for what grows");
}

static void put_dependence(const struct page *page, const struct diagnosis *d, struct text *out)
{
	char span[UNITS_TEXT];
	double design = (1 + d->size) / (1 - d->size);

	text_printf(out,
		    "AUTOCORRELATION: neighbouring %s of a window have %.*s rates alike "
		    "(autocorrelation %.2f",
		    units_format((double)d->span_ns, "ns", span), role_length(page),
		    page->primary->of, d->size);
	text_printf(out,
		    "): they are worth %.0f %% of as many independent ones. A test at 5 %% that "
		    "counts iterations calls %.0f %% of identical kernels different; contend "
		    "counts runs, and more of them help more than a longer window=",
		    100 / design, 100 * variance_components_pooled_level(.05, design));
}

void mail_diagnoses(const struct findings *f, const struct facts *facts, size_t subject,
		    struct text *out)
{
	static void (*const put[DIAGNOSIS_KIND_COUNT])(const struct page *,
						       const struct diagnosis *, struct text *) = {
		[DIAGNOSIS_PROTOCOL] = put_protocol,
		[DIAGNOSIS_DRIFT] = put_drift,
		[DIAGNOSIS_DRIFT_DIFFERENCE] = put_drift_of_difference,
		[DIAGNOSIS_ORDER] = put_order,
		[DIAGNOSIS_GROUPS] = put_groups,
		[DIAGNOSIS_VALLEY] = put_valley,
		[DIAGNOSIS_WARMUP] = put_warmup,
		[DIAGNOSIS_TREND] = put_trend,
		[DIAGNOSIS_DEPENDENCE] = put_dependence,
	};
	const struct subject *s = &f->experiment->subjects[subject];
	const struct diagnoses *all = &facts->subjects[subject].diagnoses;
	const struct metric *primary = description_metric(s->description, s->primary);
	char *label __free(memory) = facts_label(primary);
	const struct page page = {
		.f = f,
		.subject = s,
		.primary = primary,
		.label = label,
		.arms = f->experiment->arm_count,
	};

	for (size_t i = 0; i < all->count; i++) {
		const struct diagnosis *d = &all->list[i];
		struct text line __text = {0};

		if (!d->matters)
			continue;
		put[d->kind](&page, d, &line);
		mail_remark(out, "%s", text_string(&line));
	}
}
