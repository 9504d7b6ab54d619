/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_IDENTITY_H
#define CONTEND_STORE_IDENTITY_H

#include "store/database.h"

/* What a file is. */
enum identity {
	IDENTITY_EMPTY, /* nothing yet: may become a store */
	IDENTITY_STORE,
	IDENTITY_OTHER,
	IDENTITY_NEWER,
};

/*
 * Looks at what the path leads to before SQLite does, which would open a folder or a pipe, too;
 * with create the folder of a new file is made.
 */
bool identity_check_path(const char *path, bool create, struct error *err);

/*
 * Reads the file's header as bytes, through SQLite's own descriptor, and refuses what is no store
 * or was cut. Nothing else happens to the file.
 */
bool identity_check_header(struct database *d, bool create, struct error *err);

/* What it is by way of SQLite, which sees what lies in the write-ahead log too. */
int identity_find(struct database *d, enum identity *ret_identity, int64_t *ret_version);

/* The same in one read transaction: another process may be making the tables just now. */
int identity_look(struct database *d, enum identity *ret_identity, int64_t *ret_version);

/* False, with the reason, for all that is no store, an empty one too unless it may become one. */
bool identity_refuse(struct database *d, enum identity identity, int64_t version, bool create,
		     struct error *err);

#endif
