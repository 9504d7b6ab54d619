/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_STORE_SCRATCH_H
#define CONTEND_TESTS_STORE_SCRATCH_H

/* What the tests of the store share: a folder, something to store, SQL behind its back. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/store.h"

#define UNUSED __attribute__((unused))

static char *scratch; /* the folder, new for each test */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int scratch_set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	scratch = text_format("%s/store-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	return mkdtemp(scratch) ? 0 : -1;
}

static int scratch_tear_down(void **state)
{
	(void)state;
	nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(scratch);
	return 0;
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_set_up, scratch_tear_down)

/* A path in it, owned by the caller. */
UNUSED static char *in_scratch(const char *name)
{
	return text_format("%s/%s", scratch, name);
}

UNUSED static size_t count_files(const char *folder)
{
	DIR *dir __free(dir) = opendir(folder);
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	return count - 2;
}

UNUSED static void read_bytes(const char *path, struct text *ret)
{
	struct error err = {0};

	if (!file_read("", path, SIZE_MAX / 2, ret, &err))
		fail_msg("%s", err.text);
}

UNUSED static void write_bytes(const char *path, const void *bytes, size_t length)
{
	int fd __free(fd) = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct error err = {0};

	assert_true(fd >= 0);
	if (!file_write_all(fd, bytes, length, &err))
		fail_msg("%s", err.text);
}

UNUSED static void copy_file(const char *from, const char *to)
{
	struct text bytes __text = {0};

	read_bytes(from, &bytes);
	write_bytes(to, text_string(&bytes), bytes.length);
}

UNUSED static sqlite3 *sql_open(const char *path)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

UNUSED static void sql_run(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* Changes a closed database, without the store's knowledge. */
UNUSED static void sql(const char *path, const char *statements)
{
	sqlite3 *db = sql_open(path);

	sql_run(db, statements);
	sqlite3_close(db);
}

/* The first column of the first row, owned by the caller. */
UNUSED static char *sql_value(const char *path, const char *query)
{
	sqlite3 *db = sql_open(path);
	sqlite3_stmt *statement;
	char *value;

	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	value = memory_string((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return value;
}

UNUSED static struct store *open_store(const char *path)
{
	struct store *s = NULL;
	struct error err = {0};

	if (!store_open(path, true, &s, &err))
		fail_msg("%s", err.text);
	return s;
}

/* Asserts that a path cannot be opened; *ret_err: why. */
UNUSED static void expect_refusal(const char *path, bool create, struct error *ret_err)
{
	struct store *s = NULL;

	*ret_err = (struct error){0};
	if (store_open(path, create, &s, ret_err))
		fail_msg("%s was opened", path);
	assert_null(s);
	assert_int_not_equal(ret_err->code, ERROR_NONE);
	/* One line that names the file. */
	assert_non_null(strstr(ret_err->text, path));
	assert_null(strchr(ret_err->text, '\n'));
}

static const char made_description[] =
	"{\"name\":\"made\",\"summary\":\"a made workload\",\"needs\":\"\","
	"\"roles\":[{\"name\":\"task\",\"help\":\"\"}],\"params\":["
	"{\"name\":\"tasks\",\"type\":\"count\",\"preset\":\"1\",\"help\":\"\"}],\"metrics\":["
	"{\"name\":\"cost\",\"unit\":\"ns\",\"better\":\"lower\",\"summary\":\"total\","
	"\"of\":\"task.cost\",\"primary\":true,\"multitask\":false,\"help\":\"\"}]}";

UNUSED static struct experiment *made_experiment(const char *command)
{
	struct experiment *e = experiment_new();
	json_t *object __free(json) = NULL;
	struct error err;

	assert_true(json_parse(made_description, strlen(made_description), &object, &err));
	e->created_ns = INT64_C(1700000000123456789);
	e->command = memory_string(command);
	e->labels[ARM_A] = memory_string("");
	e->labels[ARM_B] = memory_string("tasks=2");
	e->plan = PLAN_DECIDED;
	e->pairs = 40;
	e->margin = 0.02;
	e->alpha = 0.05;
	e->seed = UINT64_MAX - 1;
	e->subjects = memory_array(1, sizeof(*e->subjects));
	e->subject_count = 1;
	assert_true(description_from_json(object, &e->subjects[0].description, &err));
	e->subjects[0].primary = description_primary(e->subjects[0].description)->name;
	e->subjects[0].params[ARM_A] = json_object();
	e->subjects[0].params[ARM_B] = json_pack("{s:s}", "tasks", "2");
	return e;
}

/* An ok run that cost something; its record is about `padding` bytes. */
UNUSED static struct run *made_run(int64_t cost, size_t padding)
{
	char *note __free(memory) = memory_alloc(padding + 1);
	struct run *r = NULL;
	struct error err;

	memset(note, 'n', padding);
	json_t *record __free(json) = json_pack(
		"{s:s, s:s, s:[{s:s, s:i, s:I, s:{s:I}}], s:[], s:[s]}", "outcome", "ok", "reason",
		"", "tasks", "role", "task", "task", 0, "window_ns", (json_int_t)1000, "counters",
		"cost", (json_int_t)cost, "series", "notes", note);

	if (!run_from_record(record, &r, &err))
		fail_msg("%s", err.text);
	r->started_ns = 1000 + cost;
	r->ended_ns = 2000 + cost;
	return r;
}

UNUSED static int64_t add_experiment(struct store *s)
{
	struct experiment *e __free(experiment) = made_experiment("contend ab made");
	struct error err = {0};

	if (!store_add_experiment(s, e, &err))
		fail_msg("%s", err.text);
	assert_true(e->id > 0);
	return e->id;
}

/* Adds the run that costs `cost` as that pair's A. */
UNUSED static bool try_add(struct store *s, int64_t experiment, int64_t cost, size_t padding,
			   int64_t *ret_id, struct error *err)
{
	struct run *run __free(run) = made_run(cost, padding);
	struct entry entry = {.pair = cost, .arm = ARM_A, .first = true, .run = run};

	if (!store_add_run(s, experiment, &entry, err))
		return false;
	assert_true(entry.id > 0);
	*ret_id = entry.id;
	return true;
}

UNUSED static int64_t add_run(struct store *s, int64_t experiment, int64_t cost)
{
	struct error err = {0};
	int64_t id;

	if (!try_add(s, experiment, cost, 10, &id, &err))
		fail_msg("%s", err.text);
	return id;
}

/* Asserts that an experiment has `count` runs, of the costs 0, 1, 2 … when they are in order. */
UNUSED static void expect_runs(struct store *s, int64_t experiment, size_t count)
{
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	char *how __free(memory) = NULL;
	struct error err = {0};

	if (!store_read(s, experiment, &e, &runs, &how, &err))
		fail_msg("%s", err.text);
	assert_int_equal(runs.count, count);
	for (size_t i = 0; i < count; i++) {
		double cost;

		assert_int_equal(runs.list[i].pair, i);
		if (!run_figure(runs.list[i].run, &e->subjects[0].description->metrics[0], &cost,
				&err))
			fail_msg("%s", err.text);
		assert_true(cost == (double)i);
	}
}

#endif
