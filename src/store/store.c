// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/store.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/database_open.h"
#include "store/statements.h"

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

bool store_open(const char *path, bool create, struct store **ret_store, struct error *err)
{
	struct store *s __free(store) = memory_alloc(sizeof(*s));

	s->claim_fd = -1;
	/* The mode of the file last: one that is refused stays as it was. */
	if (!database_open(&s->database, path, create, err) || !statements_check(s, create, err) ||
	    (create && !database_use_wal(&s->database, err)))
		return false;
	s->database.opened = true;
	*ret_store = take(s);
	return true;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->claim_fd >= 0)
		close(s->claim_fd);
	database_done(&s->database);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->database.path;
}

/* ---- writing ---- */

/* The same for a statement that is a transaction of its own. */
static bool change(struct store *s, sqlite3_stmt *statement, int64_t experiment, int64_t *ret_id,
		   struct error *err)
{
	int64_t id;
	bool ok;

	if (!database_begin(&s->database, err))
		return false;
	ok = statements_step(s, statement, experiment, err);
	id = sqlite3_last_insert_rowid(s->database.db);
	if (!statements_finish(s, ok, err))
		return false;
	*ret_id = id;
	return true;
}

bool store_add_experiment(struct store *s, struct experiment *e, struct error *err)
{
	json_t *object __free(json) = experiment_to_json(e);
	char *definition __free(memory) = json_line(object);
	sqlite3_stmt *statement __free(statement) = NULL;

	if (!statements_prepare(s, STATEMENT_ADD_EXPERIMENT, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, e->created_ns);
	return statements_bind(s, statement, 2, e->command ? e->command : "", err) &&
	       statements_bind(s, statement, 3, definition, err) &&
	       change(s, statement, 0, &e->id, err);
}

bool store_add_run(struct store *s, int64_t experiment, struct entry *entry, struct error *err)
{
	const struct run *run = entry->run;
	char *record __free(memory) = run->record ? json_line(run->record) : NULL;
	struct text arms __text = {0};
	sqlite3_stmt *statement __free(statement) = NULL;

	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (entry->arms & 1U << arm)
			text_puts(&arms, arm_words[arm]);
	}
	if (!statements_prepare(s, STATEMENT_ADD_RUN, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, experiment);
	sqlite3_bind_int64(statement, 2, (int64_t)entry->subject);
	sqlite3_bind_int64(statement, 3, entry->pair);
	sqlite3_bind_int64(statement, 5, entry->first);
	sqlite3_bind_int64(statement, 6, run->started_ns);
	sqlite3_bind_int64(statement, 7, run->ended_ns);
	return statements_bind(s, statement, 4, arm_words[entry->arm], err) &&
	       statements_bind(s, statement, 8, outcome_words[run->outcome], err) &&
	       statements_bind(s, statement, 9, run->reason, err) &&
	       (!record || statements_bind(s, statement, 10, record, err)) &&
	       (!arms.length || statements_bind(s, statement, 11, text_string(&arms), err)) &&
	       change(s, statement, experiment, &entry->id, err);
}

bool store_end_experiment(struct store *s, int64_t experiment, const char *how, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	int64_t ignored;

	if (!statements_prepare(s, STATEMENT_END_EXPERIMENT, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, clock_wall_ns());
	sqlite3_bind_int64(statement, 3, experiment);
	return statements_bind(s, statement, 2, how, err) &&
	       change(s, statement, experiment, &ignored, err);
}

/* A number that is known; NULL otherwise. */
static void bind_double(sqlite3_stmt *statement, int at, double value)
{
	if (isnan(value))
		sqlite3_bind_null(statement, at);
	else
		sqlite3_bind_double(statement, at, value);
}

static bool add_look(struct store *s, sqlite3_stmt *statement, int64_t experiment,
		     const struct look *l, struct error *err)
{
	sqlite3_bind_int64(statement, 1, experiment);
	sqlite3_bind_int64(statement, 2, (int64_t)l->subject);
	sqlite3_bind_int64(statement, 3, l->pairs);
	sqlite3_bind_int64(statement, 4, l->taken_ns);
	bind_double(statement, 6, l->level);
	bind_double(statement, 7, l->p);
	bind_double(statement, 8, l->evidence);
	bind_double(statement, 9, l->estimate);
	bind_double(statement, 10, l->low);
	bind_double(statement, 11, l->high);
	return statements_bind(s, statement, 5, l->rule, err) &&
	       statements_bind(s, statement, 12, l->verdict, err) &&
	       statements_bind(s, statement, 13, arm_words[l->arm], err) &&
	       statements_step(s, statement, experiment, err);
}

bool store_add_looks(struct store *s, int64_t experiment, const struct look *looks, size_t count,
		     struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool ok = true;

	if (!statements_prepare(s, STATEMENT_ADD_LOOK, &statement, err) ||
	    !database_begin(&s->database, err))
		return false;
	for (size_t i = 0; ok && i < count; i++)
		ok = add_look(s, statement, experiment, &looks[i], err);
	return statements_finish(s, ok, err);
}

static bool add_session(struct store *s, int64_t experiment, const struct session *session,
			struct error *err)
{
	sqlite3_stmt *add __free(statement) = NULL;
	sqlite3_stmt *reopen __free(statement) = NULL;

	if (!statements_prepare(s, STATEMENT_ADD_SESSION, &add, err) ||
	    !statements_prepare(s, STATEMENT_REOPEN, &reopen, err))
		return false;
	sqlite3_bind_int64(reopen, 1, experiment);
	sqlite3_bind_int64(add, 1, experiment);
	sqlite3_bind_int64(add, 2, session->began_ns);
	sqlite3_bind_int64(add, 5, session->pairs);
	sqlite3_bind_int64(add, 6, session->budget_ns);
	sqlite3_bind_int64(add, 7, session->beyond);
	return statements_bind(s, add, 3, session->version, err) &&
	       statements_bind(s, add, 4, session->agent, err) &&
	       statements_step(s, reopen, experiment, err) &&
	       statements_step(s, add, experiment, err);
}

bool store_add_session(struct store *s, int64_t experiment, const struct session *session,
		       const int64_t *set_aside, size_t set_aside_count, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool ok;

	if (!statements_prepare(s, STATEMENT_SET_ASIDE, &statement, err) ||
	    !database_begin(&s->database, err))
		return false;
	ok = add_session(s, experiment, session, err);
	for (size_t i = 0; ok && i < set_aside_count; i++) {
		sqlite3_bind_int64(statement, 1, set_aside[i]);
		sqlite3_bind_int64(statement, 2, experiment);
		ok = statements_step(s, statement, experiment, err);
	}
	return statements_finish(s, ok, err);
}
