// SPDX-License-Identifier: GPL-2.0-or-later
#include "scratch.h"

#include <math.h>
#include <signal.h>

#include "base/child.h"
#include "base/clock.h"
#include "store/schema.h"

/* What the store keeps beside experiments and runs: sessions, looks, what was set aside. */

static void read_all(struct store *s, int64_t id, struct experiment **e, struct entries *runs,
		     struct history *h)
{
	struct error err = {0};

	if (!store_read_all(s, id, e, runs, h, &err))
		fail_msg("%s", err.text);
}

/* A store as version 1 left it, from the file beside this test. */
static void made_by_version_1(const char *path)
{
	const char *top = getenv("TOP");
	char *from __free(memory) =
		text_format("%s/tests/unit/store/version_1.sql", top ? top : ".");
	struct text statements __text = {0};

	read_bytes(from, &statements);
	sql(path, text_string(&statements));
}

static void check_version_1(struct store *s)
{
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct error err = {0};

	assert_true(store_list(s, &lines, &err));
	assert_int_equal(lines.count, 3);
	assert_string_equal(lines.list[0].how, "planned end");
	assert_int_equal(lines.list[0].runs, 12);
	assert_null(lines.list[0].verdicts);
	assert_null(lines.list[1].how);
	for (int64_t id = 1; id <= 3; id++) {
		struct experiment *e __free(experiment) = NULL;
		struct entries runs __cleanup(entries_done) = {0};
		struct history h __cleanup(history_done) = {0};

		read_all(s, id, &e, &runs, &h);
		assert_int_equal(runs.count, id == 1 ? 12 : id == 2 ? 5 : 1);
		assert_int_equal(h.look_count + h.session_count, 0);
		/* It showed what came of a plan when that ended. */
		assert_int_equal(e->looked, id == 1 ? 6 : 0);
		for (size_t i = 0; i < runs.count; i++)
			assert_false(runs.list[i].set_aside);
	}
}

/* Who only reads changes nothing; who writes brings it up to date, and finds the same. */
static void version_1(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = NULL;
	struct text before __text = {0}, after __text = {0};
	char *version __free(memory) = NULL;
	struct error err = {0};

	(void)state;
	made_by_version_1(path);
	read_bytes(path, &before);
	assert_true(store_open(path, false, &s, &err));
	check_version_1(s);
	store_close(take(s));
	read_bytes(path, &after);
	assert_int_equal(after.length, before.length);
	assert_memory_equal(after.bytes, before.bytes, before.length);

	s = open_store(path);
	check_version_1(s);
	store_close(take(s));
	version = sql_value(path, "PRAGMA user_version");
	assert_int_equal(atoi(version), STORE_VERSION);
	assert_true(store_open(path, false, &s, &err));
	check_version_1(s);
}

/* Two runs in one place, which version 1 did not forbid: the first one counts. */
static void version_1_with_a_run_twice(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	struct history h __cleanup(history_done) = {0};

	(void)state;
	made_by_version_1(path);
	sql(path, "INSERT INTO run (experiment, subject, pair, arm, first, started_ns, ended_ns, "
		  "outcome, reason, record) SELECT experiment, subject, pair, arm, first, "
		  "started_ns, ended_ns, outcome, reason, record FROM run WHERE id = 5");

	struct store *s __free(store) = open_store(path);

	read_all(s, 1, &e, &runs, &h);
	assert_int_equal(runs.count, 13);
	for (size_t i = 0; i < runs.count; i++)
		assert_int_equal(runs.list[i].set_aside, i == 12);
}

static const struct look a_look = {
	.subject = 0,
	.arm = ARM_B,
	.pairs = 7,
	.taken_ns = 1234,
	.level = 0.05,
	.p = 1 / 33.6,
	.evidence = 33.6,
	.estimate = -0.25,
	.low = -INFINITY,
	.high = INFINITY,
};

static void add_look(struct store *s, int64_t pairs, double evidence, const char *verdict)
{
	char rule[] = "e_process";
	char *word __free(memory) = memory_string(verdict);
	struct look l = a_look;
	struct error err = {0};

	l.pairs = pairs;
	l.evidence = evidence;
	l.rule = rule;
	l.verdict = word;
	if (!store_add_looks(s, 1, &l, 1, &err))
		fail_msg("%s", err.text);
}

static void looks(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	struct history h __cleanup(history_done) = {0};
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct error err = {0};

	(void)state;
	add_experiment(s);
	add_look(s, 8, NAN, "undecided");
	add_look(s, 7, 33.6, "undecided");
	/* The same again, as after a kill between a look and the next run. */
	add_look(s, 8, 40, "improved");
	read_all(s, 1, &e, &runs, &h);
	assert_int_equal(h.look_count, 2);
	assert_int_equal(h.looks[0].pairs, 7);
	assert_int_equal(h.looks[1].pairs, 8);
	assert_true(h.looks[1].evidence == 40);
	assert_true(h.looks[1].low == -INFINITY && h.looks[1].high == INFINITY);
	assert_true(h.looks[0].p == a_look.p && h.looks[0].level == a_look.level);
	assert_string_equal(h.looks[1].verdict, "improved");
	assert_ptr_equal(history_last_look(&h, 0, ARM_B), &h.looks[1]);
	assert_null(history_last_look(&h, 1, ARM_B));
	assert_true(store_list(s, &lines, &err));
	assert_string_equal(lines.list[0].verdicts, "improved");
	/* With looks the plan knows no first end. */
	assert_int_equal(e->looked, 0);
}

/* ---- more than two arms ---- */

/* A third arm, as the others are but for its parameters. */
static int64_t add_three_arms(struct store *s)
{
	struct experiment *e __free(experiment) = made_experiment("contend ab made --c tasks=3");
	struct error err = {0};

	e->arm_count = 3;
	e->labels[ARM_C] = memory_string("tasks=3");
	e->subjects[0].params[ARM_C] = json_pack("{s:s}", "tasks", "3");
	if (!store_add_experiment(s, e, &err))
		fail_msg("%s", err.text);
	return e->id;
}

static void three_arms(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	struct history h __cleanup(history_done) = {0};
	struct store_lines lines __cleanup(store_lines_done) = {0};
	int64_t id = add_three_arms(s);
	char rule[] = "e_process", word[] = "improved", other[] = "cleared";
	struct look looks[3] = {a_look, a_look, a_look};
	struct error err = {0};

	(void)state;
	for (int i = 0; i < 5; i++) {
		static const int arms[] = {ARM_C, ARM_A, ARM_B, ARM_A, ARM_C};
		struct run *run __free(run) = made_run(i, 1);
		struct entry entry = {.pair = i / 3, .arm = arms[i], .run = run};

		/* In the second block B rests. */
		entry.arms = i < 3 ? 0 : 1U << ARM_A | 1U << ARM_C;
		if (!store_add_run(s, id, &entry, &err))
			fail_msg("%s", err.text);
	}
	for (int i = 0; i < 3; i++) {
		looks[i].rule = rule;
		looks[i].verdict = i == 1 ? other : word;
	}
	/* C was looked at later than B, and they do not mix. */
	looks[0].arm = ARM_C;
	looks[0].pairs = 6;
	looks[1].arm = ARM_C;
	looks[1].pairs = 9;
	assert_true(store_add_looks(s, id, looks, 3, &err));
	read_all(s, id, &e, &runs, &h);
	assert_int_equal(e->arm_count, 3);
	assert_string_equal(e->labels[ARM_C], "tasks=3");
	assert_int_equal(runs.count, 5);
	assert_int_equal(runs.list[0].arm, ARM_C);
	assert_int_equal(runs.list[0].arms, 0);
	assert_true(entry_has_arm(&runs.list[2], ARM_B));
	assert_int_equal(runs.list[3].arms, 1U << ARM_A | 1U << ARM_C);
	assert_false(entry_has_arm(&runs.list[3], ARM_B));
	assert_int_equal(h.look_count, 3);
	assert_int_equal(h.looks[0].arm, ARM_B);
	assert_int_equal(history_last_look(&h, 0, ARM_C)->pairs, 9);
	assert_int_equal(history_last_look(&h, 0, ARM_B)->pairs, 7);
	assert_true(store_list(s, &lines, &err));
	assert_string_equal(lines.list[0].verdicts, "improved cleared");
}

/* The tables as they were after so many steps, with an experiment, two pairs of runs and looks. */
static void made_by(const char *path, size_t version)
{
	struct experiment *e __free(experiment) = made_experiment("contend ab made");
	json_t *object __free(json) = experiment_to_json(e);
	char *definition __free(memory) = json_line(object);
	struct text statements __text = {0};

	for (size_t i = 0; i < version; i++)
		text_puts(&statements, schema_steps[i]);
	text_printf(&statements, "PRAGMA application_id = %d; PRAGMA user_version = %zu;",
		    STORE_APPLICATION_ID, version);
	text_printf(&statements,
		    "INSERT INTO experiment (id, created_ns, command, definition) VALUES (7, 1, "
		    "'contend ab made', '%s');",
		    definition);
	for (int i = 0; i < 4; i++) {
		struct run *run __free(run) = made_run(i, 1);
		char *record __free(memory) = json_line(run->record);

		text_printf(
			&statements,
			"INSERT INTO run (id, experiment, subject, pair, arm, first, started_ns, "
			"ended_ns, outcome, reason, record) VALUES (%d, 7, 0, %d, '%s', %d, 1, "
			"2, 'ok', '', '%s');",
			10 + i, i / 2, arm_words[i % 2], i % 2, record);
	}
	text_puts(&statements,
		  "INSERT INTO look (experiment, subject, pairs, taken_ns, rule, verdict)"
		  " VALUES (7, 0, 1, 5, 'e_process', 'undecided'),"
		  " (7, 0, 2, 6, 'e_process', 'improved');");
	sql(path, text_string(&statements));
}

static void check_two_arms(struct store *s)
{
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	struct history h __cleanup(history_done) = {0};
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct error err = {0};

	read_all(s, 7, &e, &runs, &h);
	assert_int_equal(e->arm_count, 2);
	assert_int_equal(runs.count, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(runs.list[i].id, 10 + i);
		assert_int_equal(runs.list[i].pair, i / 2);
		assert_int_equal(runs.list[i].arm, i % 2);
		assert_int_equal(runs.list[i].first, i % 2);
		assert_int_equal(runs.list[i].arms, 0);
		assert_int_equal(runs.list[i].run->outcome, OUTCOME_OK);
	}
	assert_int_equal(h.look_count, 2);
	assert_int_equal(h.looks[1].arm, ARM_B);
	assert_int_equal(h.looks[1].taken_ns, 6);
	assert_true(store_list(s, &lines, &err));
	assert_string_equal(lines.list[0].verdicts, "improved");
}

/* Versions 2 and 3 knew two arms: read as they are, and brought up to date by whoever writes. */
static void versions_of_two_arms(void **state)
{
	(void)state;
	for (size_t version = 2; version <= 3; version++) {
		char *name __free(memory) = text_format("%zu.db", version);
		char *path __free(memory) = in_scratch(name);
		struct store *s __free(store) = NULL;
		struct text before __text = {0}, after __text = {0};
		char *of_file __free(memory) = NULL;
		struct error err = {0};
		int64_t id;

		made_by(path, version);
		read_bytes(path, &before);
		if (!store_open(path, false, &s, &err))
			fail_msg("%s", err.text);
		check_two_arms(s);
		store_close(take(s));
		read_bytes(path, &after);
		assert_int_equal(after.length, before.length);
		assert_memory_equal(after.bytes, before.bytes, before.length);
		s = open_store(path);
		check_two_arms(s);
		/* A place has one run, as before, and numbers go on. */
		assert_false(try_add(s, 7, 0, 1, &id, &err));
		assert_true(try_add(s, 7, 2, 1, &id, &err));
		assert_int_equal(id, 14);
		add_three_arms(s);
		store_close(take(s));
		of_file = sql_value(path, "PRAGMA user_version");
		assert_int_equal(atoi(of_file), STORE_VERSION);
	}
}

static void sessions(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	struct history h __cleanup(history_done) = {0};
	char version[] = "0.1.0", agent[] = "0.1.0 build 5f";
	struct session session = {.version = version, .agent = agent, .pairs = 40};
	struct error err = {0};
	int64_t set_aside[2], nowhere = 4711;

	(void)state;
	add_experiment(s);
	assert_true(store_add_session(s, 1, &session, NULL, 0, &err));
	set_aside[0] = add_run(s, 1, 0);
	set_aside[1] = add_run(s, 1, 1);
	add_run(s, 1, 2);
	assert_true(store_end_experiment(s, 1, "interrupted", &err));
	session.pairs = 80;
	session.beyond = true;
	assert_true(store_add_session(s, 1, &session, set_aside, 2, &err));
	read_all(s, 1, &e, &runs, &h);
	/* Taken up, it has not ended, and its room is the last session's. */
	assert_null(h.how);
	assert_int_equal(e->pairs, 80);
	assert_int_equal(h.session_count, 2);
	assert_int_equal(h.sessions[0].pairs, 40);
	assert_true(h.sessions[1].beyond);
	assert_string_equal(h.sessions[1].agent, agent);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(runs.list[i].set_aside, i < 2);
	/* The place of a run that was set aside is free, that of another is not. */
	add_run(s, 1, 0);
	assert_false(try_add(s, 1, 2, 10, &nowhere, &err));
	assert_non_null(strstr(err.text, "another process"));
	/* All or nothing. */
	assert_false(store_add_session(s, 1, &session, &nowhere, 1, &err));
	assert_false(store_add_session(s, 7, &session, NULL, 0, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	experiment_free(take(e));
	entries_done(&runs);
	history_done(&h);
	read_all(s, 1, &e, &runs, &h);
	assert_int_equal(h.session_count, 2);
	assert_int_equal(runs.count, 4);
}

/* One process at a time runs an experiment; the claim ends with the process, however that ends. */
static void claims(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	struct child child;
	struct error err = {0};
	int said[2], status = -1;
	char byte;

	(void)state;
	add_experiment(s);
	store_close(take(s));
	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	switch (child_fork(&child, &err)) {
	case 0:
		s = open_store(path);
		if (!store_claim(s, 1, &err) || write(said[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	case -1:
		fail_msg("%s", err.text);
	}
	assert_int_equal(read(said[0], &byte, 1), 1);
	s = open_store(path);
	assert_true(store_claim(s, 2, &err));
	assert_false(store_claim(s, 1, &err));
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_non_null(strstr(err.text, "another process runs experiment 1"));
	kill(child.pid, SIGKILL);
	while (!child_reap(&child, clock_now_ns() + NS_PER_SEC, &status))
		;
	child_done(&child);
	assert_true(store_claim(s, 1, &err));
	close(said[0]);
	close(said[1]);
}

/* Whoever wants to stop does not wait for another program that sits on the store. */
static void stops_waiting(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	sqlite3 *other = sql_open(path);
	struct error err = {0};
	int64_t id;
	int stop[2];

	(void)state;
	add_experiment(s);
	sql_run(other, "BEGIN IMMEDIATE");
	assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
	store_stop_on(stop[0]);
	assert_int_equal(write(stop[1], "", 1), 1);
	assert_false(try_add(s, 1, 0, 10, &id, &err));
	assert_int_equal(err.code, ERROR_INTERRUPTED);
	assert_non_null(strstr(err.text, "stopped"));
	/* Where nobody is in the way all goes on, so that the end can be written. */
	sql_run(other, "COMMIT");
	assert_true(try_add(s, 1, 0, 10, &id, &err));
	store_stop_on(-1);
	sqlite3_close(other);
	close(stop[0]);
	close(stop[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(version_1),
		SCRATCH_TEST(version_1_with_a_run_twice),
		SCRATCH_TEST(versions_of_two_arms),
		SCRATCH_TEST(three_arms),
		SCRATCH_TEST(looks),
		SCRATCH_TEST(sessions),
		SCRATCH_TEST(claims),
		SCRATCH_TEST(stops_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
