// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "report/calibration.h"

/*
 * Reports of calibrations that are made up, as a mail and as JSON, compared with
 * tests/golden/calibration/NAME.mail and .json; CONTEND_GOLDEN_UPDATE=1 writes the files instead.
 * And the line of a verdict that quotes one.
 */

static const struct fixture_run usual = {.tasks = 1, .operations = 3000000};

/* What a shift came to. */
struct said {
	const char *delay; /* NULL: A/A */
	int64_t pairs;
	double low, high;
	double expected, power;
	bool found, backwards, ended;
};

struct bench {
	struct fixture x[5];
	struct calibration_row rows[5];
	size_t count;
	struct calibration_answer answer;
	struct calibration *kept;
	struct findings aa;
	struct calibration_findings findings;
};

static void bench_done(struct bench *b)
{
	for (size_t i = 0; i < b->count; i++)
		fixture_done(&b->x[i]);
	calibration_free(b->kept);
}

static void add(struct bench *b, struct said said)
{
	struct fixture *x = &b->x[b->count];
	struct calibration_row *row = &b->rows[b->count++];
	struct fixture_run slower = usual;

	fixture_experiment(x, PLAN_PAIRS, 40, "", "", "contend ab brk1");
	fixture_subject(x, fixture_brk1, "{\"window\":\"50ms\"}", "{}", "{}");
	if (!isnan(said.expected))
		slower.operations = (int64_t)((double)slower.operations * (1 + said.expected));
	fixture_pairs(x, 0, 0, said.pairs, &usual, &slower);
	fixture_judgement(x);
	x->e->id = 11 + (int64_t)b->count;
	*row = (struct calibration_row){
		.experiment = x->e->id,
		.delay = said.delay,
		.ended = said.ended,
		.most_pairs = 40,
		.runs = x->runs.count,
		.run_ns = (int64_t)x->runs.count * 2180000000,
		.expected = NAN,
		.power = NAN,
	};
	if (!said.ended)
		return;
	row->v = fixture_verdict(
		x, 0, said.pairs,
		(struct fixture_verdict){
			.metric = "operations",
			.verdict = said.found ? VERDICT_REGRESSED : VERDICT_UNDECIDED,
			.rule = RULE_E_PROCESS,
			.low = said.low,
			.high = said.high,
			.p = 0.02,
			.evidence = 40,
		});
	row->pairs = row->v->pairs;
	row->expected = said.expected;
	row->power = said.power;
	row->found = said.found;
	row->backwards = said.backwards;
	row->held = said.low <= said.expected && said.expected <= said.high;
}

static void finish(struct bench *b)
{
	const struct subject *s = &b->x[0].e->subjects[0];
	struct calibration_answer *a = &b->answer;

	a->subject = s;
	a->primary = description_primary(s->description);
	a->alpha = 0.05;
	a->aa = b->rows[0];
	a->shifts = b->rows + 1;
	a->shift_count = b->count - 1;
	a->most_pairs = 40;
	for (size_t i = 0; i < b->count; i++) {
		a->runs += b->rows[i].runs;
		a->took_ns += b->rows[i].run_ns;
		a->known += i && !isnan(b->rows[i].expected);
		a->held += i && b->rows[i].held;
	}
	b->aa = fixture_findings(&b->x[0]);
	b->findings = (struct calibration_findings){
		.answer = a,
		.aa = &b->aa,
		.kept = b->kept,
		.command = "contend calibrate brk1 window=50ms --seed 5",
	};
}

/* Everything as it should be. */
static void sound(struct bench *b)
{
	add(b, (struct said){NULL, 33, -0.0021, 0.0034, 0, NAN, .ended = true});
	add(b,
	    (struct said){"5%", 7, -0.0511, -0.0431, -0.047619, 1, .found = true, .ended = true});
	add(b,
	    (struct said){"2%", 9, -0.0232, -0.0158, -0.019608, 1, .found = true, .ended = true});
	add(b, (struct said){"1%", 14, -0.0140, -0.0061, -0.009901, 0.99, .found = true,
			     .ended = true});
	add(b, (struct said){"0.5%", 40, -0.0081, 0.0004, -0.004975, 0.61, .ended = true});
	b->answer = (struct calibration_answer){
		.cuts = {6, 5, 0, 0.03125, 0, 1, 0.4507},
		.sd = 0.0071,
		.sd_upper = 0.0080,
		.effect = 0.0061,
		.effect_pairs = 27.4,
		.effect_ns = INT64_C(119000000000),
		.due = 3,
		.due_found = 3,
		.check = CALIBRATION_CONFIRMED,
	};
	b->kept = memory_alloc(sizeof(*b->kept));
	b->kept->id = 3;
	b->kept->made_ns = INT64_C(1760000400000000000);
	finish(b);
}

/* A/A is rejected too often. */
static void unsound(struct bench *b)
{
	add(b, (struct said){NULL, 24, 0.011, 0.034, 0, NAN, .found = true, .ended = true});
	add(b, (struct said){"5%", 40, -0.012, 0.009, -0.047619, 1, .ended = true});
	add(b, (struct said){"2%", 8, 0.02, 0.05, -0.019608, 0.9, .found = true, .backwards = true,
			     .ended = true});
	b->answer = (struct calibration_answer){
		.cuts = {6, 4, 3, 0.03125, 0, 1, NAN},
		.sd = 0.011,
		.sd_upper = NAN,
		.effect = NAN,
		.effect_pairs = NAN,
		.unplanned = "A/A is rejected more often than its level explains",
		.check = CALIBRATION_UNCHECKED,
	};
	finish(b);
}

/* A shift is missed and another one seen on the wrong side. */
static void contradicted(struct bench *b)
{
	add(b, (struct said){NULL, 24, -0.011, 0.014, 0, NAN, .ended = true});
	add(b, (struct said){"5%", 40, -0.012, 0.009, -0.047619, 1, .ended = true});
	add(b, (struct said){"2%", 8, 0.02, 0.05, -0.019608, 0.9, .found = true, .backwards = true,
			     .ended = true});
	b->answer = (struct calibration_answer){
		.cuts = {6, 4, 0, 0.03125, 0, 1, 0.527},
		.sd = 0.011,
		.sd_upper = 0.013,
		.effect = 0.0099,
		.effect_pairs = 27.4,
		.effect_ns = INT64_C(119000000000),
		.due = 2,
		.due_found = 0,
		.due_chance = 0.001,
		.check = CALIBRATION_CONTRADICTED,
	};
	finish(b);
}

/* Ctrl-C in the second experiment. */
static void interrupted(struct bench *b)
{
	add(b, (struct said){NULL, 12, -0.0021, 0.0034, 0, NAN, .ended = true});
	add(b, (struct said){"5%", 3, 0, 0, NAN, NAN, .ended = false});
	b->answer = (struct calibration_answer){
		.cuts = {6, 2, 0, 0.03125, 0, 1, 0.776},
		.sd = 0.0071,
		.sd_upper = 0.0092,
		.effect = 0.007,
		.effect_pairs = 27.4,
		.effect_ns = INT64_C(119000000000),
		.missing = 4,
	};
	finish(b);
	b->findings.stopped = "interrupted; what was measured is kept, and contend ab --resume 13 "
			      "goes on with the last experiment";
}

/* A primary that shows no delay, and nothing to plan with. */
static void silent(struct bench *b)
{
	add(b, (struct said){NULL, 12, 0, 0, 0, NAN, .ended = true});
	b->answer = (struct calibration_answer){
		.unseen = "delay= is between two operations, and no latency holds it",
		.instead = "operations",
		.cuts = {6, 2, 0, 0.03125, 0, 1, 0.776},
		.sd = 0,
		.sd_upper = NAN,
		.effect = NAN,
		.effect_pairs = NAN,
		.unplanned =
			"all differences of A/A are the same, so there is no spread to plan with",
	};
	finish(b);
}

static const struct {
	const char *name;
	void (*make)(struct bench *b);
	int status;
} reports[] = {
	{"sound", sound, 0},
	{"unsound", unsound, 1},
	{"contradicted", contradicted, 0},
	{"interrupted", interrupted, 5},
	{"silent", silent, 0},
};

static void write_golden(const char *path, const char *bytes)
{
	int fd __free(fd) = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct error err;

	assert_true(fd >= 0 && file_write_all(fd, bytes, strlen(bytes), &err));
}

static void compare(const char *name, const char *kind, const char *bytes)
{
	const char *top = getenv("TOP");
	char *path __free(memory) =
		text_format("%s/tests/golden/calibration/%s.%s", top ? top : ".", name, kind);
	struct text golden __text = {0};
	struct error err;

	if (getenv("CONTEND_GOLDEN_UPDATE")) {
		write_golden(path, bytes);
		return;
	}
	if (!file_read("", path, 16 << 20, &golden, &err))
		fail_msg("%s", err.text);
	if (!text_equal(bytes, text_string(&golden)))
		fail_msg("%s is another one:\n%s", path, bytes);
}

static void golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		struct bench b __cleanup(bench_done) = {0};
		struct text mail __text = {0}, json __text = {0};
		struct error err;
		struct calibration_report r = {
			.list = &b.findings,
			.count = 1,
			.status = reports[i].status,
			.version = "0.1.0",
		};

		reports[i].make(&b);
		assert_true(calibration_mail(&r, &mail, &err));
		assert_true(calibration_json(&r, &json, &err));
		compare(reports[i].name, "mail", text_string(&mail));
		compare(reports[i].name, "json", text_string(&json));
		/* It survives a mail. */
		for (const char *at = text_string(&mail); *at;) {
			size_t length = strcspn(at, "\n");

			if (length > 78 || (length && at[length - 1] == ' '))
				fail_msg("%s: '%.*s'", reports[i].name, (int)length, at);
			at += length + 1;
		}
	}
}

/* ---- the quoted line ---- */

static struct calibration *quotable(int64_t made_ns, const char *host)
{
	struct calibration *c = memory_alloc(sizeof(*c));
	struct error err;

	*c = (struct calibration){
		.id = 3,
		.made_ns = made_ns,
		.workload = memory_string("brk1"),
		.params = json_object(),
		.primary = memory_string("operations"),
		.alpha = 0.05,
		.experiments = memory_array(3, sizeof(*c->experiments)),
		.experiment_count = 3,
		.effect = 0.021,
		.effect_pairs = 14.3,
		.effect_ns = 28 * INT64_C(1000000000),
		.most_pairs = 40,
		.check = CALIBRATION_CONFIRMED,
	};
	for (int64_t i = 0; i < 3; i++)
		c->experiments[i] = 12 + i;
	assert_true(json_parse(host, strlen(host), &c->host, &err));
	return c;
}

/* The mail of an experiment with one calibration, on one line each. Owned by the caller. */
static char *quoting(struct calibration *c)
{
	struct calibrations all __cleanup(calibrations_done) = {0};
	struct fixture x __cleanup(fixture_done) = {0};
	struct findings f;
	struct text out = {0};
	struct error err;

	calibrations_add(&all, c);
	fixture_experiment(&x, PLAN_PAIRS, 6, "", "", "contend ab brk1");
	fixture_subject(&x, fixture_brk1, "{}", "{}", "{}");
	fixture_pairs(&x, 0, 0, 6, &usual, &usual);
	x.j = judge(x.e, &x.runs, JUDGE_END);
	x.end = "planned end";
	f = fixture_findings(&x);
	f.calibrations = &all;
	assert_true(report_find("mail")->render(&f, &out, &err));
	for (size_t i = 0; i + 2 < out.length; i++) {
		if (!strncmp(out.bytes + i, "\n  ", 3))
			memmove(out.bytes + i, out.bytes + i + 2, strlen(out.bytes + i + 2) + 1),
				out.bytes[i] = ' ';
	}
	return text_take(&out);
}

static void quotes(void **state)
{
	/* The experiment's own, in ns. */
	const int64_t then = INT64_C(1760000000000000000), day = INT64_C(86400000000000);
	const struct {
		int64_t made_ns;
		const char *host, *there, *not_there;
	} cases[] = {
		{then - day, fixture_host,
		 "calibrated 2025-10-08 (experiments 12 .. 14): this machine resolves 2.1 % in 14 "
		 "pairs (28 s)\n",
		 "days before"},
		{then + 1, fixture_host, "environment", "calibrated"},
		{then - 40 * day, fixture_host, "calibrated 2025-08-30, 40 days before (exp",
		 "state"},
		/* Readings come and go. */
		{then - day, "{\"kernel\":\"6.18.44\",\"load1\":9}", "this machine resolves",
		 "state"},
		{then - day, "{\"kernel\":\"6.12.1\"}",
		 "in another state of the machine, so what it resolves now is not known: kernel "
		 "6.12.1 then, now 6.18.44\n",
		 "resolves 2.1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *mail __free(memory) = quoting(quotable(cases[i].made_ns, cases[i].host));

		if (!strstr(mail, cases[i].there) || strstr(mail, cases[i].not_there))
			fail_msg("case %zu: %s", i, mail);
	}
}

/* What is less than it seems says so; what found nothing is not quoted. */
static void quoted_doubts(void **state)
{
	struct calibration *c = quotable(1, fixture_host);
	char *mail __free(memory) = NULL, *other __free(memory) = NULL;
	char *rejected __free(memory) = NULL;

	(void)state;
	c->check = CALIBRATION_CONTRADICTED;
	c->alpha = 0.01;
	mail = quoting(c);
	assert_non_null(strstr(mail, "(28 s) at alpha 0.01; its known shifts contradict that\n"));
	c = quotable(1, fixture_host);
	c->rejected = true;
	rejected = quoting(c);
	assert_non_null(strstr(rejected, "(28 s), with an A/A that was rejected\n"));
	c = quotable(1, fixture_host);
	c->effect = c->effect_pairs = NAN;
	other = quoting(c);
	assert_null(strstr(other, "calibrated"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),
		cmocka_unit_test(quotes),
		cmocka_unit_test(quoted_doubts),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
