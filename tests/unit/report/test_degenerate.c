// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the reports print of figures without spread, ratio, event or partner: no number that is
 * none, and what is not bounded as the formats have it.
 */
#include "judge/many.h"
#include "report/report.h"

struct kind {
	const char *name;
	double a, b;
	const char *row;    /* the row of the primary in the mail of 8 pairs, blanks as one */
	const char *remark; /* and somewhere below; NULL: nothing */
};

static const struct kind kinds[] = {
	{"identical", 1000, 1000, "1 us 1 us 0.00% 0.00 .. 0.00 cleared", "identical"},
	{"separated", 1000, 1100, "1.000 us 1.100 us +10.0% +10.0 .. +10.0 regressed",
	 "m0, m1: all pairs differ alike: there is no spread"},
	{"no events", 0, 0, "0 ns 0 ns 0 ns 0 .. 0 undecided", "m0, m1: no events"},
	{"none in A", 0, 3, "0 ns 3 ns +3 ns +3 .. +3 regressed", "m0, m1: no events in A"},
	{"none in B", 3, 0, "3 ns 0 ns -3 ns -3 .. -3 improved", "m0, m1: no events in B"},
	{"absent in A", NAN, 7, "m0 - - - - undecided", "in A: task.m0: no such counter"},
	{"absent in B", 7, NAN, "m0 - - - - undecided", "in B: task.m0: no such counter"},
	{"huge", 1, 0x1p62, "regressed", "m0, m1: all pairs differ alike"},
	{"tiny", 0x1p62, 1, "improved", "there is no spread"},
};

static void add_pairs(struct entries *runs, size_t subject, const struct kind *kind, size_t pairs)
{
	for (size_t k = 0; k < pairs; k++) {
		const double a[] = {kind->a, kind->a, 1000 + (double)(k % 3)};
		const double b[] = {kind->b, kind->b, 1000 + (double)(k % 5)};

		many_add(runs, subject, (int64_t)k, ARM_A, a, 3);
		many_add(runs, subject, (int64_t)k, ARM_B, b, 3);
	}
}

static char *rendered(const struct experiment *e, const struct entries *runs, const char *report)
{
	struct judgement *j __free(judgement) = judge(e, runs, JUDGE_END);
	struct findings f = {
		.experiment = e,
		.runs = runs,
		.judgement = j,
		.end = "planned end",
		.status = judgement_status(j, false),
		.version = "0.1.0",
	};
	struct text out = {0};
	struct error err;

	if (!report_find(report)->render(&f, &out, &err))
		fail_msg("%s", err.text);
	return text_take(&out);
}

static char *one_line(const char *text)
{
	struct text flat = {0};

	for (const char *at = text; *at; at++) {
		bool blank = *at == ' ' || *at == '\n';

		if (!blank || (at[1] != ' ' && at[1] != '\n'))
			text_append(&flat, blank ? " " : at, 1);
	}
	return text_take(&flat);
}

static void check_mail(const char *name, const char *mail)
{
	for (const char *line = mail; *line; line += strcspn(line, "\n") + 1) {
		if (strcspn(line, "\n") > 78)
			fail_msg("%s: %s", name, mail);
	}
	if (strstr(mail, "nan") || strstr(mail, " inf") || strstr(mail, "(null)") ||
	    strstr(mail, "-0.00") || strstr(mail, "inf%"))
		fail_msg("%s: %s", name, mail);
}

/* jansson reads no infinity and no NaN, and a key with one would be missing. */
static void check_json(const char *name, const char *text)
{
	json_t *report __free(json) = NULL;
	json_t *subject, *verdicts, *verdict;
	struct error err;
	size_t i;

	if (!json_parse(text, strlen(text), &report, &err))
		fail_msg("%s: %s", name, err.text);
	subject = json_array_get(json_object_get(report, "subjects"), 0);
	verdicts = json_object_get(json_array_get(json_object_get(subject, "comparisons"), 0),
				   "verdicts");
	assert_true(json_array_size(verdicts) > 0);
	json_array_foreach(verdicts, i, verdict) {
		static const char *const keys[] = {
			"estimate", "interval",	  "p",	   "p_adjusted",
			"spread",   "more_pairs", "bound", "paired_t_interval",
		};

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			assert_non_null(json_object_get(verdict, keys[k]));
	}
}

static void every_kind(void **state)
{
	static const size_t lengths[] = {1, 2, 5, 6, 8, 21};
	static const enum plan plans[] = {PLAN_PAIRS, PLAN_DECIDED};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (size_t n = 0; n < 2 * sizeof(lengths) / sizeof(lengths[0]); n++) {
			struct experiment *e __free(experiment) =
				many_experiment(plans[n % 2], 40, 1, 3);
			struct entries runs __cleanup(entries_done) = {0};
			char *mail __free(memory) = NULL, *json __free(memory) = NULL;

			add_pairs(&runs, 0, &kinds[i], lengths[n / 2]);
			mail = rendered(e, &runs, "mail");
			json = rendered(e, &runs, "json");
			check_mail(kinds[i].name, mail);
			check_json(kinds[i].name, json);
		}
	}
}

static void what_is_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 8, 1, 3);
		struct entries runs __cleanup(entries_done) = {0};
		char *mail __free(memory) = NULL, *line __free(memory) = NULL;

		add_pairs(&runs, 0, &kinds[i], 8);
		mail = rendered(e, &runs, "mail");
		line = one_line(mail);
		if (!strstr(line, kinds[i].row) || !strstr(line, kinds[i].remark))
			fail_msg("%s: '%s' and '%s' in %s", kinds[i].name, kinds[i].row,
				 kinds[i].remark, mail);
	}
}

/* The first line is what was found, and of arms that are alike that it is none. */
static void finding_comes_first(void **state)
{
	struct experiment *e __free(experiment) = many_experiment(PLAN_PAIRS, 8, 1, 3);
	struct entries runs __cleanup(entries_done) = {0};
	char *mail __free(memory) = NULL;

	(void)state;
	add_pairs(&runs, 0, &kinds[1], 8);
	mail = rendered(e, &runs, "mail");
	assert_true(text_starts(mail, "made: FALSE ALARM (A/A): regressed: m0 +10.0% "
				      "(+10.0 .. +10.0)\nmade: a made workload\n"));
}

/*
 * Of several workloads, of which each is degenerate: the table of all, and why there is no mean. Of
 * what lies 18 orders of magnitude apart it would be wider than a mail.
 */
static void all_kinds_together(void **state)
{
	static const enum plan plans[] = {PLAN_PAIRS, PLAN_DECIDED};
	size_t count = sizeof(kinds) / sizeof(kinds[0]) - 2;

	(void)state;
	for (size_t p = 0; p < 2; p++) {
		struct experiment *e __free(experiment) = many_experiment(plans[p], 8, count, 3);
		struct entries runs __cleanup(entries_done) = {0};
		char *mail __free(memory) = NULL, *json __free(memory) = NULL;

		for (size_t i = 0; i < count; i++)
			add_pairs(&runs, i, &kinds[i], 8);
		mail = rendered(e, &runs, "mail");
		json = rendered(e, &runs, "json");
		check_mail("together", mail);
		check_json("together", json);
		assert_non_null(strstr(mail, "no overall figure for B: "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(what_is_said),
		cmocka_unit_test(finding_comes_first),
		cmocka_unit_test(all_kinds_together),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
