/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_STATEMENTS_H
#define CONTEND_STORE_STATEMENTS_H

#include "store/database.h"
#include "store/store.h"

/* What the files of this folder share: the store itself, and every statement that it knows. */
struct store {
	struct database database;
	int claim_fd; /* store_claim(); -1: none */
};

enum statement {
	STATEMENT_LIST,
	STATEMENT_READ_EXPERIMENT,
	STATEMENT_READ_RUNS,
	STATEMENT_READ_LOOKS,
	STATEMENT_READ_SESSIONS,
	STATEMENT_READ_CALIBRATIONS,
	STATEMENT_READ_CALIBRATED,
	/* From here on they write. */
	STATEMENT_ADD_EXPERIMENT,
	STATEMENT_ADD_SESSION,
	STATEMENT_REOPEN,
	STATEMENT_SET_ASIDE,
	STATEMENT_ADD_RUN,
	STATEMENT_ADD_LOOK,
	STATEMENT_END_EXPERIMENT,
	STATEMENT_ADD_CALIBRATION,
	STATEMENT_TIE_EXPERIMENT,
	STATEMENT_COUNT,
};

/* Tries all of them, with write those that write too: the tables are as they should be then. */
bool statements_check(struct store *s, bool write, struct error *err);

/* Owned by the caller, also on failure; for the version that the file has. */
bool statements_prepare(struct store *s, enum statement which, sqlite3_stmt **ret,
			struct error *err);

bool statements_no_experiment(const struct store *s, int64_t id, struct error *err);

/* Steps to the next row. False with *ret_row false at the end, with err set on failure. */
bool statements_row(struct store *s, sqlite3_stmt *statement, bool *ret_row, struct error *err);

/* A text that is never NULL, valid until the next step. */
const char *statements_string(sqlite3_stmt *statement, int column);

/* JSON text, with its length: a zero byte in the middle is damage that must be seen. Owned. */
bool statements_json(sqlite3_stmt *statement, int column, json_t **ret, struct error *err);

/* The string must outlive the statement's step. */
bool statements_bind(struct store *s, sqlite3_stmt *statement, int at, const char *string,
		     struct error *err);

/*
 * Runs a statement that changes something, inside a transaction. `experiment` is what it refers to;
 * changing nothing means that there is none.
 */
bool statements_step(struct store *s, sqlite3_stmt *statement, int64_t experiment,
		     struct error *err);

/* Ends the transaction, for good or not. */
bool statements_finish(struct store *s, bool ok, struct error *err);

#endif
