/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_DATABASE_H
#define CONTEND_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

/*
 * The file below a store: transactions, and saying in one line what went wrong. database_open()
 * opens it (store/database_open.h).
 */
struct database {
	sqlite3 *db;
	char *path;		/* as the user named it */
	bool opened;		/* it is ours and sound: closing may tidy up */
	int64_t version;	/* of its tables */
	int64_t waits_since_ns; /* for a lock that another process has */
};

void database_done(struct database *d);

/* Sets err from what SQLite last said about this database (rc: its extended result code). */
bool database_fail(struct database *d, int rc, struct error *err);

/* Sets err for a file that is damaged, and how. */
bool database_damaged(const struct database *d, const char *how, struct error *err);

/* Bytes of the write-ahead log, which a killed process leaves behind. */
int64_t database_log_bytes(const struct database *d);

/*
 * A query whose answer is one value; its result code. ret_text (may be NULL) is owned by the
 * caller.
 */
int database_query(struct database *d, const char *sql, int64_t *ret_number, char **ret_text);

/* Runs statements that return nothing. */
bool database_exec(struct database *d, const char *sql, struct error *err);

/*
 * A transaction that has the right to write from the start, so that it never has to be given up
 * half way because another process wrote.
 */
bool database_begin(struct database *d, struct error *err);
bool database_commit(struct database *d, struct error *err);
void database_rollback(struct database *d);

DEFINE_FREE(statement, sqlite3_stmt *, sqlite3_finalize(_T))

#endif
