// SPDX-License-Identifier: GPL-2.0-or-later
#include "scratch.h"

#include "base/random.h"

/* A store of several pages of every kind, its bytes in *ret: long records have overflow pages. */
static void made_bytes(struct text *ret)
{
	char *path __free(memory) = in_scratch("made.db");
	struct store *s __free(store) = open_store(path);
	struct error err = {0};
	int64_t id;

	for (int i = 0; i < 12; i++) {
		add_experiment(s);
		assert_true(try_add(s, 1, i, i == 6 ? 10000 : 100, &id, &err));
	}
	store_close(take(s));
	read_bytes(path, ret);
	assert_int_equal(remove(path), 0);
}

/* Removes what SQLite leaves beside a file. */
static void remove_beside(const char *path)
{
	static const char *const tails[] = {"-wal", "-shm", "-journal"};

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		char *name __free(memory) = text_format("%s%s", path, tails[i]);

		remove(name);
	}
}

static void expect_bytes(const char *path, const struct text *bytes)
{
	struct text now __text = {0};

	read_bytes(path, &now);
	assert_int_equal(now.length, bytes->length);
	if (bytes->length)
		assert_memory_equal(now.bytes, bytes->bytes, bytes->length);
}

/*
 * Asserts that a file is refused for the reason given, for reading and for writing, with nothing
 * changed in it or in what lies beside it, and nothing new (but an index of a log).
 */
static void refused_unchanged(const char *path, enum error_code code, const char *reason)
{
	char *log_path __free(memory) = text_format("%s-wal", path);
	char *journal_path __free(memory) = text_format("%s-journal", path);
	bool has_log = !access(log_path, F_OK), has_journal = !access(journal_path, F_OK);
	struct text file __text = {0};
	struct text log __text = {0};
	struct text journal __text = {0};
	size_t count = count_files(scratch);

	read_bytes(path, &file);
	if (has_log)
		read_bytes(log_path, &log);
	if (has_journal)
		read_bytes(journal_path, &journal);
	for (int create = 0; create < 2; create++) {
		struct error err;

		expect_refusal(path, create, &err);
		if (!strstr(err.text, reason))
			fail_msg("'%s' does not say '%s'", err.text, reason);
		assert_int_equal(err.code, code);
		expect_bytes(path, &file);
		if (has_log)
			expect_bytes(log_path, &log);
		if (has_journal)
			expect_bytes(journal_path, &journal);
		if (!has_log)
			assert_int_equal(count_files(scratch), count);
	}
}

static void no_database(void **state)
{
	static const size_t sizes[] = {1, 15, 16, 99, 100, 101, 511, 4096, 100000};
	static const char text[] =
		"# Not a store\n\nBut a text of more than a hundred bytes, which somebody named by "
		"mistake, as one may.\n";
	char *path __free(memory) = in_scratch("store.db");
	unsigned char *bytes __free(memory) = memory_alloc(100000);
	struct random r;

	(void)state;
	random_seed(&r, 4021, 0);
	write_bytes(path, text, strlen(text));
	refused_unchanged(path, ERROR_DATA, "nor any database");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (size_t k = 0; k < sizes[i]; k++)
			bytes[k] = (unsigned char)random_next(&r);
		write_bytes(path, bytes, sizes[i]);
		refused_unchanged(path, ERROR_DATA, "nor any database");
		/* All zero: what a machine that lost power may leave. */
		memset(bytes, 0, sizes[i]);
		write_bytes(path, bytes, sizes[i]);
		refused_unchanged(path, ERROR_DATA, "nor any database");
	}
}

/* The right first bytes, and then anything. */
static void only_a_header(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct text good __text = {0};
	struct random r;

	(void)state;
	made_bytes(&good);
	random_seed(&r, 4021, 1);
	for (size_t keep = 16; keep <= 100; keep += 4) {
		struct text bytes __text = {0};

		text_append(&bytes, good.bytes, keep);
		while (bytes.length < 20000) {
			char byte = (char)random_next(&r);

			text_append(&bytes, &byte, 1);
		}
		write_bytes(path, bytes.bytes, bytes.length);
		refused_unchanged(path, ERROR_DATA, "store");
	}
}

static void truncated(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct text good __text = {0};

	(void)state;
	made_bytes(&good);
	for (size_t length = 1; length < good.length; length += length < 120 ? 1 : 509) {
		write_bytes(path, good.bytes, length);
		refused_unchanged(path, ERROR_DATA,
				  length < 100 ? "nor any database" : "is damaged");
	}
	for (size_t length = 4096; length < good.length; length += 4096) {
		write_bytes(path, good.bytes, length);
		refused_unchanged(path, ERROR_DATA, "`sqlite3 ");
	}
}

/*
 * Opens, reads and writes a damaged store. Whatever is noticed must be said; returns whether
 * something was.
 */
static bool use_damaged(const char *path, bool create)
{
	struct store *s __free(store) = NULL;
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	char *how __free(memory) = NULL;
	struct error err = {0};
	bool noticed;
	int64_t id;

	if (!store_open(path, create, &s, &err)) {
		assert_non_null(strstr(err.text, "store"));
		assert_int_not_equal(err.code, ERROR_NONE);
		return true;
	}
	noticed = !store_list(s, &lines, &err);
	noticed |= !store_read(s, 1, &e, &runs, &how, &err);
	noticed |= runs.count != 12;
	for (size_t i = 0; i < runs.count; i++)
		noticed |= runs.list[i].run->outcome != OUTCOME_OK;
	if (create)
		noticed |= !try_add(s, 1, 12, 10000, &id, &err);
	if (err.code != ERROR_NONE)
		assert_int_not_equal(strlen(err.text), 0);
	return noticed;
}

static void flipped_bytes(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct text good __text = {0};
	size_t noticed = 0, tried = 0;

	(void)state;
	made_bytes(&good);
	for (size_t at = 16; at < good.length; at += at < 4096 ? 31 : 97) {
		good.bytes[at] ^= (char)0xff;
		for (int create = 0; create < 2; create++) {
			write_bytes(path, good.bytes, good.length);
			noticed += use_damaged(path, create);
			tried++;
			remove_beside(path);
		}
		good.bytes[at] ^= (char)0xff;
	}
	/* Most of the file is text, free space and numbers, in which nobody can see a mistake. */
	assert_in_range(noticed, tried / 10, tried);
}

static void lost_pages(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct text good __text = {0};
	size_t only_read = 0;
	struct random r;

	(void)state;
	made_bytes(&good);
	assert_true(good.length >= 8 * 4096);
	random_seed(&r, 4021, 2);
	for (size_t page = 0; page < good.length / 4096; page++) {
		char *at = good.bytes + page * 4096;
		char saved[4096];

		memcpy(saved, at, sizeof(saved));
		for (int noise = 0; noise < 2; noise++) {
			struct store *s = NULL;
			struct error err = {0};

			for (size_t i = 0; i < sizeof(saved); i++)
				at[i] = noise ? (char)random_next(&r) : '\0';
			write_bytes(path, good.bytes, good.length);
			if (store_open(path, true, &s, &err)) {
				/* The end of a long text: its reader must notice. */
				store_close(s);
				assert_true(use_damaged(path, false));
				only_read++;
			} else {
				assert_int_equal(err.code, ERROR_DATA);
				expect_bytes(path, &good);
				use_damaged(path, false);
			}
			remove_beside(path);
		}
		memcpy(at, saved, sizeof(saved));
	}
	/* Any other loss is noticed before the first run. */
	assert_int_equal(only_read, 1);
}

static void other_programs(void **state)
{
	static const char *const made[] = {
		"CREATE TABLE t (x)",
		"PRAGMA application_id = 1; CREATE TABLE t (x)",
		"PRAGMA application_id = 1; PRAGMA user_version = 1; VACUUM",
		"PRAGMA user_version = 1; CREATE TABLE run (x); CREATE TABLE experiment (x)",
		"VACUUM",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		char *name __free(memory) = text_format("%zu.db", i);
		char *path __free(memory) = in_scratch(name);

		sql(path, made[i]);
		refused_unchanged(path, ERROR_DATA, "another program's");
	}
}

/* Copies a database that is in use, as a killed program would leave it. */
static char *copy_in_use(const char *from, const char *tail)
{
	char *path = in_scratch("killed.db");
	char *from_tail __free(memory) = text_format("%s%s", from, tail);
	char *to_tail __free(memory) = text_format("%s%s", path, tail);

	copy_file(from, path);
	copy_file(from_tail, to_tail);
	return path;
}

/* Even to look into such a file as SQLite does would replay its log or journal. */
static void other_programs_that_were_killed(void **state)
{
	static const struct {
		const char *sql, *tail;
	} cases[] = {
		{"PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)", "-wal"},
		{"CREATE TABLE t (x); PRAGMA cache_size = 1; BEGIN;"
		 "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)"
		 "INSERT INTO t SELECT zeroblob(20000) FROM n",
		 "-journal"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name __free(memory) = text_format("%zu.db", i);
		char *path __free(memory) = in_scratch(name);
		sqlite3 *db = sql_open(path);

		sql_run(db, cases[i].sql);
		char *copy __free(memory) = copy_in_use(path, cases[i].tail);

		refused_unchanged(copy, ERROR_DATA, "another program's");
		sqlite3_close(db);
		remove_beside(copy);
	}
}

static void newer_version(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	char *message __free(memory) = text_format(
		"store %s has version 5, this program reads up to 4: use a newer contend", path);

	(void)state;
	store_close(open_store(path));
	sql(path, "PRAGMA user_version = 5; CREATE TABLE novelty (x)");
	refused_unchanged(path, ERROR_DATA, message);
}

/* The version is in the log of a killed program, the file itself still has the old one. */
static void newer_version_in_the_log(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	sqlite3 *db;

	(void)state;
	store_close(open_store(path));
	db = sql_open(path);
	sql_run(db, "PRAGMA user_version = 5; CREATE TABLE novelty (x)");
	char *copy __free(memory) = copy_in_use(path, "-wal");

	refused_unchanged(copy, ERROR_DATA, "has version 5, this program reads up to 4");
	sqlite3_close(db);
}

static void odd_tables(void **state)
{
	static const char *const changes[] = {
		"ALTER TABLE run RENAME TO gun",
		"ALTER TABLE run RENAME COLUMN record TO cord",
		"DROP TABLE run",
		"ALTER TABLE run RENAME TO gun; CREATE VIEW run AS SELECT * FROM gun",
	};
	char *path __free(memory) = in_scratch("store.db");

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		store_close(open_store(path));
		sql(path, changes[i]);
		refused_unchanged(path, ERROR_DATA, "is damaged (");
		assert_int_equal(remove(path), 0);
	}
}

/* A store that came by mail may hold more than tables. */
static void hostile_tables(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);

	(void)state;
	add_run(s, add_experiment(s), 0);
	store_close(take(s));
	sql(path,
	    "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END;"
	    "CREATE TRIGGER u AFTER INSERT ON experiment BEGIN SELECT RAISE(FAIL, 'u'); END;");
	s = open_store(path);
	add_experiment(s);
	add_run(s, 1, 1);
	expect_runs(s, 1, 2);
}

/* Rows that SQLite has no fault to find with. */
static void damaged_rows(void **state)
{
	static const struct {
		const char *sql, *said; /* said of run 2; NULL: as before */
		enum outcome outcome;
	} cases[] = {
		{"SELECT 1", "", OUTCOME_OK},
		{"UPDATE run SET record = substr(record, 1, 20) WHERE id = 2",
		 "its record in the store is damaged: line 1", OUTCOME_FAILED},
		{"UPDATE run SET record = replace(record, '}', char(0)) WHERE id = 2",
		 "its record in the store is damaged: line 1", OUTCOME_FAILED},
		{"UPDATE run SET record = '' WHERE id = 2", "its record in the store is damaged",
		 OUTCOME_FAILED},
		{"UPDATE run SET record = '[]' WHERE id = 2",
		 "its record in the store is damaged: run record: ", OUTCOME_FAILED},
		{"UPDATE run SET record = NULL WHERE id = 2", "it has no record in the store",
		 OUTCOME_FAILED},
		{"UPDATE run SET record = '{\"outcome\":\"failed\",\"reason\":\"x\"}' WHERE id = 2",
		 "its record in the store is not of an ok run", OUTCOME_FAILED},
		{"UPDATE run SET record = NULL, outcome = 'failed', reason = 'y' WHERE id = 2", "y",
		 OUTCOME_FAILED},
		{"UPDATE run SET outcome = 'invalid', reason = 'z' WHERE id = 2", "z",
		 OUTCOME_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name __free(memory) = text_format("%zu.db", i);
		char *path __free(memory) = in_scratch(name);
		struct store *s __free(store) = open_store(path);
		struct experiment *e __free(experiment) = NULL;
		struct entries runs __cleanup(entries_done) = {0};
		char *how __free(memory) = NULL;
		struct error err = {0};

		add_experiment(s);
		for (int k = 0; k < 3; k++)
			add_run(s, 1, k);
		sql(path, cases[i].sql);
		if (!store_read(s, 1, &e, &runs, &how, &err))
			fail_msg("%s", err.text);
		assert_int_equal(runs.count, 3);
		assert_int_equal(runs.list[0].run->outcome, OUTCOME_OK);
		assert_int_equal(runs.list[2].run->outcome, OUTCOME_OK);
		assert_int_equal(runs.list[1].run->outcome, cases[i].outcome);
		assert_int_equal(runs.list[1].pair, 1);
		if (!text_starts(runs.list[1].run->reason, cases[i].said))
			fail_msg("'%s' is not '%s'", runs.list[1].run->reason, cases[i].said);
	}
}

/* A file that says it is a store and is none of ours stays as it is, its journal mode too. */
static void not_quite_a_store(void **state)
{
	static const char *const cases[] = {
		"CREATE TABLE run (x); CREATE TABLE experiment (x);",
		"CREATE TABLE t (x);",
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		char *name __free(memory) = text_format("%zu.db", i);
		char *path __free(memory) = in_scratch(name);
		char *made __free(memory) =
			text_format("%s PRAGMA application_id = %d; PRAGMA user_version = %d",
				    cases[i / 2], STORE_APPLICATION_ID, i % 2 ? STORE_VERSION : 1);
		struct text before __text = {0};
		struct error err;

		sql(path, made);
		read_bytes(path, &before);
		expect_refusal(path, false, &err);
		expect_refusal(path, true, &err);
		expect_bytes(path, &before);
	}
}

/* The reason is what was found, not where. */
static void says_what_is_damaged(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct text bytes __text = {0};
	struct error err;

	(void)state;
	made_bytes(&bytes);
	write_bytes(path, bytes.bytes, bytes.length);
	/* Of the index on runs one entry is lost, which only a check finds. */
	sql(path, "PRAGMA writable_schema = ON;"
		  "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
		  "WHERE name = 'session') WHERE name = 'look'");
	expect_refusal(path, true, &err);
	assert_null(strstr(err.text, "***"));
	if (!strstr(err.text, "is damaged ("))
		fail_msg("%s", err.text);
}

/* Numbers that nobody would add up unharmed: no run takes a week, none ends before it begins. */
static void extreme_stamps(void **state)
{
	static const char *const cases[] = {
		"started_ns = -9223372036854775808, ended_ns = 9223372036854775807",
		"started_ns = 0, ended_ns = 9223372036854775807",
		"started_ns = 9223372036854775807, ended_ns = -1",
	};
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);

	(void)state;
	add_run(s, add_experiment(s), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct experiment *e __free(experiment) = NULL;
		struct entries runs __cleanup(entries_done) = {0};
		char *how __free(memory) = NULL;
		char *change __free(memory) = text_format("UPDATE run SET %s", cases[i]);
		struct error err;

		sql(path, change);
		assert_true(store_read(s, 1, &e, &runs, &how, &err));
		assert_int_equal(runs.list[0].run->started_ns, 0);
		assert_int_equal(runs.list[0].run->ended_ns, 0);
	}
}

/* Where it cannot be known what a run or an experiment was. */
static void unreadable_rows(void **state)
{
	static const struct {
		const char *sql, *said;
	} cases[] = {
		{"UPDATE experiment SET definition = substr(definition, 1, 40)",
		 "experiment 1 is damaged: line 1"},
		{"UPDATE experiment SET definition = '{}'",
		 "experiment 1 is damaged: experiment: "},
		{"UPDATE run SET arm = 'E'", "experiment 1: run 1 is damaged: unknown word 'E'"},
		{"UPDATE run SET outcome = 'great'",
		 "experiment 1: run 1 is damaged: unknown word 'great'"},
		{"UPDATE run SET subject = 1",
		 "experiment 1: run 1 is damaged (subject 1, pair 0, arm A)"},
		{"UPDATE run SET subject = -1",
		 "experiment 1: run 1 is damaged (subject -1, pair 0, arm A)"},
		{"UPDATE run SET pair = -1",
		 "experiment 1: run 1 is damaged (subject 0, pair -1, arm A)"},
		{"UPDATE run SET pair = 9223372036854775807",
		 "experiment 1: run 1 is damaged (subject 0, pair 9223372036854775807, arm A)"},
		{"UPDATE experiment SET definition = json_set(definition, '$.alpha', 0)",
		 "experiment 1 is damaged: experiment: margin 0.02, alpha 0"},
		{"UPDATE experiment SET definition = json_set(definition, '$.pairs', "
		 "9223372036854775807)",
		 "experiment 1 is damaged: experiment: 9223372036854775807 pairs, more than"},
		{"UPDATE experiment SET definition = json_set(definition, '$.plan', 'single');"
		 "UPDATE run SET arm = 'B'",
		 "experiment 1: run 1 is damaged (subject 0, pair 0, arm B)"},
		{"INSERT INTO look (experiment, subject, arm, pairs, taken_ns, rule, verdict) "
		 "VALUES (1, 3, 'B', 1, 0, '', '')",
		 "experiment 1: a look is damaged (subject 3, arm B, pairs 1)"},
		{"INSERT INTO look (experiment, subject, arm, pairs, taken_ns, rule, verdict) "
		 "VALUES (1, 0, 'C', 1, 0, '', '')",
		 "experiment 1: a look is damaged (subject 0, arm C, pairs 1)"},
		{"UPDATE run SET arm = 'C'",
		 "experiment 1: run 1 is damaged (subject 0, pair 0, arm C)"},
		{"INSERT INTO look (experiment, subject, arm, pairs, taken_ns, rule, verdict) "
		 "VALUES (1, 0, 'B', 9223372036854775807, 0, '', '')",
		 "experiment 1: a look is damaged (subject 0, arm B, pairs 9223372036854775807)"},
		{"INSERT INTO session (experiment, began_ns, version, agent, pairs, budget_ns, "
		 "beyond) VALUES (1, 0, '', '', -1, 0, 0)",
		 "experiment 1: a session is damaged (-1 pairs, 0 ns)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name __free(memory) = text_format("%zu.db", i);
		char *path __free(memory) = in_scratch(name);
		char *change __free(memory) =
			text_format("PRAGMA ignore_check_constraints = ON; %s", cases[i].sql);
		struct store *s __free(store) = open_store(path);
		struct store_lines lines __cleanup(store_lines_done) = {0};
		struct experiment *e = NULL;
		struct entries runs = {0};
		char *how = NULL;
		struct error err = {0};

		add_run(s, add_experiment(s), 0);
		sql(path, change);
		assert_false(store_read(s, 1, &e, &runs, &how, &err));
		assert_int_equal(err.code, ERROR_DATA);
		if (!strstr(err.text, cases[i].said))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].said);
		assert_null(e);
		assert_null(runs.list);
		assert_null(how);
		/* The others are there. */
		assert_true(store_list(s, &lines, &err));
		add_run(s, add_experiment(s), 0);
		expect_runs(s, 2, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(no_database),
		SCRATCH_TEST(only_a_header),
		SCRATCH_TEST(truncated),
		SCRATCH_TEST(flipped_bytes),
		SCRATCH_TEST(lost_pages),
		SCRATCH_TEST(other_programs),
		SCRATCH_TEST(other_programs_that_were_killed),
		SCRATCH_TEST(newer_version),
		SCRATCH_TEST(newer_version_in_the_log),
		SCRATCH_TEST(odd_tables),
		SCRATCH_TEST(hostile_tables),
		SCRATCH_TEST(damaged_rows),
		SCRATCH_TEST(not_quite_a_store),
		SCRATCH_TEST(says_what_is_damaged),
		SCRATCH_TEST(extreme_stamps),
		SCRATCH_TEST(unreadable_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
