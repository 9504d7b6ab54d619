// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "experiment/command.h"
#include "experiment/file.h"
#include "experiment/repeat.h"
#include "known.h"

/* What is typed: words up to "--", of which "A..." and "B..." are values of --a and --b; then a command. */
#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool ask(const char *const *line, struct request *r, struct error *err)
{
	size_t count = 0;

	for (; *line && !text_equal(*line, "--"); line++) {
		if (**line == 'A' || **line == 'B'
			    ? !request_add_arm(r, **line == 'A' ? ARM_A : ARM_B, *line + 1, err)
			    : !request_add_word(r, *line, err))
			return false;
	}
	if (!*line++)
		return true;
	while (line[count])
		count++;
	return request_set_command(r, line, count, (struct place){0}, err);
}

static struct experiment *resolve(const char *const *line)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e = experiment_new();
	struct error err = {0};

	if (!ask(line, &r, &err) || !request_resolve(&r, known, 4, e, &err))
		fail_msg("%s", err.text);
	terms_apply(&r.terms, &r.file_terms, e);
	return e;
}

static void refuse(const char *const *line, const char *message)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e __free(experiment) = experiment_new();
	struct error err = {0};

	if (ask(line, &r, &err) && request_resolve(&r, known, 4, e, &err))
		fail_msg("not refused; expected: %s", message);
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(e->subject_count, 0);
}

/* What the agent gets to execute in an arm, and nothing of what was filled in. */
static void executes(const struct experiment *e, int arm, const char *command)
{
	json_t *params __free(json) = NULL;
	const char *key;
	json_t *value;
	struct error err;

	if (!command_params(&e->subjects[0], arm, &params, &err))
		fail_msg("%s", err.text);
	assert_string_equal(json_string_value(json_object_get(params, "argv")), command);
	json_object_foreach(params, key, value)
		assert_non_null(param_find(known[5]->params, key));
}

static void keys(void **state)
{
	struct experiment *plain __free(experiment) = resolve(LINE("runner", "--", "ls", "-l", ""));
	struct experiment *e __free(experiment) =
		resolve(LINE("runner", "level=2", "Acc=gcc", "Bcc=a b,c", "--", "{cc}", "-O{level}",
			     "{{x}", "a{cc}b{cc}", "}"));
	/* A parameter of the workload, or of a setup, is what its own name stands for. */
	struct experiment *setup __free(experiment) =
		resolve(LINE("runner", "Amemcg=64M", "Bmemcg=1G", "memcg.swap=0", "--", "x",
			     "{memcg}", "{memcg.swap}", "{timeout}"));

	(void)state;
	executes(plain, ARM_A, "[\"ls\",\"-l\",\"\"]");
	executes(plain, ARM_B, "[\"ls\",\"-l\",\"\"]");
	executes(e, ARM_A, "[\"gcc\",\"-O2\",\"{x}\",\"agccbgcc\",\"}\"]");
	executes(e, ARM_B, "[\"a b,c\",\"-O2\",\"{x}\",\"aa b,cba b,c\",\"}\"]");
	assert_string_equal(e->labels[ARM_B], "cc=a b,c");
	executes(setup, ARM_A, "[\"x\",\"64M\",\"0\",\"1m\"]");
	executes(setup, ARM_B, "[\"x\",\"1G\",\"0\",\"1m\"]");
}

static void refusals(void **state)
{
	(void)state;
	refuse(LINE("runner"), "runner: which command? It stands behind --, at the end: -- PROGRAM "
			       "ARGUMENT...");
	refuse(LINE("runner", "--", ""), "the command is empty: it names no program");
	refuse(LINE("runner", "argv=x", "--", "x"),
	       "argv= is given behind --: -- PROGRAM ARGUMENT...");
	refuse(LINE("null", "--", "x"),
	       "null executes no command: that is what workload command is for, with the command "
	       "behind --");
	refuse(LINE("runner", "--", "x", "\xff"), "word 2 of the command is not UTF-8");
	refuse(LINE("runner", "--", "{cc}"),
	       "runner: cc= must be given: what its name in braces stands for in the command");
	refuse(LINE("runner", "Acc=gcc", "--", "{cc}"),
	       "runner: --b: cc= must be given: what its name in braces stands for in the command");
	refuse(LINE("runner", "cc=gcc", "--", "x"),
	       "no parameter, nor {key} of the command, 'cc' (`contend list runner` shows them)");
	refuse(LINE("runner", "--", "{memcg}"),
	       "--a: memcg= must be given: the command has {memcg} in it, and there is no "
	       "default");
	refuse(LINE("runner", "--", "{a.b}"), "{a.b} is no parameter here");
	refuse(LINE("runner", "--", "x", "{"),
	       "'{' in the command is no {key}: a brace that is meant is written {{");
	refuse(LINE("runner", "--", "x", "a{}b"),
	       "'{}b' in the command is no {key}: a brace that is meant is written {{");
	refuse(LINE("runner", "--", "x", "{print $1}"),
	       "'{print $1}' in the command is no {key}: a brace that is meant is written {{");
}

static void figures(void **state)
{
	struct experiment *e __free(experiment) =
		resolve(LINE("runner", "metric=tps:([0-9]+) tps:1/s:higher",
			     "metric=lag:lag ([0-9]+):ms:lower", "--", "x"));
	const struct metric *m = description_metric(e->subjects[0].description, "lag");

	(void)state;
	assert_non_null(m);
	assert_string_equal(m->unit, "ns");
	assert_string_equal(m->of, "program.lag");
	assert_non_null(description_metric(e->subjects[0].description, "tps"));
	/* That of the agent is as it was. */
	assert_null(description_metric(known[5], "tps"));
	refuse(LINE("runner", "metric=real:(x):u:higher", "--", "x"),
	       "metric: there is a metric real already");
	refuse(LINE("runner", "metric=a:(x):u:higher", "metric=a:(y):u:higher", "--", "x"),
	       "metric: there is a metric a already");
	refuse(LINE("runner", "Ametric=a:(x):u:higher", "--", "x"),
	       "metric holds for all arms: what is compared is the same in each");
	refuse(LINE("runner", "metric=a:x:u:higher", "--", "x"),
	       "metric: the regular expression of a: 'x' has 0 groups, and needs one: ( and ) around "
	       "the number");
}

/* The command that repeats an experiment, and the file that does, which is read back. */
static void repeats(const char *const *line, const char *command)
{
	struct experiment *e __free(experiment) = resolve(line);
	struct experiment *again __free(experiment) = experiment_new();
	struct request r __cleanup(request_done) = {0};
	char *is __free(memory) = NULL;
	struct text file __text = {0};
	struct error err;

	if (!repeat_command(e, &is, &err))
		fail_msg("%s", err.text);
	assert_string_equal(is, command);
	if (!experiment_file_write(e, &file, &err) ||
	    !experiment_file_parse("x.yaml", file.bytes, file.length, &r, &err) ||
	    !request_resolve(&r, known, 4, again, &err))
		fail_msg("%s", err.text);
	for (int arm = 0; arm < 2; arm++) {
		assert_true(json_equal(e->subjects[0].params[arm], again->subjects[0].params[arm]));
		assert_string_equal(e->labels[arm], again->labels[arm]);
	}
}

static void repeating(void **state)
{
	(void)state;
	repeats(LINE("runner", "--", "ls"), "contend ab runner --seed 0 -- ls");
	repeats(LINE("runner", "Acc=gcc", "Bcc=clang", "timeout=5m", "memcg=64M", "--", "{cc}",
		     "-O2", "a b", "", "it's", "{{x}", "*"),
		"contend ab runner timeout=5m memcg=64M --a cc=gcc --b cc=clang --seed 0 -- '{cc}' -O2 "
		"'a b' '' 'it'\\''s' '{{x}' '*'");
	repeats(LINE("runner", "metric=a:^([0-9]+) x:s:lower", "metric=b:= (.*):u:higher", "--",
		     "x"),
		"contend ab runner 'metric=a:^([0-9]+) x:s:lower' 'metric=b:= (.*):u:higher' --seed 0 "
		"-- x");
}

static struct experiment *from_file(const char *text, struct error *err)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e = experiment_new();

	if (experiment_file_parse("x.yaml", text, strlen(text), &r, err) &&
	    request_resolve(&r, known, 4, e, err))
		return e;
	experiment_free(e);
	return NULL;
}

static void refuse_file(const char *text, const char *words)
{
	struct error err = {0};

	assert_null(from_file(text, &err));
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

static void files(void **state)
{
	struct error err = {0};
	struct experiment *e __free(experiment) =
		from_file("contend: 1\nworkloads: runner\ncommand:\n  - '{cc}'\n  - -c\n"
			  "both:\n  metric:\n  - a:(x):u:higher\n  - b:(y):u:lower\n"
			  "a: {cc: gcc}\nb: {cc: '8'}\n",
			  &err);

	(void)state;
	if (!e)
		fail_msg("%s", err.text);
	executes(e, ARM_B, "[\"8\",\"-c\"]");
	assert_non_null(description_metric(e->subjects[0].description, "b"));
	refuse_file("contend: 1\nworkloads: runner\ncommand: ls\n", "x.yaml:3:10: ");
	refuse_file("contend: 1\nworkloads: runner\ncommand: []\n", "x.yaml:3:");
	refuse_file("contend: 1\nworkloads: runner\ncommand: [ls, [a]]\n", "x.yaml:3:");
	refuse_file("contend: 1\nworkloads: runner\ncommand: ['{x}']\n", "x= must be given");
	refuse_file("contend: 1\nworkloads: runner\ncommand: ['{']\n",
		    "x.yaml:3:10: '{' in the command");
	refuse_file("contend: 1\nworkloads: runner\ncommand: [ls]\ncommand: [ls]\n", "x.yaml:4:");
	refuse_file("contend: 1\nworkloads: 'null'\ncommand: [ls]\n",
		    "x.yaml:3:10: null executes no command");
	refuse_file("contend: 1\nworkloads: runner\ncommand: [ls]\nboth: {timeout: [1s, 2s]}\n",
		    "x.yaml:4:18: the value of timeout is a list, and must be one value");
	refuse_file("contend: 1\nworkloads: runner\ncommand: [ls]\nboth: {metric: 'a:('}\n",
		    "x.yaml:4:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),	     cmocka_unit_test(refusals), cmocka_unit_test(figures),
		cmocka_unit_test(repeating), cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
