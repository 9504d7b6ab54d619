// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/statements.h"

/* Everything that is known of the verdicts without reading a run: the last look at each primary. */
#define LIST_VERDICTS                                                                              \
	"(SELECT group_concat(verdict, ' ') FROM (SELECT verdict FROM look AS l "                  \
	"WHERE l.experiment = experiment.id AND l.pairs = (SELECT max(m.pairs) FROM look AS m "    \
	"WHERE m.experiment = l.experiment AND m.subject = l.subject) ORDER BY l.subject))"

#define LIST(VERDICTS)                                                                             \
	"SELECT id, created_ns, command, how, "                                                    \
	"(SELECT count(*) FROM run WHERE experiment = experiment.id), " VERDICTS                   \
	" FROM experiment ORDER BY id"

#define READ_RUNS(SET_ASIDE)                                                                       \
	"SELECT id, subject, pair, arm, first, started_ns, ended_ns, outcome, reason, "            \
	"record, " SET_ASIDE " FROM run WHERE experiment = ? ORDER BY id"

static const char *const statements[STATEMENT_COUNT] = {
	[STATEMENT_LIST] = LIST(LIST_VERDICTS),
	[STATEMENT_READ_EXPERIMENT] = "SELECT definition, how FROM experiment WHERE id = ?",
	[STATEMENT_READ_RUNS] = READ_RUNS("set_aside"),
	[STATEMENT_READ_LOOKS] =
		"SELECT subject, pairs, taken_ns, rule, level, p, evidence, estimate, low, high, "
		"verdict FROM look WHERE experiment = ? ORDER BY subject, pairs",
	[STATEMENT_READ_SESSIONS] = "SELECT began_ns, version, agent, pairs, budget_ns, beyond "
				    "FROM session WHERE experiment = ? ORDER BY id",
	[STATEMENT_ADD_EXPERIMENT] =
		"INSERT INTO experiment (created_ns, command, definition) VALUES (?, ?, ?)",
	[STATEMENT_ADD_SESSION] =
		"INSERT INTO session (experiment, began_ns, version, agent, pairs, budget_ns, "
		"beyond) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_REOPEN] = "UPDATE experiment SET ended_ns = NULL, how = NULL WHERE id = ?",
	[STATEMENT_SET_ASIDE] = "UPDATE run SET set_aside = 1 WHERE id = ? AND experiment = ?",
	[STATEMENT_ADD_RUN] =
		"INSERT INTO run (experiment, subject, pair, arm, first, started_ns, ended_ns, "
		"outcome, reason, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_ADD_LOOK] =
		"INSERT OR REPLACE INTO look (experiment, subject, pairs, taken_ns, rule, level, "
		"p, evidence, estimate, low, high, verdict) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STATEMENT_END_EXPERIMENT] = "UPDATE experiment SET ended_ns = ?, how = ? WHERE id = ?",
};

/* Those that are others for a file of version 1, which is only ever read. */
static const char *const statements_1[STATEMENT_COUNT] = {
	[STATEMENT_LIST] = LIST("NULL"),
	[STATEMENT_READ_RUNS] = READ_RUNS("0"),
	/* No rows: it kept no history. */
	[STATEMENT_READ_LOOKS] = "SELECT id FROM experiment WHERE id = ? AND 0",
	[STATEMENT_READ_SESSIONS] = "SELECT id FROM experiment WHERE id = ? AND 0",
};

static const char *text_of(const struct store *s, enum statement which)
{
	const char *old = s->database.version == 1 ? statements_1[which] : NULL;

	return old ? old : statements[which];
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
