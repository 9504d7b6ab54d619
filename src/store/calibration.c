// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "store/statements.h"

/* ---- writing ---- */

static bool add_row(struct store *s, struct calibration *c, struct error *err)
{
	json_t *object __free(json) = calibration_to_json(c);
	char *definition __free(memory) = json_line(object);
	sqlite3_stmt *statement __free(statement) = NULL;

	if (!statements_prepare(s, STATEMENT_ADD_CALIBRATION, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, c->made_ns);
	return statements_bind(s, statement, 2, c->workload, err) &&
	       statements_bind(s, statement, 3, definition, err) &&
	       statements_step(s, statement, 0, err);
}

static bool tie_experiments(struct store *s, const struct calibration *c, int64_t id,
			    struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;

	if (!statements_prepare(s, STATEMENT_TIE_EXPERIMENT, &statement, err))
		return false;
	for (size_t i = 0; i < c->experiment_count; i++) {
		sqlite3_bind_int64(statement, 1, id);
		sqlite3_bind_int64(statement, 2, c->experiments[i]);
		if (!statements_step(s, statement, c->experiments[i], err))
			return error_wrap(err, "of no other calibration");
	}
	return true;
}

bool store_add_calibration(struct store *s, struct calibration *c, struct error *err)
{
	int64_t id;
	bool ok;

	if (!database_begin(&s->database, err))
		return false;
	ok = add_row(s, c, err);
	id = sqlite3_last_insert_rowid(s->database.db);
	ok = ok && tie_experiments(s, c, id, err);
	if (!statements_finish(s, ok, err))
		return false;
	c->id = id;
	return true;
}

/* ---- reading ---- */

static bool read_experiments(struct store *s, struct calibration *c, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!statements_prepare(s, STATEMENT_READ_CALIBRATED, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, c->id);
	while (statements_row(s, statement, &row, err)) {
		if (!row)
			return true;
		c->experiments = memory_grow(c->experiments,
					     (c->experiment_count + 1) * sizeof(*c->experiments));
		c->experiments[c->experiment_count++] = sqlite3_column_int64(statement, 0);
	}
	return false;
}

static bool read_one(struct store *s, sqlite3_stmt *statement, struct calibrations *list,
		     struct error *err)
{
	struct calibration *c __free(calibration) = memory_alloc(sizeof(*c));
	json_t *definition __free(json) = NULL;

	c->id = sqlite3_column_int64(statement, 0);
	c->made_ns = sqlite3_column_int64(statement, 1);
	c->workload = memory_string(statements_string(statement, 2));
	if (!statements_json(statement, 3, &definition, err) ||
	    !calibration_from_json(definition, c, err)) {
		err->code = ERROR_DATA;
		return error_wrap(err, "store %s: calibration %lld is damaged", s->database.path,
				  (long long)c->id);
	}
	if (!read_experiments(s, c, err))
		return false;
	calibrations_add(list, take(c));
	return true;
}

static bool read_all(struct store *s, struct calibrations *list, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!statements_prepare(s, STATEMENT_READ_CALIBRATIONS, &statement, err))
		return false;
	while (statements_row(s, statement, &row, err)) {
		if (!row)
			return true;
		if (!read_one(s, statement, list, err))
			return false;
	}
	return false;
}

bool store_read_calibrations(struct store *s, struct calibrations *ret, struct error *err)
{
	struct calibrations list __cleanup(calibrations_done) = {0};
	bool ok = database_exec(&s->database, "BEGIN", err) && read_all(s, &list, err);

	database_rollback(&s->database);
	if (!ok)
		return false;
	*ret = list;
	list = (struct calibrations){0};
	return true;
}
