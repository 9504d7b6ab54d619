// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/schema.h"
#include "store/store.h"

enum {
	/* How long to wait for another process; its transactions take milliseconds. */
	BUSY_SECONDS = 30,
	/* The same for a user who wants to stop: what has been measured is still to be kept. */
	BUSY_STOPPED_MS = 1000,
	BUSY_STEP_MS = 20,
	/* Up to here a check of the whole file costs less than starting one run. */
	QUICK_CHECK_BYTES = 16 << 20,
	/* The header of an SQLite file (sqlite.org/fileformat2.html), and where in it. */
	HEADER_BYTES = 100,
	HEADER_PAGE_SIZE = 16,
	HEADER_USER_VERSION = 60,
	HEADER_APPLICATION_ID = 68,
};

/* A process has one user, who wants to stop all of it. */
static int stop_fd = -1;

void store_stop_on(int fd)
{
	stop_fd = fd;
}

static bool stop_asked(void)
{
	struct pollfd stop = {.fd = stop_fd, .events = POLLIN};

	return stop_fd >= 0 && poll(&stop, 1, 0) > 0;
}

/* For whoever waits since then: waits a little longer. False when that is enough. */
static bool wait_a_little(int64_t since_ns)
{
	int64_t waited_ns = clock_now_ns() - since_ns;

	if (waited_ns >= (stop_asked() ? BUSY_STOPPED_MS * NS_PER_MS : BUSY_SECONDS * NS_PER_SEC))
		return false;
	clock_sleep_until(clock_now_ns() + BUSY_STEP_MS * NS_PER_MS);
	return true;
}

/* What SQLite calls when it finds a lock. `times`: how often before, for the same lock. */
static int on_busy(void *context, int times)
{
	struct database *d = context;

	if (!times)
		d->waits_since_ns = clock_now_ns();
	return wait_a_little(d->waits_since_ns);
}

/* What a file is. */
enum identity {
	IDENTITY_EMPTY, /* nothing yet: may become a store */
	IDENTITY_STORE,
	IDENTITY_OTHER,
	IDENTITY_NEWER,
};

static bool damaged(const struct database *d, const char *how, struct error *err)
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
		return damaged(d, said, err);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		if (stop_asked())
			return error_set(err, ERROR_INTERRUPTED,
					 "store %s: stopped while another program keeps it locked",
					 d->path);
		return error_set(err, ERROR_SYSTEM,
				 "store %s: another program has kept it locked for %d s", d->path,
				 BUSY_SECONDS);
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

/* A query whose answer is one value. ret_text (may be NULL) is owned by the caller. */
static int query(struct database *d, const char *sql, int64_t *ret_number, char **ret_text)
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

/* ---- folders ---- */

/* A new name in a folder is only durable when the folder is. What cannot be synced was made. */
static void sync_folder(const char *folder)
{
	int fd __free(fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fsync(fd);
}

/* The folder that holds a file; owned by the caller. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return memory_string(".");
	return slash == path ? memory_string("/") : text_format("%.*s", (int)(slash - path), path);
}

static bool make_folder(const char *folder, struct error *err)
{
	char *parent __free(memory) = NULL;
	struct stat st;

	if (!stat(folder, &st))
		return true;
	if (errno != ENOENT)
		return error_set_errno(err, "folder %s", folder);
	parent = folder_of(folder);
	if (!make_folder(parent, err))
		return false;
	/* Another process may be quicker. What was measured is nobody else's business. */
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set_errno(err, "make folder %s", folder);
	sync_folder(parent);
	return true;
}

/* The folder for a new file. Where none can be made SQLite would only say that there is none. */
static bool make_room(const char *path, struct error *err)
{
	char *folder __free(memory) = folder_of(path);

	if (!make_folder(folder, err))
		return false;
	return !faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ||
	       error_set_errno(err, "folder %s", folder);
}

/* ---- what is it? ---- */

/* Looks at what the path leads to before SQLite does: it would open a folder or a pipe, too. */
static bool check_path(const char *path, bool create, struct error *err)
{
	size_t length = strlen(path);
	struct stat st;

	if (!length)
		return error_set(err, ERROR_USAGE, "the name of the store is empty");
	if (stat(path, &st)) {
		if (errno != ENOENT)
			return error_set_errno(err, "store %s", path);
		if (!create)
			return error_set(err, ERROR_USAGE,
					 "no store %s: nothing was ever stored there", path);
		if (path[length - 1] == '/')
			return error_set(err, ERROR_USAGE, "store %s: not the name of a file",
					 path);
		return make_room(path, err) || error_wrap(err, "store %s", path);
	}
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_DATA, "store %s is %s, not a file", path,
				 S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
	return true;
}

static uint32_t big_endian(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static enum identity identify(int64_t application_id, int64_t version)
{
	if (application_id != STORE_APPLICATION_ID || version < 1)
		return IDENTITY_OTHER;
	return version > STORE_VERSION ? IDENTITY_NEWER : IDENTITY_STORE;
}

static bool refuse(struct database *d, enum identity identity, int64_t version, bool create,
		   struct error *err)
{
	switch (identity) {
	case IDENTITY_STORE:
		return true;
	case IDENTITY_EMPTY:
		return create ||
		       error_set(err, ERROR_DATA,
				 "store %s is empty: nothing was ever stored in it", d->path);
	case IDENTITY_OTHER:
		return error_set(err, ERROR_DATA,
				 "store %s is another program's database, not a store of contend",
				 d->path);
	case IDENTITY_NEWER:
		return error_set(
			err, ERROR_DATA,
			"store %s has version %lld, this program reads up to %d: use a newer "
			"contend",
			d->path, (long long)version, STORE_VERSION);
	}
	return false;
}

/* Bytes of the write-ahead log, which a killed process leaves behind. */
static int64_t log_bytes(const struct database *d)
{
	const char *name = sqlite3_db_filename(d->db, "main");
	struct stat st;

	return name && *name && !stat(sqlite3_filename_wal(name), &st) ? st.st_size : 0;
}

/*
 * Reads the file's header as bytes, through SQLite's own descriptor. Nothing else happens to the
 * file: a query would replay a journal that a killed program has left, in whose file ever it is. A
 * descriptor of our own is no way either: closing it would drop the POSIX locks of all others that
 * this process has on the file.
 */
static bool check_header(struct database *d, bool create, struct error *err)
{
	unsigned char header[HEADER_BYTES] = {0};
	sqlite3_file *file = NULL;
	int64_t version;
	struct stat st;
	int page_size;
	int rc;

	sqlite3_file_control(d->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (!file || !file->pMethods)
		return error_set(err, ERROR_SYSTEM, "store %s: not open", d->path);
	/* Not by its xFileSize(), for which a file of one byte is empty, too. */
	if (stat(d->path, &st))
		return error_set_errno(err, "store %s", d->path);
	if (!st.st_size)
		return refuse(d, IDENTITY_EMPTY, 0, create, err);
	rc = file->pMethods->xRead(file, header, sizeof(header), 0);
	if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
		return error_set(err, ERROR_SYSTEM, "store %s: %s", d->path, sqlite3_errstr(rc));
	/* With the zero byte. */
	if (rc != SQLITE_OK || memcmp(header, "SQLite format 3", 16) != 0)
		return error_set(err, ERROR_DATA, "%s is not a store of contend, nor any database",
				 d->path);
	version = (int32_t)big_endian(header + HEADER_USER_VERSION);
	if (!refuse(d, identify(big_endian(header + HEADER_APPLICATION_ID), version), version,
		    create, err))
		return false;
	/* SQLite reads zeros for the rest of a page that was cut. A log may have it. */
	page_size = (header[HEADER_PAGE_SIZE] << 8 | header[HEADER_PAGE_SIZE + 1]) & ~1;
	if (page_size && st.st_size % page_size && !log_bytes(d))
		return damaged(d, "its last page was cut", err);
	return true;
}

/* The same by way of SQLite, which sees what lies in the write-ahead log too. */
static int find_identity(struct database *d, enum identity *ret_identity, int64_t *ret_version)
{
	int64_t application_id = 0, version = 0, things = 0;
	int rc = query(d, "PRAGMA user_version", &version, NULL);

	if (rc == SQLITE_OK)
		rc = query(d, "PRAGMA application_id", &application_id, NULL);
	if (rc == SQLITE_OK)
		rc = query(d, "SELECT count(*) FROM sqlite_schema", &things, NULL);
	if (rc != SQLITE_OK)
		return rc;
	*ret_identity = !application_id && !version && !things ? IDENTITY_EMPTY
							       : identify(application_id, version);
	*ret_version = version;
	return SQLITE_OK;
}

/* The same in one read transaction: another process may be making the tables just now. */
static int look_at_identity(struct database *d, enum identity *ret_identity, int64_t *ret_version)
{
	int rc = sqlite3_exec(d->db, "BEGIN", NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = find_identity(d, ret_identity, ret_version);
	database_rollback(d);
	return rc;
}

/* ---- opening ---- */

void database_done(struct database *d)
{
	/* The last one to close moves the log into the file: not where it was refused. */
	if (d->db && !d->opened && log_bytes(d))
		sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(d->db);
	free(d->path);
	*d = (struct database){0};
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

	if (log_bytes(d))
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
	rc = find_identity(d, &identity, &version);
	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	if (!refuse(d, identity, version, create, err))
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
	int rc = query(d, "PRAGMA journal_mode", &ignored, &mode);

	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	if (text_equal(mode, "wal"))
		return true;
	/*
	 * SQLite does not always wait for others here by itself. Where the file system cannot do
	 * WAL the mode stays what it was, which is as durable.
	 */
	while ((rc = query(d, "PRAGMA journal_mode = WAL", &ignored, NULL)) != SQLITE_OK) {
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
		return damaged(d, first, err);
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
	int rc = query(d, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
		       &size, NULL);

	if (rc == SQLITE_OK && size <= QUICK_CHECK_BYTES)
		rc = query(d, "PRAGMA quick_check(1)", &ignored, &found);
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

	if (!check_path(path, create, err))
		return false;
	d->path = memory_string(path);
	if (!connect(d, name, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), err) ||
	    !check_header(d, create, err))
		return false;
	/* Without the right to write SQLite opens it for reading and says nothing. */
	if (create && sqlite3_db_readonly(d->db, "main") == 1)
		return error_set(err, ERROR_SYSTEM, "store %s may not be written", path);

	rc = first_query(d);
	if (rc != SQLITE_OK && (create || !lacks_index(rc)))
		return database_fail(d, rc, err);
	if (rc != SQLITE_OK && !read_alone(d, err))
		return false;

	rc = look_at_identity(d, &identity, &version);
	if (rc != SQLITE_OK)
		return database_fail(d, rc, err);
	if (!refuse(d, identity, version, create, err))
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
