// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "experiment/repeat.h"
#include "known.h"

struct ask {
	const char *words[8]; /* as typed; "A…" and "B…" are values of --a and --b */
	const char *terms[TERM_COUNT];
	const char *command; /* the one that repeats it */
};

static struct experiment *asked(const struct ask *ask)
{
	struct request r __cleanup(request_done) = {0};
	struct experiment *e = experiment_new();
	struct error err = {0};

	for (const char *const *word = ask->words; *word; word++) {
		if (**word == 'A' || **word == 'B')
			assert_true(request_add_arm(&r, **word == 'A' ? ARM_A : ARM_B, *word + 1,
						    &err));
		else if (**word == 'P')
			assert_true(terms_set(&r.terms, TERM_PRIMARY, *word + 1, &err));
		else
			assert_true(request_add_word(&r, *word, &err));
	}
	for (int term = 0; term < TERM_COUNT; term++)
		assert_true(!ask->terms[term] ||
			    terms_set(&r.terms, (enum term)term, ask->terms[term], &err));
	if (!request_resolve(&r, known, 4, e, &err))
		fail_msg("%s", err.text);
	terms_apply(&r.terms, &r.file_terms, e);
	return e;
}

/* Of which experiments the rule is another one when they are repeated. */
static void caveats(void **state)
{
	static const struct ask usual = {{"null"}, {NULL}, NULL};
	static const struct ask planned = {{"null"}, {[TERM_PAIRS] = "6"}, NULL};
	static const struct ask open = {{"null"}, {[TERM_UNTIL_DECIDED] = "yes"}, NULL};
	struct experiment *e __free(experiment) = asked(&usual);
	struct experiment *of_pairs __free(experiment) = asked(&planned);
	struct experiment *without_end __free(experiment) = asked(&open);

	(void)state;
	assert_null(repeat_caveat(e));
	assert_null(repeat_caveat(of_pairs));
	assert_null(repeat_caveat(without_end));
	e->planned_pairs = 0;
	assert_non_null(repeat_caveat(e));
}

static void commands(void **state)
{
	static const struct ask cases[] = {
		{{"reader"}, {NULL}, "contend ab reader --seed 0"},
		{{"tasks=2", "Bfile=smaps", "reader", "Afile=none"},
		 {[TERM_SEED] = "7"},
		 "contend ab reader tasks=2 --a file=none --b file=smaps --seed 7"},
		/* A curve is one workload again, with numbers for shares. */
		{{"reader", "null", "tasks=25%,50%,100%,1"},
		 {NULL},
		 "contend ab reader null tasks=1,2,4 --seed 0"},
		{{"null", "reader", "null.tasks=1..4", "Bnull.ops=2"},
		 {NULL},
		 "contend ab null reader null.tasks=1..4 --b null.ops=2 --seed 0"},
		{{"null", "Atasks=1..2", "Btasks=1,2,ops=2", "Prate"},
		 {NULL},
		 "contend ab null --a tasks=1,2 --b tasks=1,2,ops=2 --seed 0"},
		{{"reader", "tasks=1,2", "Pscans"},
		 {NULL},
		 "contend ab reader tasks=1,2 --primary scans --seed 0"},
		/* A setup's parameter may have a dot of its own. */
		{{"walker", "memcg=64M", "Bmemcg.swap=1G"},
		 {NULL},
		 "contend ab walker memcg=64M --b memcg.swap=1G --seed 0"},
		{{"walker", "walker.memcg=64M", "walker.memcg.swap=1G", "null"},
		 {NULL},
		 "contend ab walker null memcg=64M memcg.swap=1G --seed 0"},
		/* An address that needs not be is left out; what all share is said once. */
		{{"null", "null.ops=3"}, {NULL}, "contend ab null ops=3 --seed 0"},
		{{"null", "void", "null.ops=3", "void.ops=3"},
		 {NULL},
		 "contend ab null void ops=3 --seed 0"},
		{{"null", "void", "null.ops=3"}, {NULL}, "contend ab null void null.ops=3 --seed 0"},
		{{"null", "void", "null.ops=3", "void.ops=4"},
		 {NULL},
		 "contend ab null void null.ops=3 void.ops=4 --seed 0"},
		{{"reader", "null", "void", "tasks=2", "Aops=1"},
		 {NULL},
		 "contend ab reader null void tasks=2 --a ops=1 --seed 0"},
		/* One of them has it in an arm only. */
		{{"null", "void", "null.ops=3", "Avoid.ops=3"},
		 {NULL},
		 "contend ab null void null.ops=3 --a void.ops=3 --seed 0"},
		{{"reader", "argument=it's, x=1", "A", "Bfile=maps"},
		 {[TERM_PAIRS] = "6", [TERM_STRICT] = "yes"},
		 "contend ab reader 'argument=it'\\''s, x=1' --b file=maps --pairs 6 --strict --seed 0"},
		{{"reader", "Aargument=a\\,b,file=maps"},
		 {[TERM_BUDGET] = "1.5s", [TERM_MARGIN] = "1%", [TERM_ALPHA] = "0.01"},
		 "contend ab reader --a argument=a,b,file=maps --budget 1500ms --margin 1% --alpha "
		 "0.01 --seed 0"},
		/* Terms that are the default are as good as none. */
		{{"reader"},
		 {[TERM_MARGIN] = "2%", [TERM_ALPHA] = "0.05", [TERM_STRICT] = "no"},
		 "contend ab reader --seed 0"},
		{{"reader"},
		 {[TERM_PRIMARY] = "scans"},
		 "contend ab reader --primary scans --seed 0"},
		{{"null", "void"},
		 {[TERM_PRIMARY] = "latency"},
		 "contend ab null void --primary latency --seed 0"},
		{{"null", "void"},
		 {[TERM_PRIMARY] = "void.latency"},
		 "contend ab null void --primary void.latency --seed 0"},
		{{"null", "void", "reader", "Pscans"},
		 {[TERM_PRIMARY] = "void.latency"},
		 "contend ab null void reader --primary void.latency --primary scans --seed 0"},
		{{"reader"}, {[TERM_PRIMARY] = "latency"}, "contend ab reader --seed 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct experiment *e __free(experiment) = asked(&cases[i]);
		char *command __free(memory) = NULL;
		struct error err = {0};

		if (!repeat_command(e, &command, &err))
			fail_msg("%s", err.text);
		assert_string_equal(command, cases[i].command);
	}
}

static void a_single_run(void **state)
{
	static const struct ask ask = {{"reader", "file=smaps"}, {[TERM_SEED] = "5"}, NULL};
	struct experiment *e __free(experiment) = asked(&ask);
	char *command __free(memory) = NULL;
	struct error err = {0};

	(void)state;
	e->plan = PLAN_SINGLE;
	e->arm_count = 1;
	e->pairs = 1;
	assert_true(repeat_command(e, &command, &err));
	assert_string_equal(command, "contend run reader file=smaps");
	free(command);
	e->pairs = 5;
	assert_true(repeat_command(e, &command, &err));
	assert_string_equal(command, "contend run reader file=smaps --runs 5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(caveats),
		cmocka_unit_test(a_single_run),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
