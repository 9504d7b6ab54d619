// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

/* The five quantiles of a series in the mail report: their group, and those without samples. */

/* The primary is neither the first of the list nor of its series. */
static const struct metric metrics[] = {
	{"reader_scans", "1/s", BETTER_HIGHER, SUMMARY_RATE, "reader.scans", .help = ""},
	METRIC_QUANTILES_PRIMARY("writer_latency", "writer.latency", "of a call", SUMMARY_P99),
	{"writer_stalls", "stalls", BETTER_LOWER, SUMMARY_TOTAL, "writer.stalls", .help = ""},
	{.name = NULL},
};

static const struct fixture_run usual = {
	.p50_ns = 20000,
	.p99_ns = 900000,
	.max_ns = 5000000,
	.samples = 2000,
	.stalls = 3,
	.scans = 3200,
	.scan_bytes = 1,
};

static void begin(struct fixture *x, enum plan plan, int64_t pairs)
{
	json_t *object __free(json) =
		json_pack("{s:s, s:s, s:s, s:[{s:s, s:s}, {s:s, s:s}], s:[], s:[]}", "name",
			  "tails", "summary", "made up", "needs", "", "roles", "name", "writer",
			  "help", "", "name", "reader", "help", "", "params", "metrics");
	char *description __free(memory) = NULL;

	for (const struct metric *m = metrics; m->name; m++)
		json_array_append_new(json_object_get(object, "metrics"), metric_to_json(m));
	description = json_line(object);
	fixture_experiment(x, plan, pairs, "", "", "contend ab tails");
	fixture_subject(x, description, "{}", "{}", "{}");
	x->end = "planned end";
}

static char *mail_of(const struct fixture *x)
{
	const struct findings f = fixture_findings(x);
	struct text out = {0};
	struct error err;

	if (!report_find("mail")->render(&f, &out, &err))
		fail_msg("%s", err.text);
	return text_take(&out);
}

/* The mail with every run of blanks and line ends as one blank. */
static char *flat(const char *mail)
{
	char *line = memory_string(mail);
	char *to = line;

	for (const char *at = line; *at; at++) {
		bool blank = *at == ' ' || *at == '\n';

		if (!blank || (to > line && to[-1] != ' '))
			*to++ = blank ? ' ' : *at;
	}
	*to = '\0';
	return line;
}

static void expect_words(const char *mail, const char *words)
{
	char *line __free(memory) = flat(mail);

	if (!strstr(line, words))
		fail_msg("no '%s' in:\n%s", words, mail);
}

static void add_pairs(struct fixture *x, int64_t pairs, int64_t samples_of_b)
{
	for (int64_t pair = 0; pair < pairs; pair++) {
		struct fixture_run a = usual, b = usual;

		a.p99_ns *= 1 + (double)pair / 100;
		b.p99_ns *= 2;
		b.samples = samples_of_b;
		fixture_add(x, 0, pair, ARM_A, &a, OUTCOME_OK, "");
		fixture_add(x, 0, pair, ARM_B, &b, OUTCOME_OK, "");
	}
}

/* The primary's series comes first and in its own order, and says once what it is. */
static void test_group(void **state)
{
	struct fixture x __cleanup(fixture_done) = {0};
	char *mail __free(memory) = NULL;
	const char *last;

	(void)state;
	begin(&x, PLAN_PAIRS, 8);
	add_pairs(&x, 8, 2000);
	x.j = judge(x.e, &x.runs, JUDGE_END);
	mail = mail_of(&x);
	last = strstr(mail, "\nmetric ");
	for (size_t i = 0; i < 6; i++) {
		static const char *const begins[] = {
			"\nwriter latency p50 ", "\n               p95 ", "\n               p99 ",
			"\n               max ", "\nreader scans ",	  "\nwriter stalls ",
		};
		const char *next = last ? strchr(last + 1, '\n') : NULL;

		if (!next || strncmp(next, begins[i], strlen(begins[i])))
			fail_msg("no row '%s' in its place:\n%s", begins[i] + 1, mail);
		last = next;
	}
	expect_words(mail, "regressed *");
	/* What is absent counts for nobody's correction: p50, p95, max, scans, stalls do. */
	for (size_t i = 1; i < x.j->comparisons[0].metric_count; i++) {
		const struct metric_verdict *v = &x.j->comparisons[0].metrics[i];
		bool absent = text_equal(v->metric->name, "writer_latency_p999");

		assert_int_equal(v->comparisons, absent ? 0 : 5);
	}
}

/* What lacks samples is said once, with both numbers and a window that would do. */
static void test_absent(void **state)
{
	static const struct {
		int64_t samples_of_b;
		const char *words;
	} cases[] = {
		/* 2 s * 2995 / 2000 * 1.1 = 3.29 s */
		{2000, "no row, too few samples a run: writer latency 2000, p99.9 needs 2995 "
		       "(window=3.3s would do)"},
		{1500, "writer latency 1500 to 2000, p99.9 needs 2995 (window=4.4s would do)"},
		/* That of A is known, of B not: a reason of the pairs. */
		{50, "no figure for writer latency p95: in B: p95 needs 59 samples, has 50"},
		/* More than an hour, which no window is. */
		{1, "writer latency 1 to 2000, p99.9 needs 2995 no figure for"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL;

		begin(&x, PLAN_PAIRS, 7);
		add_pairs(&x, 7, cases[i].samples_of_b);
		x.j = judge(x.e, &x.runs, JUDGE_END);
		mail = mail_of(&x);
		expect_words(mail, cases[i].words);
	}
}

/* One run: intervals within it, and those that take more samples than the figure. */
static void test_one_run(void **state)
{
	struct fixture x __cleanup(fixture_done) = {0};
	struct fixture_run run = usual;
	char *mail __free(memory) = NULL;

	(void)state;
	run.samples = 300;
	begin(&x, PLAN_SINGLE, 1);
	fixture_add(&x, 0, 0, ARM_A, &run, OUTCOME_OK, "");
	mail = mail_of(&x);
	expect_words(mail, "metric value count 95 % in the run ");
	expect_words(mail, "nothing about other runs");
	expect_words(mail, "no interval, which takes more samples than the quantile itself: writer "
			   "latency p99 has 300 of 368 ");
	expect_words(mail, "no row, too few samples a run: writer latency 300, p99.9 needs 2995 "
			   "(window=22s would do)");
}

/* A maximum of several runs says of others at most how often they exceed it. */
static void test_maxima(void **state)
{
	(void)state;
	for (int64_t runs = 5; runs <= 6; runs++) {
		struct fixture x __cleanup(fixture_done) = {0};
		char *mail __free(memory) = NULL, *line __free(memory) = NULL;

		begin(&x, PLAN_SINGLE, runs);
		for (int64_t i = 0; i < runs; i++) {
			struct fixture_run run = usual;

			run.max_ns *= 1 + (double)(i * 7 % 10) / 10;
			fixture_add(&x, 0, i, ARM_A, &run, OUTCOME_OK, "");
		}
		mail = mail_of(&x);
		line = flat(mail);
		assert_int_equal(!strstr(line,
					 "max: of further runs at most 39.3 % will exceed the "
					 "largest of these 6 (at 95 %"),
				 runs < 6);
		assert_int_equal(!strstr(line, "max: of further runs"), runs < 6);
	}
}

/* All metrics of a series without latencies are one line. */
static void test_none(void **state)
{
	struct fixture x __cleanup(fixture_done) = {0};
	struct fixture_run run = usual;
	char *mail __free(memory) = NULL;

	(void)state;
	run.samples = 0;
	begin(&x, PLAN_SINGLE, 1);
	fixture_add(&x, 0, 0, ARM_A, &run, OUTCOME_OK, "");
	mail = mail_of(&x);
	expect_words(mail, "no figure for the primary, writer latency p99: no latencies were "
			   "recorded no figure for writer latency p50, p95, p99.9, max: no "
			   "latencies were recorded ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_group),	cmocka_unit_test(test_absent),
		cmocka_unit_test(test_one_run), cmocka_unit_test(test_maxima),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
