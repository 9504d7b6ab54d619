// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/statements.h"

#include <string.h>

/* Everything that is known of the verdicts without reading a run: the last look at each primary. */
#define LIST_VERDICTS(SAME_ARM, BY_ARM)                                                            \
	"(SELECT group_concat(verdict, ' ') FROM (SELECT verdict FROM look AS l "                  \
	"WHERE l.experiment = experiment.id AND l.pairs = (SELECT max(m.pairs) FROM look AS m "    \
	"WHERE m.experiment = l.experiment AND m.subject = l.subject" SAME_ARM                     \
	") ORDER BY l.subject" BY_ARM "))"

/* Of its definition, unless that is damaged. */
#define LIST_DEFINED                                                                               \
	"CASE WHEN json_valid(definition) THEN definition ->> '$.plan' END, "                      \
	"CASE WHEN json_valid(definition) THEN (SELECT group_concat(value ->> "                    \
	"'$.description.name', ' ') FROM json_each(definition, '$.subjects')) END"

#define LIST(VERDICTS)                                                                             \
	"SELECT id, created_ns, command, how, "                                                    \
	"(SELECT count(*) FROM run WHERE experiment = experiment.id), " VERDICTS ", " LIST_DEFINED \
	" FROM experiment ORDER BY id"

#define READ_RUNS(SET_ASIDE, ARMS)                                                                 \
	"SELECT id, subject, pair, arm, first, started_ns, ended_ns, outcome, reason, "            \
	"record, " SET_ASIDE ", " ARMS " FROM run WHERE experiment = ? ORDER BY id"

#define READ_LOOKS(ARM)                                                                            \
	"SELECT subject, pairs, taken_ns, rule, level, p, evidence, estimate, low, high, "         \
	"verdict, " ARM " FROM look WHERE experiment = ? ORDER BY subject, 12, pairs"

static const char *const statements[STATEMENT_COUNT] = {
	[STATEMENT_LIST] = LIST(LIST_VERDICTS(" AND m.arm = l.arm", ", l.arm")),
	[STATEMENT_READ_EXPERIMENT] = "SELECT definition, how FROM experiment WHERE id = ?",
	[STATEMENT_READ_RUNS] = READ_RUNS("set_aside", "arms"),
	[STATEMENT_READ_LOOKS] = READ_LOOKS("arm"),
	[STATEMENT_READ_SESSIONS] = "SELECT began_ns, version, agent, pairs, budget_ns, beyond "
				    "FROM session WHERE experiment = ? ORDER BY id",
	[STATEMENT_READ_CALIBRATIONS] =
		"SELECT id, made_ns, workload, definition FROM calibration ORDER BY id",
	[STATEMENT_READ_CALIBRATED] = "SELECT id FROM experiment WHERE calibration = ? ORDER BY id",
	[STATEMENT_ADD_EXPERIMENT] =
		"INSERT INTO experiment (created_ns, command, definition) VALUES (?, ?, ?)",
	[STATEMENT_ADD_SESSION] =
		"INSERT INTO session (experiment, began_ns, version, agent, pairs, budget_ns, "
		"beyond) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_REOPEN] = "UPDATE experiment SET ended_ns = NULL, how = NULL WHERE id = ?",
	[STATEMENT_SET_ASIDE] = "UPDATE run SET set_aside = 1 WHERE id = ? AND experiment = ?",
	[STATEMENT_ADD_RUN] =
		"INSERT INTO run (experiment, subject, pair, arm, first, started_ns, ended_ns, "
		"outcome, reason, record, arms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_ADD_LOOK] =
		"INSERT OR REPLACE INTO look (experiment, subject, pairs, taken_ns, rule, level, "
		"p, evidence, estimate, low, high, verdict, arm) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_END_EXPERIMENT] = "UPDATE experiment SET ended_ns = ?, how = ? WHERE id = ?",
	[STATEMENT_ADD_CALIBRATION] =
		"INSERT INTO calibration (made_ns, workload, definition) VALUES (?, ?, ?)",
	[STATEMENT_TIE_EXPERIMENT] =
		"UPDATE experiment SET calibration = ? WHERE id = ? AND calibration IS NULL",
};

/*
 * Those that are others for a file of that version or an older one, which is only ever read: what
 * the oldest of them has goes first.
 */
static const char *const statements_1[STATEMENT_COUNT] = {
	[STATEMENT_LIST] = LIST("NULL"),
	[STATEMENT_READ_RUNS] = READ_RUNS("0", "NULL"),
	/* No rows: it kept no history. */
	[STATEMENT_READ_LOOKS] = "SELECT id FROM experiment WHERE id = ? AND 0",
	[STATEMENT_READ_SESSIONS] = "SELECT id FROM experiment WHERE id = ? AND 0",
};

static const char *const statements_2[STATEMENT_COUNT] = {
	/* No rows: nothing was calibrated. */
	[STATEMENT_READ_CALIBRATIONS] = "SELECT id FROM experiment WHERE 0",
	[STATEMENT_READ_CALIBRATED] = "SELECT id FROM experiment WHERE id = ? AND 0",
};

static const char *const statements_3[STATEMENT_COUNT] = {
	[STATEMENT_LIST] = LIST(LIST_VERDICTS("", "")),
	[STATEMENT_READ_RUNS] = READ_RUNS("set_aside", "NULL"),
	[STATEMENT_READ_LOOKS] = READ_LOOKS("'B'"),
};

static const char *text_of(const struct store *s, enum statement which)
{
	static const char *const *const older[] = {statements_1, statements_2, statements_3};
	int64_t version = s->database.version;

	for (; version <= (int64_t)(sizeof(older) / sizeof(*older)); version++) {
		if (older[version - 1][which])
			return older[version - 1][which];
	}
	return statements[which];
}

bool statements_prepare(struct store *s, enum statement which, sqlite3_stmt **ret,
			struct error *err)
{
	int rc = sqlite3_prepare_v2(s->database.db, text_of(s, which), -1, ret, NULL);

	return rc == SQLITE_OK || database_fail(&s->database, rc, err);
}

bool statements_check(struct store *s, bool write, struct error *err)
{
	int count = write ? STATEMENT_COUNT : STATEMENT_ADD_EXPERIMENT;

	for (int i = 0; i < count; i++) {
		sqlite3_stmt *statement __free(statement) = NULL;
		int rc = sqlite3_prepare_v2(s->database.db, text_of(s, (enum statement)i), -1,
					    &statement, NULL);

		if (rc == SQLITE_ERROR)
			return error_set(err, ERROR_DATA, "store %s is damaged (%s)",
					 s->database.path, sqlite3_errmsg(s->database.db));
		if (rc != SQLITE_OK)
			return database_fail(&s->database, rc, err);
	}
	return true;
}

bool statements_no_experiment(const struct store *s, int64_t id, struct error *err)
{
	return error_set(err, ERROR_USAGE, "store %s has no experiment %lld", s->database.path,
			 (long long)id);
}

bool statements_row(struct store *s, sqlite3_stmt *statement, bool *ret_row, struct error *err)
{
	int rc = sqlite3_step(statement);

	*ret_row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE || database_fail(&s->database, rc, err);
}

const char *statements_string(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

bool statements_json(sqlite3_stmt *statement, int column, json_t **ret, struct error *err)
{
	const char *text = statements_string(statement, column);

	return json_parse(text, (size_t)sqlite3_column_bytes(statement, column), ret, err);
}

bool statements_bind(struct store *s, sqlite3_stmt *statement, int at, const char *string,
		     struct error *err)
{
	int rc = sqlite3_bind_text64(statement, at, string, strlen(string), SQLITE_STATIC,
				     SQLITE_UTF8);

	return rc == SQLITE_OK || database_fail(&s->database, rc, err);
}

bool statements_step(struct store *s, sqlite3_stmt *statement, int64_t experiment,
		     struct error *err)
{
	struct database *d = &s->database;
	int rc = sqlite3_step(statement);
	bool ok;

	if (rc == SQLITE_CONSTRAINT_FOREIGNKEY || (rc == SQLITE_DONE && !sqlite3_changes(d->db)))
		ok = statements_no_experiment(s, experiment, err);
	else if (rc == SQLITE_CONSTRAINT_UNIQUE)
		ok = error_set(err, ERROR_SYSTEM,
			       "store %s has a run in that place: another process runs experiment "
			       "%lld too",
			       d->path, (long long)experiment);
	else
		ok = rc == SQLITE_DONE || database_fail(d, rc, err);
	/* A statement that is not reset keeps a transaction from ending. */
	sqlite3_reset(statement);
	return ok;
}

bool statements_finish(struct store *s, bool ok, struct error *err)
{
	struct database *d = &s->database;
	int moved = 0;

	if (!ok)
		database_rollback(d);
	if (!ok || !database_commit(d, err))
		return false;
	/* Committed into a file that no name leads to any more, it is lost when we close it. */
	if (sqlite3_file_control(d->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
	    moved)
		return error_set(err, ERROR_SYSTEM, "store %s was moved or deleted meanwhile",
				 d->path);
	return true;
}
