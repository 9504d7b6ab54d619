// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/database.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "store/wait.h"

bool database_damaged(const struct database *d, const char *how, struct error *err)
{
	return error_set(err, ERROR_DATA,
			 "store %s is damaged (%s); `sqlite3 %s .recover` saves what can be read",
			 d->path, how, d->path);
}

/* Why a file failed: SQLite forgets it in one place and remembers it in another. 0: unknown. */
static int last_errno(struct database *d)
{
	static const int pointers[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
	int number = sqlite3_system_errno(d->db);

	/* The log or journal first: it is written first. */
	for (size_t i = 0; !number && i < sizeof(pointers) / sizeof(*pointers); i++) {
		sqlite3_file *file = NULL;

		sqlite3_file_control(d->db, "main", pointers[i], &file);
		if (file && file->pMethods)
			file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
	}
	return number;
}

bool database_fail(struct database *d, int rc, struct error *err)
{
	/* What came after the failure (a rollback) may have taken the place of its message. */
	const char *said =
		sqlite3_extended_errcode(d->db) == rc ? sqlite3_errmsg(d->db) : sqlite3_errstr(rc);

	if (rc == SQLITE_READONLY_DIRECTORY)
		return error_set(err, ERROR_SYSTEM, "store %s: its folder may not be written",
				 d->path);
	switch (rc & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		/* SQLite takes a file that the disk cannot read for a damaged one. */
		errno = last_errno(d);
		if (errno == EIO)
			return error_set_errno(err, "store %s", d->path);
		return database_damaged(d, said, err);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		if (wait_is_stopped())
			return error_set(err, ERROR_INTERRUPTED,
					 "store %s: stopped while another program keeps it locked",
					 d->path);
		return error_set(err, ERROR_SYSTEM,
				 "store %s: another program has kept it locked for %d s", d->path,
				 WAIT_SECONDS);
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_PERM:
		errno = last_errno(d);
		if (errno)
			return error_set_errno(err, "store %s: %s", d->path, said);
		break;
	}
	return error_set(err, ERROR_SYSTEM, "store %s: %s", d->path, said);
}

bool database_exec(struct database *d, const char *sql, struct error *err)
{
	int rc = sqlite3_exec(d->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK || database_fail(d, rc, err);
}

bool database_begin(struct database *d, struct error *err)
{
	return database_exec(d, "BEGIN IMMEDIATE", err);
}

void database_rollback(struct database *d)
{
	/* Some failures have rolled it back already. */
	if (!sqlite3_get_autocommit(d->db))
		sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
}

bool database_commit(struct database *d, struct error *err)
{
	if (database_exec(d, "COMMIT", err))
		return true;
	database_rollback(d);
	return false;
}

int database_query(struct database *d, const char *sql, int64_t *ret_number, char **ret_text)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	int rc = sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL);

	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(statement, 0);

		*ret_number = sqlite3_column_int64(statement, 0);
		if (ret_text)
			*ret_text = memory_string(text ? text : "");
		return SQLITE_OK;
	}
	return rc == SQLITE_DONE ? SQLITE_ERROR : rc;
}

int64_t database_log_bytes(const struct database *d)
{
	const char *name = sqlite3_db_filename(d->db, "main");
	struct stat st;

	return name && *name && !stat(sqlite3_filename_wal(name), &st) ? st.st_size : 0;
}

void database_done(struct database *d)
{
	/* The last one to close moves the log into the file: not where it was refused. */
	if (d->db && !d->opened && database_log_bytes(d))
		sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(d->db);
	free(d->path);
	*d = (struct database){0};
}
