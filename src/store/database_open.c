// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/database_open.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/identity.h"
#include "store/schema.h"
#include "store/store.h"
#include "store/wait.h"

/* Up to here a check of the whole file costs less than starting one run. */
enum { QUICK_CHECK_BYTES = 16 << 20 };

/* What SQLite calls when it finds a lock. `times`: how often before, for the same lock. */
static int on_busy(void *context, int times)
{
	struct database *d = context;

	if (!times)
		d->waits_since_ns = clock_now_ns();
	return wait_a_little(d->waits_since_ns);
}

/* The connection, which does nothing to the file yet. */
static bool connect(struct database *d, const char *name, int flags, struct error *err)
{
	int rc;

	sqlite3_close(d->db);
	d->db = NULL;
	rc = sqlite3_open_v2(name, &d->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			     NULL);
	if (rc != SQLITE_OK)
		return d->db ? database_fail(d, rc, err)
			     : error_set(err, ERROR_SYSTEM, "store %s: %s", d->path,
					 sqlite3_errstr(rc));
	sqlite3_busy_handler(d->db, on_busy, d);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	/* A store may have come by mail: its tables must not make us run anything. */
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	return true;
}

/* "file:" and ":memory:" and the like mean something to SQLite; a path does not begin so. */
static char *plain_name(const char *path)
{
	return text_format("%s%s", *path == '/' ? "" : "./", path);
}

static char *immutable_name(const char *path)
{
	char *name __free(memory) = plain_name(path);
	struct text uri = {0};

	text_puts(&uri, *name == '/' ? "file://" : "file:");
	for (const char *at = name; *at; at++)
		text_printf(&uri, *at == '/' ? "/" : "%%%02x", (unsigned char)*at);
	text_puts(&uri, "?immutable=1");
	return text_take(&uri);
}

/* The first query, which takes locks, reads the log and fails where one of them cannot be. */
static int first_query(struct database *d)
{
	return sqlite3_exec(d->db, "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON", NULL,
			    NULL, NULL);
}

/* How SQLite says that it cannot make the index of the log. A journal is another matter. */
static bool lacks_index(int rc)
{
	return (rc & 0xff) == SQLITE_CANTOPEN || rc == SQLITE_READONLY_DIRECTORY ||
	       rc == SQLITE_READONLY_CANTINIT || rc == SQLITE_READONLY_RECOVERY;
}

/*
 * A reader that may not write into the folder cannot make the shared index of the log. Where there
 * is no log the file alone is all there is and can be read as one that nobody changes; somebody
 * with more rights may, and then the reader finds it damaged, at worst.
 */
static bool read_alone(struct database *d, struct error *err)
{
	char *name __free(memory) = immutable_name(d->path);
	int rc;

	if (database_log_bytes(d))
		return error_set(
			err, ERROR_SYSTEM,
			"store %s has runs in %s-wal, and reading that needs write access to "
			"its folder: copy both files",
			d->path, d->path);
	if (!connect(d, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err))
		return false;
	rc = first_query(d);
	return rc == SQLITE_OK || database_fail(d, rc, err);
}

/* Steps from the file's version to ours. */
static bool bring_up_to_date(struct database *d, bool create, struct error *err)
{
	struct text sql __text = {0};
	enum identity identity;
	int64_t version;
	int rc;

	if (!database_begin(d, err))
		return false;
	/* Another process may have done it while this one waited. */
	rc = identity_find(d, &identity, &version);
	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	if (!identity_refuse(d, identity, version, create, err))
		return false;
	for (; version < STORE_VERSION; version++) {
		text_puts(&sql, schema_steps[version]);
		text_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %lld;",
			    STORE_APPLICATION_ID, (long long)version + 1);
	}
	return database_exec(d, text_string(&sql), err) && database_commit(d, err);
}

/* Only after the tables are there, so that the file says from its first byte whose it is. */
bool database_use_wal(struct database *d, struct error *err)
{
	int64_t since_ns = clock_now_ns();
	char *mode __free(memory) = NULL;
	int64_t ignored;
	int rc = database_query(d, "PRAGMA journal_mode", &ignored, &mode);

	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	if (text_equal(mode, "wal"))
		return true;
	/*
	 * SQLite does not always wait for others here by itself. Where the file system cannot do
	 * WAL the mode stays what it was, which is as durable.
	 */
	while ((rc = database_query(d, "PRAGMA journal_mode = WAL", &ignored, NULL)) != SQLITE_OK) {
		if ((rc & 0xff) != SQLITE_BUSY || !wait_a_little(since_ns))
			return database_fail(d, rc, err);
	}
	return true;
}

/*
 * What the check of the pages has found, two lines: the database, and what is the matter. A page
 * that could not be read, for want of memory or by a fault of the disk, is not damaged.
 */
static bool unsound(struct database *d, const char *found, struct error *err)
{
	const char *feed = strchr(found, '\n');
	const char *matter = feed ? feed + 1 : found;
	char *first __free(memory) = text_format("%.*s", (int)strcspn(matter, "\n"), matter);
	const char *code = strstr(first, "error code=");
	int rc = SQLITE_CORRUPT;

	if (code)
		sscanf(code, "error code=%d", &rc);
	if (strstr(first, "failed to get page"))
		rc = SQLITE_ERROR;
	if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB)
		return database_damaged(d, first, err);
	return error_set(err, ERROR_SYSTEM, "store %s: a page could not be read (%s)", d->path,
			 code ? sqlite3_errstr(rc) : first);
}

/*
 * Before the first run rather than after the last one: is it sound? Only where that is cheap; what
 * it would find in a large file is found when it is read.
 */
static bool check_pages(struct database *d, struct error *err)
{
	char *found __free(memory) = NULL;
	int64_t size, ignored;
	int rc = database_query(
		d, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", &size,
		NULL);

	if (rc == SQLITE_OK && size <= QUICK_CHECK_BYTES)
		rc = database_query(d, "PRAGMA quick_check(1)", &ignored, &found);
	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	return !found || text_equal(found, "ok") || unsound(d, found, err);
}

bool database_open(struct database *d, const char *path, bool create, struct error *err)
{
	char *name __free(memory) = plain_name(path);
	enum identity identity;
	int64_t version;
	int rc;

	if (!identity_check_path(path, create, err))
		return false;
	d->path = memory_string(path);
	if (!connect(d, name, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), err) ||
	    !identity_check_header(d, create, err))
		return false;
	/* Without the right to write SQLite opens it for reading and says nothing. */
	if (create && sqlite3_db_readonly(d->db, "main") == 1)
		return error_set(err, ERROR_SYSTEM, "store %s may not be written", path);

	rc = first_query(d);
	if (rc != SQLITE_OK && (create || !lacks_index(rc)))
		return database_fail(d, rc, err);
	if (rc != SQLITE_OK && !read_alone(d, err))
		return false;

	rc = identity_look(d, &identity, &version);
	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	if (!identity_refuse(d, identity, version, create, err))
		return false;
	/* Who only reads changes nothing: the statements are those of the file's version. */
	d->version = version;
	if (!create)
		return true;
	if (version < STORE_VERSION && !bring_up_to_date(d, create, err)) {
		database_rollback(d);
		return false;
	}
	d->version = STORE_VERSION;
	return check_pages(d, err);
}
