// SPDX-License-Identifier: GPL-2.0-or-later
#include "scratch.h"

#include "base/child.h"
#include "base/clock.h"

static void expect_same_run(const struct entry *got, const struct entry *put)
{
	assert_int_equal(got->id, put->id);
	assert_int_equal(got->subject, put->subject);
	assert_int_equal(got->pair, put->pair);
	assert_int_equal(got->arm, put->arm);
	assert_int_equal(got->first, put->first);
	assert_int_equal(got->run->outcome, put->run->outcome);
	assert_string_equal(got->run->reason, put->run->reason);
	assert_int_equal(got->run->started_ns, put->run->started_ns);
	assert_int_equal(got->run->ended_ns, put->run->ended_ns);
	assert_true(put->run->record ? json_equal(got->run->record, put->run->record)
				     : !got->run->record);
}

static void round_trip(void **state)
{
	char *path __free(memory) = in_scratch("a/b/store.db");
	struct experiment *e __free(experiment) = made_experiment("contend ab made --seed 'x'\n");
	struct experiment *got __free(experiment) = NULL;
	struct entries put __cleanup(entries_done) = {0};
	struct entries runs __cleanup(entries_done) = {0};
	char *how __free(memory) = NULL;
	struct error err = {0};

	(void)state;
	entries_add(&put, (struct entry){.arm = ARM_B, .first = true, .run = made_run(7, 100000)});
	entries_add(&put, (struct entry){.arm = ARM_A, .run = made_run(INT64_MAX - 2000, 0)});
	entries_add(&put, (struct entry){
				  .pair = 1,
				  .arm = ARM_A,
				  .run = run_without_record(OUTCOME_CRASHED,
							    "agent killed by SIGSEGV, \"so\" \xff"),
			  });
	entries_add(&put, (struct entry){
				  .pair = EXPERIMENT_PAIRS_MAX - 1,
				  .arm = ARM_B,
				  .run = run_without_record(OUTCOME_TIMEOUT, "late"),
			  });
	/* A run that came with a record and was judged otherwise. */
	entries_add(&put, (struct entry){.pair = 2, .arm = ARM_A, .run = made_run(1, 1)});
	put.list[4].run->outcome = OUTCOME_INVALID;
	free(put.list[4].run->reason);
	put.list[4].run->reason = memory_string("not as asked");

	struct store *s __free(store) = open_store(path);

	assert_string_equal(store_path(s), path);
	assert_true(store_add_experiment(s, e, &err));
	assert_int_equal(e->id, 1);
	for (size_t i = 0; i < put.count; i++)
		assert_true(store_add_run(s, e->id, &put.list[i], &err));
	assert_true(store_end_experiment(s, e->id, "interrupted", &err));
	assert_true(store_end_experiment(s, e->id, "planned end", &err));

	/* Again by another opener, after the first one has closed it. */
	for (int again = 0; again < 2; again++) {
		json_t *a __free(json) = NULL;
		json_t *b __free(json) = NULL;

		assert_true(store_read(s, e->id, &got, &runs, &how, &err));
		a = experiment_to_json(e);
		b = experiment_to_json(got);
		assert_true(json_equal(a, b));
		assert_int_equal(got->id, e->id);
		assert_int_equal(got->seed, e->seed);
		assert_string_equal(how, "planned end");
		assert_int_equal(runs.count, put.count);
		for (size_t i = 0; i < put.count; i++)
			expect_same_run(&runs.list[i], &put.list[i]);

		experiment_free(take(got));
		entries_done(&runs);
		free(take(how));
		store_close(take(s));
		assert_true(store_open(path, false, &s, &err));
	}
}

static void folders_are_private(void **state)
{
	char *path __free(memory) = in_scratch("a/b/store.db");
	char *a __free(memory) = in_scratch("a");
	char *b __free(memory) = in_scratch("a/b");
	struct stat st;

	(void)state;
	store_close(open_store(path));
	assert_int_equal(stat(a, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_int_equal(stat(b, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	/* And closing leaves the one file that can be mailed. */
	assert_int_equal(count_files(b), 1);
}

static void tables_are_as_promised(void **state)
{
	static const struct {
		const char *query, *value;
	} cases[] = {
		{"PRAGMA journal_mode", "wal"},
		{"PRAGMA user_version", "4"},
		{"SELECT printf('%x', application_id) FROM pragma_application_id", "636e7464"},
		{"SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE "
		 "'sqlite_%' AND NOT strict",
		 "0"},
		{"SELECT group_concat(name, ' ') FROM pragma_table_list WHERE strict",
		 "look run calibration session experiment"},
	};
	char *path __free(memory) = in_scratch("store.db");

	(void)state;
	store_close(open_store(path));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *value __free(memory) = sql_value(path, cases[i].query);

		assert_string_equal(value, cases[i].value);
	}
}

static void list(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct error err = {0};

	(void)state;
	assert_true(store_list(s, &lines, &err));
	assert_int_equal(lines.count, 0);
	add_run(s, add_experiment(s), 0);
	add_experiment(s);
	add_run(s, 1, 1);
	assert_true(store_end_experiment(s, 1, "decided", &err));
	assert_true(store_list(s, &lines, &err));
	assert_int_equal(lines.count, 2);
	assert_int_equal(lines.list[0].id, 1);
	assert_int_equal(lines.list[0].runs, 2);
	assert_int_equal(lines.list[0].created_ns, INT64_C(1700000000123456789));
	assert_string_equal(lines.list[0].command, "contend ab made");
	assert_string_equal(lines.list[0].how, "decided");
	assert_int_equal(lines.list[1].id, 2);
	assert_int_equal(lines.list[1].runs, 0);
	assert_null(lines.list[1].how);
}

static void numbers_are_never_used_again(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);

	(void)state;
	assert_int_equal(add_experiment(s), 1);
	assert_int_equal(add_run(s, 1, 0), 1);
	assert_int_equal(add_run(s, 1, 1), 2);
	sql(path, "DELETE FROM run; DELETE FROM experiment");
	assert_int_equal(add_experiment(s), 2);
	assert_int_equal(add_run(s, 2, 0), 3);
}

static void unknown_experiments(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	char *message __free(memory) = text_format("store %s has no experiment 7", path);
	struct store *s __free(store) = open_store(path);
	struct experiment *e = NULL;
	struct entries runs = {0};
	char *how = NULL;
	struct error err = {0};
	int64_t id = -5;

	(void)state;
	add_experiment(s);
	assert_false(store_read(s, 7, &e, &runs, &how, &err));
	assert_string_equal(err.text, message);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_null(e);
	assert_null(how);

	assert_false(store_end_experiment(s, 7, "decided", &err));
	assert_string_equal(err.text, message);

	assert_false(try_add(s, 7, 0, 0, &id, &err));
	assert_string_equal(err.text, message);
	assert_int_equal(id, -5);

	/* None of them left a transaction open: another process could write at once. */
	sql(path, "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; COMMIT");
	add_run(s, 1, 0);
	expect_runs(s, 1, 1);
}

static void reading_creates_nothing(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	char *deep __free(memory) = in_scratch("a/store.db");
	struct error err;

	(void)state;
	expect_refusal(path, false, &err);
	assert_int_equal(err.code, ERROR_USAGE);
	expect_refusal(deep, false, &err);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(count_files(scratch), 0);
}

static void an_empty_file_may_become_a_store(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct error err;
	struct stat st;

	(void)state;
	write_bytes(path, "", 0);
	expect_refusal(path, false, &err);
	assert_int_equal(err.code, ERROR_DATA);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(count_files(scratch), 1);

	struct store *s __free(store) = open_store(path);

	add_run(s, add_experiment(s), 0);
	expect_runs(s, 1, 1);
}

/* Names that mean something else to SQLite. */
static void names_are_names(void **state)
{
	static const char *const names[] = {
		":memory:", "file:x?mode=memory", "file::memory:", "a?immutable=1#%41", "-", " ",
	};
	char *before __free(memory) = get_current_dir_name();

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct store *s __free(store) = open_store(names[i]);
		struct stat st;

		add_run(s, add_experiment(s), 0);
		assert_int_equal(stat(names[i], &st), 0);
		store_close(take(s));
		s = open_store(names[i]);
		expect_runs(s, 1, 1);
	}
	assert_int_equal(count_files("."), sizeof(names) / sizeof(*names));
	assert_int_equal(chdir(before), 0);
}

/* What the kernel says that anybody has locked of a file. */
static size_t count_locks(const char *path)
{
	struct text locks __text = {0};
	char *mark __free(memory) = NULL;
	size_t count = 0;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	mark = text_format(":%llu ", (unsigned long long)st.st_ino);
	read_bytes("/proc/locks", &locks);
	for (const char *at = text_string(&locks); (at = strstr(at, mark)); at++)
		count++;
	return count;
}

static void two_openers(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *a __free(store) = open_store(path);
	struct store *b __free(store) = open_store(path);
	size_t locks;

	(void)state;
	assert_int_equal(add_experiment(a), 1);
	assert_int_equal(add_experiment(b), 2);
	for (int i = 0; i < 10; i++) {
		add_run(i % 2 ? a : b, 1, i);
		expect_runs(i % 2 ? b : a, 1, (size_t)i + 1);
	}
	/* A third one that comes and goes must not take the others' locks with it. */
	assert_true(locks = count_locks(path));
	store_close(open_store(path));
	assert_int_equal(count_locks(path), locks);
	store_close(take(a));
	add_run(b, 1, 10);
	expect_runs(b, 1, 11);
}

/* What a process of the next test does; its exit status. */
static int add_many(const char *path, int64_t first, int64_t count)
{
	struct store *s __free(store) = NULL;
	struct error err = {0};
	int64_t id;

	for (int64_t i = first; i < first + count; i++) {
		/* Opened again and again: making the tables is part of the race. */
		store_close(take(s));
		if (!store_open(path, true, &s, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		if (i == first) {
			struct experiment *e __free(experiment) = made_experiment("x");

			if (!store_add_experiment(s, e, &err))
				return 2;
		}
		for (int64_t experiment = 1; experiment <= 1; experiment++) {
			if (!try_add(s, experiment, i, 5000, &id, &err)) {
				fprintf(stderr, "%s\n", err.text);
				return 3;
			}
		}
	}
	return 0;
}

static void many_processes(void **state)
{
	enum { PROCESSES = 4, RUNS = 25, ROUNDS = 5 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		char *name __free(memory) = text_format("store-%d.db", round);
		char *path __free(memory) = in_scratch(name);
		struct child children[PROCESSES];
		struct error err = {0};

		for (int i = 0; i < PROCESSES; i++) {
			switch (child_fork(&children[i], &err)) {
			case 0:
				_exit(add_many(path, i * RUNS, RUNS));
			case -1:
				fail_msg("%s", err.text);
			}
		}
		for (int i = 0; i < PROCESSES; i++) {
			int status = -1;

			while (!child_reap(&children[i], clock_now_ns() + NS_PER_SEC, &status))
				;
			assert_string_equal(child_status_text(status), "exit status 0");
			child_done(&children[i]);
		}

		char *runs __free(memory) =
			sql_value(path, "SELECT count(DISTINCT pair) || ' ' || count(*) FROM run");
		char *experiments __free(memory) =
			sql_value(path, "SELECT count(*) FROM experiment");
		char *check __free(memory) = sql_value(path, "PRAGMA integrity_check");

		assert_string_equal(runs, "100 100");
		assert_string_equal(experiments, "4");
		assert_string_equal(check, "ok");
	}
}

static void waits_for_a_lock(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	int locked[2], status = -1;
	struct child child;
	struct error err = {0};
	char byte;

	(void)state;
	add_experiment(s);
	/* A connection must not be carried into a child. */
	store_close(take(s));
	assert_int_equal(pipe2(locked, O_CLOEXEC), 0);
	switch (child_fork(&child, &err)) {
	case 0: {
		sqlite3 *db = sql_open(path);

		sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
		if (write(locked[1], "x", 1) != 1)
			_exit(1);
		clock_sleep_until(clock_now_ns() + 300 * NS_PER_MS);
		sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
		_exit(0);
	}
	case -1:
		fail_msg("%s", err.text);
	}
	assert_int_equal(read(locked[0], &byte, 1), 1);
	s = open_store(path);
	add_run(s, 1, 0);
	expect_runs(s, 1, 1);
	while (!child_reap(&child, clock_now_ns() + NS_PER_SEC, &status))
		;
	assert_int_equal(status, 0);
	child_done(&child);
	close(locked[0]);
	close(locked[1]);
}

static void default_path(void **state)
{
	static const struct {
		const char *store, *data, *home, *path;
	} cases[] = {
		{"x.db", "/data", "/home/me", "x.db"},
		{NULL, "/data", "/home/me", "/data/contend/store.db"},
		{"", "/data", NULL, "/data/contend/store.db"},
		{NULL, "relative", "/home/me", "/home/me/.local/share/contend/store.db"},
		{NULL, "", "/home/me", "/home/me/.local/share/contend/store.db"},
		{NULL, NULL, "/home/me", "/home/me/.local/share/contend/store.db"},
		{NULL, NULL, "", NULL},
		{NULL, NULL, NULL, NULL},
	};
	static const char *const names[] = {"CONTEND_STORE", "XDG_DATA_HOME", "HOME"};
	char *saved[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		saved[i] = memory_string(getenv(names[i]));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *const values[] = {cases[i].store, cases[i].data, cases[i].home};
		char *path __free(memory) = NULL;
		struct error err = {0};

		for (int k = 0; k < 3; k++) {
			if (values[k])
				setenv(names[k], values[k], 1);
			else
				unsetenv(names[k]);
		}
		path = store_default_path(&err);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
		assert_int_equal(err.code, cases[i].path ? ERROR_NONE : ERROR_USAGE);
	}
	for (int i = 0; i < 3; i++) {
		if (saved[i])
			setenv(names[i], saved[i], 1);
		else
			unsetenv(names[i]);
		free(saved[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(round_trip),
		SCRATCH_TEST(folders_are_private),
		SCRATCH_TEST(tables_are_as_promised),
		SCRATCH_TEST(list),
		SCRATCH_TEST(numbers_are_never_used_again),
		SCRATCH_TEST(unknown_experiments),
		SCRATCH_TEST(reading_creates_nothing),
		SCRATCH_TEST(an_empty_file_may_become_a_store),
		SCRATCH_TEST(names_are_names),
		SCRATCH_TEST(two_openers),
		SCRATCH_TEST(many_processes),
		SCRATCH_TEST(waits_for_a_lock),
		cmocka_unit_test(default_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
