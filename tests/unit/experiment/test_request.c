// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "experiment/request.h"
#include "known.h"

/* What a user types: words, "A" before the value of --a, "B" before that of --b, "P" --primary. */
static bool build(struct request *r, const char *const *line, struct error *err)
{
	for (; *line; line++) {
		char option = 0;

		if (text_equal(*line, "A") || text_equal(*line, "B") || text_equal(*line, "P"))
			option = **line++;
		if (option == 'P')
			terms_set(&r->terms, TERM_PRIMARY, *line, err);
		else if (option ? !request_add_arm(r, option == 'A' ? ARM_A : ARM_B, *line, err)
				: !request_add_word(r, *line, err))
			return false;
	}
	return true;
}

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct experiment *resolve(const char *const *line)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e = experiment_new();
	struct error err = {0};

	if (!build(&r, line, &err) || !request_resolve(&r, known, 4, e, &err))
		fail_msg("%s", err.text);
	return e;
}

/* Asserts that a line is refused as wrong usage, with exactly this message, and changes nothing. */
static void refuse(const char *const *line, const char *message)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	if (build(&r, line, &err) && request_resolve(&r, known, 4, e, &err))
		fail_msg("not refused; expected: %s", message);
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(e->subject_count, 0);
	assert_null(e->subjects);
	assert_null(e->labels[ARM_A]);
}

/* The parameters of a subject as one line, "A-params | B-params". */
static void expect(const struct experiment *e, size_t subject, const char *params)
{
	struct text out __text = {0};

	assert_true(subject < e->subject_count);
	for (int arm = 0; arm < 2; arm++) {
		const char *key;
		json_t *value;

		if (arm)
			text_puts(&out, " |");
		json_object_foreach(e->subjects[subject].params[arm], key, value) {
			text_printf(&out, "%s%s=%s", out.length ? " " : "", key,
				    json_string_value(value));
		}
	}
	assert_string_equal(text_string(&out), params);
}

static void expect_curve(const struct experiment *e, size_t index, size_t first, size_t count,
			 const char *asked)
{
	assert_true(index < e->curve_count);
	assert_int_equal(e->curves[index].first, first);
	assert_int_equal(e->curves[index].count, count);
	assert_string_equal(e->curves[index].asked, asked);
	for (size_t i = first; i < first + count; i++)
		assert_ptr_equal(experiment_curve(e, i), &e->curves[index]);
}

/* A list of numbers of tasks makes a subject of each, by their number, and one curve of them. */
static void curves(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("reader", "tasks=4,1..2,2", "file=smaps"));
	struct experiment *shares __free(experiment) =
		resolve(LINE("null", "A", "tasks=25%,50%,100%,10%", "B", "tasks=1..2,4,ops=2"));
	struct experiment *two __free(experiment) = resolve(
		LINE("null", "reader", "void", "null.tasks=1..4", "void.tasks=2,3", "ops=2"));
	struct experiment *alone __free(experiment) = resolve(LINE("null", "tasks=50%,2"));
	char *name __free(memory) = experiment_subject_name(two, 1);
	char *plain __free(memory) = experiment_subject_name(two, 4);

	(void)state;
	assert_int_equal(e->subject_count, 3);
	assert_int_equal(e->curve_count, 1);
	expect_curve(e, 0, 0, 3, "4,1..2,2");
	assert_int_equal(e->curves[0].cpus, 0);
	expect(e, 0, "tasks=1 file=smaps | tasks=1 file=smaps");
	expect(e, 2, "tasks=4 file=smaps | tasks=4 file=smaps");
	assert_int_equal(experiment_point(e, 1), 2);
	/* Of four CPUs, one task at the least; the label has the numbers. */
	expect_curve(shares, 0, 0, 3, "25%,50%,100%,10%");
	assert_int_equal(shares->curves[0].cpus, 4);
	expect(shares, 1, "tasks=2 | tasks=2 ops=2");
	assert_string_equal(shares->labels[ARM_A], "tasks=1,2,4");
	assert_string_equal(shares->labels[ARM_B], "tasks=1,2,4,ops=2");
	assert_int_equal(two->subject_count, 4 + 1 + 2);
	assert_int_equal(two->curve_count, 2);
	expect_curve(two, 0, 0, 4, "1..4");
	expect_curve(two, 1, 5, 2, "2,3");
	assert_null(experiment_curve(two, 4));
	expect(two, 4, " |");
	expect(two, 6, "tasks=3 ops=2 | tasks=3 ops=2");
	assert_string_equal(name, "null tasks=2");
	assert_string_equal(plain, "reader");
	/* One number is no curve, however it was said. */
	assert_int_equal(alone->curve_count, 0);
	expect(alone, 0, "tasks=2 | tasks=2");
}

/* Whatever makes a subject of a curve go leaves the others in their places. */
static void curves_without_a_point(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("null", "reader", "void", "null.tasks=1..3", "void.tasks=1,2"));

	(void)state;
	experiment_remove_subject(e, 1);
	expect_curve(e, 0, 0, 2, "1..3");
	expect_curve(e, 1, 3, 2, "1,2");
	assert_int_equal(experiment_point(e, 1), 3);
	experiment_remove_subject(e, 2);
	experiment_remove_subject(e, 3);
	assert_int_equal(e->subject_count, 3);
	assert_int_equal(e->curve_count, 1);
	expect(e, 2, "tasks=1 | tasks=1");
}

static void refused_curves(void **state)
{
	(void)state;
	refuse(LINE("null", "tasks=0,1"), "tasks=0,1: tasks=0: must be 1 to 4");
	refuse(LINE("null", "tasks=1..5"), "tasks=1..5: tasks=5: must be 1 to 4");
	refuse(LINE("null", "tasks=4..1"), "tasks=4..1: 4..1 runs backwards: it is 1..4");
	refuse(LINE("null", "tasks=1..100000"), "tasks=1..100000: 1..100000: more than 256 points");
	refuse(LINE("null", "tasks=0%"), "tasks=0%: 0% of the CPUs is no task");
	refuse(LINE("null", "tasks=200%"),
	       "tasks=200%: 200%: a share is of the CPUs that the tasks may use, 100% at most; more "
	       "tasks than CPUs are said as a number");
	refuse(LINE("null", "tasks=1,,2"),
	       "tasks=1,,2: a number is missing before or behind a comma");
	refuse(LINE("null", "tasks=1,"), "tasks=1,: a number is missing before or behind a comma");
	refuse(LINE("null", "tasks=1..2..3"), "tasks=1..2..3: '2..3' is not a whole number");
	refuse(LINE("null", "tasks=x"), "tasks=x: 'x' is not a whole number");
	refuse(LINE("null", "tasks=1,2", "tasks=1"), "tasks is given twice for all arms");
	refuse(LINE("null", "ops=1,2"), "ops=1,2: '1,2' is not a whole number");
	refuse(LINE("null", "A", "tasks=1,2", "B", "ops=2"),
	       "null: tasks=1,2 in A and tasks=1 in B: a curve is compared point by point, so that "
	       "all arms need the same list");
	refuse(LINE("null", "A", "tasks=1,2", "B", "tasks=1,3"),
	       "null: tasks=1,2 in A and tasks=1,3 in B: a curve is compared point by point, so "
	       "that all arms need the same list");
	/* Who takes no part, and who has none. */
	refuse(LINE("null", "void.tasks=1,2"), "'void.tasks': workload void does not take part");
	refuse(LINE("solo", "tasks=1,2"),
	       "tasks=1,2: solo has no tasks=, how many tasks it has is its own");
	refuse(LINE("nul", "tasks=1,2"),
	       "no workload 'nul'; did you mean 'null'? (`contend list` shows them)");
}

/* Where nobody said how many CPUs there are. */
static void shares_of_the_unknown(void **state)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	(void)state;
	assert_true(build(&r, LINE("null", "tasks=50%,100%"), &err));
	assert_false(request_resolve(&r, known, 0, e, &err));
	assert_string_equal(err.text, "tasks=50%,100%: 50%: a share of how many CPUs is not known "
				      "here: say a number");
}

static void words(void **state)
{
	struct experiment *e __free(experiment) = resolve(LINE("reader", "file=smaps", "tasks=2"));

	(void)state;
	assert_int_equal(e->subject_count, 1);
	assert_string_equal(e->subjects[0].description->name, "reader");
	/* References of its own. */
	assert_ptr_not_equal(e->subjects[0].description, known[0]);
	assert_string_equal(e->subjects[0].primary, "latency");
	expect(e, 0, "file=smaps tasks=2 | file=smaps tasks=2");
	assert_string_equal(e->labels[ARM_A], "");
	assert_string_equal(e->labels[ARM_B], "");
	assert_true(subject_is_aa(&e->subjects[0], ARM_B));
}

static void arms(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("reader", "A", "file=smaps", "B", "file=none,tasks=4", "argument=x"));

	(void)state;
	expect(e, 0, "file=smaps argument=x | file=none tasks=4 argument=x");
	assert_string_equal(e->labels[ARM_A], "file=smaps");
	assert_string_equal(e->labels[ARM_B], "file=none,tasks=4");
	assert_false(subject_is_aa(&e->subjects[0], ARM_B));
}

/* Said in any order, also before the workload. */
static void order_does_not_matter(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("tasks=2", "B", "file=smaps", "reader"));

	(void)state;
	expect(e, 0, "tasks=2 | tasks=2 file=smaps");
	assert_string_equal(e->labels[ARM_A], "");
	assert_string_equal(e->labels[ARM_B], "file=smaps");
}

static void an_arm_may_be_given_again(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("reader", "A", "file=smaps", "A", "", "A", "tasks=3", "B", ""));

	(void)state;
	expect(e, 0, "file=smaps tasks=3 |");
	assert_string_equal(e->labels[ARM_A], "file=smaps,tasks=3");
	assert_string_equal(e->labels[ARM_B], "");
}

static void equal_arms_are_allowed(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("reader", "A", "file=smaps", "B", "file=smaps"));

	(void)state;
	expect(e, 0, "file=smaps | file=smaps");
	assert_true(subject_is_aa(&e->subjects[0], ARM_B));
	assert_string_equal(e->labels[ARM_A], "file=smaps");
	assert_string_equal(e->labels[ARM_B], "file=smaps");
}

static void commas_of_an_arm(void **state)
{
	static const struct {
		const char *text, *argument, *file;
	} cases[] = {
		{"argument=1,2,4", "1,2,4", NULL},
		{"argument=1,2,4,file=smaps", "1,2,4", "smaps"},
		{"file=smaps,argument=a,b", "a,b", "smaps"},
		{"argument=,file=smaps", "", "smaps"},
		{"argument=,,file=smaps", ",", "smaps"},
		{"argument=1,", "1,", NULL},
		/* What stands before "=" must be a name for the comma to separate. */
		{"argument=1, file=smaps", "1, file=smaps", NULL},
		{"argument=1,=smaps", "1,=smaps", NULL},
		{"argument=1,/file=smaps", "1,/file=smaps", NULL},
		{"argument=1,--file=smaps", "1,--file=smaps", NULL},
		{"argument=1,a.b.c.d=2", "1,a.b.c.d=2", NULL},
		{"argument=1,.file=2", "1,.file=2", NULL},
		{"argument=1,reader.=2", "1,reader.=2", NULL},
		/* Escapes. */
		{"argument=1\\,file=smaps", "1,file=smaps", NULL},
		{"argument=1\\,2", "1,2", NULL},
		{"argument=\\,,file=smaps", ",", "smaps"},
		{"argument=a\\b\\\\c\\", "a\\b\\\\c\\", NULL},
		{"argument=a\\\\,b", "a\\,b", NULL},
		/* Only the first "=" splits. */
		{"argument=a=b=c,file=smaps", "a=b=c", "smaps"},
		{"argument==", "=", NULL},
		/* One workload addressed by name. */
		{"argument=x,reader.file=smaps", "x", "smaps"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct experiment *e __free(experiment) =
			resolve(LINE("reader", "A", cases[i].text));
		const json_t *params = e->subjects[0].params[ARM_A];
		const char *file = json_string_value(json_object_get(params, "file"));

		assert_string_equal(json_string_value(json_object_get(params, "argument")),
				    cases[i].argument);
		assert_int_equal(file != NULL, cases[i].file != NULL);
		if (file)
			assert_string_equal(file, cases[i].file);
		assert_int_equal(json_object_size(e->subjects[0].params[ARM_B]), 0);

		/* The label is the arm again. */
		struct experiment *again __free(experiment) =
			resolve(LINE("reader", "A", e->labels[ARM_A]));

		assert_true(json_equal(again->subjects[0].params[ARM_A], params));
		assert_string_equal(again->labels[ARM_A], e->labels[ARM_A]);
	}
}

/* A word is a value as it is: nothing to escape, nothing to split. */
static void commas_of_a_word(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("reader", "argument=1,file=smaps\\,=x"));

	(void)state;
	expect(e, 0, "argument=1,file=smaps\\,=x | argument=1,file=smaps\\,=x");
}

static void several_workloads(void **state)
{
	struct experiment *e __free(experiment) = resolve(LINE(
		"reader", "null", "void", "tasks=2", "A", "file=smaps,void.ops=7", "B", "ops=9"));

	(void)state;
	assert_int_equal(e->subject_count, 3);
	assert_string_equal(e->subjects[0].primary, "latency");
	assert_string_equal(e->subjects[1].primary, "rate");
	expect(e, 0, "tasks=2 file=smaps | tasks=2");
	expect(e, 1, "tasks=2 | tasks=2 ops=9");
	expect(e, 2, "tasks=2 ops=7 | tasks=2 ops=9");
	assert_string_equal(e->labels[ARM_A], "file=smaps,void.ops=7");
	assert_string_equal(e->labels[ARM_B], "ops=9");
}

static void primaries(void **state)
{
	(void)state;
	struct experiment *one __free(experiment) = resolve(LINE("reader", "P", "scans"));

	assert_string_equal(one->subjects[0].primary, "scans");

	struct experiment *plain __free(experiment) =
		resolve(LINE("reader", "null", "void", "P", "scans"));

	assert_string_equal(plain->subjects[0].primary, "scans");
	assert_string_equal(plain->subjects[1].primary, "rate");

	struct experiment *all __free(experiment) =
		resolve(LINE("reader", "null", "void", "P", "latency"));

	assert_string_equal(all->subjects[0].primary, "latency");
	assert_string_equal(all->subjects[1].primary, "latency");
	assert_string_equal(all->subjects[2].primary, "latency");

	struct experiment *addressed __free(experiment) =
		resolve(LINE("null", "void", "P", "void.latency"));

	assert_string_equal(addressed->subjects[0].primary, "rate");
	assert_string_equal(addressed->subjects[1].primary, "latency");
	struct experiment *each __free(experiment) =
		resolve(LINE("reader", "null", "void", "P", "void.latency", "P", "scans"));

	assert_string_equal(each->subjects[0].primary, "scans");
	assert_string_equal(each->subjects[1].primary, "rate");
	assert_string_equal(each->subjects[2].primary, "latency");
	/* It is the description's own name, not the request's. */
	assert_ptr_equal(addressed->subjects[1].primary,
			 description_metric(addressed->subjects[1].description, "latency")->name);
}

static void refused_workloads(void **state)
{
	(void)state;
	refuse(LINE("tasks=1"), "no workload is named (`contend list` shows them)");
	refuse(LINE("readr"),
	       "no workload 'readr'; did you mean 'reader'? (`contend list` shows them)");
	refuse(LINE("something"), "no workload 'something' (`contend list` shows them)");
	refuse(LINE("reader", "null", "reader"), "workload reader is named twice");
}

/* Each is compared with all before it. */
static void test_too_many_workloads(void **state)
{
	struct request r __cleanup(request_done) = {0};
	struct place place = {0};
	struct error err;

	(void)state;
	for (int i = 0; i < EXPERIMENT_SUBJECTS_MAX; i++) {
		char *name __free(memory) = text_format("w%d", i);

		assert_true(request_add_workload(&r, name, place, &err));
	}
	assert_false(request_add_workload(&r, "one", place, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.text, "more than 256 workloads: one is one too many");
	assert_int_equal(r.workload_count, EXPERIMENT_SUBJECTS_MAX);
	refuse(LINE(""), "'' is neither a workload nor name=value");
	refuse(LINE("a b"), "'a b' is neither a workload nor name=value");
	refuse(LINE("reader", "=3"), "'=3' is neither a workload nor name=value");
	refuse(LINE("reader", "a/b=3"), "'a/b=3' is neither a workload nor name=value");
	refuse(LINE("reader.file"), "'reader.file' is neither a workload nor name=value");
	refuse(LINE("reader", "reader.=1"), "'reader.=1' is neither a workload nor name=value");
	refuse(LINE("reader", ".file=1"), "'.file=1' is neither a workload nor name=value");
	refuse(LINE("reader", "a.b.c.d=1"), "'a.b.c.d=1' is neither a workload nor name=value");
}

static void refused_arms(void **state)
{
	(void)state;
	refuse(LINE("reader", "A", "smaps"), "--a 'smaps': must begin with name=");
	refuse(LINE("reader", "B", "smaps,file=maps"),
	       "--b 'smaps,file=maps': must begin with name=");
	refuse(LINE("reader", "A", ",file=maps"), "--a ',file=maps': must begin with name=");
	refuse(LINE("reader", "A", "=maps"), "--a '=maps': must begin with name=");
	refuse(LINE("reader", "A", "\\,"), "--a '\\,': must begin with name=");
}

static void refused_keys(void **state)
{
	(void)state;
	refuse(LINE("reader", "fil=maps"),
	       "no parameter 'fil'; did you mean 'file'? (`contend list reader` shows them)");
	refuse(LINE("reader", "A", "fiel=maps"),
	       "--a: no parameter 'fiel'; did you mean 'file'? (`contend list reader` shows them)");
	refuse(LINE("null", "reader", "B", "fiel=maps"),
	       "--b: no parameter 'fiel'; did you mean 'file'? (`contend list reader` shows them)");
	refuse(LINE("null", "reader", "colour=red"),
	       "no parameter 'colour' (`contend list null` shows them)");
	refuse(LINE("null", "reader", "null.file=maps"),
	       "no parameter 'file' (`contend list null` shows them)");
	refuse(LINE("walker", "memcg.swp=1G"),
	       "setup memcg has no parameter 'memcg.swp' (`contend list setups` shows them)");
	refuse(LINE("walker", "memcg.swap=1G", "walker.memcg.swap=2G"),
	       "memcg.swap for all arms and walker.memcg.swap for all arms give the same parameter "
	       "twice");
	refuse(LINE("null", "memcg.swap=1G"), "'memcg.swap': workload memcg does not take part");
	refuse(LINE("null", "void.ops=1"), "'void.ops': workload void does not take part");
	refuse(LINE("null", "A", "elsewhere.ops=1"),
	       "'elsewhere.ops': workload elsewhere does not take part");
	/* A typing error behind a comma is not a part of the value before it. */
	refuse(LINE("reader", "A", "argument=x,Tasks=2"),
	       "--a: no parameter 'Tasks'; did you mean 'tasks'? (`contend list reader` shows "
	       "them)");
	refuse(LINE("reader", "A", "argument=x,my-tasks=2"),
	       "--a: no parameter 'my-tasks' (`contend list reader` shows them)");
}

static void refused_values(void **state)
{
	(void)state;
	refuse(LINE("reader", "file=smap"), "file=smap: must be maps, smaps or none");
	refuse(LINE("reader", "A", "file="), "--a: file=: must be maps, smaps or none");
	refuse(LINE("reader", "null", "B", "tasks=5"), "null: --b: tasks=5: must be 1 to 4");
	refuse(LINE("reader", "A", "tasks=a,2", "B", "tasks=1,2"),
	       "--a: tasks=a,2: 'a' is not a whole number");
	refuse(LINE("reader", "argument=\xff"), "the value of argument is not UTF-8");
	/* Values that are right alone, and not together: in both arms, in one, in one workload. */
	refuse(LINE("null", "keep=3", "ops=2"), "keep=3 needs ops=1");
	refuse(LINE("null", "keep=3", "A", "ops=2"), "--a: keep=3 needs ops=1");
	refuse(LINE("null", "ops=2", "B", "keep=3"), "--b: keep=3 needs ops=1");
	refuse(LINE("null", "void", "void.ops=2", "B", "keep=3"), "void: --b: keep=3 needs ops=1");
	/* A label could not tell that from a comma in a value. */
	refuse(LINE("reader", "A", "argument=x\\", "A", "file=maps"),
	       "file: a value that ends in a backslash must be the last of its arm");
}

static void refused_duplicates(void **state)
{
	(void)state;
	refuse(LINE("reader", "tasks=1", "tasks=1"), "tasks is given twice for all arms");
	refuse(LINE("reader", "A", "tasks=1,file=maps,tasks=2"), "tasks is given twice for --a");
	refuse(LINE("reader", "B", "tasks=1", "A", "tasks=1", "B", "tasks=2"),
	       "tasks is given twice for --b");
	refuse(LINE("reader", "tasks=1", "A", "tasks=2"),
	       "tasks for all arms and tasks for --a give the same parameter twice");
	refuse(LINE("reader", "B", "tasks=1", "tasks=2"),
	       "tasks for --b and tasks for all arms give the same parameter twice");
	refuse(LINE("reader", "null", "tasks=1", "null.tasks=2"),
	       "null: tasks for all arms and null.tasks for all arms give the same parameter "
	       "twice");
	refuse(LINE("reader", "null", "A", "null.tasks=2,tasks=1"),
	       "null: null.tasks for --a and tasks for --a give the same parameter twice");
	/* Not the same one twice. */
	experiment_free(resolve(LINE("reader", "null", "reader.tasks=1", "null.tasks=2")));
	experiment_free(resolve(LINE("null", "A", "tasks=1", "B", "tasks=1")));
}

static void refused_primaries(void **state)
{
	(void)state;
	refuse(LINE("reader", "P", "latencey"),
	       "--primary: no metric 'latencey'; did you mean 'latency'? (`contend list reader` shows them)");
	refuse(LINE("null", "reader", "P", "null.scans"),
	       "--primary: no metric 'scans' (`contend list null` shows them)");
	refuse(LINE("reader", "P", "size"),
	       "--primary: size of reader is neither better high nor low, so it cannot be judged");
	refuse(LINE("reader", "P", "null.rate"),
	       "--primary: 'null.rate': workload null does not take part");
	refuse(LINE("reader", "P", "scans", "P", "scans"), "--primary: scans is given twice");
	refuse(LINE("null", "void", "P", "null.latency", "P", "latency"),
	       "--primary: null.latency and latency both give the primary metric of null");
	refuse(LINE("reader", "P", ""),
	       "--primary: '' is not the name of a metric, nor WORKLOAD.METRIC");
	refuse(LINE("reader", "P", ".scans"),
	       "--primary: '.scans' is not the name of a metric, nor WORKLOAD.METRIC");
	refuse(LINE("reader", "P", "reader."),
	       "--primary: 'reader.' is not the name of a metric, nor WORKLOAD.METRIC");
}

/* Long nonsense gives a message, not an overflow. */
static void long_words(void **state)
{
	char *word __free(memory) = memory_alloc(100001);
	struct request r __cleanup(request_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	(void)state;
	memset(word, 'x', 100000);
	assert_false(request_add_word(&r, word, &err));
	assert_false(request_add_arm(&r, ARM_A, word, &err));
	word[63] = '=';
	assert_true(request_add_word(&r, word, &err));
	assert_true(request_add_word(&r, "reader", &err));
	assert_false(request_resolve(&r, known, 4, e, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

/*
 * A comma at each byte of a long value. Were each looked at as far as the end, this would take
 * hours.
 */
static void many_commas(void **state)
{
	enum { LENGTH = 4 << 20 };
	char *value __free(memory) = memory_alloc(LENGTH + 16);
	struct request r __cleanup(request_done) = {0};
	struct error err = {0};

	(void)state;
	memcpy(value, "argument=", 9);
	memset(value + 9, ',', LENGTH);
	assert_true(request_add_arm(&r, ARM_A, value, &err));
	assert_int_equal(r.said_count, 1);
	assert_int_equal(strlen(r.said[0].value), LENGTH);

	char *label __free(memory) = request_label(&r, ARM_A, &err);

	assert_string_equal(label, value);
}

/* The reason is there, however long what was typed is. */
static void reasons_of_long_words(void **state)
{
	char *word __free(memory) = memory_alloc(100001);
	static const char *const reasons[] = {
		"is neither a workload nor name=value",
		"must begin with name=", "is not the name of a parameter"};

	(void)state;
	memset(word, '/', 100000);
	for (size_t i = 0; i < 3; i++) {
		struct request r __cleanup(request_done) = {0};
		struct error err = {0};

		assert_false(i == 0   ? request_add_word(&r, word, &err)
			     : i == 1 ? request_add_arm(&r, ARM_A, word, &err)
				      : request_add_pair(&r, ARM_A, word, (struct place){0}, "",
							 (struct place){0}, &err));
		assert_non_null(strstr(err.text, reasons[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_many_workloads),
		cmocka_unit_test(curves),
		cmocka_unit_test(curves_without_a_point),
		cmocka_unit_test(refused_curves),
		cmocka_unit_test(shares_of_the_unknown),
		cmocka_unit_test(words),
		cmocka_unit_test(arms),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(an_arm_may_be_given_again),
		cmocka_unit_test(equal_arms_are_allowed),
		cmocka_unit_test(commas_of_an_arm),
		cmocka_unit_test(commas_of_a_word),
		cmocka_unit_test(several_workloads),
		cmocka_unit_test(primaries),
		cmocka_unit_test(refused_workloads),
		cmocka_unit_test(refused_arms),
		cmocka_unit_test(refused_keys),
		cmocka_unit_test(refused_values),
		cmocka_unit_test(refused_duplicates),
		cmocka_unit_test(refused_primaries),
		cmocka_unit_test(long_words),
		cmocka_unit_test(many_commas),
		cmocka_unit_test(reasons_of_long_words),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
