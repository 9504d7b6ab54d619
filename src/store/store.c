// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/database.h"

struct store {
	struct database database;
};

/* Every statement of a store. All are tried on opening: the tables are as they should be then. */
static const char add_experiment_sql[] =
	"INSERT INTO experiment (created_ns, command, definition) VALUES (?, ?, ?)";
static const char add_run_sql[] =
	"INSERT INTO run (experiment, subject, pair, arm, first, started_ns, ended_ns, outcome, "
	"reason, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char end_experiment_sql[] = "UPDATE experiment SET ended_ns = ?, how = ? WHERE id = ?";
static const char read_experiment_sql[] = "SELECT definition, how FROM experiment WHERE id = ?";
static const char read_runs_sql[] =
	"SELECT id, subject, pair, arm, first, started_ns, ended_ns, outcome, reason, record "
	"FROM run WHERE experiment = ? ORDER BY id";
static const char list_sql[] =
	"SELECT id, created_ns, command, how, "
	"(SELECT count(*) FROM run WHERE experiment = experiment.id) FROM experiment ORDER BY id";

static const char *const all_sql[] = {
	add_experiment_sql,  add_run_sql,   end_experiment_sql,
	read_experiment_sql, read_runs_sql, list_sql,
};

char *store_default_path(struct error *err)
{
	const char *named = getenv("CONTEND_STORE");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (named && *named)
		return memory_string(named);
	if (data && *data == '/')
		return text_format("%s/contend/store.db", data);
	if (home && *home)
		return text_format("%s/.local/share/contend/store.db", home);
	error_set(err, ERROR_USAGE,
		  "no place for the store: neither $CONTEND_STORE nor $HOME is set");
	return NULL;
}

static bool prepare(struct store *s, const char *sql, sqlite3_stmt **ret, struct error *err)
{
	int rc = sqlite3_prepare_v2(s->database.db, sql, -1, ret, NULL);

	return rc == SQLITE_OK || database_fail(&s->database, rc, err);
}

static bool check_tables(struct store *s, struct error *err)
{
	for (size_t i = 0; i < sizeof(all_sql) / sizeof(*all_sql); i++) {
		sqlite3_stmt *statement __free(statement) = NULL;
		int rc = sqlite3_prepare_v2(s->database.db, all_sql[i], -1, &statement, NULL);

		if (rc == SQLITE_ERROR)
			return error_set(err, ERROR_DATA, "store %s is damaged (%s)",
					 s->database.path, sqlite3_errmsg(s->database.db));
		if (rc != SQLITE_OK)
			return database_fail(&s->database, rc, err);
	}
	return true;
}

bool store_open(const char *path, bool create, struct store **ret_store, struct error *err)
{
	struct store *s __free(store) = memory_alloc(sizeof(*s));

	if (!database_open(&s->database, path, create, err) || !check_tables(s, err))
		return false;
	s->database.opened = true;
	*ret_store = take(s);
	return true;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	database_done(&s->database);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->database.path;
}

/* ---- writing ---- */

static bool bind_string(struct store *s, sqlite3_stmt *statement, int at, const char *string,
			struct error *err)
{
	int rc = sqlite3_bind_text64(statement, at, string, strlen(string), SQLITE_STATIC,
				     SQLITE_UTF8);

	return rc == SQLITE_OK || database_fail(&s->database, rc, err);
}

static bool no_experiment(const struct store *s, int64_t id, struct error *err)
{
	return error_set(err, ERROR_USAGE, "store %s has no experiment %lld", s->database.path,
			 (long long)id);
}

/*
 * Runs a statement that changes something, as a transaction of its own. `experiment` is what it
 * refers to; changing nothing means that there is none.
 */
static bool change(struct store *s, sqlite3_stmt *statement, int64_t experiment, int64_t *ret_id,
		   struct error *err)
{
	struct database *d = &s->database;
	bool ok = false;
	int moved = 0;
	int64_t id;
	int rc;

	if (!database_begin(d, err))
		return false;
	rc = sqlite3_step(statement);
	id = sqlite3_last_insert_rowid(d->db);
	if (rc == SQLITE_CONSTRAINT_FOREIGNKEY || (rc == SQLITE_DONE && !sqlite3_changes(d->db)))
		no_experiment(s, experiment, err);
	else
		ok = rc == SQLITE_DONE || database_fail(d, rc, err);
	/* A statement that is not reset keeps a transaction from ending. */
	sqlite3_reset(statement);
	if (!ok)
		database_rollback(d);
	if (!ok || !database_commit(d, err))
		return false;
	/* Committed into a file that no name leads to any more, it is lost when we close it. */
	if (sqlite3_file_control(d->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
	    moved)
		return error_set(err, ERROR_SYSTEM, "store %s was moved or deleted meanwhile",
				 d->path);
	*ret_id = id;
	return true;
}

bool store_add_experiment(struct store *s, struct experiment *e, struct error *err)
{
	json_t *object __free(json) = experiment_to_json(e);
	char *definition __free(memory) = json_line(object);
	sqlite3_stmt *statement __free(statement) = NULL;

	if (!prepare(s, add_experiment_sql, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, e->created_ns);
	return bind_string(s, statement, 2, e->command ? e->command : "", err) &&
	       bind_string(s, statement, 3, definition, err) &&
	       change(s, statement, 0, &e->id, err);
}

bool store_add_run(struct store *s, int64_t experiment, struct entry *entry, struct error *err)
{
	const struct run *run = entry->run;
	char *record __free(memory) = run->record ? json_line(run->record) : NULL;
	sqlite3_stmt *statement __free(statement) = NULL;

	if (!prepare(s, add_run_sql, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, experiment);
	sqlite3_bind_int64(statement, 2, (int64_t)entry->subject);
	sqlite3_bind_int64(statement, 3, entry->pair);
	sqlite3_bind_int64(statement, 5, entry->first);
	sqlite3_bind_int64(statement, 6, run->started_ns);
	sqlite3_bind_int64(statement, 7, run->ended_ns);
	return bind_string(s, statement, 4, arm_words[entry->arm], err) &&
	       bind_string(s, statement, 8, outcome_words[run->outcome], err) &&
	       bind_string(s, statement, 9, run->reason, err) &&
	       (!record || bind_string(s, statement, 10, record, err)) &&
	       change(s, statement, experiment, &entry->id, err);
}

bool store_end_experiment(struct store *s, int64_t experiment, const char *how, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	int64_t ignored;

	if (!prepare(s, end_experiment_sql, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, clock_wall_ns());
	sqlite3_bind_int64(statement, 3, experiment);
	return bind_string(s, statement, 2, how, err) &&
	       change(s, statement, experiment, &ignored, err);
}

/* ---- reading ---- */

/* Steps to the next row. False with *ret_row false at the end, with err set on failure. */
static bool next_row(struct store *s, sqlite3_stmt *statement, bool *ret_row, struct error *err)
{
	int rc = sqlite3_step(statement);

	*ret_row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE || database_fail(&s->database, rc, err);
}

/* A text that is never NULL, valid until the next step. */
static const char *column_string(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

static bool column_is_null(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

/* JSON text, with its length: a zero byte in the middle is damage that must be seen. */
static bool column_json(sqlite3_stmt *statement, int column, json_t **ret, struct error *err)
{
	const char *text = column_string(statement, column);

	return json_parse(text, (size_t)sqlite3_column_bytes(statement, column), ret, err);
}

static bool column_word(sqlite3_stmt *statement, int column, const char *const *words, int *ret,
			struct error *err)
{
	const char *text = column_string(statement, column);

	for (int i = 0; words[i]; i++) {
		if (text_equal(words[i], text)) {
			*ret = i;
			return true;
		}
	}
	return error_set(err, ERROR_DATA, "unknown word '%.50s'", text);
}

/*
 * The run of a row. Its outcome and reason are the columns', but "ok" only where the record says so
 * itself: figures are computed from that.
 */
static bool row_run(sqlite3_stmt *statement, enum outcome outcome, struct run **ret_run,
		    struct error *err)
{
	json_t *record __free(json) = NULL;
	struct run *run __free(run) = NULL;

	if (column_is_null(statement, 9)) {
		if (outcome == OUTCOME_OK)
			return error_set(err, ERROR_DATA, "it has no record in the store");
		*ret_run = run_without_record(outcome, column_string(statement, 8));
		return true;
	}
	if (!column_json(statement, 9, &record, err) || !run_from_record(record, &run, err))
		return error_wrap(err, "its record in the store is damaged");
	if (outcome == OUTCOME_OK && run->outcome != OUTCOME_OK)
		return error_set(err, ERROR_DATA, "its record in the store is not of an ok run");
	free(run->reason);
	run->reason = memory_string(column_string(statement, 8));
	run->outcome = outcome;
	*ret_run = take(run);
	return true;
}

static bool read_run(sqlite3_stmt *statement, size_t subjects, struct entries *runs,
		     struct error *err)
{
	int64_t id = sqlite3_column_int64(statement, 0);
	int64_t subject = sqlite3_column_int64(statement, 1);
	struct entry entry = {
		.id = id,
		.subject = (size_t)subject,
		.pair = sqlite3_column_int64(statement, 2),
		.first = sqlite3_column_int64(statement, 4),
	};
	struct error why;
	int outcome;

	if (subject < 0 || (size_t)subject >= subjects || entry.pair < 0)
		return error_set(err, ERROR_DATA, "run %lld is damaged (subject %lld, pair %lld)",
				 (long long)id, (long long)subject, (long long)entry.pair);
	if (!column_word(statement, 3, arm_words, &entry.arm, err) ||
	    !column_word(statement, 7, outcome_words, &outcome, err))
		return error_wrap(err, "run %lld is damaged", (long long)id);
	if (!row_run(statement, (enum outcome)outcome, &entry.run, &why))
		entry.run = run_without_record(OUTCOME_FAILED, why.text);
	entry.run->started_ns = sqlite3_column_int64(statement, 5);
	entry.run->ended_ns = sqlite3_column_int64(statement, 6);
	entries_add(runs, entry);
	return true;
}

static bool read_runs(struct store *s, int64_t id, size_t subjects, struct entries *runs,
		      struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!prepare(s, read_runs_sql, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, id);
	while (next_row(s, statement, &row, err)) {
		if (!row)
			return true;
		if (!read_run(statement, subjects, runs, err))
			return error_wrap(err, "store %s: experiment %lld", s->database.path,
					  (long long)id);
	}
	return false;
}

static bool read_experiment(struct store *s, int64_t id, struct experiment **ret, char **ret_how,
			    struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	json_t *definition __free(json) = NULL;
	struct experiment *e;
	bool row;

	if (!prepare(s, read_experiment_sql, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, id);
	if (!next_row(s, statement, &row, err))
		return false;
	if (!row)
		return no_experiment(s, id, err);
	if (!column_json(statement, 0, &definition, err) ||
	    !experiment_from_json(definition, &e, err)) {
		err->code = ERROR_DATA;
		return error_wrap(err, "store %s: experiment %lld is damaged", s->database.path,
				  (long long)id);
	}
	e->id = id;
	*ret = e;
	*ret_how = column_is_null(statement, 1) ? NULL : memory_string(column_string(statement, 1));
	return true;
}

/* Inside one transaction, so that experiment and runs belong together. */
static bool read_whole(struct store *s, int64_t id, struct experiment **ret_experiment,
		       struct entries *ret_runs, char **ret_how, struct error *err)
{
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	char *how __free(memory) = NULL;

	if (!read_experiment(s, id, &e, &how, err) ||
	    !read_runs(s, id, e->subject_count, &runs, err))
		return false;
	*ret_experiment = take(e);
	*ret_how = take(how);
	*ret_runs = runs;
	runs = (struct entries){0};
	return true;
}

bool store_read(struct store *s, int64_t id, struct experiment **ret_experiment,
		struct entries *ret_runs, char **ret_how, struct error *err)
{
	bool ok = database_exec(&s->database, "BEGIN", err) &&
		  read_whole(s, id, ret_experiment, ret_runs, ret_how, err);

	database_rollback(&s->database);
	return ok;
}

static bool read_lines(struct store *s, struct store_lines *lines, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!prepare(s, list_sql, &statement, err))
		return false;
	while (next_row(s, statement, &row, err)) {
		struct store_line *line;

		if (!row)
			return true;
		lines->list = memory_grow(lines->list, (lines->count + 1) * sizeof(*lines->list));
		line = &lines->list[lines->count++];
		*line = (struct store_line){
			.id = sqlite3_column_int64(statement, 0),
			.created_ns = sqlite3_column_int64(statement, 1),
			.runs = sqlite3_column_int64(statement, 4),
			.command = memory_string(column_string(statement, 2)),
			.how = column_is_null(statement, 3)
				       ? NULL
				       : memory_string(column_string(statement, 3)),
		};
	}
	return false;
}

bool store_list(struct store *s, struct store_lines *ret, struct error *err)
{
	struct store_lines lines = {0};

	if (!read_lines(s, &lines, err)) {
		store_lines_done(&lines);
		return false;
	}
	*ret = lines;
	return true;
}

void store_lines_done(struct store_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->list[i].command);
		free(lines->list[i].how);
	}
	free(lines->list);
	*lines = (struct store_lines){0};
}
