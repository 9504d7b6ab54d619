// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "base/random.h"
#include "experiment/file.h"
#include "known.h"

#define HEAD "contend: 1\n"

static bool parse(const char *text, size_t length, struct request *r, struct error *err)
{
	return experiment_file_parse("x.yaml", text, length, r, err);
}

/* The experiment that a file and the words of a command line make. */
static bool make(const char *text, const char *word, struct experiment *e, struct error *err)
{
	struct request r __cleanup(request_done) = {0};

	if (word && !request_add_word(&r, word, err))
		return false;
	if (!parse(text, strlen(text), &r, err) || !request_resolve(&r, known, 4, e, err))
		return false;
	terms_apply(&r.terms, &r.file_terms, e);
	return true;
}

static struct experiment *made(const char *text)
{
	struct experiment *e = experiment_new();
	struct error err = {0};

	if (!make(text, NULL, e, &err))
		fail_msg("%s: %s", text, err.text);
	return e;
}

static const char *param(const struct experiment *e, int arm, const char *name)
{
	return json_string_value(json_object_get(e->subjects[0].params[arm], name));
}

static void the_whole(void **state)
{
	struct experiment *e __free(experiment) = made("# What is asked\n"
						       "contend: 1\n"
						       "workloads: [reader, null]\n"
						       "both: {tasks: 2}\n"
						       "a: {file: smaps}\n"
						       "b:\n"
						       "  file: none\n"
						       "  null.ops: 7\n"
						       "budget: 2m\n"
						       "margin: 1.5%\n"
						       "alpha: 0.01\n"
						       "primary: scans\n"
						       "seed: 4021\n"
						       "strict: yes\n");

	(void)state;
	assert_int_equal(e->subject_count, 2);
	assert_string_equal(e->subjects[0].description->name, "reader");
	assert_string_equal(e->subjects[1].description->name, "null");
	assert_string_equal(e->labels[ARM_A], "file=smaps");
	assert_string_equal(e->labels[ARM_B], "file=none,null.ops=7");
	assert_string_equal(param(e, ARM_A, "tasks"), "2");
	assert_string_equal(param(e, ARM_B, "tasks"), "2");
	assert_string_equal(param(e, ARM_B, "file"), "none");
	assert_int_equal(e->plan, PLAN_BUDGET);
	assert_int_equal(e->budget_ns, INT64_C(120000000000));
	assert_int_equal(e->pairs, 0);
	assert_true(e->margin == 0.015);
	assert_true(e->alpha == 0.01);
	assert_string_equal(e->subjects[0].primary, "scans");
	assert_int_equal(e->seed, 4021);
	assert_true(e->strict);
}

static void what_is_left_out(void **state)
{
	struct experiment *e __free(experiment) = made(HEAD "workloads: reader\nboth: {}\n");

	(void)state;
	assert_int_equal(e->plan, PLAN_DECIDED);
	assert_int_equal(e->pairs, 40);
	assert_true(e->margin == 0.02);
	assert_true(e->alpha == 0.05);
	assert_false(e->strict);
	assert_int_equal(e->seed, 0);
	assert_string_equal(e->labels[ARM_A], "");
	assert_string_equal(e->subjects[0].primary, "latency");
}

/* Values are as they are written, whatever YAML would make of them. */
static void values_are_texts(void **state)
{
	static const struct {
		const char *written, *value;
	} cases[] = {
		{"yes", "yes"},
		{"1e3", "1e3"},
		{"010", "010"},
		{"0x10", "0x10"},
		{"~", "~"},
		{"null", "null"},
		{"1,2,4", "1,2,4"},
		{"12:30:45", "12:30:45"},
		{"2026-11-30", "2026-11-30"},
		{".inf", ".inf"},
		{"a b", "a b"},
		{"'yes'", "yes"},
		{"\"a\\tb\"", "a\tb"},
		{"''", ""},
		{"\"\"", ""},
		{"' x'", " x"},
		{"'it''s'", "it's"},
		{"a\\,b=c", "a\\,b=c"},
		{"a#b", "a#b"},
		{"a # a comment", "a"},
		{"\xc2\xb5s", "\xc2\xb5s"},
		{"\"\\u00b5\"", "\xc2\xb5"},
		{"|\n    two\n    lines", "two\nlines\n"},
		{">-\n    one\n    line", "one line"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text __free(memory) = text_format(
			HEAD "workloads: reader\nboth:\n  argument: %s\n", cases[i].written);
		struct experiment *e __free(experiment) = made(text);

		assert_string_equal(param(e, ARM_A, "argument"), cases[i].value);
	}
}

static void forms_of_yaml(void **state)
{
	static const char *const texts[] = {
		"---\n" HEAD "workloads:\n- reader\n- null\n...\n",
		"%YAML 1.1\n---\n" HEAD "workloads:\n  - reader\n  - null\n",
		"{contend: 1, workloads: [reader, null]}",
		"{\"contend\": \"1\", \"workloads\": [\"reader\", \"null\"]}",
		"contend: 1\r\nworkloads: [reader,\r\n  null]\r\n",
		"\xef\xbb\xbf" HEAD "workloads: [reader, null]",
		HEAD "? workloads\n: [reader, null]\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct experiment *e __free(experiment) = made(texts[i]);

		assert_int_equal(e->subject_count, 2);
	}
}

static void refuse_bytes(const char *text, size_t length, const char *message)
{
	struct request r __cleanup(request_done) = {0};
	struct error err = {0};

	if (parse(text, length, &r, &err))
		fail_msg("not refused; expected: %s", message);
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
}

static void refuse(const char *text, const char *message)
{
	refuse_bytes(text, strlen(text), message);
}

static void refused_files(void **state)
{
	static const char empty[] = "empty: an experiment file begins with contend: 1";
	static const char other[] = "not an experiment: it must begin with contend: 1";
	static const char first[] = "the first key must be contend: 1, the version of the format";
	static const struct {
		const char *text, *place, *message;
	} cases[] = {
		{"", "1:1", empty},
		{"# nothing\n\n", "3:1", empty},
		{"---\n", "2:1", other},
		{"just a text", "1:1", other},
		{"- a\n- b\n", "1:1", other},
		{"{}", "1:2", first},
		{"workloads: [null]\ncontend: 1\n", "1:1", first},
		{"contend: 2\nnew: 1\n", "1:10", "version '2' of the format: this program reads 1"},
		{"contend: 1.0\n", "1:10", "version '1.0' of the format: this program reads 1"},
		{"contend: [1]\n", "1:10", "the version is a list, and must be one value"},
		{HEAD "---\n" HEAD, "2:1", "a second document: one experiment a file"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *message __free(memory) =
			text_format("x.yaml:%s: %s", cases[i].place, cases[i].message);

		refuse(cases[i].text, message);
	}
}

static void refused_keys(void **state)
{
	(void)state;
	refuse(HEAD "workload: null\n",
	       "x.yaml:2:1: no key 'workload'; did you mean 'workloads'? (parameters belong under "
	       "both, or under a, b, c or d)");
	refuse(HEAD "\n  # a comment\nwindow: 2s\n",
	       "x.yaml:4:1: no key 'window' (parameters belong under both, or under a, b, c or d)");
	refuse(HEAD "A: {}\n",
	       "x.yaml:2:1: no key 'A' (parameters belong under both, or under a, b, c or d)");
	refuse(HEAD "pairs: 3\nmargin: 2%\npairs: 3\n",
	       "x.yaml:4:1: pairs is there twice: first in line 2");
	refuse(HEAD "contend: 1\n", "x.yaml:2:1: contend is there twice: first in line 1");
	refuse(HEAD "a: {}\na: {}\n", "x.yaml:3:1: a is there twice: first in line 2");
	refuse(HEAD "? [a, b]\n: 1\n", "x.yaml:2:3: a key is a list, and must be one value");
	refuse(HEAD "? {a: b}\n: 1\n", "x.yaml:2:3: a key is a mapping, and must be one value");
	refuse(HEAD "? \n: 1\n", "x.yaml:2:2: a key is missing: one that is empty is written ''");
	refuse(HEAD "<<: {}\n",
	       "x.yaml:2:1: merge key '<<': there are none here, write the keys out");
}

static void refused_nodes(void **state)
{
	(void)state;
	refuse(HEAD "a: file=maps\n",
	       "x.yaml:2:4: a must be parameters with their values, as in {window: 2s}, or {}");
	refuse(HEAD "both: [file, maps]\n",
	       "x.yaml:2:7: both must be parameters with their values, as in {window: 2s}, or {}");
	refuse(HEAD "b:\npairs: 3\n",
	       "x.yaml:2:3: b must be parameters with their values, as in {window: 2s}, or {}");
	refuse(HEAD "workloads: {null: 1}\n",
	       "x.yaml:2:12: the name of a workload is a mapping, and must be one value");
	refuse(HEAD "workloads: [null, [reader]]\n",
	       "x.yaml:2:19: the name of a workload is a list, and must be one value");
	refuse(HEAD "workloads: []\n",
	       "x.yaml:2:12: workloads: the list is empty: name one, or leave workloads out");
	refuse(HEAD "primary: []\n",
	       "x.yaml:2:10: primary: the list is empty: name one, or leave primary out");
	refuse(HEAD "primary: {null: rate}\n",
	       "x.yaml:2:10: the name of a metric is a mapping, and must be one value");
	refuse(HEAD "workloads: null reader\n",
	       "x.yaml:2:12: 'null reader' is not the name of a workload: a list is written [null, "
	       "reader]");
	refuse(HEAD "workloads: [null  reader]\n",
	       "x.yaml:2:13: 'null  reader' is not the name of a workload: a list is written [null, "
	       "reader]");
	refuse(HEAD "workloads: [null\npairs: 6\n",
	       "x.yaml:2:13: 'null pairs' is not the name of a workload: it goes over two lines: is "
	       "a comma or the ] of the list missing?");
	refuse(HEAD "workloads: [null,\npairs: 6\n",
	       "x.yaml:3:1: a key in the list of workloads: is the ] of the list missing?");
	refuse(HEAD "workloads: ' null'\n",
	       "x.yaml:2:12: ' null' is not the name of a workload: a list is written [null]");
	refuse(HEAD "workloads: [null, ops=3]\n",
	       "x.yaml:2:19: 'ops=3' is not the name of a workload");
	refuse(HEAD "workloads: [null, null]\n", "x.yaml:2:19: workload null is named twice");
	refuse(HEAD "workloads:\n", "x.yaml:2:11: the name of a workload is missing: one that is "
				    "empty is written ''");
	refuse(HEAD "a: {tasks: {x: 1}}\n",
	       "x.yaml:2:12: the value of tasks is a mapping, and must be one value");
	refuse(HEAD "a:\n  tasks:\n",
	       "x.yaml:3:9: the value of tasks is missing: one that is empty "
	       "is written ''");
	refuse(HEAD "a: {[x]: 1}\n",
	       "x.yaml:2:5: the name of a parameter is a list, and must be one value");
	refuse(HEAD "a: {a b: 1}\n", "x.yaml:2:5: 'a b' is not the name of a parameter, nor "
				     "WORKLOAD.PARAMETER");
	refuse(HEAD "a: {x.y.z.w: 1}\n",
	       "x.yaml:2:5: 'x.y.z.w' is not the name of a parameter, nor "
	       "WORKLOAD.PARAMETER");
	refuse(HEAD "a: {'': 1}\n", "x.yaml:2:5: '' is not the name of a parameter, nor "
				    "WORKLOAD.PARAMETER");
	refuse(HEAD "a: {<<: {x: 1}}\n",
	       "x.yaml:2:5: merge key '<<': there are none here, write the parameters out");
	refuse(HEAD "seed: [1]\n",
	       "x.yaml:2:7: the value of seed is a list, and must be one value");
}

static void refused_terms(void **state)
{
	(void)state;
	refuse(HEAD "pairs: 3\nbudget: 2m\n",
	       "x.yaml:3:9: budget: excludes pairs: either says when to end");
	refuse(HEAD "budget: 2m\npairs: 3\n",
	       "x.yaml:3:8: pairs: excludes budget: either says when to end");
	refuse(HEAD "pairs: 0\n", "x.yaml:2:8: pairs: must be 1 to 1000000, not 0");
	refuse(HEAD "pairs: 03\n", "x.yaml:2:8: pairs: '03' is not a whole number");
	refuse(HEAD "budget: 120\n",
	       "x.yaml:2:9: budget: '120' is not a duration (as 50ms, 1.5s, 10m)");
	refuse(HEAD "budget: 0\n", "x.yaml:2:9: budget: must be above 0, not 0");
	refuse(HEAD "margin: 2\n", "x.yaml:2:9: margin: '2' is not a percentage (as 2%)");
	refuse(HEAD "alpha: 1\n", "x.yaml:2:8: alpha: must be 0.000001 to 0.5, not 1");
	refuse(HEAD "seed: -1\n", "x.yaml:2:7: seed: must be 0 to 9223372036854775807, not -1");
	refuse(HEAD "strict: true\n", "x.yaml:2:9: strict: must be yes or no, not 'true'");
}

static void refused_yaml(void **state)
{
	(void)state;
	refuse(HEAD "a: &x {}\n",
	       "x.yaml:2:4: anchor '&x': there are none here, write the value out");
	refuse(HEAD "seed: *x\n",
	       "x.yaml:2:7: alias '*x': there are none here, write the value out");
	refuse(HEAD "seed: !!int 3\n",
	       "x.yaml:2:7: tag 'tag:yaml.org,2002:int': there are none here, values are taken as "
	       "written");
	refuse(HEAD "seed: ! 3\n",
	       "x.yaml:2:7: tag '!': there are none here, values are taken as written");
	refuse(HEAD "both:\n\twindow: 2s\n",
	       "x.yaml:3:1: not YAML: a tab: lines are indented with blanks");
	refuse(HEAD "both: {window: 2s\n",
	       "x.yaml:2:7: not YAML: the { is not closed before the file ends");
	refuse(HEAD "# \xc2\xb5\nboth: {window: 2s\n",
	       "x.yaml:3:7: not YAML: the { is not closed before the file ends");
	refuse(HEAD "both: {window: 2s\n\n# the end",
	       "x.yaml:2:7: not YAML: the { is not closed before the file ends");
	refuse(HEAD "workloads: [null\n",
	       "x.yaml:2:12: not YAML: the [ is not closed before the file ends");
	refuse(HEAD "seed\n", "x.yaml:3:1: not YAML: could not find expected ':' (while scanning a "
			      "simple key, line 2)");
	refuse(HEAD "seed: \"3\n",
	       "x.yaml:2:7: not YAML: the \" is not closed before the file ends");
	refuse(HEAD "a: {file: 'maps}\nb: {}\npairs: 3\n",
	       "x.yaml:2:11: not YAML: the ' is not closed before the file ends");
	refuse(HEAD "primary: a: b\n",
	       "x.yaml:2:11: not YAML: mapping values are not allowed in this context");
}

static void refused_bytes(void **state)
{
	static const char zero[] = HEAD "seed: \0";
	static const char utf16[] = "\xff\xfe"
				    "c\0o\0";

	(void)state;
	refuse_bytes(zero, sizeof(zero) - 1,
		     "x.yaml:2:7: not a text: control characters are not allowed");
	refuse(HEAD "# \xc2\xb5\xc2\xb5 \xff\n",
	       "x.yaml:2:6: not a text: invalid leading UTF-8 octet");
	refuse(HEAD "# \xed\xa0\x80\n", "x.yaml:2:3: not a text: invalid Unicode character");
	refuse(HEAD "# \xc0\x80\n", "x.yaml:2:3: not a text: invalid length of a UTF-8 sequence");
	refuse_bytes(utf16, sizeof(utf16) - 1,
		     "x.yaml:1:1: not a text: invalid leading UTF-8 octet");
	refuse(HEAD "a: {x: \"a\\0b\"}\n", "x.yaml:2:8: the value of x has a zero byte in it");
	refuse(HEAD "\"see\\0d\": 3\n", "x.yaml:2:1: a key has a zero byte in it");
}

/* However deep, it is refused where it begins. */
static void deep_nesting(void **state)
{
	enum { DEPTH = 500000 };
	struct text list __text = {0}, mapping __text = {0};

	(void)state;
	text_puts(&list, HEAD "both: ");
	text_puts(&mapping, HEAD "both: ");
	for (int i = 0; i < DEPTH; i++) {
		text_puts(&list, "[");
		text_puts(&mapping, "{a: ");
	}
	refuse(list.bytes,
	       "x.yaml:2:7: both must be parameters with their values, as in {window: 2s}, or {}");
	refuse(mapping.bytes, "x.yaml:2:11: the value of a is a mapping, and must be one value");
}

static void refuse_later(const char *text, const char *word, const char *message)
{
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	if (make(text, word, e, &err))
		fail_msg("not refused; expected: %s", message);
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(e->subject_count, 0);
}

/* What only the descriptions can tell has its place too. */
static void refused_when_resolved(void **state)
{
	(void)state;
	refuse_later(
		HEAD "workloads: [null,\n  readr]\n", NULL,
		"x.yaml:3:3: no workload 'readr'; did you mean 'reader'? (`contend list` shows "
		"them)");
	refuse_later(HEAD "workloads: reader\nb: {fiel: maps}\n", NULL,
		     "x.yaml:3:5: b: no parameter 'fiel'; did you mean 'file'? (`contend list "
		     "reader` shows them)");
	refuse_later(HEAD "workloads: reader\nboth: {file: smap}\n", NULL,
		     "x.yaml:3:14: file=smap: must be maps, smaps or none");
	refuse_later(
		HEAD "workloads: [reader, null]\na:\n  null.tasks: 1,2\n", NULL,
		"x.yaml:4:15: null: tasks=1,2 in A and tasks=1 in B: a curve is compared point "
		"by point, so that all arms need the same list");
	refuse_later(HEAD "workloads: null\nboth:\n  tasks: 4..1\n", NULL,
		     "x.yaml:4:10: tasks=4..1: 4..1 runs backwards: it is 1..4");
	refuse_later(HEAD "workloads: null\na: {reader.file: maps}\n", NULL,
		     "x.yaml:3:5: 'reader.file': workload reader does not take part");
	refuse_later(HEAD "workloads: [null, void]\nb: {keep: 3}\nboth: {void.ops: 2}\n", NULL,
		     "x.yaml:3:11: void: b: keep=3 needs ops=1");
	refuse_later(HEAD "workloads: null\nboth:\n  keep: 3\n", "ops=2",
		     "x.yaml:4:9: keep=3 needs ops=1");
	refuse_later(HEAD "workloads: reader\nprimary: latncy\n", NULL,
		     "x.yaml:3:10: primary: no metric 'latncy'; did you mean 'latency'? (`contend "
		     "list reader` shows them)");
	refuse_later(HEAD "workloads: reader\nprimary: size\n", NULL,
		     "x.yaml:3:10: primary: size of reader is neither better high nor low, so it "
		     "cannot be judged");
	refuse_later(HEAD "workloads: [null, void]\nprimary: [latency, void.rate]\n", NULL,
		     "x.yaml:3:20: primary: latency and void.rate both give the primary metric of "
		     "void");
	refuse_later(HEAD "workloads: [null, void]\nprimary:\n- null.rate\n- null.rate\n", NULL,
		     "x.yaml:5:3: primary: null.rate is given twice");
	refuse_later(HEAD "workloads: reader\na:\n  argument: x\\\n  file: maps\n", NULL,
		     "x.yaml:5:3: file: a value that ends in a backslash must be the last of its "
		     "arm");
}

static void refused_duplicates(void **state)
{
	(void)state;
	refuse_later(HEAD "workloads: reader\na:\n  file: maps\n  file: smaps\n", NULL,
		     "x.yaml:5:3: file is given twice for a: the other is in line 4");
	refuse_later(HEAD "workloads: reader\na: {file: maps}\nboth: {file: smaps}\n", NULL,
		     "x.yaml:4:8: file for a and file for all arms give the same parameter twice: "
		     "the other is in line 3");
	refuse_later(HEAD "workloads: reader\nboth: {file: smaps}\n", "file=smaps",
		     "x.yaml:3:8: file is given twice for all arms: the other is on the command "
		     "line");
	refuse_later(HEAD "workloads: reader\nb: {file: smaps}\n", "reader.file=smaps",
		     "x.yaml:3:5: reader.file for all arms and file for b give the same parameter "
		     "twice: the other is on the command line");
	refuse_later(HEAD "workloads: reader\n", "reader",
		     "x.yaml:2:12: workload reader is named twice");
}

/* The command line adds parameters and workloads, and its terms stand in place of the file's. */
static void beside_the_command_line(void **state)
{
	static const char text[] = HEAD "workloads: reader\nb: {file: smaps}\npairs: 7\n"
					"margin: 5%\nseed: 3\nstrict: yes\nprimary: scans\n";
	struct request r __cleanup(request_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	(void)state;
	assert_true(request_add_word(&r, "null", &err));
	assert_true(request_add_word(&r, "tasks=2", &err));
	assert_true(terms_set(&r.terms, TERM_BUDGET, "1m", &err));
	assert_true(terms_set(&r.terms, TERM_MARGIN, "1%", &err));
	assert_true(terms_set(&r.terms, TERM_PRIMARY, "latency", &err));
	if (!parse(text, strlen(text), &r, &err) || !request_resolve(&r, known, 4, e, &err))
		fail_msg("%s", err.text);
	terms_apply(&r.terms, &r.file_terms, e);
	assert_int_equal(e->subject_count, 2);
	assert_string_equal(e->subjects[0].description->name, "null");
	assert_string_equal(e->subjects[0].primary, "latency");
	assert_string_equal(e->subjects[1].primary, "latency");
	/* An end takes the place of the end, of whichever kind. */
	assert_int_equal(e->plan, PLAN_BUDGET);
	assert_int_equal(e->pairs, 0);
	assert_int_equal(e->budget_ns, INT64_C(60000000000));
	assert_true(e->margin == 0.01);
	assert_true(e->strict);
	assert_int_equal(e->seed, 3);
}

static void files(void **state)
{
	struct request r __cleanup(request_done) = {0};
	struct error err = {0};
	FILE *file = fopen("large.yaml", "w");

	(void)state;
	assert_false(experiment_file_load("not/there.yaml", &r, &err));
	assert_string_equal(err.text,
			    "experiment file: open not/there.yaml: No such file or directory");
	assert_int_equal(err.code, ERROR_USAGE);
	assert_false(experiment_file_load(".", &r, &err));
	assert_string_equal(err.text, "experiment file: read .: Is a directory");
	assert_false(experiment_file_load("/dev/zero", &r, &err));
	assert_string_equal(err.text, "experiment file: read /dev/zero: more than 1048576 bytes");

	/* At the limit it is read, and a byte more is too much. */
	fputs(HEAD "#", file);
	for (size_t i = strlen(HEAD) + 1; i < EXPERIMENT_FILE_BYTES; i++)
		fputc('x', file);
	fclose(file);
	if (!experiment_file_load("large.yaml", &r, &err))
		fail_msg("%s", err.text);
	assert_string_equal(r.file, "large.yaml");
	file = fopen("large.yaml", "a");
	fputc('\n', file);
	fclose(file);
	assert_false(experiment_file_load("large.yaml", &r, &err));
}

/* ---- writing ---- */

static char *written(const struct experiment *e)
{
	struct text out = {0};
	struct error err = {0};

	if (!experiment_file_write(e, &out, &err))
		fail_msg("%s", err.text);
	return text_take(&out);
}

static void the_written_file(void **state)
{
	struct experiment *e __free(experiment) =
		made(HEAD "workloads: [reader, null]\nboth: {tasks: 2, null.ops: 3}\n"
			  "a: {file: smaps}\nb: {argument: ''}\nbudget: 90s\nseed: 7\n"
			  "primary: null.latency\n");
	char *text __free(memory) = written(e);

	(void)state;
	assert_string_equal(text, "contend: 1\n"
				  "workloads: [reader, null]\n"
				  "both:\n"
				  "  tasks: 2\n"
				  "  ops: 3\n"
				  "a:\n"
				  "  file: smaps\n"
				  "b:\n"
				  "  argument: \"\"\n"
				  "budget: 90s\n"
				  "margin: 2%\n"
				  "alpha: 0.05\n"
				  "seed: 7\n"
				  "strict: no\n"
				  "primary: latency\n");
}

static void the_written_primaries(void **state)
{
	struct experiment *e __free(experiment) =
		made(HEAD "workloads: [reader, null, void]\n"
			  "primary: [void.latency, reader.scans]\n");
	char *text __free(memory) = written(e);

	(void)state;
	assert_string_equal(e->subjects[0].primary, "scans");
	assert_string_equal(e->subjects[1].primary, "rate");
	assert_string_equal(e->subjects[2].primary, "latency");
	/* In the order of the workloads, and no address that needs not be. */
	assert_non_null(strstr(text, "\nprimary: [scans, void.latency]\n"));
}

/* Shares of CPUs are written as the numbers that they came to. */
static void take_asked(struct experiment *back, const struct experiment *e)
{
	assert_int_equal(back->curve_count, e->curve_count);
	for (size_t i = 0; i < e->curve_count; i++) {
		free(back->curves[i].asked);
		back->curves[i].asked = memory_string(e->curves[i].asked);
		back->curves[i].cpus = e->curves[i].cpus;
	}
}

/* read(write(e)) is e, and so is its text. */
static void check_round_trip(const struct experiment *e)
{
	char *text __free(memory) = written(e);
	struct experiment *back __free(experiment) = made(text);

	take_asked(back, e);

	json_t *first __free(json) = experiment_to_json(e);
	json_t *second __free(json) = experiment_to_json(back);
	char *again __free(memory) = written(back);

	if (!json_equal(first, second))
		fail_msg("%s\n%s\n%s", text, json_line(first), json_line(second));
	assert_string_equal(again, text);
}

static void odd_values(void **state)
{
	static const char *const values[] = {
		"",
		" ",
		" x",
		"x ",
		"~",
		"yes",
		"null",
		"1e3",
		"010",
		"1,2",
		"a,b=c",
		"a\\,b",
		"a\\",
		"it's",
		"\"x\"",
		"x: y",
		"x:",
		":",
		"#",
		"a #b",
		"- a",
		"?",
		"[a]",
		"{a: b}",
		"*a",
		"&a",
		"!a",
		"%a",
		"@a",
		"`a`",
		"|",
		">",
		"---",
		"...",
		"a\nb",
		"a\n",
		"\n",
		"\n\na",
		"a\tb",
		"\t",
		"a\rb",
		"\x01",
		"\x7f",
		"\x1b[m",
		"\xc2\xb5",
		"\xc2\x85",
		"\xc2\xa0",
		"\xe2\x80\xa8",
		"\xef\xbb\xbf",
		"\xef\xbf\xbe",
		"\xef\xbf\xbf",
		"\xf0\x9f\x98\x80",
		"\xf4\x8f\xbf\xbf",
		"<<",
		"=",
		"a=b",
		"a  b",
		"\\u00b5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		for (int where = SAID_BOTH; where < 2; where++) {
			struct request r __cleanup(request_done) = {0};
			struct experiment *e __free(experiment) = experiment_new();
			const struct place nowhere = {0};
			struct error err = {0};

			if (!request_add_workload(&r, "reader", nowhere, &err) ||
			    !request_add_pair(&r, where, "argument", nowhere, values[i], nowhere,
					      &err) ||
			    !request_resolve(&r, known, 4, e, &err))
				fail_msg("%s", err.text);
			terms_apply(&r.terms, &r.file_terms, e);
			check_round_trip(e);
		}
	}
}

/* ---- experiments made by chance ---- */

static void put_random_value(struct random *random, struct text *out)
{
	static const char *const pieces[] = {
		"a",	    "b", ",", "\\", "=",  "tasks=", ",ops=", ".",  "null.",
		":",	    " ", "#", "'",  "\"", "-",	    "~",     "\n", "\t",
		"\xc2\xb5", "{", "[", "&",  "*",  "!",	    "%",     "1",  "yes",
	};
	size_t count = random_below(random, 9);

	for (size_t i = 0; i < count; i++)
		text_puts(out, pieces[random_below(random, sizeof(pieces) / sizeof(*pieces))]);
}

/* Adds a parameter for all arms, one, or each of them. */
static void add_random(struct random *random, struct request *r, const char *key, const char *value)
{
	const struct place nowhere = {0};
	struct error err;

	switch (random_below(random, 5)) {
	case 0:
		assert_true(request_add_pair(r, SAID_BOTH, key, nowhere, value, nowhere, &err));
		break;
	case 1:
		assert_true(request_add_pair(r, ARM_A, key, nowhere, value, nowhere, &err));
		break;
	case 2:
		assert_true(request_add_pair(r, ARM_B, key, nowhere, value, nowhere, &err));
		break;
	case 3:
		assert_true(request_add_pair(r, ARM_B, key, nowhere, value, nowhere, &err));
		assert_true(request_add_pair(r, ARM_A, key, nowhere, value, nowhere, &err));
		break;
	default:
		break;
	}
}

static void set_random_terms(struct random *random, struct terms *t)
{
	char *number __free(memory) =
		text_format("%d.%0*d", (int)random_below(random, 40),
			    1 + (int)random_below(random, 9), (int)random_below(random, 10));
	char *percent __free(memory) = text_format("%s%%", number);
	char *alpha __free(memory) = text_format("0.%06d", 1 + (int)random_below(random, 499999));
	char *count __free(memory) = text_format("%d", 1 + (int)random_below(random, 1000000));
	char *seconds __free(memory) = text_format("%sms", count);
	struct error err;

	if (random_below(random, 2))
		assert_true(terms_set(t, TERM_MARGIN, percent, &err));
	if (random_below(random, 2))
		assert_true(terms_set(t, TERM_ALPHA, alpha, &err));
	if (random_below(random, 2))
		assert_true(
			terms_set(t, TERM_STRICT, random_below(random, 2) ? "yes" : "no", &err));
	if (random_below(random, 2))
		assert_true(terms_set(t, TERM_SEED, count, &err));
	if (random_below(random, 3) == 0)
		assert_true(terms_set(t, TERM_PAIRS, count, &err));
	else if (random_below(random, 2))
		assert_true(terms_set(t, TERM_BUDGET, seconds, &err));
}

static void random_experiments(void **state)
{
	static const char *const primaries[] = {"latency", "reader.scans", "null.latency", "rate"};
	static const char *const tasks[] = {"1", "2", "2,4", "1..4", "50%,100%,1"};
	size_t whole = 0;
	struct random random;

	(void)state;
	random_seed(&random, 20261130, 0);
	for (int i = 0; i < 3000; i++) {
		struct request r __cleanup(request_done) = {0};
		struct experiment *e __free(experiment) = experiment_new();
		struct text value __text = {0};
		struct error err = {0};

		for (size_t w = 0; w < 3; w++) {
			if (!r.workload_count || random_below(&random, 2))
				request_add_workload(&r, known[w]->name, (struct place){0}, &err);
		}
		put_random_value(&random, &value);
		add_random(&random, &r, random_below(&random, 4) ? "tasks" : "null.tasks",
			   tasks[random_below(&random, 5)]);
		add_random(&random, &r, "argument", text_string(&value));
		add_random(&random, &r, random_below(&random, 2) ? "ops" : "null.ops", "7");
		add_random(&random, &r, "void.ops", "8");
		for (uint64_t n = random_below(&random, 3); n > 0; n--)
			terms_set(&r.terms, TERM_PRIMARY, primaries[random_below(&random, 4)],
				  &err);
		set_random_terms(&random, &r.terms);
		/* Some of them contradict themselves. */
		if (!request_resolve(&r, known, 4, e, &err))
			continue;
		terms_apply(&r.terms, &r.file_terms, e);
		check_round_trip(e);
		whole++;
	}
	assert_true(whole > 300);
}

/* What no file can say is not written as if it could. */
static void what_cannot_be_written(void **state)
{
	struct experiment *e __free(experiment) = made(HEAD "workloads: reader\n");
	struct text out __text = {0};
	struct error err = {0};

	(void)state;
	e->plan = PLAN_SINGLE;
	e->arm_count = 1;
	assert_false(experiment_file_write(e, &out, &err));
	assert_string_equal(err.text, "write the experiment file: a file is about two arms, and "
				      "this was `contend run`");
	e->plan = PLAN_DECIDED;
	e->pairs = 41;
	assert_false(experiment_file_write(e, &out, &err));
	assert_string_equal(
		err.text, "write the experiment file: a file cannot say all that it was made with");
	assert_int_equal(err.code, ERROR_DATA);
	e->pairs = 40;
	json_object_set_new(e->subjects[0].params[ARM_B], "file", json_string("smaps"));
	assert_false(experiment_file_write(e, &out, &err));
	json_object_set_new(e->subjects[0].params[ARM_A], "file", json_string("smap"));
	assert_false(experiment_file_write(e, &out, &err));
	assert_string_equal(err.text,
			    "write the experiment file: file:4:9: file=smap: must be maps, "
			    "smaps or none");
	assert_int_equal(err.code, ERROR_DATA);
	e->seed = UINT64_MAX;
	assert_false(experiment_file_write(e, &out, &err));
	assert_int_equal(out.length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole),
		cmocka_unit_test(what_is_left_out),
		cmocka_unit_test(values_are_texts),
		cmocka_unit_test(forms_of_yaml),
		cmocka_unit_test(refused_files),
		cmocka_unit_test(refused_keys),
		cmocka_unit_test(refused_nodes),
		cmocka_unit_test(refused_terms),
		cmocka_unit_test(refused_yaml),
		cmocka_unit_test(refused_bytes),
		cmocka_unit_test(deep_nesting),
		cmocka_unit_test(refused_when_resolved),
		cmocka_unit_test(refused_duplicates),
		cmocka_unit_test(beside_the_command_line),
		cmocka_unit_test(files),
		cmocka_unit_test(the_written_file),
		cmocka_unit_test(the_written_primaries),
		cmocka_unit_test(odd_values),
		cmocka_unit_test(random_experiments),
		cmocka_unit_test(what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
