// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/identity.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "store/folder.h"
#include "store/store.h"

/* The header of an SQLite file (sqlite.org/fileformat2.html), and where in it. */
enum {
	HEADER_BYTES = 100,
	HEADER_PAGE_SIZE = 16,
	HEADER_USER_VERSION = 60,
	HEADER_APPLICATION_ID = 68,
};

bool identity_check_path(const char *path, bool create, struct error *err)
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
		return folder_make_for(path, err) || error_wrap(err, "store %s", path);
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

bool identity_refuse(struct database *d, enum identity identity, int64_t version, bool create,
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

/*
 * Through SQLite's own descriptor, and nothing else happens to the file: a query would replay a
 * journal that a killed program has left, in whose file ever it is. A descriptor of our own is no
 * way either: closing it would drop the POSIX locks of all others that this process has on the
 * file.
 */
bool identity_check_header(struct database *d, bool create, struct error *err)
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
		return identity_refuse(d, IDENTITY_EMPTY, 0, create, err);
	rc = file->pMethods->xRead(file, header, sizeof(header), 0);
	if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
		return error_set(err, ERROR_SYSTEM, "store %s: %s", d->path, sqlite3_errstr(rc));
	/* With the zero byte. */
	if (rc != SQLITE_OK || memcmp(header, "SQLite format 3", 16) != 0)
		return error_set(err, ERROR_DATA, "%s is not a store of contend, nor any database",
				 d->path);
	version = (int32_t)big_endian(header + HEADER_USER_VERSION);
	if (!identity_refuse(d, identify(big_endian(header + HEADER_APPLICATION_ID), version),
			     version, create, err))
		return false;
	/* SQLite reads zeros for the rest of a page that was cut. A log may have it. */
	page_size = (header[HEADER_PAGE_SIZE] << 8 | header[HEADER_PAGE_SIZE + 1]) & ~1;
	if (page_size && st.st_size % page_size && !database_log_bytes(d))
		return database_damaged(d, "its last page was cut", err);
	return true;
}

int identity_find(struct database *d, enum identity *ret_identity, int64_t *ret_version)
{
	int64_t application_id = 0, version = 0, things = 0;
	int rc = database_query(d, "PRAGMA user_version", &version, NULL);

	if (rc == SQLITE_OK)
		rc = database_query(d, "PRAGMA application_id", &application_id, NULL);
	if (rc == SQLITE_OK)
		rc = database_query(d, "SELECT count(*) FROM sqlite_schema", &things, NULL);
	if (rc != SQLITE_OK)
		return rc;
	*ret_identity = !application_id && !version && !things ? IDENTITY_EMPTY
							       : identify(application_id, version);
	*ret_version = version;
	return SQLITE_OK;
}

int identity_look(struct database *d, enum identity *ret_identity, int64_t *ret_version)
{
	int rc = sqlite3_exec(d->db, "BEGIN", NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = identity_find(d, ret_identity, ret_version);
	database_rollback(d);
	return rc;
}
